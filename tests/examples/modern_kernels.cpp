// SPDX-License-Identifier: BSL-1.0
// examples/kernels/modern: what each of them computes, on all inputs that lkt tests it with,
// against references in double that were written from what the kernels' comments promise.
#include "judged.hpp"

#include <lkt/gpu/host.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using judged::inputs;
using judged::numbers;
using judged::results;

results product(inputs const& in, bool transposed, double scale) {
    auto const m = in.extent(0), k = in.extent(1), n = in.extent(2);
    auto const a = in.at(0), b = in.at(1);
    numbers c(m * n);
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t column = 0; column < n; ++column)
                c[row * n + column] +=
                    scale * a[row * k + i] * (transposed ? b[column * k + i] : b[i * n + column]);
    return {c};
}
results gemm_half(inputs const& in) { return product(in, false, 1); }
results gemm_float8(inputs const& in) { return product(in, true, in.at(3)[0]); }
results gemm_bfloat16(inputs const& in) { return product(in, true, 1); }

results scaled_copy(inputs const& in) {
    numbers y = in.at(0);
    for (double& v : y) v *= in.at(2)[0];
    return {y};
}

results gemv_w4a16(inputs const& in) {
    auto const rows = in.extent(0), columns = in.extent(1), batch = in.extent(2);
    auto const w = in.at(0), scales = in.at(1), zeros = in.at(2), x = in.at(3);
    REQUIRE(w.size() == rows * columns); // lanes: one for each half byte
    numbers y(rows * batch);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < columns; ++i) {
            std::size_t const at = row * columns + i;
            double const weight = (w[at] - zeros[at / 128]) * scales[at / 128];
            for (std::size_t b = 0; b < batch; ++b)
                y[b * rows + row] += weight * x[b * columns + i];
        }
    return {y};
}

results gemv_nvfp4(inputs const& in) {
    auto const rows = in.extent(0), columns = in.extent(1), batch = in.extent(2);
    auto const w = in.at(0), scales = in.at(1), x = in.at(2);
    REQUIRE(w.size() == rows * columns); // lanes: one for each half byte
    numbers y(rows * batch);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < columns; ++i) {
            std::size_t const at = row * columns + i;
            for (std::size_t b = 0; b < batch; ++b)
                y[b * rows + row] += in.at(4)[0] * w[at] * scales[at / 16] * x[b * columns + i];
        }
    return {y};
}

/// The softmax of `x`.
numbers shares(numbers x) {
    double const most = *std::max_element(x.begin(), x.end());
    double total = 0;
    for (double& v : x) total += v = std::exp(v - most);
    for (double& v : x) v /= total;
    return x;
}

/// o = softmax(q k^T / sqrt(dim)) v for the row of q and of o that begins at `row`; it sees the
/// rows of k and v that begin at `seen`.
struct attention {
    std::size_t dim;
    numbers q, k, v, o = numbers(q.size());

    void attend(std::size_t row, std::vector<std::size_t> const& seen) {
        numbers scores(seen.size());
        for (std::size_t i = 0; i < seen.size(); ++i)
            for (std::size_t d = 0; d < dim; ++d)
                scores[i] += q[row + d] * k[seen[i] + d] / std::sqrt(static_cast<double>(dim));
        scores = shares(scores);
        for (std::size_t i = 0; i < seen.size(); ++i)
            for (std::size_t d = 0; d < dim; ++d) o[row + d] += scores[i] * v[seen[i] + d];
    }
};

results attention_causal(inputs const& in) {
    attention all{64, in.at(0), in.at(1), in.at(2)};
    auto const length = in.extent(1);
    for (std::size_t row = 0; row < all.q.size() / all.dim; ++row) {
        std::vector<std::size_t> seen;
        for (std::size_t i = row / length * length; i <= row; ++i) seen.push_back(i * all.dim);
        all.attend(row * all.dim, seen);
    }
    return {all.o};
}

