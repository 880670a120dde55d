// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/elementwise_spec.hpp>

#include <doctest/doctest.h>

#include <string>

using lkt::elementwise_draft;
using lkt::elementwise_function;
using lkt::elementwise_spec;

TEST_CASE("elementwise_spec: operations, bytes and intensity follow their formulas") {
    constexpr auto sum = elementwise_spec::of<elementwise_draft{.elements = 100}>();
    static_assert(sum.operations() == lkt::flop_count(100));
    static_assert(sum.bytes() == lkt::byte_count(4 * 300));
    CHECK(sum.intensity().count() == doctest::Approx(1.0 / 12));
    constexpr auto other =
        elementwise_spec::of<elementwise_draft{.elements = 10,
                                               .inputs = 4,
                                               .flops = 7,
                                               .function = elementwise_function::other,
                                               .type = lkt::gemm_type::int4,
                                               .output = lkt::gemm_type::f16}>();
    static_assert(other.operations() == lkt::flop_count(70));
    static_assert(other.bytes() == lkt::byte_count(10 * (4 * 0.5 + 2)));
    for (auto const& one : lkt::every_elementwise_function) {
        CHECK(&lkt::traits_of(one.function) == &one);
        CHECK(lkt::elementwise_function_called(one.name).value() == one.function);
    }
    CHECK(lkt::elementwise_function_called("sigmod").error().message.find("sigmoid") !=
          std::string::npos);
}

TEST_CASE("elementwise_spec: what cannot be is not built") {
    auto const code = [](elementwise_draft const& draft) {
        auto const made = elementwise_spec::make(draft);
        return made ? std::string() : made.error().code;
    };
    CHECK(code({.elements = 1}).empty());
    CHECK(code({.elements = 0}) == "lkt.scan.elementwise-size");
    CHECK(code({.elements = 1, .inputs = 2, .flops = 1}).empty());
    CHECK(code({.elements = 1, .inputs = 1}) == "lkt.scan.elementwise-operands");
    CHECK(code({.elements = 1, .flops = 3}) == "lkt.scan.elementwise-operands");
    CHECK(code({.elements = 1, .function = elementwise_function::other}) ==
          "lkt.scan.elementwise-operands");
    CHECK(code({.elements = 1, .inputs = 1, .flops = 0, .function = elementwise_function::other}) ==
          "lkt.scan.elementwise-operands");
    CHECK(code({.elements = 1, .type = lkt::gemm_type::int8}).empty());
    CHECK(code({.elements = 1,
                .function = elementwise_function::gelu,
                .type = lkt::gemm_type::int8}) == "lkt.scan.elementwise-function");
    CHECK(code({.elements = 500'000'000'000'000}) == "lkt.scan.elementwise-large");
}

TEST_CASE("elementwise_spec: texts are equal for equal specs") {
    auto const text = [](elementwise_draft const& draft) {
        return to_string(elementwise_spec::make(draft).value());
    };
    CHECK(text({.elements = 8, .function = elementwise_function::silu}) == "silu 8 f32");
    CHECK(text({.elements = 8,
                .inputs = 2,
                .flops = 9,
                .function = elementwise_function::other,
                .type = lkt::gemm_type::bf16,
                .output = lkt::gemm_type::f32}) == "other 8 bf16 inputs=2 flops=9 >f32");
    CHECK(elementwise_spec::make({.elements = 8, .inputs = 2}).value() ==
          elementwise_spec::make({.elements = 8}).value());
}
