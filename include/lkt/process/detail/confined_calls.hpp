// SPDX-License-Identifier: BSL-1.0
// Which system calls a confined program may make: an interpreter with numerical libraries needs far
// more than a kernel in a cell. All others fail with EPERM, so that the program can say what it
// was refused.
#pragma once

#include <lkt/process/detail/bpf.hpp>
#include <lkt/process/detail/syscalls.hpp>

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

namespace lkt::process_detail {

/// On top of what a cell may: reading files by name, what is open, its own signals and threads.
inline constexpr long confined_calls[] = {
    __NR_execve, // its own start; what it executes later is confined as well, and no new process
    __NR_write,
    __NR_writev,
    __NR_pwrite64,
    __NR_preadv,
    __NR_pwritev,
    __NR_close_range,
    __NR_newfstatat,
    __NR_statx,
    __NR_statfs,
    __NR_fstatfs,
    __NR_faccessat,
    __NR_faccessat2,
    __NR_readlinkat,
    __NR_getcwd,
    __NR_getdents64,
    __NR_dup,
    __NR_dup3,
    __NR_pipe2,
    __NR_eventfd2,
    __NR_ppoll,
    __NR_pselect6,
    __NR_epoll_create1,
    __NR_epoll_ctl,
    __NR_epoll_pwait,
    __NR_fsync,
    __NR_fdatasync,
    __NR_mmap,
    __NR_mprotect,
    __NR_msync,
    __NR_get_robust_list,
    __NR_sched_setaffinity,
    __NR_sched_getparam,
    __NR_sched_getscheduler,
    __NR_sched_get_priority_max,
    __NR_sched_get_priority_min,
    __NR_getpriority,
    __NR_get_mempolicy,
    __NR_getppid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_getresuid,
    __NR_getresgid,
    __NR_getgroups,
    __NR_getpgid,
    __NR_getsid,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigpending,
    __NR_rt_sigtimedwait,
    __NR_rt_sigsuspend,
    __NR_times,
    __NR_getitimer,
    __NR_setitimer,
    __NR_umask,
    __NR_wait4,
    __NR_waitid,
#if defined(__x86_64__)
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_readlink,
    __NR_getdents,
    __NR_dup2,
    __NR_pipe,
    __NR_poll,
    __NR_select,
    __NR_epoll_create,
    __NR_epoll_wait,
    __NR_getpgrp,
    __NR_alarm,
    __NR_pause,
#endif
};

/// Changing the file system fails as on one that is read-only.
inline constexpr long changing_calls[] = {
    __NR_unlinkat,  __NR_renameat, __NR_renameat2, __NR_mkdirat,   __NR_mknodat,  __NR_linkat,
    __NR_symlinkat, __NR_fchmod,   __NR_fchmodat,  __NR_fchown,    __NR_fchownat, __NR_truncate,
    __NR_utimensat, __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr,
#if defined(__x86_64__)
    __NR_creat,     __NR_unlink,   __NR_rmdir,     __NR_rename,    __NR_mkdir,    __NR_mknod,
    __NR_link,      __NR_symlink,  __NR_chmod,     __NR_chown,     __NR_lchown,   __NR_utime,
    __NR_utimes,
#endif
};

/// What a compiler does besides: it starts its parts, makes files in its folder and removes them.
/// That these lie there, and that nothing is executed from there, Landlock or the mounts see to.
inline constexpr long compiler_calls[] = {
    __NR_unlinkat,
    __NR_renameat,
    __NR_renameat2,
    __NR_ftruncate,
    __NR_fallocate,
    __NR_flock,
    __NR_fadvise64,
    __NR_copy_file_range,
    __NR_sendfile,
#if defined(__x86_64__)
    __NR_fork,
    __NR_vfork,
    __NR_unlink,
    __NR_rename,
#endif
};

/// A linker marks what it wrote as executable: it is told that this went well. By their paths these
/// calls would reach any file of this user's; neither Landlock nor filters see paths.
inline constexpr long pretended_calls[] = {
    __NR_fchmod,
    __NR_fchmodat,
#if defined(__x86_64__)
    __NR_chmod,
#endif
};

/// Threads; with `processes`, these as well, without namespaces of their own.
inline void allow_cloning(bpf_builder& filter, bool processes) {
    constexpr auto thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                            CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                            CLONE_CHILD_CLEARTID | CLONE_DETACHED;
    constexpr auto strange = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                             CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE |
                             CLONE_UNTRACED | CLONE_PARENT;
    if (processes)
        filter.if_bits(
            __NR_clone, 0, static_cast<std::uint32_t>(strange), bpf_errno(EPERM), bpf_allow);
    else
        filter.unless_bits(
            __NR_clone, 0, CLONE_THREAD, ~static_cast<std::uint32_t>(thread), bpf_errno(EPERM));
    // Their arguments lie in memory, where no filter sees them: "not there" makes a C library use
    // the older call.
    filter.always(__NR_clone3, bpf_errno(ENOSYS));
    filter.always(__NR_openat2, bpf_errno(ENOSYS));
}

/// What all filters have in common, by arguments.
inline void allow_plain_arguments(bpf_builder& filter) {
    filter.if_null(__NR_prlimit64, 2, bpf_allow, bpf_errno(EPERM)); // asking, not setting
    // Not F_SETOWN, by which other processes get signals, nor TIOCSTI, which types into terminals.
    constexpr std::uint32_t plain_fcntl[] = {
        F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ};
    filter.if_among(__NR_fcntl, 1, plain_fcntl, bpf_allow, bpf_errno(EPERM));
    constexpr std::uint32_t plain_ioctl[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX};
    filter.if_among(__NR_ioctl, 1, plain_ioctl, bpf_allow, bpf_errno(ENOTTY));
    constexpr std::uint32_t plain_prctl[] = {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE};
    filter.if_among(__NR_prctl, 0, plain_prctl, bpf_allow, bpf_errno(EPERM));
}

/// The filter under which a confined program starts. Files are opened for reading only, so it can
/// write to nothing but what is open already; that needs no Landlock. To be installed with EPERM
/// for all other calls.
[[nodiscard]] inline bpf_builder confined_filter() {
    bpf_builder filter;
    for (auto const call : allowed_calls) filter.always(call, bpf_allow);
    for (auto const call : confined_calls) filter.always(call, bpf_allow);
    for (auto const call : changing_calls) filter.always(call, bpf_errno(EROFS));
    allow_cloning(filter, false);
    constexpr auto writing =
        static_cast<std::uint32_t>(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
    filter.if_bits(__NR_openat, 2, writing, bpf_errno(EROFS), bpf_allow);
#if defined(__x86_64__)
    filter.if_bits(__NR_open, 1, writing, bpf_errno(EROFS), bpf_allow);
#endif
    // Execution keeps the number of the process.
    auto const self = static_cast<std::uint32_t>(::getpid());
    filter.if_equal(__NR_kill, 0, self, self, bpf_allow, bpf_errno(EPERM));
    filter.if_equal(__NR_tgkill, 0, self, self, bpf_allow, bpf_errno(EPERM));
    allow_plain_arguments(filter);
    return filter;
}

/// The filter under which a compiler and its parts start. `signals`: Landlock keeps them inside;
/// without it there are none at all, and abort() ends in a bad instruction instead.
[[nodiscard]] inline bpf_builder compiler_filter(bool signals) {
    bpf_builder filter;
    for (auto const call : allowed_calls) filter.always(call, bpf_allow);
    for (auto const call : confined_calls) filter.always(call, bpf_allow);
    for (auto const call : compiler_calls) filter.always(call, bpf_allow);
    for (auto const call : pretended_calls) filter.always(call, bpf_errno(0));
    for (auto const call : changing_calls) filter.always(call, bpf_errno(EROFS)); // what is left
    allow_cloning(filter, true);
    filter.always(__NR_openat, bpf_allow);
#if defined(__x86_64__)
    filter.always(__NR_open, bpf_allow);
#endif
    filter.always(__NR_kill, signals ? bpf_allow : bpf_errno(EPERM));
    filter.always(__NR_tgkill, signals ? bpf_allow : bpf_errno(EPERM));
    allow_plain_arguments(filter);
    return filter;
}

/// For a compiler that is a library in a process of its own: it starts nothing and executes
/// nothing. `writes`: it makes files where Landlock or the mounts let it; `folders`: folders, too.
[[nodiscard]] inline bpf_builder library_filter(bool writes, bool folders) {
    bpf_builder filter;
    for (auto const call : allowed_calls) filter.always(call, bpf_allow);
    for (auto const call : confined_calls)
        if (call != __NR_execve) filter.always(call, bpf_allow);
    if (writes) {
        for (auto const call : {__NR_unlinkat, __NR_renameat, __NR_renameat2, __NR_ftruncate})
            filter.always(call, bpf_allow);
#if defined(__x86_64__)
        for (auto const call : {__NR_unlink, __NR_rename}) filter.always(call, bpf_allow);
#endif
        for (auto const call : pretended_calls) filter.always(call, bpf_errno(0));
    }
    if (folders) {
        filter.always(__NR_mkdirat, bpf_allow);
#if defined(__x86_64__)
        for (auto const call : {__NR_mkdir, __NR_rmdir}) filter.always(call, bpf_allow);
#endif
    }
    for (auto const call : changing_calls) filter.always(call, bpf_errno(EROFS));
    allow_cloning(filter, false);
    constexpr auto writing =
        static_cast<std::uint32_t>(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
    auto const opened = writes ? bpf_allow : bpf_errno(EROFS);
    filter.if_bits(__NR_openat, 2, writing, opened, bpf_allow);
#if defined(__x86_64__)
    filter.if_bits(__NR_open, 1, writing, opened, bpf_allow);
#endif
    auto const self = static_cast<std::uint32_t>(::getpid());
    filter.if_equal(__NR_tgkill, 0, self, self, bpf_allow, bpf_errno(EPERM));
    allow_plain_arguments(filter);
    return filter;
}

} // namespace lkt::process_detail