/// `place` says where row `i` of a sequence lies for a head of the cache, counted in rows.
template <class Place>
results
attention_over(inputs const& in, numbers const& unused, std::size_t capacity, Place const& place) {
    attention all{128, in.at(0), in.at(1), in.at(2)};
    auto const kv_heads = in.extent(1), group = in.extent(2);
    for (std::size_t s = 0; s < in.extent(0); ++s)
        for (std::size_t head = 0; head < kv_heads * group; ++head) {
            std::vector<std::size_t> seen(capacity - static_cast<std::size_t>(unused[s]));
            for (std::size_t i = 0; i < seen.size(); ++i)
                seen[i] = place(s, head / group, i) * all.dim;
            all.attend((s * kv_heads * group + head) * all.dim, seen);
        }
    return {all.o};
}

results attention_decode(inputs const& in) {
    auto const kv_heads = in.extent(1), capacity = in.extent(3);
    return attention_over(
        in, in.at(3), capacity, [=](std::size_t s, std::size_t head, std::size_t i) {
            return (s * kv_heads + head) * capacity + i;
        });
}

results attention_paged(inputs const& in) {
    auto const kv_heads = in.extent(1), pages = in.extent(3);
    auto const table = in.at(3);
    return attention_over(
        in, in.at(4), 16 * pages, [&](std::size_t s, std::size_t head, std::size_t i) {
            auto const page = static_cast<std::size_t>(table[s * pages + i / 16]);
            return (page * 16 + i % 16) * kv_heads + head;
        });
}

/// The places of the `count` largest numbers, the largest first, of equal ones the first.
std::vector<std::size_t> largest(numbers const& x, std::size_t count) {
    std::vector<std::size_t> places(x.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return x[a] > x[b]; });
    places.resize(count);
    return places;
}

results top_k(inputs const& in) {
    auto const x = in.at(0);
    auto const columns = static_cast<std::ptrdiff_t>(in.extent(1));
    numbers values, indices;
    for (auto row = x.begin(); row != x.end(); row += columns)
        for (std::size_t const i : largest(numbers(row, row + columns), 8)) {
            values.push_back(row[static_cast<std::ptrdiff_t>(i)]);
            indices.push_back(static_cast<double>(i));
        }
    return {values, indices};
}

results moe_gating(inputs const& in) {
    auto const logits = in.at(0);
    auto const experts = static_cast<std::ptrdiff_t>(in.extent(1));
    numbers weights, chosen;
    for (auto row = logits.begin(); row != logits.end(); row += experts) {
        auto const best = largest(numbers(row, row + experts), 2);
        auto const p = shares(numbers(row, row + experts));
        for (std::size_t const i : best) {
            weights.push_back(p[i] / (p[best[0]] + p[best[1]]));
            chosen.push_back(static_cast<double>(i));
        }
    }
    return {weights, chosen};
}

/// From each element of x to those of y that it counts for.
results conv2d_half(inputs const& in) {
    auto const at = [&](std::size_t k) { return static_cast<std::ptrdiff_t>(in.extent(k)); };
    auto const images = at(0), height = at(1), width = at(2), channels = at(3), filters = at(4);
    auto const x = in.at(0), w = in.at(1);
    numbers y(static_cast<std::size_t>(images * height * width * filters));
    for (std::ptrdiff_t pixel = 0; pixel < images * height * width; ++pixel)
        for (std::ptrdiff_t tap = 0; tap < 9; ++tap) {
            std::ptrdiff_t const dy = 1 - tap / 3, dx = 1 - tap % 3;
            std::ptrdiff_t const row = pixel / width % height + dy, column = pixel % width + dx;
            if (row < 0 || row >= height || column < 0 || column >= width) continue;
            auto const to = y.begin() + (pixel + dy * width + dx) * filters;
            auto const from = x.begin() + pixel * channels;
            for (std::ptrdiff_t f = 0; f < filters; ++f)
                to[f] += std::inner_product(
                    from, from + channels, w.begin() + (f * 9 + tap) * channels, 0.0);
        }
    return {y};
}

