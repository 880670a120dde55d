// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/core/units.hpp>
#include <lkt/scan/detail/check_parts.hpp>
#include <lkt/scan/detail/gemm_check.hpp>
#include <lkt/scan/detail/gemm_elements.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace lkt::detail::scan {

namespace check_parts {

/// y += factor M x for one matrix, whose lines `run` reads: from an element of a line, so many.
/// `run.dot` is their product with what follows, `run.add` adds them times a number to it.
template <class Run>
void add_product(matrix_place const& place,
                 std::int64_t matrix,
                 double factor,
                 double const* x,
                 double* y,
                 Run const& run) {
    double const elements = static_cast<double>(place.rows) * static_cast<double>(place.columns);
    auto const begin_of = [&](std::int64_t line) {
        return static_cast<std::size_t>(matrix * place.of_matrix() + line * place.stride);
    };
    if (place.layout == matrix_layout::row)
        in_pieces(place.lines(), elements, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t line = first; line < last; ++line)
                y[line] += factor * run.dot(begin_of(line), place.length(), x);
        });
    else
        in_pieces(place.length(), elements, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t line = 0; line < place.lines(); ++line)
                run.add(begin_of(line) + static_cast<std::size_t>(first),
                        last - first,
                        factor * x[line],
                        y + first);
        });
}

/// Lines of a matrix that repeats its values.
struct periodic_run {
    std::vector<double> const& values;

    template <class F>
    void each(std::size_t at, std::int64_t length, F const& f) const {
        at %= values.size();
        for (std::int64_t done = 0; done < length;) {
            auto const n = std::min<std::int64_t>(length - done,
                                                  static_cast<std::int64_t>(values.size() - at));
            f(values.data() + at, done, n);
            done += n;
            at = 0;
        }
    }
    double dot(std::size_t at, std::int64_t length, double const* x) const {
        double sum = 0;
        each(at, length, [&](double const* v, std::int64_t from, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) sum += v[i] * x[from + i];
        });
        return sum;
    }
    void add(std::size_t at, std::int64_t length, double by, double* y) const {
        each(at, length, [&](double const* v, std::int64_t from, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) y[from + i] += v[i] * by;
        });
    }
};

/// Lines of a result.
template <gemm_type T>
struct result_run {
    std::byte const* data;
    double dot(std::size_t at, std::int64_t length, double const* x) const {
        double sum = 0;
        for (std::int64_t i = 0; i < length; ++i)
            sum += element<T>(data, at + static_cast<std::size_t>(i)) * x[i];
        return sum;
    }
    void add(std::size_t at, std::int64_t length, double by, double* y) const {
        for (std::int64_t i = 0; i < length; ++i)
            y[i] += element<T>(data, at + static_cast<std::size_t>(i)) * by;
    }
};

} // namespace check_parts

gemm_check::gemm_check(gemm_spec const& spec,
                       gemm_values const& a,
                       gemm_values const& b,
                       gemm_values const* c,
                       gemm_values const* bias)
    : spec_(spec), a_(place_a(spec)), b_(place_b(spec)), c_(place_c(spec)), va_(&a), vb_(&b),
      vc_(spec.beta() == 0 ? nullptr : c), vbias_(spec.bias_length() == 0 ? nullptr : bias) {
    using namespace check_parts;
    double const k = static_cast<double>(spec.k());
    scale_ = std::abs(spec.alpha()) * std::sqrt(k * a.mean_square() * b.mean_square());
    double const steps = steps_of(spec.type(), k);
    if (vc_ != nullptr) added_ = std::abs(spec.beta()) * std::sqrt(vc_->mean_square());
    if (vbias_ != nullptr) added_ += std::sqrt(vbias_->mean_square());
    // Errors of a row are independent of x, whose signs are random: their sum grows as a root.
    auto const rounded = [&](double times) {
        return scale_ * (times * sum_unit(spec.type()) + 2 * input_unit(spec.type())) +
               unit_of(spec.output()) * (scale_ + added_) + least_step(spec.output());
    };
    typical_ = rounded(steps);
    likely_ = rounded(std::sqrt(steps));
    sums_ = scale_ * (4 * steps * sum_unit(spec.type()) + 16 * input_unit(spec.type())) +
            4 * sum_unit(spec.type()) * (std::abs(spec.beta()) + (vbias_ != nullptr ? 1 : 0));
    rows_tell_ = 6 * (scale_ + added_) < largest(spec.output()) &&
                 traits_of(spec.epilogue()).activation == gemm_epilogue::none;
}

