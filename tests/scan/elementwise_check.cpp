// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/detail/elementwise_check.hpp>

#include <doctest/doctest.h>

#include <lkt/kernel/half.hpp>
#include <lkt/scan/detail/scan_check.hpp>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace lkt;
using namespace lkt::detail::scan;

std::vector<gemm_values> inputs_of(elementwise_spec const& spec) {
    std::vector<gemm_values> all;
    for (std::int64_t i = 0; i < spec.inputs(); ++i)
        all.emplace_back(spec.type(), static_cast<std::uint64_t>(1 + i));
    return all;
}

} // namespace

TEST_CASE("elementwise_check: functions in float and half, as kernels compute them; each element "
          "counts") {
    for (auto const& of : every_elementwise_function) {
        if (of.function == elementwise_function::other) continue;
        for (auto const type : {gemm_type::f32, gemm_type::f16}) {
            auto const spec =
                elementwise_spec::make({.elements = 5000, .function = of.function, .type = type})
                    .value();
            CAPTURE(to_string(spec));
            auto const in = inputs_of(spec);
            std::vector<std::byte> d(static_cast<std::size_t>(5000) * bits_of(type) / 8);
            auto const put = [&](std::size_t i, double result) {
                auto const write = [&](auto number) {
                    std::memcpy(d.data() + i * sizeof number, &number, sizeof number);
                };
                if (type == gemm_type::f16)
                    write(encode_float16(result));
                else
                    write(static_cast<float>(result));
            };
            auto const single = [&](std::size_t i) {
                float x[3]{};
                for (std::size_t n = 0; n < in.size(); ++n)
                    x[n] = static_cast<float>(in[n].values()[i]);
                switch (of.function) {
                case elementwise_function::add:
                    return x[0] + x[1];
                case elementwise_function::multiply:
                    return x[0] * x[1];
                case elementwise_function::multiply_add:
                    return x[0] * x[1] + x[2];
                case elementwise_function::relu:
                    return std::fmax(x[0], 0.0F);
                case elementwise_function::exp:
                    return std::exp2(x[0] * 1.44269504F);
                case elementwise_function::tanh:
                    return 1 - 2 / (1 + std::exp(2 * x[0]));
                case elementwise_function::sigmoid:
                    return 1 / (1 + std::exp(-x[0]));
                case elementwise_function::silu:
                    return x[0] / (1 + std::exp(-x[0]));
                default:
                    return x[0] * 0.5F * (1 + std::erf(x[0] * 0.70710678F));
                }
            };
            for (std::size_t i = 0; i < 5000; ++i) put(i, single(i));
            CHECK(scan_check(spec, in).judge(d).why == "");
            put(4999, single(4999) + 0.05);
            put(4321, single(4321) + 0.05);
            CHECK(scan_check(spec, in).judge(d).why.starts_with("element 4321 is "));
            put(4321, std::nan(""));
            CHECK(scan_check(spec, in).judge(d).verdict == scan_verdict::wrong);
        }
    }
}

TEST_CASE("elementwise_check: whole numbers exactly; what has no function is unchecked") {
    auto const spec =
        elementwise_spec::of<elementwise_draft{.elements = 300,
                                               .function = elementwise_function::multiply_add,
                                               .type = gemm_type::int8}>();
    auto const in = inputs_of(spec);
    std::vector<std::int8_t> d(300);
    for (std::size_t i = 0; i < 300; ++i)
        d[i] = static_cast<std::int8_t>(in[0].values()[i] * in[1].values()[i] + in[2].values()[i]);
    CHECK(scan_check(spec, in).judge(std::as_bytes(std::span(d))).why == "");
    ++d[299];
    CHECK(scan_check(spec, in).judge(std::as_bytes(std::span(d))).why.starts_with("element 299 "));
    auto const other =
        elementwise_spec::of<elementwise_draft{.elements = 300,
                                               .inputs = 1,
                                               .flops = 1,
                                               .function = elementwise_function::other,
                                               .type = gemm_type::int8}>();
    CHECK(scan_check(other, inputs_of(other)).judge(std::as_bytes(std::span(d))).verdict ==
          scan_verdict::unchecked);
}
