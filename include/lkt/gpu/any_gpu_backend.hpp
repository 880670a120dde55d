// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace lkt {

/// Any back end behind one type, for programs that choose at run time. Copies share the back end:
/// it stands for a device and for processes, of which there is one. A moved-from or
/// default-constructed value holds none, and answers with the error `lkt.gpu.no-backend`.
class any_gpu_backend {
public:
    any_gpu_backend() = default;

    template <class B>
        requires(!std::same_as<std::remove_cvref_t<B>, any_gpu_backend> &&
                 gpu_backend<std::remove_cvref_t<B>>)
    any_gpu_backend(B&& backend)
        : backend_(std::make_shared<std::remove_cvref_t<B>>(std::forward<B>(backend))),
          calls_(&calls_of<std::remove_cvref_t<B>>) {}

    [[nodiscard]] result<device_description> device(call_context const& context);
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context);
    [[nodiscard]] result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context);
    /// Nothing, where the back end inside does not compile ahead.
    void prefetch(compile_request const& request);

    [[nodiscard]] explicit operator bool() const { return backend_ != nullptr; }

    /// The back end inside, or null when it is of another type.
    template <gpu_backend B>
    [[nodiscard]] B* target() const {
        return backend_ && calls_ == &calls_of<B> ? static_cast<B*>(backend_.get()) : nullptr;
    }

private:
    struct calls {
        result<device_description> (*device)(void*, call_context const&);
        result<compile_outcome> (*compile)(void*, compile_request const&, call_context const&);
        result<run_outcome> (*run)(void*,
                                   compiled_kernel const&,
                                   run_request const&,
                                   call_context const&);
        void (*prefetch)(void*, compile_request const&);
    };

    template <class B>
    static constexpr calls calls_of{
        [](void* b, call_context const& x) { return static_cast<B*>(b)->device(x); },
        [](void* b, compile_request const& c, call_context const& x) {
            return static_cast<B*>(b)->compile(c, x);
        },
        [](void* b, compiled_kernel const& k, run_request const& r, call_context const& x) {
            return static_cast<B*>(b)->run(k, r, x);
        },
        [](void* b, compile_request const& c) {
            if constexpr (prefetching_backend<B>) static_cast<B*>(b)->prefetch(c);
        }};

    std::shared_ptr<void> backend_;
    calls const* calls_ = nullptr;
};

static_assert(prefetching_backend<any_gpu_backend>);

} // namespace lkt
