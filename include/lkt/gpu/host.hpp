// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/host/arena.hpp>
#include <lkt/gpu/detail/host/compile.hpp>
#include <lkt/gpu/detail/host/execute.hpp>
#include <lkt/gpu/detail/host/session.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <memory>
#include <utility>

namespace lkt {

/// CUDA C++ kernels compiled by the system's compiler and run on the CPU: a back end for machines
/// without a GPU, and the one that finds out-of-bounds accesses and races. Its times are those of
/// a CPU. Kernels run in a sandbox in worker processes, see docs/host-backend.md; a program that
/// uses it begins its main with `worker_main`.
///
/// Errors: `lkt.host.*`, `lkt.worker.*`, `lkt.sandbox.*`, `lkt.memory.*`, `lkt.cancelled`.
class host {
public:
    explicit host(host_options options = {})
        : session_(std::make_unique<host_detail::session>(std::move(options))) {}

    /// Starts a compiler, the first time.
    [[nodiscard]] result<device_description> device(call_context const& context = {}) {
        return session_->device(context);
    }
    /// The same request again costs nothing while a copy of its compiled_kernel lives. Threads of a
    /// block become fibres only if the text waits for others; `notes` say which.
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context = {}) {
        return session_->compile(request, context);
    }
    /// One process a run. In checked mode three of them, in three orders of blocks and threads;
    /// their outputs have to agree.
    [[nodiscard]] result<run_outcome> run(compiled_kernel const& kernel,
                                          run_request const& request,
                                          call_context const& context = {}) {
        return session_->run(kernel, request, context);
    }

private:
    std::unique_ptr<host_detail::session> session_;
};

static_assert(gpu_backend<host>);

} // namespace lkt
