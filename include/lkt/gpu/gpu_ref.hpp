// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include <concepts>
#include <memory>

namespace lkt {

/// A back end of any type, borrowed: what judges kernels is compiled once, not once for each back
/// end. The back end must outlive it.
class gpu_ref {
public:
    template <gpu_backend B>
        requires(!std::same_as<B, gpu_ref>) // a copy of a reference refers to the same
    explicit gpu_ref(B& gpu) : gpu_(std::addressof(gpu)), calls_(&calls_of<B>) {}

    [[nodiscard]] result<device_description> device(call_context const& context) const;
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context) const;
    [[nodiscard]] result<run_outcome> run(compiled_kernel const& kernel,
                                          run_request const& request,
                                          call_context const& context) const;
    /// Nothing, where the back end does not compile ahead.
    void prefetch(compile_request const& request) const;
    /// Whether it is a profiling_backend that can.
    [[nodiscard]] bool can_profile() const;
    /// Error `lkt.gpu.no-profiler` where it is none.
    [[nodiscard]] result<kernel_profile> profile(compiled_kernel const& kernel,
                                                 run_request const& request,
                                                 call_context const& context) const;

    /// The back end, or null when it is of another type.
    template <gpu_backend B>
    [[nodiscard]] B* target() const {
        return calls_ == &calls_of<B> ? &as<B>(gpu_) : nullptr;
    }

private:
    struct calls {
        result<device_description> (*device)(void const*, call_context const&);
        result<compile_outcome> (*compile)(void const*,
                                           compile_request const&,
                                           call_context const&);
        result<run_outcome> (*run)(void const*,
                                   compiled_kernel const&,
                                   run_request const&,
                                   call_context const&);
        void (*prefetch)(void const*, compile_request const&);
        bool (*can_profile)(void const*);
        result<kernel_profile> (*profile)(void const*,
                                          compiled_kernel const&,
                                          run_request const&,
                                          call_context const&);
    };
    template <class B>
    static B& as(void const* gpu) {
        return *const_cast<B*>(static_cast<B const*>(gpu));
    }
    [[nodiscard]] static error no_profiler();
    template <class B>
    static constexpr calls calls_of{
        [](void const* b, call_context const& x) { return as<B>(b).device(x); },
        [](void const* b, compile_request const& c, call_context const& x) {
            return as<B>(b).compile(c, x);
        },
        [](void const* b, compiled_kernel const& k, run_request const& r, call_context const& x) {
            return as<B>(b).run(k, r, x);
        },
        [](void const* b, compile_request const& c) {
            if constexpr (prefetching_backend<B>) as<B>(b).prefetch(c);
        },
        [](void const* b) {
            if constexpr (profiling_backend<B>) return as<B>(b).can_profile();
            return false;
        },
        [](void const* b, compiled_kernel const& k, run_request const& r, call_context const& x)
            -> result<kernel_profile> {
            if constexpr (profiling_backend<B>) return as<B>(b).profile(k, r, x);
            return no_profiler();
        }};

    void const* gpu_;
    calls const* calls_;
};

static_assert(prefetching_backend<gpu_ref> && profiling_backend<gpu_ref>);

} // namespace lkt
