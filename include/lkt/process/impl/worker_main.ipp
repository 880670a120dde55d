// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/worker_main.hpp>

#include <lkt/process/detail/error_wire.hpp>
#include <lkt/process/detail/frame.hpp>
#include <lkt/process/detail/life_line.hpp>
#include <lkt/process/detail/run_service.hpp>
#include <lkt/process/detail/standard_streams.hpp>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lkt {

namespace process_detail {

[[nodiscard]] bool send_frame(frame_kind kind, worker_message const& content) {
    std::vector<int> fds;
    for (auto const& fd : content.fds) fds.push_back(fd.get());
    frame_writer writer{kind, content.bytes, fds};
    return pump_blocking(socket_fd, POLLOUT, writer) == progress::complete;
}

[[nodiscard]] bool send_failure(error const& e) {
    packer out;
    pack_error(out, e);
    return send_frame(frame_kind::failure, {std::move(out).bytes(), {}});
}

[[nodiscard]] bool send_hello() {
    packer out;
    out.put(protocol_version).put(header_hash);
    for (auto const* s = first_service(); s != nullptr; s = s->next())
        out.put(s->key().name).put(s->key().layout);
    return send_frame(frame_kind::hello, {std::move(out).bytes(), {}});
}

[[nodiscard]] result<worker_message> serve_one(worker_message request) {
    unpacker in{request.bytes};
    auto const name = in.text();
    auto const layout = in.get<std::uint64_t>();
    auto const* const entry = find_service(name);
    if (!in.good() || entry == nullptr || entry->key().layout != layout)
        return error{condition::rejected, "lkt.worker.protocol", "a malformed request", {}};
    try {
        return entry->call()({std::string{in.rest()}, std::move(request.fds)});
    } catch (std::exception const& e) {
        return error{condition::rejected,
                     "lkt.worker.exception",
                     "service '" + std::string{entry->key().name} + "' threw: " + e.what(),
                     {}};
    } catch (...) {
        return error{condition::rejected,
                     "lkt.worker.exception",
                     "service '" + std::string{entry->key().name} + "' threw",
                     {}};
    }
}

/// Never returns normally: a worker ends together with its group, and the destructors of the
/// program's globals, which know nothing of workers, do not run.
[[noreturn]] void serve() {
    auto const is_pipe = [](int fd, mode_t type) {
        struct stat about{};
        return ::fstat(fd, &about) == 0 && (about.st_mode & S_IFMT) == type;
    };
    if (!is_pipe(life_line_fd, S_IFIFO) || !is_pipe(socket_fd, S_IFSOCK)) {
        std::fputs("this is a worker of an lkt program; only such a program can start it\n",
                   stderr);
        ::_exit(2);
    }
    in_worker = true;
    // A file that becomes too large is an error of writing, and no reason to die with a scratch
    // directory left behind. What a worker starts gets the signal's default again.
    (void)std::signal(SIGXFSZ, SIG_IGN);
    // What a service or a child starts must not inherit them.
    for (int const fd : {life_line_fd, socket_fd}) (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)::prctl(PR_SET_NAME, "lkt-worker", 0, 0, 0);
    (void)::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (!hold_life_line()) {
        std::fputs("no thread can be started (ulimit -u, -v)\n", stderr);
        end_worker(1);
    }
    if (!send_hello()) end_worker(1);
    while (true) {
        frame_reader reader;
        if (pump_blocking(socket_fd, POLLIN, reader) != progress::complete) end_worker(1);
        auto request = reader.take();
        if (request.kind != frame_kind::request) end_worker(1);
        auto answer = serve_one(std::move(request.content));
        bool const sent =
            answer ? send_frame(frame_kind::reply, *answer) : send_failure(answer.error());
        if (!sent) end_worker(1);
    }
}

} // namespace process_detail

std::optional<int> worker_main(int argc, char const* const* argv) {
    (void)process_detail::secure_standard_streams();
    process_detail::main_serves.store(true);
    if (argc == 2 && std::strcmp(argv[1], process_detail::worker_argument) == 0)
        process_detail::serve();
    return std::nullopt;
}

} // namespace lkt
