// SPDX-License-Identifier: BSL-1.0
// What NVIDIA's tools tell of a kernel: profiles, and answers to questions.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/detail/profiler_run.hpp>
#include <lkt/gpu/cuda/evidence.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/device.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt::cuda_detail {

/// A compiled kernel: its name there, and its image.
struct named_cubin {
    std::string entry, image;
};

/// The text of `nvdisasm` for an image, which it reads where it can read and write nothing else.
/// Errors: `lkt.cuda.disassembler` (unavailable), `lkt.cancelled`, those of starting a process.
[[nodiscard]] result<std::string> disassemble(std::string const& program,
                                              std::string const& image,
                                              worker_options const& worker,
                                              call_context const& context);

/// Looks for the tools when they are first needed. A tool that does not work is not tried again.
class kernel_inspector {
public:
    /// The options must outlive it.
    explicit kernel_inspector(cuda_options const& options) : options_(options) {}

    /// As `cuda::profile`.
    [[nodiscard]] result<kernel_profile>
    profile(compiled_kernel const& kernel, run_request const& request, call_context const& context);
    [[nodiscard]] evidence_offer offer();
    /// `compiled`: the kernel once more, with line numbers. Errors: `lkt.cuda.evidence`, those of
    /// the tools, `lkt.cancelled`.
    [[nodiscard]] result<std::vector<std::string>>
    answer(evidence_subject const& of,
           evidence_question const& question,
           device_description const& device,
           std::function<result<named_cubin>()> const& compiled,
           call_context const& context);

private:
    [[nodiscard]] result<profiler_settings> profiler();
    [[nodiscard]] result<std::vector<gpu_detail::code_line>>
    code_of(std::function<result<named_cubin>()> const& compiled, call_context const& context);
    /// Keeps why the profiler cannot work at all.
    template <class T>
    [[nodiscard]] result<T> noted(result<T> made) {
        if (!made && made.error().kind == condition::unavailable) no_profile_ = made.error();
        return made;
    }

    cuda_options const& options_;
    std::string profiler_;                                  ///< empty: not looked for yet
    std::vector<std::string> metrics_ = profiler_metrics(); ///< of profiles, that it knows
    std::optional<error> no_profile_;                       ///< why it is not asked any more
    std::optional<result<std::string>> disassembler_;
};

} // namespace lkt::cuda_detail