/// The matrix product that each group of a convolution is.
inline gemm_spec product_of(convolution_spec const& s) {
    auto const shape = s.as_gemm();
    gemm_draft draft{.m = shape.m,
                     .n = shape.n,
                     .k = shape.k,
                     .batch = s.draft().groups,
                     .type = s.type(),
                     .output = s.output(),
                     .b = matrix_layout::column};
    return gemm_spec::make(draft).value();
}

gemm_check::gemm_check(convolution_spec const& spec, gemm_values const& a, gemm_values const& b)
    : gemm_check(product_of(spec), a, b, nullptr) {
    images_ = convolution_place{spec};
}

double gemm_check::sum_at(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
    double sum = 0;
    if (images_) {
        images_->each_input(matrix, row, [&](std::int64_t k, std::size_t at) {
            sum += va_->values()[at % gemm_values::period] *
                   vb_->values()[b_.at(matrix, k, column) % gemm_values::period];
        });
        return sum;
    }
    for (std::int64_t k = 0; k < spec_.k(); ++k)
        sum += va_->values()[a_.at(matrix, row, k) % gemm_values::period] *
               vb_->values()[b_.at(matrix, k, column) % gemm_values::period];
    double result = spec_.alpha() * sum;
    if (vc_ != nullptr)
        result += spec_.beta() * vc_->values()[c_.at(matrix, row, column) % gemm_values::period];
    if (vbias_ != nullptr) {
        auto const of_line = c_.layout == matrix_layout::row ? column : row;
        result += vbias_->values()[static_cast<std::size_t>(of_line) % gemm_values::period];
    }
    return result;
}

double gemm_check::tolerance(double exact, double within) const {
    using namespace check_parts;
    return within + unit_of(spec_.output()) * (std::abs(exact) + within) +
           least_step(spec_.output());
}

bool gemm_check::near(double got, double exact, double within) const {
    double const most = check_parts::largest(spec_.output()), allowed = tolerance(exact, within);
    if (spec_.output() == gemm_type::int8) // -128 to 127, or -127 to 127
        return got >= std::max(std::min(exact, 127.0), -128.0) - allowed &&
               got <= std::max(std::min(exact, 127.0), -127.0) + allowed;
    if (std::abs(exact) + allowed >= most && (std::isinf(got) || std::abs(got) >= most))
        return (got > 0) == (exact > 0);
    return std::abs(got - exact) <= allowed;
}

std::string gemm_check::fault_at(std::span<std::byte const> d,
                                 double within,
                                 std::int64_t matrix,
                                 std::int64_t row,
                                 std::int64_t column,
                                 double* farthest) const {
    double const got = element_of(spec_.output(), d.data(), c_.at(matrix, row, column));
    double const sum = sum_at(matrix, row, column);
    double const wanted = check_parts::activated(spec_.epilogue(), sum);
    if (farthest != nullptr) *farthest = std::max(*farthest, std::abs(got - wanted));
    if (near(got, wanted, check_parts::behind(spec_.epilogue(), within, sum))) return {};
    return (images_ ? "element " + images_->where(matrix, row, column)
                    : "element (" + std::to_string(row) + ", " + std::to_string(column) + ")" +
                          (spec_.batch() > 1 ? " of matrix " + std::to_string(matrix) : "")) +
           " is " + significant(got) + " instead of " + significant(wanted);
}

std::string gemm_check::fault_in_gaps(std::span<std::byte const> d) const {
    if (c_.stride == c_.length()) return {};
    std::size_t const size = bits_of(spec_.output()) / 8;
    for (std::int64_t line = 0; line < c_.lines() * c_.batch; ++line) {
        auto const begin = static_cast<std::size_t>(line * c_.stride + c_.length()) * size;
        auto const end = static_cast<std::size_t>((line + 1) * c_.stride) * size;
        for (std::size_t i = begin; i < end; ++i)
            if (d[i] != std::byte{0xff})
                return "it wrote behind line " + std::to_string(line % c_.lines()) + " of C";
    }
    return {};
}

