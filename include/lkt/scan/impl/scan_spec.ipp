// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/scan_spec.hpp>

namespace lkt {

result<scan_operation> scan_operation_called(std::string_view name) {
    for (auto const one :
         {scan_operation::gemm, scan_operation::convolution, scan_operation::elementwise})
        if (to_string(one) == name) return one;
    return error{condition::rejected,
                 "lkt.scan.operation",
                 "there is no operation " + in_backticks(name) +
                     did_you_mean(name, "gemm, conv, elementwise"),
                 "operations: gemm, conv, elementwise"};
}

namespace detail::scan {

template <class S>
result<scan_spec> made(result<S> const& spec) {
    if (!spec) return spec.error();
    return scan_spec(*spec);
}

} // namespace detail::scan

result<scan_spec> scan_spec::make(scan_draft const& draft) {
    using detail::scan::made;
    if (auto const* const gemm = std::get_if<gemm_draft>(&draft))
        return made(gemm_spec::make(*gemm));
    if (auto const* const convolution = std::get_if<convolution_draft>(&draft))
        return made(convolution_spec::make(*convolution));
    return made(elementwise_spec::make(std::get<elementwise_draft>(draft)));
}

problem_size scan_spec::sizes() const {
    return visit([]<class S>(S const& s) {
        problem_size all;
        for (auto const& extent : S::extents)
            all.emplace_back(std::string(extent.name), s.draft().*extent.at);
        return all;
    });
}

} // namespace lkt
