// SPDX-License-Identifier: BSL-1.0
// What happens inside a cell: confinement, limits, and what a dying cell leaves on its page.
#pragma once

#include <lkt/process/detail/landlock.hpp>
#include <lkt/process/detail/syscalls.hpp>
#include <lkt/process/sandbox.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <linux/capability.h>
#include <malloc.h>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace lkt::process_detail {

enum class cell_note : int { none, out_of_memory, threw };

/// Shared as well, but unmapped in the cell before any foreign code runs there: a failure to
/// confine is an error of the machine, and no kernel may pretend it.
struct confinement {
    char const* failed = nullptr; ///< the step; the same address in both processes
    int number = 0;
};

/// Shared by a worker and its cell. The cell may write anything here: it is a hint, read with care,
/// and never decides whether a cell went well (its exit status does).
struct cell_page {
    std::atomic<int> taken{0};
    int signal = 0, code = 0;
    std::uint64_t address = 0, stack = 0, instruction = 0;
    bool was_read = false; ///< of the access
    long call = -1;
    cell_note note = cell_note::none;
    std::atomic<std::uint32_t> size{0};
    char text[4096] = {};

    void write(std::string_view what) {
        auto const n = std::min(what.size(), sizeof text);
        std::memcpy(text, what.data(), n);
        size = static_cast<std::uint32_t>(n);
    }
    [[nodiscard]] std::string_view read() const {
        return {text, std::min<std::size_t>(size.load(), sizeof text)};
    }
};

/// Of this process, if it is a cell.
inline constinit cell_page* own_page = nullptr;

/// Code that was built with a sanitizer, or runs under one that was loaded first.
[[nodiscard]] inline bool has_address_sanitizer() {
    return ::dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
}
[[nodiscard]] inline bool has_shadow_memory() {
    return has_address_sanitizer() || ::dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

/// Whether this thread's failure is the one that is noted.
inline thread_local bool failed_first = false;

/// Notes what happened, once. The signal of an instruction is blocked after the return, where the
/// instruction is executed again: this time it kills. Another thread that fails meanwhile waits for
/// that; had SA_RESETHAND put the default action back, it would end the process before the note is
/// written.
inline void on_cell_signal(int signal, siginfo_t* info, void* context) {
    auto& page = *own_page;
    auto* const user = static_cast<ucontext_t*>(context);
    if (page.taken.exchange(1) == 0) {
        failed_first = true;
        page.signal = signal;
        page.code = info->si_code;
        auto const& registers = user->uc_mcontext;
#if defined(__x86_64__)
        page.stack = static_cast<std::uint64_t>(registers.gregs[REG_RSP]);
        page.instruction = static_cast<std::uint64_t>(registers.gregs[REG_RIP]);
        page.was_read = signal == SIGSEGV && (registers.gregs[REG_ERR] & 2) == 0;
#elif defined(__aarch64__)
        page.stack = registers.sp;
        page.instruction = registers.pc;
#endif
        if (signal == SIGSYS)
            page.call = info->si_syscall;
        else
            page.address = reinterpret_cast<std::uintptr_t>(info->si_addr); // NOLINT
    }
    if (signal == SIGSYS) (void)::syscall(__NR_exit_group, 1);
    while (!failed_first) std::atomic_signal_fence(std::memory_order_seq_cst);
    if (signal != SIGABRT && signal != SIGTRAP) ::sigaddset(&user->uc_sigmask, signal);
}

inline void watch_signals(bool address_sanitizer) {
    struct sigaction action{};
    action.sa_sigaction = &on_cell_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(SIGSYS, &action, nullptr);
    if (address_sanitizer) return; // reports these itself, with file and line
    for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
        ::sigaction(signal, &action, nullptr);
    action.sa_flags |= static_cast<int>(SA_RESETHAND); // no instruction of theirs is executed again
    for (int const signal : {SIGTRAP, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

/// Closes every descriptor but 0 to 2 and those of `keep`.
inline void close_others(std::span<int const> keep) {
    std::vector<unsigned> kept{keep.begin(), keep.end()};
    std::sort(kept.begin(), kept.end());
    unsigned from = 3;
    auto const close_until = [&](unsigned last) {
        if (from > last) return;
        if (::syscall(__NR_close_range, from, last, 0U) == 0) return;
        for (auto fd = from; fd <= std::min(last, 65536U); ++fd) ::close(static_cast<int>(fd));
    };
    for (auto const fd : kept) {
        if (fd < from) continue;
        close_until(fd - 1);
        from = fd + 1;
    }
    close_until(~0U);
}

inline void limit(__rlimit_resource which, std::uint64_t value) {
    rlimit now{};
    ::getrlimit(which, &now);
    now.rlim_cur = now.rlim_max = std::min<rlim_t>(value, now.rlim_max);
    ::setrlimit(which, &now);
}

/// Bytes of address space in use.
[[nodiscard]] inline std::uint64_t own_address_space() {
    std::uint64_t pages = 0;
    if (auto* const file = std::fopen("/proc/self/statm", "re")) {
        unsigned long long first = 0;
        if (std::fscanf(file, "%llu", &first) == 1) pages = first;
        std::fclose(file);
    }
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

inline void drop_capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2]{};
    (void)::syscall(__NR_capset, &header, none);
}

/// Null, or the step that failed (errno says why).
[[nodiscard]] inline char const*
confine(sandbox_policy const& policy, sandbox_report const& kernel, bool shadow) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 && !policy.unsandboxed)
        return "no-new-privileges";
    drop_capabilities();
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (policy.unsandboxed) return nullptr;
    if (kernel.landlock_version > 0 && !enter_landlock(kernel.landlock_version, shadow))
        return "Landlock";
    if (!install_cell_filter(policy.strict, shadow)) return "seccomp";
    return nullptr;
}

} // namespace lkt::process_detail
