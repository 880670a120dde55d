// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <memory>

namespace lkt::detail {

/// A back end of any type, for the length of a call: what judges kernels is compiled once, not once
/// for each back end.
class backend_ref {
public:
    template <gpu_backend B>
    explicit backend_ref(B& backend)
        : backend_(std::addressof(backend)), compile_(&compile_with<B>), run_(&run_with<B>) {}

    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context) const {
        return compile_(backend_, request, context);
    }
    [[nodiscard]] result<run_outcome> run(compiled_kernel const& kernel,
                                          run_request const& request,
                                          call_context const& context) const {
        return run_(backend_, kernel, request, context);
    }

private:
    template <class B>
    static B& as(void const* backend) {
        return *const_cast<B*>(static_cast<B const*>(backend));
    }
    template <class B>
    static result<compile_outcome>
    compile_with(void const* backend, compile_request const& request, call_context const& context) {
        return as<B>(backend).compile(request, context);
    }
    template <class B>
    static result<run_outcome> run_with(void const* backend,
                                        compiled_kernel const& kernel,
                                        run_request const& request,
                                        call_context const& context) {
        return as<B>(backend).run(kernel, request, context);
    }

    void const* backend_;
    result<compile_outcome> (*compile_)(void const*, compile_request const&, call_context const&);
    result<run_outcome> (*run_)(void const*,
                                compiled_kernel const&,
                                run_request const&,
                                call_context const&);
};

} // namespace lkt::detail
