// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/process/detail/connection.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/worker_main.hpp>
#include <lkt/process/worker_options.hpp>

#include <chrono>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lkt {

/// Why a worker gave no answer. In every case it is gone, with everything that it had started, and
/// the next call starts another.
enum class worker_end : unsigned char {
    died,      ///< it crashed, exited, or was killed from outside
    timed_out, ///< the call's limit passed
    cancelled, ///< the stop token was triggered
    protocol,  ///< it sent something that is no frame of the protocol
};

struct worker_failure {
    worker_end how = worker_end::died;
    int exit_code = -1;       ///< of a worker that exited, else -1
    int signal = 0;           ///< that killed it, 0 otherwise
    std::string detail{};     ///< one phrase: what happened
    std::string last_words{}; ///< the end of what it wrote to its standard output and error
};

/// For callers to whom a lost worker is just a failure of the world.
[[nodiscard]] inline error to_error(worker_failure const& f) {
    auto const text = "a worker was lost: " + f.detail +
                      (f.last_words.empty() ? "" : "; its last words: " + f.last_words);
    switch (f.how) {
    case worker_end::died:
        return {condition::transient, "lkt.worker.died", text, {}};
    case worker_end::timed_out:
        return {condition::transient, "lkt.worker.timed-out", text, {}};
    case worker_end::cancelled:
        return cancelled("a call of a worker");
    case worker_end::protocol:
        return {condition::transient, "lkt.worker.protocol", text, {}};
    }
    return {condition::transient, "lkt.worker.died", text, {}};
}

/// What a worker is asked; the descriptors are borrowed for the call.
struct worker_request {
    service_key service;
    std::string_view bytes;
    std::span<int const> fds{}; ///< at most 64
};

using worker_answer = std::variant<worker_message, worker_failure>;

/// A process beside this one that does what this one must not do itself. Started at the first
/// call, again after each loss, and ended by the destructor. Calls from several threads queue.
class worker {
public:
    explicit worker(worker_options options = {}) : options_(std::move(options)) {}

    /// Asks a service. An error: no worker could be started, it lacks the service, or the service
    /// itself failed; a `worker_failure`: the worker was lost during the call.
    [[nodiscard]] result<worker_answer> call(worker_request const& request,
                                             std::chrono::milliseconds limit,
                                             call_context const& context = {}) {
        auto const deadline = process_detail::deadline_in(limit);
        std::unique_lock turn{turn_, std::defer_lock};
        while (!turn.try_lock_for(std::chrono::milliseconds{10})) {
            if (context.stop.stop_requested())
                return failed(worker_end::cancelled, "cancelled while another call was running");
            if (std::chrono::steady_clock::now() >= deadline)
                return failed(worker_end::timed_out, "another call was running all the time");
        }
        if (!connection_.alive()) {
            auto opened = process_detail::connection::open(options_, context.stop);
            if (!opened && opened.error().kind == condition::cancelled)
                return failed(worker_end::cancelled, "cancelled while a worker was starting");
            if (!opened) return opened.error();
            connection_ = std::move(*opened);
            ++starts_;
        }
        if (auto missing = connection_.missing(request.service)) return *missing;

        packer head;
        head.put(request.service.name).put(request.service.layout);
        auto const bytes = std::move(head).bytes().append(request.bytes);
        process_detail::frame_writer writer{
            process_detail::frame_kind::request, bytes, request.fds};
        process_detail::frame_reader reader{options_.message_limit};
        auto const end = connection_.exchange(&writer, reader, {}, context.stop, deadline);
        return conclude(end, reader, limit);
    }

    /// Ends the running worker, if any; the next call starts another.
    void stop() {
        std::lock_guard const turn{turn_};
        (void)connection_.end();
    }

    /// Of the running worker, -1 if none. For tests and reports.
    [[nodiscard]] pid_t pid() {
        std::lock_guard const turn{turn_};
        return connection_.pid();
    }
    /// How many workers were started so far.
    [[nodiscard]] int starts() {
        std::lock_guard const turn{turn_};
        return starts_;
    }

private:
    static worker_answer failed(worker_end how, std::string detail) {
        return worker_failure{how, -1, 0, std::move(detail), {}};
    }

    result<worker_answer> conclude(process_detail::exchange_end end,
                                   process_detail::frame_reader& reader,
                                   std::chrono::milliseconds limit) {
        using process_detail::exchange_end, process_detail::frame_kind;
        worker_failure lost;
        switch (end) {
        case exchange_end::complete: {
            auto got = reader.take();
            if (got.kind == frame_kind::reply) return worker_answer{std::move(got.content)};
            if (got.kind == frame_kind::failure)
                return process_detail::unpack_error(got.content.bytes);
            lost.how = worker_end::protocol;
            lost.detail = "it sent a frame of the wrong kind";
            break;
        }
        case exchange_end::closed:
            lost.how = worker_end::died;
            break;
        case exchange_end::broken:
            lost.how = worker_end::protocol;
            lost.detail = reader.why().empty() ? "the request could not be sent" : reader.why();
            break;
        case exchange_end::timed_out:
            lost.how = worker_end::timed_out;
            lost.detail = "no answer in " + std::to_string(limit.count()) + " ms";
            break;
        case exchange_end::cancelled:
            lost.how = worker_end::cancelled;
            lost.detail = "the call was cancelled";
            break;
        }
        auto const status = connection_.end();
        lost.last_words = connection_.last_words();
        if (lost.how == worker_end::died) {
            lost.exit_code = status.exit_code;
            lost.signal = status.signal;
            lost.detail = status.signal != 0 ? "killed by signal " + std::to_string(status.signal)
                          : status.exit_code >= 0
                              ? "it exited with status " + std::to_string(status.exit_code)
                              : "it ended, and somebody else collected its status";
        }
        connection_ = {};
        return worker_answer{std::move(lost)};
    }

    worker_options options_;
    std::timed_mutex turn_;
    process_detail::connection connection_;
    int starts_ = 0;
};

} // namespace lkt
