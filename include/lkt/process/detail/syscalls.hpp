// SPDX-License-Identifier: BSL-1.0
// Which system calls code in a cell may make. Three classes: allowed; refused, which ends the cell
// and names the call; and all others, which fail with EPERM (a C library tries this and that).
#pragma once

#include <lkt/process/detail/bpf.hpp>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <linux/sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace lkt::process_detail {

struct named_call {
    long number;
    char const* name;
};

/// Memory, threads, clocks, what is open already.
inline constexpr long allowed_calls[] = {
    __NR_brk,
    __NR_munmap,
    __NR_mremap,
    __NR_madvise,
    __NR_futex,
    __NR_set_robust_list,
    __NR_rseq,
    __NR_set_tid_address,
    __NR_sched_yield,
    __NR_sched_getaffinity,
    __NR_exit,
    __NR_exit_group,
    __NR_gettid,
    __NR_getpid,
    __NR_rt_sigreturn,
    __NR_sigaltstack,
    __NR_restart_syscall,
    __NR_membarrier,
    __NR_getcpu,
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_gettimeofday,
    __NR_getrandom,
    __NR_uname,
    __NR_sysinfo,
    __NR_getrlimit,
    __NR_getrusage,
    __NR_read,
    __NR_pread64,
    __NR_readv,
    __NR_lseek,
    __NR_close,
    __NR_fstat,
    __NR_mincore,
#if defined(__x86_64__)
    __NR_time,
    __NR_arch_prctl,
#endif
};

/// What no kernel has any business with. Most would fail anyway; here they get a name.
inline constexpr named_call refused_calls[] = {
    {__NR_execve, "execve"},
    {__NR_execveat, "execveat"},
    {__NR_socket, "socket"},
    {__NR_socketpair, "socketpair"},
    {__NR_connect, "connect"},
    {__NR_bind, "bind"},
    {__NR_listen, "listen"},
    {__NR_accept, "accept"},
    {__NR_accept4, "accept4"},
    {__NR_sendto, "sendto"},
    {__NR_sendmsg, "sendmsg"},
    {__NR_sendmmsg, "sendmmsg"},
    {__NR_recvmsg, "recvmsg"},
    {__NR_kill, "kill"},
    {__NR_tkill, "tkill"},
    {__NR_rt_sigqueueinfo, "rt_sigqueueinfo"},
    {__NR_rt_tgsigqueueinfo, "rt_tgsigqueueinfo"},
    {__NR_pidfd_open, "pidfd_open"},
    {__NR_pidfd_getfd, "pidfd_getfd"},
    {__NR_pidfd_send_signal, "pidfd_send_signal"},
    {__NR_ptrace, "ptrace"},
    {__NR_process_vm_readv, "process_vm_readv"},
    {__NR_process_vm_writev, "process_vm_writev"},
    {__NR_process_madvise, "process_madvise"},
    {__NR_kcmp, "kcmp"},
    {__NR_unlinkat, "unlinkat"},
    {__NR_renameat, "renameat"},
    {__NR_renameat2, "renameat2"},
    {__NR_mkdirat, "mkdirat"},
    {__NR_mknodat, "mknodat"},
    {__NR_linkat, "linkat"},
    {__NR_symlinkat, "symlinkat"},
    {__NR_fchmod, "fchmod"},
    {__NR_fchmodat, "fchmodat"},
    {__NR_fchown, "fchown"},
    {__NR_fchownat, "fchownat"},
    {__NR_truncate, "truncate"},
    {__NR_utimensat, "utimensat"},
    {__NR_setxattr, "setxattr"},
    {__NR_lsetxattr, "lsetxattr"},
    {__NR_fsetxattr, "fsetxattr"},
    {__NR_chdir, "chdir"},
    {__NR_fchdir, "fchdir"},
    {__NR_chroot, "chroot"},
    {__NR_pivot_root, "pivot_root"},
    {__NR_mount, "mount"},
    {__NR_umount2, "umount2"},
    {__NR_move_mount, "move_mount"},
    {__NR_open_tree, "open_tree"},
    {__NR_fsopen, "fsopen"},
    {__NR_unshare, "unshare"},
    {__NR_setns, "setns"},
    {__NR_setsid, "setsid"},
    {__NR_setpgid, "setpgid"},
    {__NR_setuid, "setuid"},
    {__NR_setgid, "setgid"},
    {__NR_setreuid, "setreuid"},
    {__NR_setresuid, "setresuid"},
    {__NR_setresgid, "setresgid"},
    {__NR_setgroups, "setgroups"},
    {__NR_capset, "capset"},
    {__NR_bpf, "bpf"},
    {__NR_perf_event_open, "perf_event_open"},
    {__NR_io_uring_setup, "io_uring_setup"},
    {__NR_userfaultfd, "userfaultfd"},
    {__NR_keyctl, "keyctl"},
    {__NR_add_key, "add_key"},
    {__NR_request_key, "request_key"},
    {__NR_init_module, "init_module"},
    {__NR_finit_module, "finit_module"},
    {__NR_delete_module, "delete_module"},
    {__NR_kexec_load, "kexec_load"},
    {__NR_reboot, "reboot"},
    {__NR_swapon, "swapon"},
    {__NR_acct, "acct"},
    {__NR_syslog, "syslog"},
    {__NR_clock_settime, "clock_settime"},
    {__NR_settimeofday, "settimeofday"},
    {__NR_sethostname, "sethostname"},
    {__NR_shmget, "shmget"},
    {__NR_msgget, "msgget"},
    {__NR_semget, "semget"},
    {__NR_mq_open, "mq_open"},
#if defined(__x86_64__)
    {__NR_fork, "fork"},
    {__NR_vfork, "vfork"},
    {__NR_creat, "creat"},
    {__NR_unlink, "unlink"},
    {__NR_rmdir, "rmdir"},
    {__NR_rename, "rename"},
    {__NR_mkdir, "mkdir"},
    {__NR_mknod, "mknod"},
    {__NR_link, "link"},
    {__NR_symlink, "symlink"},
    {__NR_chmod, "chmod"},
    {__NR_chown, "chown"},
    {__NR_lchown, "lchown"},
    {__NR_iopl, "iopl"},
    {__NR_ioperm, "ioperm"},
    {__NR_modify_ldt, "modify_ldt"},
#endif
};

