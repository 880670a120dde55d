// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/kept_child.hpp>

#include <lkt/process/detail/capture.hpp>
#include <lkt/process/detail/run_service.hpp>
#include <lkt/process/shared_memory.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <stop_token>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lkt {

namespace process_detail {

/// What a byte says to the one who waits for an answer. The program can write any of them: only
/// `answered` is taken at its word.
inline constexpr char answered = '!', ended = 'x', stopped = 's';

inline void say(int fd, char byte) {
    while (::write(fd, &byte, 1) < 0 && errno == EINTR) {
    }
}

/// A file in memory that both sides write, one after the other.
[[nodiscard]] inline result<unique_fd> open_exchange_file() {
    unique_fd const low{::memfd_create("lkt", MFD_CLOEXEC)};
    unique_fd fd{low ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, 16) : -1};
    if (!fd) return descriptor_error("a file in memory");
    return fd;
}

/// Empty, and both sides are at its beginning.
[[nodiscard]] inline bool rewind_file(int fd) {
    return ::ftruncate(fd, 0) == 0 && ::lseek(fd, 0, SEEK_SET) == 0;
}

[[nodiscard]] inline bool fill_file(int fd, std::string_view bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        auto const n =
            ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

} // namespace process_detail

struct kept_child::state {
    explicit state(child_options o) : options(std::move(o)), names(std::move(options.collect)) {
        options.collect.clear();
        options.time_limit = std::chrono::hours{24 * 366}; // each question has its own
    }
    ~state() { end(); }

    [[nodiscard]] result<void> start() {
        auto ask_pipe = process_detail::make_pipe(), answer_pipe = process_detail::make_pipe();
        if (!ask_pipe) return ask_pipe.error();
        if (!answer_pipe) return answer_pipe.error();
        asking = std::move(*ask_pipe), answering = std::move(*answer_pipe);
        (void)::fcntl(answering.read.get(), F_SETFL, O_NONBLOCK);
        files.clear();
        for (std::size_t k = 0; k < 1 + names.size(); ++k) { // the first is the question
            auto file = process_detail::open_exchange_file();
            if (!file) return file.error();
            files.push_back(std::move(*file));
        }
        auto run = options;
        for (auto const& file : files) run.descriptors.push_back(file.get());
        run.descriptors.push_back(asking.read.get());
        run.descriptors.push_back(answering.write.get());
        owner = ::getpid();
        gone = false;
        over = std::stop_source{};
        thread = std::thread([this, run = std::move(run), stop = over.get_token()] {
            how = run_child(run, call_context{.stop = stop, .on_text = {}});
            gone = true;
            process_detail::say(answering.write.get(), process_detail::ended);
        });
        return {};
    }

    /// Ends it; then `how` says how it ended.
    void end() {
        if (!thread.joinable()) return;
        if (owner != ::getpid()) return thread.detach(); // a forked copy of the program
        over.request_stop();
        thread.join();
    }

    /// Its answer, and it goes on; or how it ended.
    [[nodiscard]] result<child_result>
    ask(std::string_view input, std::chrono::milliseconds limit, call_context const& context) {
        namespace pd = process_detail;
        auto const begin = std::chrono::steady_clock::now();
        auto const deadline = pd::deadline_in(limit);
        char old[64];
        while (::read(answering.read.get(), old, sizeof old) > 0) {
        }
        bool ready = true;
        for (auto const& file : files) ready = ready && pd::rewind_file(file.get());
        if (!ready || !pd::fill_file(files.front().get(), input)) {
            auto const e = pd::scratch_error("the question to a program");
            end();
            return e;
        }
        std::stop_callback const on_stop{context.stop,
                                         [this] { pd::say(answering.write.get(), pd::stopped); }};
        pd::say(asking.write.get(), '?');
        char byte = gone ? pd::ended : char{}; // then what it said may have been among the old
        pollfd one{answering.read.get(), POLLIN, 0};
        while (byte == 0 && ::read(answering.read.get(), &byte, 1) != 1 &&
               std::chrono::steady_clock::now() < deadline)
            (void)::poll(&one, 1, pd::milliseconds_until(deadline));
        if (byte == pd::answered && !context.stop.stop_requested()) return take(begin);
        end();
        if (!how->has_value()) return how->error();
        child_result r = std::move(**how);
        if (context.stop.stop_requested())
            r.how = child_end::cancelled;
        else if (byte == 0)
            r.how = child_end::timed_out;
        else if (r.how == child_end::cancelled)
            r.how = child_end::exited; // it said what it may not say, and was ended for that
        return r;
    }

    [[nodiscard]] result<child_result> take(std::chrono::steady_clock::time_point begin) {
        child_result r;
        r.how = child_end::exited;
        r.exit_code = 0;
        for (std::size_t k = 0; k < names.size(); ++k) {
            // Read, not mapped: the program may still shrink it.
            auto file = process_detail::read_open_file(files[1 + k].get(), options.collect_limit);
            if (!file) {
                end();
                return file.error();
            }
            if (file->size() > 0) r.files.emplace_back(names[k], std::move(*file));
        }
        r.wall = std::chrono::steady_clock::now() - begin;
        return r;
    }

    child_options options;
    std::vector<std::string> names;
    std::vector<unique_fd> files;
    process_detail::pipe_ends asking, answering; ///< all four ends: no write finds nobody
    std::optional<result<child_result>> how;     ///< written by the thread
    std::atomic<bool> gone = false;
    std::stop_source over;
    std::thread thread; ///< there is one from a start until its end is known
    pid_t owner = -1;
};

kept_child::kept_child(child_options options)
    : state_(std::make_unique<state>(std::move(options))) {}
kept_child::~kept_child() = default;

result<child_result> kept_child::ask(std::string_view input,
                                     std::chrono::milliseconds limit,
                                     call_context const& context) {
    bool const kept = state_->thread.joinable();
    for (bool first = kept;; first = false) {
        if (!state_->thread.joinable())
            if (auto ok = state_->start(); !ok) return ok.error();
        auto answer = state_->ask(input, limit, context);
        bool const stopped = answer && answer->how == child_end::cancelled;
        if (state_->thread.joinable() || stopped || !first) return answer;
    }
}

} // namespace lkt
