// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/confined_helper.hpp>

#include <lkt/process/detail/confined_child.hpp>
#include <lkt/process/detail/error_wire.hpp>
#include <lkt/process/wire.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <utility>

namespace lkt {

namespace process_detail {

/// A helper's filter has no `send`; a worker must not die of a SIGPIPE.
bool write_all(int fd, std::string_view bytes, bool helper) {
    while (!bytes.empty()) {
        auto const n = helper ? ::write(fd, bytes.data(), bytes.size())
                              : ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

bool read_all(int fd, char* to, std::size_t size) {
    while (size > 0) {
        auto const n = ::read(fd, to, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

/// A text between the two, its size first.
bool send_text(int fd, std::string_view text, bool helper) {
    auto const size = static_cast<std::uint64_t>(text.size());
    char head[sizeof size];
    std::memcpy(head, &size, sizeof size);
    return write_all(fd, {head, sizeof head}, helper) && write_all(fd, text, helper);
}

bool read_text(int fd, std::string& text) {
    constexpr std::uint64_t longest = std::uint64_t{1} << 30;
    std::uint64_t size = 0;
    if (!read_all(fd, reinterpret_cast<char*>(&size), sizeof size) || size > longest) return false;
    text.resize(size);
    return read_all(fd, text.data(), size);
}

std::string pack_answer(result<std::string> const& answer) {
    packer out;
    out.put(answer.has_value());
    if (answer)
        out.put(*answer);
    else
        pack_error(out, answer.error());
    return std::move(out).bytes();
}

/// What `confine_helper` could not do.
std::optional<error> confine_helper(helper_plan const& plan, file_wall& behind) {
    auto const failed = [](char const* step) {
        return error{condition::unavailable,
                     "lkt.sandbox.failed",
                     std::string{"a compiler could not be confined ("} + step +
                         "): " + std::strerror(errno),
                     {}};
    };
    auto const kernel = kernel_without(plan.lack);
    if ((!kernel.seccomp || !kernel.no_new_privileges) && !plan.unconfined_allowed)
        return error{condition::unavailable,
                     "lkt.sandbox.unavailable",
                     "this Linux kernel cannot confine a compiler: " + to_string(kernel),
                     "use a kernel with seccomp; in a container, a profile that allows it"};
    limit(RLIMIT_CORE, 0);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no-new-privileges");
    char const* step = nullptr;
    behind = keep_from_files(plan.readable, plan.writable, kernel, plan.lack, step, plan.folders);
    if (step != nullptr && !plan.unconfined_allowed)
        return kernel.landlock_version > 0
                   ? failed(step)
                   : no_file_wall("the compiler",
                                  std::string{step} + " failed: " + std::strerror(errno),
                                  confined_as::compiler);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); // a user namespace may have cleared it
    drop_capabilities();
    // Where nothing keeps its files apart, it writes none.
    bool const writes = !plan.writable.empty() && behind != file_wall::none;
    if (kernel.seccomp &&
        !library_filter(writes, writes && plan.folders).program(bpf_errno(EPERM)).install())
        return failed("seccomp");
    return {};
}

[[noreturn]] void be_helper(int channel,
                            helper_plan const& plan,
                            std::string_view what,
                            confined_helper::prepare_fn prepare,
                            confined_helper::answer_fn answer,
                            pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != parent) ::_exit(127);
    int const keep[] = {channel};
    close_others(keep);
    auto ready = [&]() -> result<std::string> {
        auto const prepared = prepare(what);
        if (!prepared) return prepared.error();
        ::clearenv();
        // Compilers leave temporary files where this says, and nothing else is theirs.
        if (!plan.writable.empty()) ::setenv("TMPDIR", plan.writable.c_str(), 1);
        auto behind = file_wall::none;
        if (auto no = confine_helper(plan, behind)) return *no;
        return std::string(1, static_cast<char>(behind));
    }();
    bool const good = ready.has_value();
    if (!send_text(channel, pack_answer(ready), true) || !good) ::_exit(good ? 1 : 0);
    for (std::string request; read_text(channel, request);) {
        auto const reply = [&]() -> result<std::string> {
            try {
                return answer(request);
            } catch (std::exception const& e) {
                return error{condition::rejected,
                             "lkt.worker.exception",
                             std::string{"a confined service threw: "} + e.what(),
                             {}};
            }
        }();
        if (!send_text(channel, pack_answer(reply), true)) break;
    }
    ::_exit(0);
}

/// Ends this process as that one ended.
[[noreturn]] void end_like(int status) {
    if (WIFSIGNALED(status)) {
        limit(RLIMIT_CORE, 0);
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        (void)std::signal(WTERMSIG(status), SIG_DFL);
        ::kill(::getpid(), WTERMSIG(status));
    }
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

} // namespace process_detail

result<void> confined_helper::start(helper_plan const& plan,
                                    std::string_view what,
                                    prepare_fn prepare,
                                    answer_fn answer) {
    namespace pd = process_detail;
    if (pid_ > 0) return {};
    auto const failed = [](char const* step) {
        return error{condition::exhausted,
                     "lkt.helper.start",
                     std::string{"a confined process could not be started ("} + step +
                         "): " + std::strerror(errno),
                     {}};
    };
    int both[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) return failed("a socket");
    unique_fd mine{both[0]}, its{both[1]};
    auto const parent = ::getpid();
    {
        std::lock_guard const hold{pd::cleanup().lock};
        pid_ = ::fork();
        if (pid_ == 0) pd::be_helper(its.get(), plan, what, prepare, answer, parent);
    }
    if (pid_ < 0) return failed("fork");
    channel_ = std::move(mine);
    its.reset();
    auto const ready = receive();
    if (ready) {
        behind_ = static_cast<file_wall>(ready->empty() ? 0 : ready->front());
        return {};
    }
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    channel_.reset();
    return ready.error();
}

result<std::string> confined_helper::ask(std::string_view request) {
    (void)process_detail::send_text(channel_.get(), request, false);
    return receive();
}

result<std::string> confined_helper::receive() {
    namespace pd = process_detail;
    std::string bytes;
    if (!pd::read_text(channel_.get(), bytes)) {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pd::end_like(status);
    }
    unpacker in{bytes};
    if (!in.get<bool>()) return pd::unpack_error(in.rest());
    return std::string{in.text()};
}

} // namespace lkt