/// Refused or not according to their arguments.
inline constexpr named_call conditional_calls[] = {
    {__NR_clone, "clone"},
    {__NR_openat, "openat"},
    {__NR_tgkill, "tgkill"},
#if defined(__x86_64__)
    {__NR_open, "open"},
#endif
};

[[nodiscard]] inline std::string name_of_call(long number) {
    for (auto const& call : refused_calls)
        if (call.number == number) return call.name;
    for (auto const& call : conditional_calls)
        if (call.number == number) return call.name;
    return "system call " + std::to_string(number);
}

/// The filter under which code is loaded and run.
[[nodiscard]] inline bool install_cell_filter(bool strict, bool sanitizer) {
    bpf_builder filter;
    for (auto const call : allowed_calls) filter.always(call, bpf_allow);
    for (auto const& call : refused_calls) filter.always(call.number, bpf_trap);

    // A thread, as pthread_create asks for it, and nothing that is a process or a namespace.
    // clone3 has its flags in memory, where no filter sees them: "not there" makes glibc use clone.
    constexpr auto thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                            CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                            CLONE_CHILD_CLEARTID | CLONE_DETACHED;
    filter.unless_bits(__NR_clone, 0, CLONE_THREAD, ~static_cast<std::uint32_t>(thread), bpf_trap);
    filter.always(__NR_clone3, bpf_errno(ENOSYS));

    constexpr auto writing =
        static_cast<std::uint32_t>(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
    filter.if_bits(__NR_openat, 2, writing, bpf_trap, bpf_allow);
#if defined(__x86_64__)
    filter.if_bits(__NR_open, 1, writing, bpf_trap, bpf_allow);
#endif
    filter.if_equal(__NR_write, 0, 1, 2, bpf_allow, sanitizer ? bpf_allow : bpf_errno(EBADF));
    filter.if_equal(__NR_writev, 0, 1, 2, bpf_allow, bpf_errno(EBADF));
    // abort() signals itself; anybody else is off limits.
    auto const self = static_cast<std::uint32_t>(::getpid());
    filter.if_equal(__NR_tgkill, 0, self, self, bpf_allow, bpf_trap);
    filter.if_null(__NR_prlimit64, 2, bpf_allow, bpf_errno(EPERM)); // asking, not setting
    // Seems to succeed and does nothing. system() and fork() block all signals first, and a blocked
    // SIGSYS would kill without saying which call was refused; ucontext needs the success.
    filter.always(__NR_rt_sigprocmask, bpf_errno(0));
    // Shared memory is what the worker made before; more of it would escape the memory limit.
    filter.if_bits(__NR_mmap, 3, MAP_SHARED, bpf_errno(EPERM), bpf_allow);
    // Of what is open; not of paths.
    filter.if_bits(__NR_newfstatat, 3, AT_EMPTY_PATH, bpf_allow, bpf_errno(EACCES));
    filter.always(__NR_mprotect, bpf_allow);
    // A further filter can only take away; names of threads are harmless.
    filter.if_equal(__NR_prctl, 0, PR_SET_SECCOMP, PR_SET_NAME, bpf_allow, bpf_errno(EPERM));
    if (sanitizer) { // their reports; all reading, Landlock says of what
        filter.always(__NR_readlinkat, bpf_allow);
        filter.if_equal(__NR_rt_sigaction, 0, SIGSYS, SIGSYS, bpf_errno(EPERM), bpf_allow);
        filter.always(__NR_pipe2, bpf_allow); // UBSan tests with a pipe whether memory can be read
        filter.always(__NR_getppid, bpf_allow);
#if defined(__x86_64__)
        filter.always(__NR_readlink, bpf_allow);
        filter.always(__NR_pipe, bpf_allow);
        filter.always(__NR_stat, bpf_allow);
        filter.always(__NR_lstat, bpf_allow);
#endif
    }
    return filter.program(strict ? bpf_trap : bpf_errno(EPERM)).install();
}

/// On top of the first, once everything is loaded: no file is opened, nothing becomes executable.
[[nodiscard]] inline bool install_running_filter(bool sanitizer) {
    bpf_builder filter;
    filter.if_bits(__NR_mmap, 2, PROT_EXEC, bpf_errno(EPERM), bpf_allow);
    filter.if_bits(__NR_mprotect, 2, PROT_EXEC, bpf_errno(EPERM), bpf_allow);
    filter.always(__NR_prctl, bpf_errno(EPERM));
    if (!sanitizer) { // whose reports read the debug information
        constexpr auto writing =
            static_cast<std::uint32_t>(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
        filter.if_bits(__NR_openat, 2, writing, bpf_trap, bpf_errno(EACCES));
#if defined(__x86_64__)
        filter.if_bits(__NR_open, 1, writing, bpf_trap, bpf_errno(EACCES));
#endif
    }
    return filter.program(bpf_allow).install();
}

} // namespace lkt::process_detail