results gemv_int8(inputs const& in) {
    auto const w = in.at(0), x = in.at(2);
    auto y = in.at(1);
    for (std::size_t row = 0; row < y.size(); ++row)
        y[row] *= std::inner_product(
            x.begin(), x.end(), w.begin() + static_cast<std::ptrdiff_t>(row * x.size()), 0.0);
    return {y};
}

results scan(inputs const& in) {
    auto y = in.at(0);
    for (std::size_t i = 0; i < y.size(); ++i)
        if (i % in.extent(1) != 0) y[i] += y[i - 1];
    return {y};
}

results spmv_ell(inputs const& in) {
    auto const values = in.at(0), columns = in.at(1), lengths = in.at(2), x = in.at(3);
    numbers y(lengths.size());
    for (std::size_t row = 0; row < y.size(); ++row)
        for (std::size_t i = 0; i < static_cast<std::size_t>(lengths[row]); ++i) {
            std::size_t const at = row * in.extent(1) + i;
            y[row] += values[at] * x[static_cast<std::size_t>(columns[at])];
        }
    return {y};
}

results softmax(inputs const& in) {
    auto const x = in.at(0);
    auto const columns = static_cast<std::ptrdiff_t>(in.extent(1));
    numbers y;
    for (auto row = x.begin(); row != x.end(); row += columns)
        for (double const v : shares(numbers(row, row + columns))) y.push_back(v);
    return {y};
}

double to_bfloat16(double v) { return lkt::decode_bfloat16(lkt::encode_bfloat16(v)); }

results rms_norm_residual(inputs const& in) {
    auto const x = in.at(0), weight = in.at(2);
    auto sum = in.at(1), y = x;
    double const epsilon = in.at(4)[0];
    auto const columns = in.extent(1);
    for (std::size_t row = 0; row < x.size(); row += columns) {
        double squares = 0;
        for (std::size_t i = row; i < row + columns; ++i) {
            sum[i] = to_bfloat16(sum[i] + x[i]);
            squares += sum[i] * sum[i];
        }
        double const root = std::sqrt(squares / static_cast<double>(columns) + epsilon);
        for (std::size_t i = row; i < row + columns; ++i) y[i] = sum[i] / root * weight[i - row];
    }
    return {sum, y};
}

results rotary_embedding(inputs const& in) {
    constexpr std::size_t half = 64;
    auto const q = in.at(0), c = in.at(1), s = in.at(2);
    auto turned = q;
    for (std::size_t head = 0; head < q.size() / (2 * half); ++head)
        for (std::size_t d = 0; d < half; ++d) {
            std::size_t const one = head * 2 * half + d, other = one + half;
            std::size_t const angle = head / in.extent(1) * half + d;
            turned[one] = q[one] * c[angle] - q[other] * s[angle];
            turned[other] = q[other] * c[angle] + q[one] * s[angle];
        }
    return {turned};
}

results layer_norm_backward(inputs const& in) {
    auto const rows = in.extent(0), columns = in.extent(1);
    auto const dy = in.at(0), x = in.at(1), weight = in.at(2), mean = in.at(3), rstd = in.at(4);
    numbers dx(dy.size()), dweight(columns), dbias(columns);
    for (std::size_t r = 0; r < rows; ++r) {
        double sum = 0, along = 0;
        auto const normal = [&](std::size_t i) { return (x[r * columns + i] - mean[r]) * rstd[r]; };
        for (std::size_t i = 0; i < columns; ++i) {
            double const d = dy[r * columns + i];
            sum += d * weight[i] / static_cast<double>(columns);
            along += d * weight[i] * normal(i) / static_cast<double>(columns);
            dweight[i] += d * normal(i);
            dbias[i] += d;
        }
        for (std::size_t i = 0; i < columns; ++i)
            dx[r * columns + i] =
                (dy[r * columns + i] * weight[i] - sum - normal(i) * along) * rstd[r];
    }
    return {dx, dweight, dbias};
}

