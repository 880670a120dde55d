// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

/// Any back end behind one type, for programs that choose at run time. Copies share the back end,
/// since it stands for one device and its processes. A moved-from or default-constructed value is
/// empty and answers with the error `lkt.gpu.no-backend`.
class any_gpu_backend {
public:
    any_gpu_backend() = default;

    template <class B>
        requires(!std::same_as<std::remove_cvref_t<B>, any_gpu_backend> &&
                 gpu_backend<std::remove_cvref_t<B>>)
    any_gpu_backend(B&& backend)
        : backend_(std::make_shared<std::remove_cvref_t<B>>(std::forward<B>(backend))),
          calls_(*static_cast<std::remove_cvref_t<B>*>(backend_.get())) {}

    [[nodiscard]] result<device_description> device(call_context const& context);
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context);
    [[nodiscard]] result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context);
    /// Nothing, where the back end inside does not compile ahead.
    void prefetch(compile_request const& request);
    [[nodiscard]] std::vector<result<compile_outcome>>
    compile_all(std::span<compile_request const> requests, call_context const& context);
    [[nodiscard]] std::vector<result<run_outcome>> run_all(std::span<kernel_run const> runs,
                                                           call_context const& context);
    /// 1, if the back end inside is not a batch_gpu_backend.
    [[nodiscard]] std::size_t runs_at_once();
    /// Error `lkt.gpu.no-peaks` where the back end inside is no peak_backend.
    [[nodiscard]] result<device_peaks> peaks(call_context const& context);
    /// Whether the back end inside is a profiling_backend that can.
    [[nodiscard]] bool can_profile();
    /// Error `lkt.gpu.no-profiler` where it is none.
    [[nodiscard]] result<kernel_profile>
    profile(compiled_kernel const& kernel, run_request const& request, call_context const& context);
    /// Empty, if the back end inside is not an evidence_backend.
    [[nodiscard]] evidence_offer offered_evidence();
    /// Error `lkt.gpu.no-evidence` where it is none.
    [[nodiscard]] result<std::vector<std::string>> evidence(evidence_subject const& of,
                                                            evidence_question const& question,
                                                            call_context const& context);

    [[nodiscard]] explicit operator bool() const { return backend_ != nullptr; }

    /// The back end inside, or null when it is of another type.
    template <gpu_backend B>
    [[nodiscard]] B* target() const {
        return backend_ ? calls_->target<B>() : nullptr;
    }

private:
    std::shared_ptr<void> backend_;
    std::optional<gpu_ref> calls_;
};

static_assert(prefetching_backend<any_gpu_backend> && batch_gpu_backend<any_gpu_backend> &&
              profiling_backend<any_gpu_backend> && peak_backend<any_gpu_backend> &&
              evidence_backend<any_gpu_backend>);

} // namespace lkt
