// SPDX-License-Identifier: BSL-1.0
// The client's half of a worker: starting it, one exchange, ending it. Runs in the user's process,
// so: no fork, no signal handler, no SIGPIPE, and every descriptor is closed on exec.
#pragma once

#include <lkt/process/detail/capture.hpp>
#include <lkt/process/detail/frame.hpp>
#include <lkt/process/detail/lookup.hpp>
#include <lkt/process/detail/spawn.hpp>
#include <lkt/process/wire.hpp>
#include <lkt/process/worker_options.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <span>
#include <stop_token>
#include <string>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lkt::process_detail {

[[nodiscard]] inline result<pipe_ends> make_socket() {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return descriptor_error("a socket");
    unique_fd const low[2] = {unique_fd{fds[0]}, unique_fd{fds[1]}};
    pipe_ends ends{unique_fd{::fcntl(fds[0], F_DUPFD_CLOEXEC, 16)},
                   unique_fd{::fcntl(fds[1], F_DUPFD_CLOEXEC, 16)}};
    if (!ends.read || !ends.write) return descriptor_error("a socket");
    return ends;
}

enum class exchange_end : unsigned char { complete, closed, broken, timed_out, cancelled };

/// How a process ended, as far as this process could learn it.
struct exit_status {
    int exit_code = -1; ///< -1: killed by a signal, or unknown
    int signal = 0;     ///< 0: exited, or unknown
};

/// One running worker. Destroying it ends the worker and everything that it started.
class connection {
public:
    connection() = default;
    connection(connection&& other) noexcept { *this = std::move(other); }
    connection& operator=(connection&& other) noexcept {
        if (this == &other) return *this;
        end();
        pid_ = std::exchange(other.pid_, -1);
        owner_ = other.owner_;
        process_ = std::move(other.process_);
        socket_ = std::move(other.socket_);
        life_line_ = std::move(other.life_line_);
        output_ = std::move(other.output_);
        services_ = std::move(other.services_);
        return *this;
    }
    ~connection() { end(); }

    /// Starts a worker and shakes hands. Errors: `lkt.worker.none`, `.executable`, `.start`,
    /// `.descriptors`, `.handshake`, `.mismatch`, and `lkt.cancelled`.
    [[nodiscard]] static result<connection> open(worker_options const& options,
                                                 std::stop_token stop) {
        auto const path = find_worker(options);
        if (!path) return path.error();
        connection c;
        if (auto ok = c.start(*path, options); !ok) return ok.error();
        frame_reader reader{1U << 20};
        auto const end =
            c.exchange(nullptr, reader, {}, std::move(stop), deadline_in(options.start_limit));
        if (end == exchange_end::cancelled) return cancelled("starting a worker");
        if (end == exchange_end::complete) return c.check(reader.take(), *path);
        auto why = end == exchange_end::timed_out ? std::string{"it did not answer in time"}
                   : end == exchange_end::broken  ? reader.why()
                                                  : std::string{"it ended at once"};
        c.end();
        if (!c.last_words().empty()) why += "; its last output: " + c.last_words();
        // Its own words, or those of AddressSanitizer, which reserves terabytes.
        auto const& said = c.last_words();
        if (said.find("ulimit") != std::string::npos)
            return error{condition::exhausted,
                         "lkt.worker.start",
                         "the worker '" + *path + "' cannot run: " +
                             (said.find("AddressSanitizer") != std::string::npos
                                  ? "checked mode gets no address space"
                                  : said.substr(0, said.find('\n'))),
                         "raise the limits of processes and of memory (ulimit -u, ulimit -v)"};
        return error{condition::unavailable,
                     "lkt.worker.handshake",
                     "'" + *path + "' did not start as a worker: " + why,
                     "it must be lkt-worker, or a program whose main begins with "
                     "`if (auto rc = lkt::worker_main(argc, argv)) return *rc;`"};
    }

    [[nodiscard]] bool alive() const { return pid_ > 0; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] std::string const& last_words() const { return output_.text; }

    /// Null when the worker has the service in the layout that this program speaks.
    [[nodiscard]] std::optional<error> missing(service_key key) const {
        for (auto const& [name, layout] : services_) {
            if (name != key.name) continue;
            if (layout == key.layout) return std::nullopt;
            return error{condition::unavailable,
                         "lkt.worker.mismatch",
                         "the worker's service '" + name + "' comes from a different build",
                         "build the worker from the same headers"};
        }
        return error{condition::unavailable,
                     "lkt.worker.no-service",
                     "the worker has no service '" + std::string{key.name} + "'",
                     "include the header that provides it where worker_main is called"};
    }

