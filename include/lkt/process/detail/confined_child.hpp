// SPDX-License-Identifier: BSL-1.0
// The start of a confined program: what posix_spawn has no words for. Runs in a worker only.
// What holds for compilers that are libraries is here, too.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/detail/capture.hpp>
#include <lkt/process/detail/cell_inside.hpp>
#include <lkt/process/detail/confined_calls.hpp>
#include <lkt/process/detail/life_line.hpp>
#include <lkt/process/detail/mount_view.hpp>
#include <lkt/process/detail/run_request.hpp>
#include <lkt/process/detail/spawn.hpp>
#include <lkt/process/sandbox.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lkt::process_detail {

/// What programs and their libraries read wherever they are installed; nothing of it is a secret.
inline constexpr char const* system_paths[] = {
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc/ld.so.cache",
    "/etc/passwd",
    "/etc/alternatives",
    "/etc/localtime",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm",
    "/sys/devices/system",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
};

/// Of these, what a mount namespace can show, and a language needs.
inline constexpr char const* system_folders[] = {
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives"};

/// What a start leaves in a pipe: how files are kept from it; then, if it failed, the step.
struct start_failure {
    char const* step = nullptr; ///< the same address in both processes
    int number = 0;
};

/// Comes before a failure, where the wall would come.
inline constexpr unsigned char failed_step = 255;

/// The kernel, less what a test pretends that it lacks.
[[nodiscard]] inline sandbox_report kernel_without(kernel_lack lack) {
    auto kernel = probe_sandbox();
    if (lack != kernel_lack::nothing) kernel.landlock_version = 0;
    return kernel;
}

/// Keeps this process, which has one thread, from all files but those. `failed`: null, or the step
/// that failed (errno says why); then the wall is `none`.
[[nodiscard]] inline file_wall keep_from_files(std::vector<std::string> const& readable,
                                               std::string const& writable,
                                               sandbox_report const& kernel,
                                               kernel_lack lack,
                                               char const*& failed,
                                               bool folders = false) {
    failed = nullptr;
    if (kernel.landlock_version > 0) {
        if (enter_landlock_of(kernel.landlock_version, readable, writable, folders))
            return file_wall::landlock;
        failed = "Landlock";
        return file_wall::none;
    }
    errno = ENOSYS;
    failed = lack == kernel_lack::landlock_and_mounts ? "a mount namespace"
                                                      : enter_mount_view(readable, writable);
    return failed == nullptr ? file_wall::mounts : file_wall::none;
}

/// What to say where neither is possible.
[[nodiscard]] inline error
no_file_wall(std::string const& who, std::string const& why, confined_as kind) {
    std::string const hint = "use a kernel with Landlock (5.13 or newer, `lsm=...,landlock`), or "
                             "allow user namespaces";
    return error{
        condition::unavailable,
        "lkt.sandbox.unavailable",
        who + " cannot be kept from this user's files: this Linux kernel has no Landlock, and " +
            why,
        kind == confined_as::compiler
            ? hint + "; if you have read the kernels, allow an unconfined compiler"
            : hint};
}

/// As far as this user may.
inline void raise_stack_limit(std::uint64_t value) {
    rlimit now{};
    ::getrlimit(RLIMIT_STACK, &now);
    now.rlim_cur = std::max(now.rlim_cur, std::min<rlim_t>(value, now.rlim_max));
    (void)::setrlimit(RLIMIT_STACK, &now);
}

/// In the new process. `fds` become 0, 1, 2, ...; they and `failures` lie above all of these.
[[noreturn]] inline void become_confined(run_request& r,
                                         sandbox_report const& kernel,
                                         std::vector<int> const& fds,
                                         int failures,
                                         pid_t parent) {
    auto const fail = [failures](char const* step) {
        start_failure const what{step, errno};
        (void)!::write(failures, &failed_step, 1);
        (void)!::write(failures, &what, sizeof what);
        ::_exit(127);
    };
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != parent) ::_exit(127);
    for (std::size_t k = 0; k < fds.size(); ++k)
        if (::dup2(fds[k], static_cast<int>(k)) < 0) fail("descriptors");
    std::vector<int> keep{failures};
    for (std::size_t k = 3; k < fds.size(); ++k) keep.push_back(static_cast<int>(k));
    close_others(keep);
    if (!r.directory.empty() && ::chdir(r.directory.c_str()) != 0) fail("its directory");

    sigset_t none;
    sigemptyset(&none);
    for (int signal = 1; signal < NSIG; ++signal) (void)std::signal(signal, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);

    auto argv = pointers(r.arguments);
    auto envp = pointers(r.environment);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 1024);
    // As GCC raises it for itself, for texts that nest deeply.
    if (r.confined == confined_as::compiler) raise_stack_limit(std::uint64_t{64} << 20);
    if (r.file_size != 0) limit(RLIMIT_FSIZE, r.file_size);
    if (r.cpu_seconds != 0) limit(RLIMIT_CPU, r.cpu_seconds);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no-new-privileges");
    bool const compiler = r.confined == confined_as::compiler;
    auto behind = file_wall::none;
    if (compiler) {
        char const* failed = nullptr;
        behind = keep_from_files(r.readable, r.directory, kernel, r.lack, failed);
        if (failed != nullptr && !r.unconfined_allowed) fail(failed);
        if (behind == file_wall::mounts && ::chdir(r.directory.c_str()) != 0) fail("its directory");
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); // a user namespace may have cleared it
    } else if (kernel.landlock_version > 0) {
        auto readable = r.readable;
        readable.insert(readable.end(), std::begin(system_paths), std::end(system_paths));
        if (!r.directory.empty()) readable.push_back(r.directory);
        if (r.readable.empty()) readable = {"/"};
        if (!enter_landlock_of(kernel.landlock_version, readable)) fail("Landlock");
    } else if (!r.readable.empty() && !r.unconfined_allowed) {
        auto readable = r.readable;
        readable.insert(readable.end(), std::begin(system_folders), std::end(system_folders));
        if (!r.directory.empty()) readable.push_back(r.directory);
        char const* failed = nullptr;
        behind = keep_from_files(readable, {}, kernel, r.lack, failed);
        if (failed != nullptr) fail(failed);
        if (!r.directory.empty() && ::chdir(r.directory.c_str()) != 0) fail("its directory");
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    }
    // After the namespace, whose making takes them.
    drop_capabilities();
    (void)!::write(failures, &behind, sizeof behind);
    auto filter =
        (compiler ? compiler_filter(behind == file_wall::landlock && kernel.landlock_version >= 6)
                  : confined_filter())
            .program(bpf_errno(EPERM));
    // After what takes memory, for the worker may be larger than the limit; before the filter,
    // which refuses setting limits.
    rlimit memory{};
    if (r.memory != 0) limit(RLIMIT_AS, r.memory);
    if (r.memory != 0 && (::getrlimit(RLIMIT_AS, &memory) != 0 || memory.rlim_max > r.memory))
        fail("limits");
    if (kernel.seccomp && !filter.install()) fail("seccomp");
    ::execvpe(argv[0], argv.data(), envp.data());
    fail("");
    ::_exit(127);
}

