// SPDX-License-Identifier: BSL-1.0
// The worker's half of "no process of ours outlives the program". Everything here runs in a worker.
#pragma once

#include <lkt/process/detail/scratch_folder.hpp>
#include <lkt/process/unique_fd.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lkt::process_detail {

/// Descriptors that a worker is started with.
inline constexpr int life_line_fd = 3, socket_fd = 4, first_free_fd = 5;

/// The only argument of a worker.
inline constexpr char worker_argument[] = "lkt:worker";

/// Whether main began with worker_main, so that /proc/self/exe can be started as a worker.
inline constinit std::atomic<bool> main_serves{false};

/// Whether this process is a worker: only there may be forked.
inline constinit std::atomic<bool> in_worker{false};

/// What the life line's thread must clean up, shared with the worker's main thread. Whoever starts
/// a process or creates a file holds the lock meanwhile, so nothing appears after the clean-up.
struct worker_cleanup {
    std::mutex lock;
    std::string scratch;    ///< directory to remove; empty: none
    unique_fd scratch_lock; ///< says that it is in use
};

[[nodiscard]] inline worker_cleanup& cleanup() {
    static auto* const d = new worker_cleanup; // never destroyed: the thread may outlive main
    return *d;
}

/// An own descriptor of a process for poll and for signals without a race, or empty (old kernel).
[[nodiscard]] inline unique_fd open_process(pid_t pid) {
    return unique_fd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U))};
}

/// The processes whose parent is this one; empty where the kernel does not list them.
[[nodiscard]] inline std::vector<pid_t> own_children() {
    std::vector<pid_t> pids;
    std::string const path = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
    if (auto* const file = std::fopen(path.c_str(), "re")) {
        for (int pid = 0; std::fscanf(file, "%d", &pid) == 1;) pids.push_back(pid);
        std::fclose(file);
    }
    return pids;
}

/// Kills everything in this worker's group but itself, in one step that no fork outruns. A group
/// cannot be killed without its member, so the worker is in its parent's meanwhile.
inline void kill_group_but_me() {
    auto const self = ::getpid();
    auto const group = ::getpgid(::getppid());
    if (::getpgrp() != self || group <= 0 || group == self || ::setpgid(0, group) != 0) return;
    ::kill(-self, SIGKILL);
    (void)::setpgid(0, 0);
}

/// Kills every descendant, those in groups of their own included: a worker is a sub-reaper, so the
/// children of a killed process become its own. Bounded, for a fork bomb that leaves its group
/// could outrun it. Collects all of them but `unwaited`.
inline void kill_children(pid_t unwaited = 0) {
    for (int round = 0; round < 200; ++round) {
        auto pids = own_children();
        if (unwaited != 0) std::erase(pids, unwaited);
        if (round == 0 && unwaited != 0) ::kill(unwaited, SIGKILL);
        if (pids.empty() && (round > 0 || unwaited == 0)) return;
        if (round == 0) kill_group_but_me();
        for (auto const pid : pids) {
            ::kill(pid, SIGKILL);
            (void)::waitpid(pid, nullptr, WNOHANG);
        }
        timespec const pause{0, 1'000'000};
        ::nanosleep(&pause, nullptr);
    }
}

/// The end of a worker and of everything that it started. Does not return.
[[noreturn]] inline void end_worker(int status) {
    cleanup().lock.lock(); // for good
    kill_children();
    if (!cleanup().scratch.empty()) remove_tree(cleanup().scratch);
    if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
    ::_exit(status);
}

/// Returns when the other end of the life line is closed or the parent is gone. `begun` is set when
/// all that is left to do is to wait.
inline void watch_life_line(std::atomic<bool>& begun) {
    // The pipe alone would do, were it not for parents that fork: a forked child of the user's
    // program holds a copy of the other end. The parent itself is watched, too.
    auto const parent = open_process(::getppid());
    begun = true;
    begun.notify_one();
    while (true) {
        pollfd both[2] = {{life_line_fd, POLLIN, 0}, {parent.get(), POLLIN, 0}};
        auto const n = ::poll(both, parent ? 2 : 1, -1);
        if (n < 0 && errno != EINTR) return;
        if (n <= 0) continue;
        if (parent && both[1].revents != 0) return;
        if (both[0].revents == 0) continue;
        char byte = 0;
        auto const got = ::read(life_line_fd, &byte, 1);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return;
    }
}

/// Starts the thread that ends this worker when its parent is gone, however it went, and waits
/// until it has begun: a cell that is forked while AddressSanitizer starts a thread inherits the
/// locks that this takes, and waits for ever for whoever held them.
[[nodiscard]] inline bool hold_life_line() {
    (void)cleanup();
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // the program's signals stay with main's thread
    static constinit std::atomic<bool> begun{false};
    auto const body = [](void*) -> void* {
        watch_life_line(begun);
        end_worker(137);
    };
    pthread_t thread{};
    auto const failed = pthread_create(&thread, nullptr, body, nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (failed != 0) return false;
    pthread_detach(thread);
    begun.wait(false);
    return true;
}

} // namespace lkt::process_detail
