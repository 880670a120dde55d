// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/host/run_service.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/host_options.hpp>
#include <lkt/process/worker_main.hpp>

#include <memory>
#include <string>
#include <vector>

namespace lkt {

struct wgsl_cpp;

namespace host_detail {
class session;
}

/// CUDA C++ kernels compiled by the system's compiler and run on the CPU: a back end for machines
/// without a GPU, and the one that finds out-of-bounds accesses and races. Its times are those of
/// a CPU. Kernels run in a sandbox in worker processes, see docs/host-backend.md; a program that
/// uses it begins its main with `worker_main`.
///
/// Errors: `lkt.host.*`, `lkt.worker.*`, `lkt.sandbox.*`, `lkt.memory.*`, `lkt.cancelled`.
class host {
public:
    explicit host(host_options options = {});
    host(host&& other) noexcept;
    host& operator=(host&& other) noexcept;
    ~host();

    /// Starts a compiler, the first time.
    [[nodiscard]] result<device_description> device(call_context const& context = {});
    /// The same request again costs nothing while a copy of its compiled_kernel lives, and no
    /// compilation while it is in the cache on disk, texts that do not compile included. Threads of
    /// a block become fibres only if the text waits for others; `notes` say which.
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context = {});
    /// A translation of the kernel that `request` holds, for other back ends' checked mode.
    [[nodiscard]] result<compile_outcome> compile_translation(compile_request const& request,
                                                              wgsl_cpp const& translation,
                                                              call_context const& context = {});
    /// One process a run. In checked mode four of them: three orders of blocks and threads, whose
    /// outputs have to agree, and one that looks for data races.
    [[nodiscard]] result<run_outcome> run(compiled_kernel const& kernel,
                                          run_request const& request,
                                          call_context const& context = {});

    /// What the compiler did with loops, and the processor's code, where objdump is there.
    [[nodiscard]] static evidence_offer offered_evidence();
    /// Compiles the text once more, with line numbers; once for questions about one kernel that
    /// follow each other. Errors: `lkt.host.evidence`, and those of `compile`.
    [[nodiscard]] result<std::vector<std::string>> evidence(evidence_subject const& of,
                                                            evidence_question const& question,
                                                            call_context const& context = {});

    [[nodiscard]] host_counters counters() const;

private:
    std::unique_ptr<host_detail::session> session_;
};

static_assert(gpu_backend<host> && evidence_backend<host>);

} // namespace lkt
