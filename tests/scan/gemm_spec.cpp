// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/gemm_spec.hpp>

#include <doctest/doctest.h>

#include <limits>

using lkt::gemm_draft;
using lkt::gemm_epilogue;
using lkt::gemm_spec;
using lkt::gemm_type;
using lkt::matrix_layout;

TEST_CASE("gemm_spec: operations, bytes and intensity follow their formulas") {
    constexpr auto plain = gemm_spec::of<gemm_draft{.m = 2, .n = 3, .k = 4}>();
    static_assert(plain.operations() == lkt::flop_count(48));
    static_assert(plain.bytes() == lkt::byte_count(4 * (8 + 12 + 6)));
    static_assert(plain.intensity() == lkt::flop_per_byte(48.0 / 104));
    auto const with = [](double alpha, double beta, gemm_type type, lkt::gemm_output out = {}) {
        return gemm_spec::make({.m = 2,
                                .n = 3,
                                .k = 4,
                                .batch = 5,
                                .type = type,
                                .output = out,
                                .alpha = alpha,
                                .beta = beta})
            .value();
    };
    CHECK(with(2, 0, gemm_type::f32).operations().count() == 5 * (48 + 6));
    CHECK(with(1, 1, gemm_type::f32).operations().count() == 5 * (48 + 6));
    CHECK(with(2, 3, gemm_type::f32).operations().count() == 5 * (48 + 18));
    // C is read, too.
    CHECK(with(1, 1, gemm_type::f16).bytes().count() == 5 * 2 * (20 + 12));
    // Half a byte; the output of another type.
    CHECK(with(1, 0, gemm_type::int4).bytes().count() == 5 * 0.5 * 26);
    CHECK(with(1, 0, gemm_type::int4, gemm_type::f32).bytes().count() == 5 * (10 + 24));
    // An operation or more for each element; a bias as long as a line of C, once for all matrices.
    constexpr auto biased = gemm_spec::of<gemm_draft{
        .m = 2, .n = 3, .k = 4, .batch = 5, .epilogue = gemm_epilogue::relu_bias}>();
    static_assert(biased.operations() == lkt::flop_count(5 * (48 + 2 * 6)));
    static_assert(biased.bytes() == lkt::byte_count(4 * (5 * (8 + 12 + 6) + 3)));
    constexpr auto column = gemm_spec::of<gemm_draft{.m = 2,
                                                     .n = 3,
                                                     .k = 4,
                                                     .type = gemm_type::fp8,
                                                     .c = matrix_layout::column,
                                                     .epilogue = gemm_epilogue::gelu_bias}>();
    static_assert(column.operations() == lkt::flop_count(48 + 10 * 6));
    static_assert(column.bytes() == lkt::byte_count(8 + 12 + 6 + 2 * 2)); // an f16 for each row
    for (auto const layout : {matrix_layout::row, matrix_layout::column})
        CHECK(gemm_spec::make({.m = 2, .n = 3, .k = 4, .a = layout, .b = layout})->bytes() ==
              plain.bytes());
    // No overflow where an `int` would have one.
    CHECK(gemm_spec::make({.m = 100'000, .n = 100'000, .k = 100'000})->operations() ==
          lkt::flop_count(2e15));
}

TEST_CASE("gemm_spec: what cannot be is not built") {
    auto const code = [](gemm_draft const& d) {
        auto const made = gemm_spec::make(d);
        return made ? std::string() : made.error().code;
    };
    CHECK(code({.m = 0, .n = 1, .k = 1}) == "lkt.scan.gemm-size");
    CHECK(code({.m = 1, .n = 1, .k = std::int64_t{1} << 31}) == "lkt.scan.gemm-size");
    CHECK(code({.m = 1, .n = 1, .k = 1, .batch = 0}) == "lkt.scan.gemm-batch");
    CHECK(code({.m = 8, .n = 8, .k = 4, .stride_a = 3}) == "lkt.scan.gemm-stride");
    CHECK(code({.m = 8, .n = 8, .k = 4, .stride_a = 4}).empty());
    CHECK(code({.m = 8, .n = 8, .k = 4, .a = matrix_layout::column, .stride_a = 4}) ==
          "lkt.scan.gemm-stride");
    CHECK(code({.m = 1, .n = 1, .k = 1, .alpha = 0}) == "lkt.scan.gemm-factor");
    CHECK(code({.m = 1, .n = 1, .k = 1, .beta = std::numeric_limits<double>::quiet_NaN()}) ==
          "lkt.scan.gemm-factor");
    CHECK(
        code({.m = 1, .n = 1, .k = 1, .type = gemm_type::int8, .epilogue = gemm_epilogue::gelu}) ==
        "lkt.scan.gemm-epilogue");
    CHECK(code({.m = 1, .n = 1, .k = 1, .type = gemm_type::int8, .epilogue = gemm_epilogue::relu})
              .empty());
    CHECK(code({.m = 100'000'000, .n = 100'000'000, .k = 1}) == "lkt.scan.gemm-large");
}

TEST_CASE("gemm_spec: text and types") {
    CHECK(to_string(*gemm_spec::make({.m = 1, .n = 2, .k = 3})) == "1x2x3 f32 rrr");
    auto const all = gemm_spec::make({.m = 4,
                                      .n = 4,
                                      .k = 4,
                                      .batch = 2,
                                      .type = gemm_type::int8,
                                      .output = gemm_type::f32,
                                      .b = matrix_layout::column,
                                      .alpha = 0.5,
                                      .beta = 1,
                                      .stride_a = 8});
    CHECK(to_string(*all) == "4x4x4 int8 rcr >f32 batch=2 alpha=0.5 beta=1.0 strides=8,4,4");
    CHECK(*gemm_spec::make({.m = 4, .n = 4, .k = 4, .stride_a = 4}) ==
          *gemm_spec::make({.m = 4, .n = 4, .k = 4, .output = gemm_type::f32}));
    auto const relu = gemm_spec::make({.m = 1, .n = 2, .k = 3, .epilogue = gemm_epilogue::relu});
    CHECK(to_string(*relu) == "1x2x3 f32 rrr epilogue=relu");
    CHECK_FALSE(*relu == *gemm_spec::make({.m = 1, .n = 2, .k = 3}));
    for (auto const& one : lkt::every_gemm_epilogue) {
        CHECK(&traits_of(one.epilogue) == &one);
        CHECK(lkt::gemm_epilogue_called(one.name).value() == one.epilogue);
    }
    CHECK(lkt::gemm_epilogue_called("relu-bias").error().message.find("relu_bias") !=
          std::string::npos);
    for (auto const type : lkt::every_gemm_type)
        CHECK(lkt::gemm_type_called(to_string(type)).value() == type);
    CHECK(lkt::gemm_type_called("Float16").value() == gemm_type::f16);
    CHECK(lkt::gemm_type_called("bfloat61").error().message.find("bfloat16") != std::string::npos);
}