std::string gemm_check::fault_in_samples(std::span<std::byte const> d) {
    farthest_ = 0;
    std::int64_t const m = spec_.m() - 1, n = spec_.n() - 1, last = spec_.batch() - 1;
    for (auto const& [i, j] : {std::pair<std::int64_t, std::int64_t>(0, 0), {0, n}, {m, 0}, {m, n}})
        for (std::int64_t const matrix : {std::int64_t{0}, last})
            if (auto fault = fault_at(d, within_, matrix, i, j, &farthest_); !fault.empty())
                return fault;
    check_parts::random_bits random{0x5eed};
    for (int left = rows_tell_ ? 64 : 2048; left > 0; --left) {
        auto const matrix = random.below(spec_.batch()), i = random.below(spec_.m()),
                   j = random.below(spec_.n());
        if (auto fault = fault_at(d, within_, matrix, i, j, &farthest_); !fault.empty())
            return fault;
    }
    return {};
}

void gemm_check::add_images(std::int64_t group, std::vector<double> const& t, double* y) const {
    auto const& values = va_->values();
    check_parts::in_pieces(
        spec_.m(),
        static_cast<double>(spec_.m()) * static_cast<double>(spec_.k()),
        [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = first; row < last; ++row)
                images_->each_input(group, row, [&](std::int64_t k, std::size_t at) {
                    y[row] += values[at % gemm_values::period] * t[static_cast<std::size_t>(k)];
                });
        });
}

void gemm_check::add_rest(std::int64_t matrix, double* y) const {
    using namespace check_parts;
    if (vc_ != nullptr)
        add_product(c_, matrix, spec_.beta(), x_.data(), y, periodic_run{vc_->values()});
    if (vbias_ == nullptr) return;
    periodic_run const bias{vbias_->values()};
    if (c_.layout == matrix_layout::row) {
        double const all = bias.dot(0, spec_.n(), x_.data());
        for (std::int64_t i = 0; i < spec_.m(); ++i) y[i] += all;
    } else {
        bias.add(0, spec_.m(), std::accumulate(x_.begin(), x_.end(), 0.0), y);
    }
}

std::string gemm_check::fault_in_rows(std::span<std::byte const> d) {
    using namespace check_parts;
    auto const m = static_cast<std::size_t>(spec_.m()), n = static_cast<std::size_t>(spec_.n()),
               k = static_cast<std::size_t>(spec_.k());
    if (x_.empty()) {
        random_bits random{0xf4e1};
        x_.resize(n);
        for (double& x : x_) {
            x = 0.5 + std::ldexp(static_cast<double>(random() >> 11), -53);
            if ((random() & 1) != 0) x = -x;
        }
        expected_.assign(m * static_cast<std::size_t>(spec_.batch()), 0);
        std::vector<double> t(k);
        for (std::int64_t b = 0; b < spec_.batch(); ++b) {
            std::fill(t.begin(), t.end(), 0);
            add_product(b_, b, 1, x_.data(), t.data(), periodic_run{vb_->values()});
            double* const y = expected_.data() + static_cast<std::size_t>(b) * m;
            if (images_)
                add_images(b, t, y);
            else
                add_product(a_, b, spec_.alpha(), t.data(), y, periodic_run{va_->values()});
            add_rest(b, y);
        }
    }
    std::vector<double> got(expected_.size());
    with_type(spec_.output(), [&]<gemm_type T>() {
        for (std::int64_t b = 0; b < spec_.batch(); ++b)
            add_product(c_,
                        b,
                        1,
                        x_.data(),
                        got.data() + static_cast<std::size_t>(b) * m,
                        result_run<T>{d.data()});
    });
    double const lost = std::min(typical_, std::max(likely_, farthest_));
    double const allowed = 8 * std::sqrt(static_cast<double>(spec_.n())) *
                           (lost + std::sqrt(parts_) * unit_of(spec_.output()) * scale_);
    for (std::size_t i = 0; i < got.size(); ++i)
        if (!(std::abs(got[i] - expected_[i]) <= allowed))
            return (images_
                        ? "all filters at " + images_->where(static_cast<std::int64_t>(i / m),
                                                             static_cast<std::int64_t>(i % m),
                                                             0)
                        : "row " + std::to_string(i % m) +
                              (spec_.batch() > 1 ? " of matrix " + std::to_string(i / m) : "")) +
                   " times a random vector is " + significant(got[i]) + " instead of " +
                   significant(expected_[i]);
    return {};
}

