// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/detail/gemm_check.hpp>

#include <doctest/doctest.h>

#include <lkt/kernel/half.hpp>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace lkt;
using namespace lkt::detail::scan;

/// Made once.
gemm_values const& values(gemm_type type, std::uint64_t seed) {
    static std::map<std::pair<gemm_type, std::uint64_t>, gemm_values> made;
    return made.try_emplace({type, seed}, type, seed).first->second;
}

/// A product, and results of it.
struct scene {
    explicit scene(gemm_draft const& draft)
        : spec(gemm_spec::make(draft).value()), a(values(spec.type(), 1)),
          b(values(spec.type(), 2)), c(values(spec.output(), 3)), bias(values(spec.bias_type(), 4)),
          check(spec, a, b, &c, &bias) {}

    std::size_t at(std::int64_t i, std::int64_t j, std::int64_t matrix = 0) const {
        return place_c(spec).at(matrix, i, j);
    }
    static double value(gemm_values const& v, std::size_t index) {
        return v.values()[index % gemm_values::period];
    }
    double exact(std::int64_t i, std::int64_t j, std::int64_t matrix) const {
        double sum = 0;
        for (std::int64_t k = 0; k < spec.k(); ++k)
            sum +=
                value(a, place_a(spec).at(matrix, i, k)) * value(b, place_b(spec).at(matrix, k, j));
        double x = spec.alpha() * sum + spec.beta() * value(c, at(i, j, matrix));
        if (traits_of(spec.epilogue()).bias)
            x += value(bias, static_cast<std::size_t>(spec.c() == matrix_layout::row ? j : i));
        switch (traits_of(spec.epilogue()).activation) {
        case gemm_epilogue::relu:
            return std::fmax(x, 0);
        case gemm_epilogue::gelu:
            return x / (1 + std::exp(-2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        default:
            return x;
        }
    }
    void put(std::vector<std::byte>& d, std::size_t index, double value) const {
        auto const write = [&](auto number) {
            std::memcpy(d.data() + index * sizeof number, &number, sizeof number);
        };
        if (spec.output() == gemm_type::f16)
            write(encode_float16(value));
        else if (spec.output() == gemm_type::int8)
            write(static_cast<std::int8_t>(std::fmax(-128, std::fmin(127, value))));
        else
            write(static_cast<float>(value));
    }
    /// The right result, with what is added to each element of a float's sum.
    std::vector<std::byte> right(double relative = 0) const {
        auto const place = place_c(spec);
        std::vector<std::byte> d(place.elements() * bits_of(spec.output()) / 8, std::byte{0xff});
        for (std::int64_t n = 0; n < spec.batch(); ++n)
            for (std::int64_t i = 0; i < spec.m(); ++i)
                for (std::int64_t j = 0; j < spec.n(); ++j)
                    put(d, at(i, j, n), exact(i, j, n) * (1 + relative * ((i + j) % 2 ? 1 : -1)));
        return d;
    }

    gemm_spec spec;
    gemm_values const& a;
    gemm_values const& b;
    gemm_values const& c;
    gemm_values const& bias;
    gemm_check check;
};

} // namespace

TEST_CASE("gemm_check: each element counts, wherever it lies") {
    for (auto const layout : {matrix_layout::row, matrix_layout::column}) {
        gemm_draft const draft{.m = 70,
                               .n = 90,
                               .k = 33,
                               .batch = 2,
                               .type = gemm_type::f16,
                               .c = layout,
                               .alpha = 2,
                               .beta = 0.5};
        auto const good = scene(draft).right();
        scene honest(draft);
        CHECK(honest.check.judge(good).verdict == scan_verdict::correct);
        int seen = 0;
        for (std::int64_t i = 0; i < 70; i += 7)
            for (std::int64_t j = 0; j < 90; j += 9) {
                auto bad = good;
                auto const index = honest.at(i, j, (i + j) % 2);
                honest.put(bad, index, element_of(gemm_type::f16, good.data(), index) + 2);
                scene fresh(draft); // has no right result yet to compare with
                auto const answer = fresh.check.judge(bad);
                CHECK(answer.verdict == scan_verdict::wrong);
                CHECK_FALSE(answer.why.empty());
                CHECK(honest.check.judge(bad).verdict == scan_verdict::wrong);
                ++seen;
            }
        CHECK(seen == 100);
    }
}

TEST_CASE("gemm_check: large results, which several threads look at") {
    for (auto const layout : {matrix_layout::row, matrix_layout::column}) {
        gemm_draft const draft{.m = 1100, .n = 2000, .k = 2, .c = layout};
        scene s(draft);
        auto const good = s.right();
        REQUIRE(s.check.judge(good).verdict == scan_verdict::correct);
        for (auto const& [i, j] :
             {std::pair<std::int64_t, std::int64_t>(550, 1999), {1099, 3}, {7, 1024}}) {
            auto bad = good;
            auto const index = s.at(i, j);
            s.put(bad, index, element_of(gemm_type::f32, good.data(), index) + 1);
            auto const answer = s.check.judge(bad);
            CHECK(answer.verdict == scan_verdict::wrong);
            CHECK(answer.why.find("element (" + std::to_string(i) + ", " + std::to_string(j) +
                                  ")") == 0);
            scene fresh(draft);
            CHECK(fresh.check.judge(bad).why.find("row " + std::to_string(i) + " ") == 0);
        }
    }
}

TEST_CASE("gemm_check: elements in each other's place, NaN, nothing written, a transposed result") {
    gemm_draft const draft{.m = 40, .n = 40, .k = 20};
    auto const good = scene(draft).right();
    auto const wrong = [&](auto const& change) {
        scene fresh(draft);
        auto bad = good;
        change(fresh, bad);
        return fresh.check.judge(bad).verdict == scan_verdict::wrong;
    };
    auto const value = [&](scene const& s, std::int64_t i, std::int64_t j) {
        return element_of(gemm_type::f32, good.data(), s.at(i, j));
    };
    CHECK_FALSE(wrong([](auto&, auto&) {}));
    CHECK(wrong([&](scene& s, auto& d) { // the sum of the row is as it was
        s.put(d, s.at(17, 4), value(s, 17, 9));
        s.put(d, s.at(17, 9), value(s, 17, 4));
    }));
    CHECK(wrong([&](scene& s, auto& d) { s.put(d, s.at(3, 3), std::nan("")); }));
    CHECK(wrong([&](scene&, auto& d) { std::fill(d.begin(), d.end(), std::byte{0xff}); }));
    CHECK(wrong([&](scene& s, auto& d) {
        for (std::int64_t i = 0; i < 40; ++i)
            for (std::int64_t j = 0; j < 40; ++j) s.put(d, s.at(i, j), value(s, j, i));
    }));
}

TEST_CASE("gemm_check: roundings are allowed, as many as the type has") {
    for (auto const type : {gemm_type::f32, gemm_type::tf32, gemm_type::fp8, gemm_type::f16}) {
        CAPTURE(to_string(type));
        gemm_draft const draft{.m = 30, .n = 50, .k = 300, .type = type, .output = gemm_type::f32};
        double const unit = type == gemm_type::tf32  ? 0x1p-11
                            : type == gemm_type::fp8 ? 0x1p-13
                                                     : 0x1p-22;
        scene s(draft);
        CHECK(s.check.judge(s.right(unit)).verdict == scan_verdict::correct);
        CHECK(s.check.judge(s.right()).verdict == scan_verdict::correct);
        scene other(draft);
        CHECK(other.check.judge(other.right(0.1)).verdict == scan_verdict::wrong);
    }
}

TEST_CASE("gemm_check: one wrong element of a long sum is not lost in the roundings of its row") {
    gemm_draft const draft{.m = 1, .n = 2048, .k = 4096};
    scene s(draft);
    auto d = s.right(0x1p-22);
    REQUIRE(scene(draft).check.judge(d).verdict == scan_verdict::correct);
    // An element is about 21; K roundings, all of them the largest, of 2048 elements come to 3.7.
    s.put(d, s.at(0, 1001), element_of(gemm_type::f32, d.data(), s.at(0, 1001)) + 2);
    CHECK(s.check.judge(d).why.starts_with("row 0 times a random vector"));
}

TEST_CASE("gemm_check: parts that are rounded before they are added have bounds for that") {
    gemm_draft const draft{.m = 40, .n = 60, .k = 1024, .type = gemm_type::f16};
    scene s(draft);
    // Each of 16 parts is rounded to f16, and each sum of them.
    auto d = s.right();
    for (std::int64_t i = 0; i < 40; ++i)
        for (std::int64_t j = 0; j < 60; ++j) {
            double sum = 0;
            for (std::int64_t part = 0; part < 16; ++part) {
                double one = 0;
                for (std::int64_t k = part * 64; k < part * 64 + 64; ++k)
                    one += s.value(s.a, place_a(s.spec).at(0, i, k)) *
                           s.value(s.b, place_b(s.spec).at(0, k, j));
                sum = decode_float16(encode_float16(sum + decode_float16(encode_float16(one))));
            }
            s.put(d, s.at(i, j), sum);
        }
    CHECK(s.check.judge(d, 16).verdict == scan_verdict::correct);
    CHECK(s.check.judge(s.right()).verdict == scan_verdict::correct); // beside it
    scene strict(draft);
    REQUIRE(strict.check.judge(strict.right()).verdict == scan_verdict::correct);
    CHECK(strict.check.judge(d, 16).verdict == scan_verdict::correct);
    CHECK(strict.check.judge(d).verdict == scan_verdict::wrong); // it says nothing of parts
    auto bad = d;
    s.put(bad, s.at(39, 0), element_of(gemm_type::f16, d.data(), s.at(39, 0)) + 2);
    CHECK(strict.check.judge(bad, 16).verdict == scan_verdict::wrong);
}

TEST_CASE("gemm_check: each epilogue is told from the others, and each element counts behind it") {
    for (auto const layout : {matrix_layout::row, matrix_layout::column})
        for (auto const& epilogue : every_gemm_epilogue) {
            CAPTURE(epilogue.name);
            gemm_draft draft{.m = 40,
                             .n = 50,
                             .k = 24,
                             .batch = 2,
                             .type = gemm_type::f16,
                             .c = layout,
                             .alpha = 0.5,
                             .beta = 0.25,
                             .epilogue = epilogue.epilogue};
            scene s(draft);
            auto const good = s.right();
            CHECK(s.check.judge(good).verdict == scan_verdict::correct);
            for (auto const& other : every_gemm_epilogue) {
                draft.epilogue = other.epilogue;
                scene fresh(draft);
                CHECK((fresh.check.judge(good).verdict == scan_verdict::correct) ==
                      (other.epilogue == epilogue.epilogue));
            }
            auto bad = good;
            auto const index = s.at(17, 31, 1);
            s.put(bad, index, element_of(gemm_type::f16, good.data(), index) + 0.5);
            auto const answer = s.check.judge(bad);
            CHECK(answer.why.find("element (17, 31) of matrix 1 is ") == 0);
        }
}

TEST_CASE("gemm_check: a linear epilogue keeps the sums over rows, and another has elements") {
    for (auto const layout : {matrix_layout::row, matrix_layout::column}) {
        gemm_draft draft{.m = 150, .n = 140, .k = 3, .c = layout, .epilogue = gemm_epilogue::bias};
        scene s(draft);
        auto bad = s.right();
        s.put(bad, s.at(77, 99), s.exact(77, 99, 0) + 0.01);
        CHECK(s.check.judge(bad).why.find("row 77 times a random vector") == 0);
        draft.epilogue = gemm_epilogue::gelu;
        scene gelu(draft);
        auto const good = gelu.right();
        CHECK(gelu.check.judge(good).verdict == scan_verdict::correct);
        bad = good;
        gelu.put(bad, gelu.at(77, 99), gelu.exact(77, 99, 0) + 0.01);
        CHECK(gelu.check.judge(bad).verdict == scan_verdict::wrong); // the other one shows it
    }
}

TEST_CASE("gemm_check: gaps stay as they were, integers saturate") {
    gemm_draft const draft{.m = 6, .n = 5, .k = 4, .stride_c = 8};
    scene s(draft);
    auto d = s.right();
    CHECK(s.check.judge(d).verdict == scan_verdict::correct);
    d[4 * (2 * 8 + 6)] = std::byte{0};
    CHECK(s.check.judge(d).why == "it wrote behind line 2 of C");
    gemm_draft const whole{.m = 60, .n = 50, .k = 400, .type = gemm_type::int8};
    scene i(whole);
    auto e = i.right();
    CHECK(i.check.judge(e).verdict == scan_verdict::correct);
    e[777] ^= std::byte{1};
    CHECK(i.check.judge(e).verdict == scan_verdict::wrong);
    scene fresh(whole);
    for (auto& byte : e) byte ^= std::byte{1};
    CHECK(fresh.check.judge(e).verdict == scan_verdict::wrong);
}

TEST_CASE("gemm_check: a first result that is wrong where nobody looked is found by the second") {
    gemm_draft const draft{.m = 40, .n = 2000, .k = 20};
    scene s(draft);
    auto const good = s.right();
    auto bad = good;
    auto const index = s.at(20, 1000);
    s.put(bad, index, element_of(gemm_type::f32, good.data(), index) + 3e-4);
    REQUIRE(s.check.judge(bad).verdict == scan_verdict::correct); // below what sums over rows show
    auto const second = s.check.judge(good);
    CHECK(second.verdict == scan_verdict::correct);
    CHECK(second.first_wrong);
    CHECK(second.why.find("element (20, 1000)") == 0);
    CHECK(s.check.judge(bad).verdict == scan_verdict::wrong);
}

TEST_CASE("gemm_check: values are those of their type, and fill buffers again and again") {
    for (auto const type : {gemm_type::f64, gemm_type::bf16, gemm_type::fp8, gemm_type::int8}) {
        gemm_values const v(type, 5);
        auto const* const data = reinterpret_cast<std::byte const*>(v.bytes().data());
        bool same = true;
        for (std::size_t i = 0; i < gemm_values::period; i += 997)
            same = same && element_of(type, data, i) == v.values()[i];
        CHECK(same);
        CHECK(v.mean_square() > 0.2);
    }
    gemm_values const v(gemm_type::int8, 5);
    auto const text = v.filled(gemm_values::period + 3);
    CHECK(text.substr(gemm_values::period) == text.substr(0, 3));
    CHECK(gemm_values(gemm_type::int8, 6).bytes() != v.bytes());
}
