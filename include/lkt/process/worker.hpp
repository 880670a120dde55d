// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/worker_main.hpp>
#include <lkt/process/worker_options.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <variant>

namespace lkt {

/// Why a worker gave no answer. In every case it is gone, with everything that it had started, and
/// the next call starts another.
enum class worker_end : unsigned char {
    died,      ///< it crashed, exited, or was killed from outside
    timed_out, ///< the call's limit passed
    cancelled, ///< the stop token was triggered
    protocol,  ///< it sent something that is not a frame of the protocol
};

struct worker_failure {
    worker_end how = worker_end::died;
    int exit_code = -1;       ///< of a worker that exited, else -1
    int signal = 0;           ///< that killed it, 0 otherwise
    std::string detail{};     ///< one phrase: what happened
    std::string last_words{}; ///< the end of what it wrote to its standard output and error
};

/// For callers to whom a lost worker is just a failure of the world.
[[nodiscard]] error to_error(worker_failure const& f);

/// What a worker is asked; the descriptors are borrowed for the call.
struct worker_request {
    service_key service;
    std::string_view bytes;
    std::span<int const> fds{}; ///< at most 64
};

using worker_answer = std::variant<worker_message, worker_failure>;

/// A process for work that this process must not do itself. It starts at the first call and again
/// after each loss, and the destructor ends it. Calls from several threads queue.
class worker {
public:
    explicit worker(worker_options options = {});
    worker(worker const&) = delete;
    worker& operator=(worker const&) = delete;
    ~worker();

    /// Asks a service. An error: no worker could be started, it lacks the service, or the service
    /// itself failed; a `worker_failure`: the worker was lost during the call.
    [[nodiscard]] result<worker_answer> call(worker_request const& request,
                                             std::chrono::milliseconds limit,
                                             call_context const& context = {});

    /// Ends the running worker, if any; the next call starts another.
    void stop();

    /// Of the running worker, -1 if none. For tests and reports.
    [[nodiscard]] pid_t pid();
    /// How many workers were started so far.
    [[nodiscard]] int starts();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace lkt