gemm_check::answer gemm_check::against_first(std::span<std::byte const> d) {
    using namespace check_parts;
    // Integers are not rounded on the way.
    double const times = spec_.output() == gemm_type::int8 ? 0 : 2;
    double const within =
        behind(spec_.epilogue(), std::max(within_, first_), 6 * (scale_ + added_));
    // Lines of all matrices, one after the other, and where elements differ by too much.
    std::int64_t const lines = c_.lines() * c_.batch;
    std::array<std::pair<std::int64_t, std::int64_t>, 64> differing;
    std::atomic<std::size_t> count{0};
    with_type(spec_.output(), [&]<gemm_type T>() {
        std::size_t const size = bits_of(T) / 8;
        in_pieces(lines,
                  static_cast<double>(lines) * static_cast<double>(c_.length()),
                  [&](std::int64_t first, std::int64_t last) {
                      for (std::int64_t line = first; line < last; ++line) {
                          auto const begin = static_cast<std::size_t>(line * c_.stride);
                          auto const* const a = d.data() + begin * size;
                          auto const* const b = right_.data() + begin * size;
                          if (std::memcmp(a, b, static_cast<std::size_t>(c_.length()) * size) == 0)
                              continue;
                          for (std::size_t i = 0; i < static_cast<std::size_t>(c_.length()); ++i) {
                              double const got = element<T>(a, i), one = element<T>(b, i);
                              if (got == one ||
                                  std::abs(got - one) <= tolerance(one, within) * times)
                                  continue;
                              if (auto const at = count++; at < differing.size())
                                  differing[at] = {line, static_cast<std::int64_t>(i)};
                              else
                                  return;
                          }
                      }
                  });
    });
    for (std::size_t n = 0; n < std::min(count.load(), differing.size()); ++n) {
        auto const [line, i] = differing[n];
        bool const row = c_.layout == matrix_layout::row;
        auto const matrix = line / c_.lines(), of_matrix = line % c_.lines();
        auto const r = row ? of_matrix : i, c = row ? i : of_matrix;
        if (auto const fault = fault_at(d, within_, matrix, r, c); !fault.empty())
            return {scan_verdict::wrong, fault, false};
        if (auto const of_first = fault_at(right_, first_, matrix, r, c); !of_first.empty())
            return {scan_verdict::correct, of_first, true};
    }
    return {};
}

gemm_check::answer gemm_check::judge(std::span<std::byte const> d, int parts) {
    std::vector<std::byte> matrices;
    if (images_) {
        matrices = images_->as_matrices(d, bits_of(spec_.output()) / 8);
        d = matrices;
    }
    parts_ = parts;
    // Each is rounded, and so is each sum of them.
    within_ = sums_ + 4 * parts_ * check_parts::unit_of(spec_.output()) * scale_;
    if (auto fault = fault_in_gaps(d); !fault.empty()) return {scan_verdict::wrong, fault, false};
    answer of_first;
    if (!right_.empty()) {
        of_first = against_first(d);
        if (!of_first.first_wrong) return of_first;
        right_.clear();
    }
    auto fault = fault_in_samples(d);
    if (fault.empty() && rows_tell_) fault = fault_in_rows(d);
    if (!fault.empty()) return {scan_verdict::wrong, fault, of_first.first_wrong};
    right_.assign(d.begin(), d.end());
    first_ = within_;
    return {scan_verdict::correct, of_first.why, of_first.first_wrong};
}

} // namespace lkt::detail::scan