struct example {
    std::string name;
    results (*reference)(inputs const&);
    double within; ///< of |difference|, over the larger of the reference's number and `scale`
    double scale;
    char const* right = ""; ///< of the text, and
    char const* wrong = ""; ///< what stands there in a defective one
};

constexpr double half = 0x1p-10, bfloat = 0x1p-7;
example const examples[] = {
    {"gemm_half", gemm_half, half, 1},
    {"gemm_half_ptx", gemm_half, half, 1, "x2.trans.shared", "x2.shared"},
    {"scaled_copy_ptx", scaled_copy, 0x1p-23, 1},
    {"gemm_float8", gemm_float8, bfloat, 1},
    {"gemv_w4a16", gemv_w4a16, half, 1, "? two & 15 : two >> 4", "? two >> 4 : two & 15"},
    {"gemv_nvfp4", gemv_nvfp4, half, 1, "sum += two.y", "sum += two.x"},
    {"attention_causal", attention_causal, half, 1},
    {"softmax", softmax, half, 1e-3},
    {"rms_norm_residual", rms_norm_residual, bfloat, 1},
    {"rotary_embedding", rotary_embedding, half, 1},
    {"layer_norm_backward", layer_norm_backward, 2e-4, 1},
    {"gemm_bfloat16", gemm_bfloat16, bfloat, 1},
    {"attention_decode", attention_decode, half, 1},
    {"attention_paged", attention_paged, half, 1, "table[sequence * pages + i / PAGE]", "i / PAGE"},
    {"top_k", top_k, 0, 1},
    {"conv2d_half", conv2d_half, half, 1},
    {"moe_gating", moe_gating, 1e-6, 1},
    {"gemv_int8", gemv_int8, 0x1p-22, 1},
    {"scan", scan, 0x1p-14, 64},
    {"spmv_ell", spmv_ell, 0x1p-18, 16},
};

lkt::problem problem_of(std::string const& file) { return judged::problem_of("modern/" + file); }

/// Elements that are wrong, over all tests. `looked_at` counts elements.
std::size_t
wrong(lkt::host& gpu, lkt::problem const& task, example const& e, std::size_t& looked_at) {
    std::size_t sum = 0;
    for (auto const& [wrong, all] :
         judged::wrong_elements(gpu, task, e.reference, e.within, e.scale)) {
        sum += wrong;
        looked_at += all;
    }
    return sum;
}

} // namespace

TEST_CASE("examples/kernels/modern: each text computes what its comment says") {
    lkt::host gpu;
    for (example const& e : examples) {
        CAPTURE(e.name);
        std::size_t looked_at = 0;
        lkt::problem task = problem_of(e.name + ".json");
        CHECK(task.further_sizes.size() >= 2);
        CHECK(wrong(gpu, task, e, looked_at) == 0);
        CHECK(looked_at > 1'000);

        // The reference tells a defective text apart; one will do.
        if (*e.right == 0) continue;
        auto const at = task.reference.text.find(e.right);
        REQUIRE(at != std::string::npos);
        task.reference.text.replace(at, std::string(e.right).size(), e.wrong);
        CHECK(wrong(gpu, task, e, looked_at) > 100);
    }
}

TEST_CASE(
    "examples/kernels/modern: the problems for a GPU differ in sizes alone, and say their work") {
    for (example const& e : examples) {
        CAPTURE(e.name);
        lkt::problem const small = problem_of(e.name + ".json");
        lkt::problem const large = problem_of(e.name + ".gpu.json");
        CHECK(large.reference == small.reference);
        CHECK(large.launch == small.launch);
        CHECK(large.work == small.work);
        CHECK(large.work.operations.has_value());
        CHECK(large.signature == small.signature);
        CHECK(large.size != small.size);
        CHECK_FALSE(large.size_constraints.empty());
    }
}
