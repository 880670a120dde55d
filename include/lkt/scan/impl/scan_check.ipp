// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/detail/scan_check.hpp>

#include <utility>

namespace lkt::detail::scan {

spec_operands operands_of(scan_spec const& spec) {
    auto const type = spec.type();
    if (auto const* const s = spec.gemm()) {
        auto const m = static_cast<double>(s->m()), n = static_cast<double>(s->n()),
                   k = static_cast<double>(s->k());
        spec_operands all{{m * k, k * n}, {type, type}, m * n};
        if (s->bias_length() > 0) {
            all.inputs.push_back(static_cast<double>(s->bias_length()));
            all.types.push_back(s->bias_type());
        }
        return all;
    }
    if (auto const* const s = spec.convolution())
        return {{s->images(), s->filters()}, {type, type}, s->outputs()};
    auto const n = static_cast<double>(spec.elementwise()->elements());
    auto const inputs = static_cast<std::size_t>(spec.elementwise()->inputs());
    return {std::vector<double>(inputs, n), std::vector<gemm_type>(inputs, type), n};
}

namespace check_parts {

inline std::variant<gemm_check, elementwise_check>
check_of(scan_spec const& spec, std::vector<gemm_values> const& inputs) {
    if (auto const* const s = spec.gemm())
        return gemm_check(
            *s, inputs[0], inputs[1], nullptr, inputs.size() > 2 ? &inputs[2] : nullptr);
    if (auto const* const s = spec.convolution()) return gemm_check(*s, inputs[0], inputs[1]);
    std::vector<gemm_values const*> all;
    for (gemm_values const& one : inputs) all.push_back(&one);
    return elementwise_check(*spec.elementwise(), std::move(all));
}

} // namespace check_parts

scan_check::scan_check(scan_spec const& spec, std::vector<gemm_values> const& inputs)
    : check_(check_parts::check_of(spec, inputs)) {}

gemm_check::answer scan_check::judge(std::span<std::byte const> d) {
    return std::visit([&](auto& check) { return check.judge(d); }, check_);
}

} // namespace lkt::detail::scan
