// SPDX-License-Identifier: BSL-1.0
// What well-meaning and hostile code does inside a cell. Each act really does it; what it returns
// is seen only if nobody stopped it.
#pragma once

#include <lkt/process/cell.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace process_test {

/// 0: done as it should be; 100 + errno: the kernel said no, and the code went on.
inline int no(long result) { return result < 0 ? 100 + errno : 0; }

inline int overflow_stack(int depth) { // not a tail call, and never finished
    char volatile frame[512];
    frame[0] = static_cast<char>(depth);
    return depth == -1 ? 0 : overflow_stack(depth + 1) + frame[0];
}

inline int call_on_own_stack() {
    static ucontext_t main_context, other;
    static int reached = 0;
    std::vector<char> stack(64 << 10);
    ::getcontext(&other);
    other.uc_stack.ss_sp = stack.data(), other.uc_stack.ss_size = stack.size();
    other.uc_link = &main_context;
    ::makecontext(&other, [] { ++reached; }, 0);
    return ::swapcontext(&main_context, &other) == 0 && reached == 1 ? 0 : 1;
}

inline int good_act(std::string_view what) {
    if (what == "return") return 7;
    if (what == "exit") std::exit(8);
    if (what == "print") return std::puts("printed") < 0 || std::fflush(stdout) != 0;
    if (what == "threads") {
        std::vector<std::thread> threads;
        std::atomic<int> sum = 0;
        for (int i = 1; i <= 8; ++i) threads.emplace_back([&sum, i] { sum += i; });
        for (auto& t : threads) t.join();
        return sum == 36 ? 0 : 1;
    }
    if (what == "memory") {
        std::vector<char> const large(std::size_t{64} << 20, 'x');
        return large.back() == 'x' ? 0 : 1;
    }
    if (what == "sleep") {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
        return 0;
    }
    if (what == "catch") {
        try {
            throw std::runtime_error("x");
        } catch (std::exception const&) {
            return 0;
        }
    }
    if (what == "context") return call_on_own_stack();
    return 99;
}

inline int broken_act(std::string_view what) {
    if (what == "null") *const_cast<int volatile*>(static_cast<int*>(nullptr)) = 1;
    if (what == "wild") *reinterpret_cast<int volatile*>(0x123456789000) = 1; // NOLINT
    if (what == "stack") return overflow_stack(0);
    if (what == "thread stack")
        std::thread{[] {
            lkt::cell_signal_stack const stack;
            (void)overflow_stack(0);
        }}.join();
    if (what == "divide") {
        int volatile zero = 0;
        return 7 / zero;
    }
    if (what == "abort") std::abort();
    if (what == "throw") throw std::runtime_error("a reason");
    if (what == "throw int") throw 7;
    if (what == "loop")
        for (int volatile run = 1; run != 0;) {
        }
    if (what == "wait") std::this_thread::sleep_for(std::chrono::hours{1});
    if (what == "stop") ::raise(SIGSTOP);
    // Volatile, since a compiler may leave out what nobody looks at.
    if (what == "new 100 GB") {
        char volatile* const all = new char[std::size_t{100} << 30];
        return all[0];
    }
    if (what == "new 1 GB") { // and not a byte of it used but one
        char volatile* const all = new char[std::size_t{1} << 30];
        return all[0] * 0 + 98;
    }
    if (what == "malloc 100 GB") {
        auto* const p = static_cast<char volatile*>(std::malloc(std::size_t{100} << 30));
        p[0] = 1;
        return 0;
    }
    if (what == "hog") // small pieces, each one used
        for (;;) std::memset(std::malloc(1 << 20), 1, 1 << 20);
    if (what == "flood")
        for (int i = 0; i < 1'000'000; ++i) std::puts("0123456789");
    return 99;
}

