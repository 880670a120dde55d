// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// A reference to a back end of any type, so that code that judges kernels is compiled once, not
/// once for each back end. The back end must outlive it.
///
/// It always takes batches: if the back end is not a batch_gpu_backend, requests are served one
/// after the other. Those of `compile_all` are prefetched first, so that a back end that compiles
/// ahead compiles them side by side.
class gpu_ref {
public:
    template <gpu_backend B>
        requires(!std::same_as<B, gpu_ref>) // a copy of a reference refers to the same
    explicit gpu_ref(B& gpu) : gpu_(std::addressof(gpu)), calls_(&calls_of<B>) {
        constexpr bool offers_batches = requires { &B::compile_all; } ||
                                        requires { &B::run_all; } || requires { &B::runs_at_once; };
        static_assert(
            batch_gpu_backend<B> || !offers_batches,
            "[lkt.gpu.batch] A back end with compile_all, run_all or runs_at_once is not a "
            "batch_gpu_backend: it needs all three, with the parameters and results that "
            "the concept names");
    }

    [[nodiscard]] result<device_description> device(call_context const& context) const;
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context) const;
    [[nodiscard]] result<run_outcome> run(compiled_kernel const& kernel,
                                          run_request const& request,
                                          call_context const& context) const;
    /// Nothing, where the back end does not compile ahead.
    void prefetch(compile_request const& request) const;
    [[nodiscard]] std::vector<result<compile_outcome>>
    compile_all(std::span<compile_request const> requests, call_context const& context) const;
    [[nodiscard]] std::vector<result<run_outcome>> run_all(std::span<kernel_run const> runs,
                                                           call_context const& context) const;
    /// 1, if it is not a batch_gpu_backend.
    [[nodiscard]] std::size_t runs_at_once() const;
    /// Error `lkt.gpu.no-peaks` where it is no peak_backend.
    [[nodiscard]] result<device_peaks> peaks(call_context const& context) const;
    /// Whether it is a profiling_backend that can.
    [[nodiscard]] bool can_profile() const;
    /// Error `lkt.gpu.no-profiler` where it is none.
    [[nodiscard]] result<kernel_profile> profile(compiled_kernel const& kernel,
                                                 run_request const& request,
                                                 call_context const& context) const;
    /// Empty, if it is not an evidence_backend.
    [[nodiscard]] evidence_offer offered_evidence() const;
    /// Error `lkt.gpu.no-evidence` where it is none.
    [[nodiscard]] result<std::vector<std::string>> evidence(evidence_subject const& of,
                                                            evidence_question const& question,
                                                            call_context const& context) const;

    /// The back end, or null when it is of another type.
    template <gpu_backend B>
    [[nodiscard]] B* target() const {
        return calls_ == &calls_of<B> ? &as<B>(gpu_) : nullptr;
    }

private:
    struct batch_calls {
        std::vector<result<compile_outcome>> (*compile_all)(void const*,
                                                            std::span<compile_request const>,
                                                            call_context const&);
        std::vector<result<run_outcome>> (*run_all)(void const*,
                                                    std::span<kernel_run const>,
                                                    call_context const&);
        std::size_t (*runs_at_once)(void const*);
    };
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
        result<device_peaks> (*peaks)(void const*, call_context const&);
        bool (*can_profile)(void const*);
        batch_calls const* batches; ///< null, where it takes none
        result<kernel_profile> (*profile)(void const*,
                                          compiled_kernel const&,
                                          run_request const&,
                                          call_context const&);
        evidence_offer (*offered_evidence)(void const*);
        result<std::vector<std::string>> (*evidence)(void const*,
                                                     evidence_subject const&,
                                                     evidence_question const&,
                                                     call_context const&);
    };
    template <class B>
    static B& as(void const* gpu) {
        return *const_cast<B*>(static_cast<B const*>(gpu));
    }
    [[nodiscard]] static error no_profiler();
    [[nodiscard]] static error no_peaks();
    [[nodiscard]] static error no_evidence();
    template <batch_gpu_backend B>
    static constexpr batch_calls batch_calls_of{
        [](void const* b, std::span<compile_request const> c, call_context const& x) {
            return as<B>(b).compile_all(c, x);
        },
        [](void const* b, std::span<kernel_run const> r, call_context const& x) {
            return as<B>(b).run_all(r, x);
        },
        [](void const* b) { return as<B>(b).runs_at_once(); }};
    template <class B>
    static constexpr batch_calls const* batches_of() {
        if constexpr (batch_gpu_backend<B>) return &batch_calls_of<B>;
        return nullptr;
    }
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
        [](void const* b, call_context const& x) -> result<device_peaks> {
            if constexpr (peak_backend<B>) return as<B>(b).peaks(x);
            return no_peaks();
        },
        [](void const* b) {
            if constexpr (profiling_backend<B>) return as<B>(b).can_profile();
            return false;
        },
        batches_of<B>(),
        [](void const* b, compiled_kernel const& k, run_request const& r, call_context const& x)
            -> result<kernel_profile> {
            if constexpr (profiling_backend<B>) return as<B>(b).profile(k, r, x);
            return no_profiler();
        },
        [](void const* b) -> evidence_offer {
            if constexpr (evidence_backend<B>) return as<B>(b).offered_evidence();
            return {};
        },
        [](void const* b,
           evidence_subject const& of,
           evidence_question const& q,
           call_context const& x) -> result<std::vector<std::string>> {
            if constexpr (evidence_backend<B>) return as<B>(b).evidence(of, q, x);
            return no_evidence();
        }};

    void const* gpu_;
    calls const* calls_;
};

static_assert(prefetching_backend<gpu_ref> && batch_gpu_backend<gpu_ref> &&
              profiling_backend<gpu_ref> && peak_backend<gpu_ref> && evidence_backend<gpu_ref>);

} // namespace lkt