    /// Sends (unless null), then receives one frame; meanwhile fills the captures.
    [[nodiscard]] exchange_end exchange(frame_writer* writer,
                                        frame_reader& reader,
                                        std::span<capture*> captures,
                                        std::stop_token stop,
                                        time_point deadline) {
        unique_fd const wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
        std::stop_callback const on_stop{stop, [fd = wake.get()] {
                                             std::uint64_t const one = 1;
                                             (void)!::write(fd, &one, sizeof one);
                                         }};
        bool sending = writer != nullptr;
        while (true) {
            if (stop.stop_requested()) return exchange_end::cancelled;
            if (sending) {
                auto const p = writer->pump(socket_.get());
                if (p == progress::closed) return exchange_end::closed;
                if (p == progress::broken) return exchange_end::broken;
                sending = p != progress::complete;
            }
            auto const p = reader.pump(socket_.get());
            for (auto* const c : captures) c->drain();
            output_.drain();
            if (p == progress::complete) return exchange_end::complete;
            if (p == progress::closed) return exchange_end::closed;
            if (p == progress::broken) return exchange_end::broken;
            if (std::chrono::steady_clock::now() >= deadline) return exchange_end::timed_out;
            std::vector<pollfd> all{
                {socket_.get(), static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), 0},
                {wake.get(), POLLIN, 0},
                {output_.fd.get(), POLLIN, 0}};
            for (auto* const c : captures) all.push_back({c->fd.get(), POLLIN, 0});
            (void)::poll(all.data(), all.size(), milliseconds_until(deadline));
        }
    }

    /// Ends the worker, its group and all descendants, and waits until they are gone: first by the
    /// life line (the worker then cleans up and kills its group), after half a second by force.
    exit_status end() {
        exit_status how;
        if (pid_ <= 0) return how;
        if (owner_ != ::getpid()) { // a forked copy of the program: not its worker to end
            pid_ = -1;
            return how;
        }
        socket_.reset();
        life_line_.reset();
        wait_for_exit(deadline_in(std::chrono::milliseconds{500}));
        ::kill(-pid_, SIGKILL); // before the pid is given back, so it cannot hit anyone else
        wait_for_exit(deadline_in(std::chrono::milliseconds{500}));
        int status = 0;
        pid_t got = -1;
        while ((got = ::waitpid(pid_, &status, WNOHANG)) < 0 && errno == EINTR) {
        }
        if (got == pid_ && WIFEXITED(status)) how.exit_code = WEXITSTATUS(status);
        if (got == pid_ && WIFSIGNALED(status)) how.signal = WTERMSIG(status);
        pid_ = -1;
        process_.reset();
        output_.drain();
        output_.fd.reset();
        return how;
    }

private:
    [[nodiscard]] result<void> start(std::string const& path, worker_options const& options) {
        auto line = make_pipe();
        if (!line) return line.error();
        auto output = make_pipe();
        if (!output) return output.error();
        auto socket = make_socket();
        if (!socket) return socket.error();

        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        posix_spawn_file_actions_init(&actions);
        plain_attributes(attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, output->write.get(), 1);
        posix_spawn_file_actions_adddup2(&actions, output->write.get(), 2);
        posix_spawn_file_actions_adddup2(&actions, line->read.get(), life_line_fd);
        posix_spawn_file_actions_adddup2(&actions, socket->write.get(), socket_fd);
        posix_spawn_file_actions_addclosefrom_np(&actions, first_free_fd);

        auto keep = options.keep;
        for (auto const* const name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
            keep.emplace_back(name); // a worker is the same program, sanitized if that is
        auto texts = make_environment(keep, options.environment);
        auto envp = pointers(texts);
        // Not the program's own name: whoever kills that by name must not take away the processes
        // that clean up after it.
        std::vector<std::string> arguments{"lkt-worker", worker_argument};
        auto const& program = options.launcher.empty() ? path : options.launcher.front();
        if (!options.launcher.empty()) {
            arguments = options.launcher;
            arguments.push_back(absolute_path(path)); // another process has another /proc/self
            arguments.emplace_back(worker_argument);
        }
        auto argv = pointers(arguments);
        auto const failed =
            ::posix_spawn(&pid_, program.c_str(), &actions, &attributes, argv.data(), envp.data());
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        if (failed != 0) {
            pid_ = -1;
            auto const later = failed == EAGAIN || failed == ENOMEM;
            return error{later ? condition::exhausted : condition::unavailable,
                         "lkt.worker.start",
                         "cannot start the worker '" + program + "': " + std::strerror(failed),
                         later ? "too many processes, or too little memory: raise the limits "
                                 "(ulimit -u, ulimit -v)"
                               : ""};
        }
        owner_ = ::getpid();
        process_ = open_process(pid_);
        socket_ = std::move(socket->read);
        life_line_ = std::move(line->write);
        output_.fd = std::move(output->read);
        output_.limit = 8192;
        output_.keep_last = true;
        (void)::fcntl(output_.fd.get(), F_SETFL, O_NONBLOCK);
        return {};
    }

    [[nodiscard]] result<connection> check(frame hello, std::string const& path) {
        unpacker in{hello.content.bytes};
        auto const version = in.get<std::uint32_t>();
        auto const hash = in.get<std::uint64_t>();
        if (hello.kind != frame_kind::hello || version != protocol_version || hash != header_hash)
            return error{condition::unavailable,
                         "lkt.worker.mismatch",
                         "the worker '" + path + "' speaks a different protocol than this program",
                         "build both from the same version of lkt"};
        while (in.good() && !in.complete()) {
            std::string name{in.text()};
            auto const layout = in.get<std::uint64_t>();
            services_.emplace_back(std::move(name), layout);
        }
        if (!in.good())
            return error{condition::unavailable,
                         "lkt.worker.handshake",
                         "the worker '" + path + "' sent a malformed list of services",
                         "build it from the same version of lkt"};
        return std::move(*this);
    }

    void wait_for_exit(time_point deadline) const {
        while (std::chrono::steady_clock::now() < deadline) {
            if (process_) { // readable once the process has ended
                pollfd one{process_.get(), POLLIN, 0};
                if (::poll(&one, 1, milliseconds_until(deadline)) > 0) return;
                continue;
            }
            siginfo_t info{};
            auto const r =
                ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
            if (r < 0 ? errno != EINTR : info.si_pid != 0) return;
            timespec const pause{0, 1'000'000};
            ::nanosleep(&pause, nullptr);
        }
    }

    pid_t pid_ = -1, owner_ = -1;
    unique_fd process_, socket_, life_line_;
    capture output_;
    std::vector<std::pair<std::string, std::uint64_t>> services_;
};

} // namespace lkt::process_detail
