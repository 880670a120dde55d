// SPDX-License-Identifier: BSL-1.0
// What the compiler reads: the shim, the kernel's part, and what the worker finds it by.
#pragma once

#include <lkt/gpu/detail/host/build_flags.hpp>
#include <lkt/gpu/detail/host/kernel_text.hpp>
#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/host_options.hpp>
#include <lkt/gpu/host_shim.hpp>
#include <lkt/kernel/signature.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace lkt::host_detail {

/// Where the constants lie, as the shim's `lkt_module` has it; of what the text does not declare,
/// nothing.
[[nodiscard]] inline std::string constants_table(signature const& s,
                                                 std::vector<token> const& tokens) {
    std::string table = "static lkt_constant const lkt_filled[] = {";
    for (auto const& a : s.arguments) {
        if (a.constant_count == 0) continue;
        auto const plain = a.name.substr(a.name.rfind(':') + 1);
        bool const there =
            std::any_of(tokens.begin(), tokens.end(), [&](auto& t) { return t.is(plain); });
        auto const name = there ? a.name : "";
        table += there ? "{(void*)&" + name + ", sizeof " + name + "}, " : "{}, ";
    }
    return table + "{}};\n";
}

/// `part`: what `kernel_part` made of the kernel's text.
[[nodiscard]] inline std::string whole_text(std::string const& part,
                                            kernel_text const& kernel,
                                            compile_request const& request,
                                            host_options const& options,
                                            instrumentation how) {
    auto const& traits = kernel.traits;
    bool const hip = request.source.language == language::hip;
    unsigned const lanes = options.hip_lanes == 64 ? 64 : 32;
    return host_shim({.barriers = traits.fibres,
                      .half = traits.half,
                      .bfloat = traits.bfloat,
                      .float8 = traits.float8,
                      .tensor = traits.tensor,
                      .copies = traits.copies,
                      .waits = traits.waits,
                      .ptx = traits.ptx,
                      .async = traits.async,
                      .products = traits.products,
                      .awbarrier = traits.awbarrier,
                      .groups = traits.groups,
                      .races = how == instrumentation::races,
                      .bounds = how == instrumentation::bounds,
                      .branches = how == instrumentation::branches,
                      .hip_lanes = hip ? lanes : 0}) +
           part + "#line 1 \"end\"\n" + constants_table(request.signature, kernel.tokens) +
           "LKT_EXPORT(" + std::to_string(module_abi) + ", " +
           (traits.fibres ? std::to_string(hip ? lanes : 1) : "0") + ", &" + kernel.launched +
           ")\n";
}

} // namespace lkt::host_detail
