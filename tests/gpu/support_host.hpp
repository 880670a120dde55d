// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/host.hpp>
#include <lkt/lang/wgsl_as_cpp/wgsl_as_cpp.hpp>

namespace support {

/// One back end for many tests: it starts its workers once.
inline lkt::host& shared_host() {
    static lkt::host backend;
    return backend;
}

/// WGSL by way of its translation, as the checked mode of the WebGPU back end has it.
class translating_host {
public:
    lkt::result<lkt::device_description> device(lkt::call_context const& context = {}) {
        return shared_host().device(context);
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const& context = {}) {
        auto const made =
            lkt::wgsl_as_cpp(request.source, request.signature.name, request.definitions);
        if (!made) return made.error();
        return shared_host().compile_translation(request, *made, context);
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                      lkt::run_request const& request,
                                      lkt::call_context const& context = {}) {
        return shared_host().run(kernel, request, context);
    }
};
static_assert(lkt::gpu_backend<translating_host>);

inline translating_host& wgsl_host() {
    static translating_host backend;
    return backend;
}

} // namespace support
