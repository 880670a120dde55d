// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/compile_job.hpp>
#include <lkt/gpu/cuda/detail/compile_options.hpp>

#include <utility>

namespace lkt::cuda_detail::options {

using namespace device_detail::options;

reading read(std::string const& given) {
    if (auto common = read_common(given)) return std::move(*common);
    std::string_view o = given;
    o.remove_prefix(o.starts_with("--") ? 2 : 1);
    if (auto const value = after_any(o, {"ptxas-options=", "Xptxas=", "Xptxas "}); !value.empty()) {
        if (!value.starts_with("-") || !is_any(value.substr(1),
                                               {"O0",
                                                "O1",
                                                "O2",
                                                "O3",
                                                "v",
                                                "warn-spills",
                                                "warn-double-usage",
                                                "warn-lmem-usage",
                                                "disable-optimizer-constants"},
                                               {"dlcm",
                                                "dscm",
                                                "flcm",
                                                "fscm",
                                                "allow-expensive-optimizations",
                                                "fmad",
                                                "opt-level",
                                                "register-usage-level"}))
            return {};
        if (value == "-v") return {use::ignored, {}}; // always
        return {use::passed, "--ptxas-options=" + std::string{value}};
    }
    if (is_any(o,
               {"use_fast_math",
                "lineinfo",
                "generate-line-info",
                "G",
                "device-debug",
                "restrict",
                "extra-device-vectorization",
                "default-device",
                "device-as-default-execution-space",
                "device-int128",
                "device-float128",
                "w",
                "disable-warnings",
                "minimal"},
               {"fmad",
                "ftz",
                "prec-div",
                "prec-sqrt",
                "maxrregcount",
                "Ofast-compile",
                "ofast-compile",
                "dopt",
                "diag-suppress",
                "diag-error",
                "diag-warn",
                "static-global-template-stub",
                "frandom-seed"}))
        return {use::passed,
                "-" +
                    (o == "lineinfo" ? std::string{"-generate-line-info"} : "-" + std::string{o})};
    // Of NVCC: the device decides, the host compiler is not there, or it is so anyway.
    if (is_any(o,
               {"O0",
                "O1",
                "O2",
                "O3",
                "expt-relaxed-constexpr",
                "extended-lambda",
                "expt-extended-lambda",
                "cubin"},
               {"arch", "gpu-architecture", "code", "gpu-code", "gencode"}) ||
        o.starts_with("gencode"))
        return {use::ignored, {}};
    return {};
}

} // namespace lkt::cuda_detail::options