/// `file` is one that exists, `target` one that does not.
inline int hostile_act(std::string_view what, std::string const& file, std::string const& target) {
    auto const* const f = file.c_str();
    auto const* const t = target.c_str();
    if (what == "system") return std::system(("touch " + target).c_str());
    if (what == "popen") return ::popen(("touch " + target).c_str(), "r") == nullptr;
    if (what == "fork") return no(::fork());
    if (what == "raw fork") return no(::syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0));
    if (what == "raw clone3") return no(::syscall(__NR_clone3, nullptr, 0));
    if (what == "namespace thread")
        return no(::syscall(
            __NR_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWNS, 0, 0, 0, 0));
    if (what == "fork bomb")
        for (;;) (void)!::fork();
    if (what == "thread bomb")
        for (;;) std::thread{[] { std::this_thread::sleep_for(std::chrono::hours{1}); }}.detach();
    if (what == "exec") return no(::execl("/bin/true", "true", nullptr));
    if (what == "socket") return no(::socket(AF_INET, SOCK_STREAM, 0));
    if (what == "unix socket") return no(::socket(AF_UNIX, SOCK_STREAM, 0));
    if (what == "fopen") return std::fopen(t, "w") == nullptr;
    if (what == "append") return no(::open(f, O_WRONLY | O_APPEND));
    if (what == "creat") return no(::creat(t, 0600));
    if (what == "tmpfile") return no(::open("/tmp", O_TMPFILE | O_RDWR, 0600));
    if (what == "truncate") return no(::truncate(f, 0));
    if (what == "unlink") return no(::unlink(f));
    if (what == "rename") return no(::rename(f, t));
    if (what == "mkdir") return no(::mkdir(t, 0700));
    if (what == "symlink") return no(::symlink(f, t));
    if (what == "link") return no(::link(f, t));
    if (what == "chmod") return no(::chmod(f, 0777));
    if (what == "kill parent") return no(::kill(::getppid() + 0, SIGKILL));
    if (what == "kill all") return no(::kill(-1, SIGKILL));
    if (what == "kill group") return no(::kill(0, SIGKILL));
    if (what == "tgkill") return no(::syscall(__NR_tgkill, 1, 1, SIGKILL));
    if (what == "ptrace") return no(::ptrace(PTRACE_ATTACH, 1, nullptr, nullptr));
    if (what == "process_vm_writev") return no(::process_vm_writev(1, nullptr, 0, nullptr, 0, 0));
    if (what == "setsid") return no(::setsid());
    if (what == "unshare") return no(::unshare(CLONE_NEWUSER));
    if (what == "mount") return no(::mount("none", "/tmp", "tmpfs", 0, nullptr));
    if (what == "chroot") return no(::chroot("/tmp"));
    if (what == "setuid") return no(::setuid(0));
    if (what == "bpf") return no(::syscall(__NR_bpf, BPF_MAP_CREATE, nullptr, 0));
    if (what == "perf") return no(::syscall(__NR_perf_event_open, nullptr, 0, -1, -1, 0));
    if (what == "io_uring") return no(::syscall(__NR_io_uring_setup, 8, nullptr));
    if (what == "shmget") return no(::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
    if (what == "ignore SIGSYS") { // and then try
        ::signal(SIGSYS, SIG_IGN);
        sigset_t all;
        sigfillset(&all);
        ::sigprocmask(SIG_BLOCK, &all, nullptr);
        return no(::socket(AF_INET, SOCK_STREAM, 0));
    }
#if defined(__x86_64__)
    if (what == "int 0x80") { // getpid of the 32-bit table, whose numbers mean other calls
        long result = 20;
        asm volatile("int $0x80" : "+a"(result)::"memory");
        return 0;
    }
    if (what == "x32") return no(::syscall(0x40000000 + __NR_getpid));
#endif
    // What fails, but is not worth a verdict.
    if (what == "read") return no(::open("/etc/passwd", O_RDONLY));
    if (what == "read parent") {
        auto const path = "/proc/" + std::to_string(::getppid()) + "/maps";
        return no(::open(path.c_str(), O_RDONLY));
    }
    if (what == "list") return no(::open("/", O_RDONLY | O_DIRECTORY));
    if (what == "memfd") return no(::memfd_create("x", 0));
    if (what == "shared memory")
        return ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                   ? 100 + errno
                   : 0;
    if (what == "executable memory")
        return ::mmap(nullptr,
                      4096,
                      PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS,
                      -1,
                      0) == MAP_FAILED
                   ? 100 + errno
                   : 0;
    if (what == "raise limits") {
        rlimit const more{RLIM_INFINITY, RLIM_INFINITY};
        return no(::setrlimit(RLIMIT_AS, &more));
    }
    if (what == "forge") { // an answer, on any descriptor that could be the worker's socket
        for (int fd = 3; fd < 1024; ++fd)
            if (::write(fd, "lkt1", 4) >= 0) return 0;
        return 100 + EBADF;
    }
    return 99;
}

} // namespace process_test
