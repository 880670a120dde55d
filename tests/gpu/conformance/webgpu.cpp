// SPDX-License-Identifier: BSL-1.0
#include "../webgpu/support_webgpu.hpp"
#include "tested_backend.hpp"

#include <lkt/gpu/webgpu/detail/inspector.hpp>

namespace conformance {

namespace {

/// More than a binding may have, where that is little enough for a test.
lkt::bytes too_large() {
    if (!webgpu_support::shared().device()) return {}; // main says why
    auto const largest = lkt::webgpu_inspector::facts(webgpu_support::shared()).storage_binding;
    return {largest <= std::uint64_t{1} << 30 ? largest + 256 : 0};
}

} // namespace

tested_backend& tested() {
    static tested_backend t{.name = "webgpu",
                            .language = lkt::language::wgsl,
                            .gpu = lkt::gpu_ref{webgpu_support::shared()},
                            .make = [] { return lkt::any_gpu_backend{lkt::webgpu{}}; },
                            .wild = wild_access::has_no_effect,
                            .ends_early = true,
                            .compares = true,
                            .too_large = too_large()};
    return t;
}

} // namespace conformance