struct started_child {
    pid_t pid = -1;
    file_wall behind = file_wall::none;
};

/// Starts the program of `r`. `stdio`: its descriptors 0, 1 and 2; `outputs`: 3 and so on.
[[nodiscard]] inline result<started_child> start_confined(run_request& r,
                                                          std::vector<unique_fd> const& stdio,
                                                          std::vector<unique_fd> const& outputs) {
    auto const kernel = kernel_without(r.lack);
    bool const allowed = r.confined == confined_as::compiler && r.unconfined_allowed;
    if ((!kernel.no_new_privileges || !kernel.seccomp) && !allowed)
        return error{condition::unavailable,
                     "lkt.sandbox.unavailable",
                     "this Linux kernel cannot confine a program: " + to_string(kernel),
                     "use a kernel with seccomp; in a container, a profile that allows it"};
    std::vector<unique_fd> high;
    std::vector<int> fds;
    for (auto const* const list : {&stdio, &outputs})
        for (auto const& fd : *list) {
            high.emplace_back(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 128));
            if (!high.back()) return descriptor_error("a copy of a descriptor");
            fds.push_back(high.back().get());
        }
    int both[2];
    if (::pipe2(both, O_CLOEXEC) != 0) return descriptor_error("a pipe");
    unique_fd const from{both[0]};
    unique_fd low{both[1]}, to{::fcntl(both[1], F_DUPFD_CLOEXEC, 128)};
    low.reset();
    if (!to) return descriptor_error("a pipe");
    auto const parent = ::getpid();
    pid_t pid = -1;
    {
        std::lock_guard const hold{cleanup().lock};
        pid = ::fork();
        if (pid == 0) become_confined(r, kernel, fds, to.get(), parent);
    }
    if (pid < 0)
        return error{condition::exhausted,
                     "lkt.child.start",
                     "cannot start '" + r.arguments[0] + "': " + std::strerror(errno),
                     {}};
    to.reset();
    auto const receive = [&](auto& what) {
        ssize_t n = 0;
        while ((n = ::read(from.get(), &what, sizeof what)) < 0 && errno == EINTR) {
        }
        return n == static_cast<ssize_t>(sizeof what);
    };
    start_failure why;
    file_wall behind = file_wall::none;
    unsigned char step = 0;
    if (receive(step)) {
        if (step == failed_step) {
            if (!receive(why)) why = {"its start", EIO};
        } else {
            behind = static_cast<file_wall>(step);
            if (!receive(step) || !receive(why)) return started_child{pid, behind}; // it executes
        }
    } else
        why = {"its start", EIO};
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    auto const reason = std::string{std::strerror(why.number)};
    if (*why.step != '\0' && kernel.landlock_version == 0 && !r.unconfined_allowed)
        return no_file_wall(
            "'" + r.arguments[0] + "'", std::string{why.step} + " failed: " + reason, r.confined);
    if (*why.step != '\0')
        return error{condition::unavailable,
                     "lkt.sandbox.failed",
                     "'" + r.arguments[0] + "' could not be confined (" + why.step + "): " + reason,
                     {}};
    auto const missing = why.number == ENOENT || why.number == EACCES || why.number == ENOEXEC;
    return error{missing ? condition::unavailable : condition::exhausted,
                 "lkt.child.start",
                 "cannot start '" + r.arguments[0] + "': " + reason,
                 missing ? "install it, or give its full path" : ""};
}

} // namespace lkt::process_detail
