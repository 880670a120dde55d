// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/worker.hpp>

#include <lkt/process/detail/connection.hpp>
#include <lkt/process/detail/error_wire.hpp>
#include <lkt/process/detail/frame.hpp>

#include <mutex>
#include <utility>

namespace lkt {

error to_error(worker_failure const& f) {
    auto const text = "a worker was lost: " + f.detail +
                      (f.last_words.empty() ? "" : "; its last output: " + f.last_words);
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

struct worker::state {
    explicit state(worker_options o) : options_(std::move(o)) {}

    result<worker_answer> call(worker_request const& request,
                               std::chrono::milliseconds limit,
                               call_context const& context) {
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
        return interpret(end, reader, limit);
    }

    static worker_answer failed(worker_end how, std::string detail) {
        return worker_failure{how, -1, 0, std::move(detail), {}};
    }

    result<worker_answer> interpret(process_detail::exchange_end end,
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
                              : "it ended, but something else collected its exit status";
        }
        connection_ = {};
        return worker_answer{std::move(lost)};
    }

    worker_options options_;
    std::timed_mutex turn_;
    process_detail::connection connection_;
    int starts_ = 0;
};

worker::worker(worker_options options) : state_(std::make_unique<state>(std::move(options))) {}
worker::~worker() = default;

result<worker_answer> worker::call(worker_request const& request,
                                   std::chrono::milliseconds limit,
                                   call_context const& context) {
    return state_->call(request, limit, context);
}

void worker::stop() {
    std::lock_guard const turn{state_->turn_};
    (void)state_->connection_.end();
}

pid_t worker::pid() {
    std::lock_guard const turn{state_->turn_};
    return state_->connection_.pid();
}

int worker::starts() {
    std::lock_guard const turn{state_->turn_};
    return state_->starts_;
}

} // namespace lkt
