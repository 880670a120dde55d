// SPDX-License-Identifier: BSL-1.0
// The worker's side of a cell: follows it until it ends, or ends it, and says how it went.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/cell_outcome.hpp>
#include <lkt/process/detail/capture.hpp>
#include <lkt/process/detail/cell_inside.hpp>
#include <lkt/process/detail/life_line.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace lkt::process_detail {

/// What the worker saw of a cell.
struct cell_seen {
    capture output;
    int status = 0; ///< as wait gives it
    bool timed_out = false, too_much_memory = false;
    int too_many_threads = 0;
    std::chrono::nanoseconds wall{}, cpu{};
    std::uint64_t peak_rss = 0;
};

struct unmap_page {
    template <class Page>
    void operator()(Page* page) const {
        ::munmap(page, sizeof(Page));
    }
};
template <class Page>
using shared_page = std::unique_ptr<Page, unmap_page>;

template <class Page>
[[nodiscard]] shared_page<Page> make_page() {
    auto* const p =
        ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared_page<Page>{p == MAP_FAILED ? nullptr : new (p) Page};
}

class cell_watch {
public:
    pipe_ends output;
    shared_page<cell_page> page;
    shared_page<confinement> confined;

    [[nodiscard]] static result<cell_watch> prepare(bool can_confine) {
        if (!in_worker.load())
            return error{condition::rejected,
                         "lkt.cell.not-in-worker",
                         "only a worker can start a cell",
                         "call run_cell from a service"};
        if (!can_confine)
            return error{
                condition::unavailable,
                "lkt.sandbox.unavailable",
                "this Linux kernel has no seccomp filters, so untrusted code is not run here",
                "use another machine, or set unsandboxed = true if you trust the code"};
        cell_watch watch;
        auto ends = make_pipe();
        if (!ends) return ends.error();
        watch.output = std::move(*ends);
        (void)::fcntl(watch.output.read.get(), F_SETFL, O_NONBLOCK);
        watch.page = make_page<cell_page>();
        watch.confined = make_page<confinement>();
        if (!watch.page || !watch.confined) return start_error();
        return watch;
    }

    /// Returns when the cell is gone. `pid` is what fork returned.
    [[nodiscard]] result<cell_seen> follow(pid_t pid,
                                           std::chrono::milliseconds time_limit,
                                           std::uint64_t memory_limit,
                                           int thread_limit,
                                           std::size_t output_limit) {
        if (pid < 0) return start_error();
        auto const start = std::chrono::steady_clock::now();
        auto const deadline = deadline_in(time_limit);
        cell_seen seen;
        seen.output.fd = std::move(output.read);
        seen.output.limit = output_limit;
        output.write.reset();
        auto const process = open_process(pid);
        rusage used{};
        while (true) {
            auto const got = ::wait4(pid, &seen.status, WNOHANG, &used);
            if (got == pid || (got < 0 && errno != EINTR)) break;
            if (std::chrono::steady_clock::now() >= deadline)
                seen.timed_out = true;
            else
                look(pid, memory_limit, thread_limit, seen);
            if (seen.timed_out || seen.too_much_memory || seen.too_many_threads != 0)
                ::kill(pid, SIGKILL);
            pollfd both[2] = {{seen.output.fd.get(), POLLIN, 0}, {process.get(), POLLIN, 0}};
            // Without a descriptor of the process, its end shows as the end of its output, unless
            // it has closed that.
            auto const tick = process ? 10 : 2;
            auto const left = milliseconds_until(deadline);
            (void)::poll(both, process ? 2 : 1, left < 0 ? tick : std::min(tick, left + 1));
            seen.output.drain();
        }
        seen.wall = std::chrono::steady_clock::now() - start;
        auto const ns = [](timeval const& t) {
            return std::chrono::seconds{t.tv_sec} + std::chrono::microseconds{t.tv_usec};
        };
        seen.cpu = ns(used.ru_utime) + ns(used.ru_stime);
        seen.peak_rss = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
        seen.output.drain();
        return seen;
    }

private:
    static error start_error() {
        return {condition::exhausted,
                "lkt.cell.start",
                std::string{"cannot start a cell: "} + std::strerror(errno),
                "too many processes, or too little memory"};
    }

    /// Memory of its own (shared mappings do not count) and threads, as the kernel lists them.
    static void look(pid_t pid, std::uint64_t memory_limit, int thread_limit, cell_seen& seen) {
        auto const folder = "/proc/" + std::to_string(pid);
        if (auto* const file = std::fopen((folder + "/statm").c_str(), "re")) {
            unsigned long long resident = 0, shared = 0;
            if (std::fscanf(file, "%*u %llu %llu", &resident, &shared) == 2 && resident > shared) {
                auto const page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
                seen.too_much_memory = (resident - shared) * page > memory_limit;
            }
            std::fclose(file);
        }
        if (auto* const file = std::fopen((folder + "/status").c_str(), "re")) {
            char line[256];
            int threads = 0;
            while (std::fgets(line, sizeof line, file) != nullptr)
                if (std::sscanf(line, "Threads: %d", &threads) == 1) break;
            std::fclose(file);
            if (threads > thread_limit) seen.too_many_threads = threads;
        }
    }
};

/// The verdict. The exit status is the kernel's word; the page only adds to it.
[[nodiscard]] inline result<cell_end>
judge(cell_page const& page, confinement const& confined, cell_seen const& seen) {
    std::string text{page.read()};
    if (confined.failed != nullptr)
        return error{condition::unavailable,
                     "lkt.sandbox.failed",
                     std::string{"the kernel refused to confine a cell: "} + confined.failed +
                         ": " + std::strerror(confined.number),
                     "use another machine, or set unsandboxed = true if you trust the code"};
    if (seen.timed_out) return cell_end{cell_timed_out{}};
    if (seen.too_much_memory)
        return cell_end{cell_out_of_memory{"it used more memory than its limit"}};
    if (seen.too_many_threads != 0) return cell_end{cell_overcrowded{seen.too_many_threads}};
    bool const noted = page.taken.load() != 0;
    if (WIFSIGNALED(seen.status)) {
        auto const signal = WTERMSIG(seen.status);
        if (signal == SIGXCPU) return cell_end{cell_timed_out{}};
        if (signal == SIGSYS) return cell_end{cell_refused{-1, "a system call"}};
        cell_signalled end{signal, false, 0, 0, false};
        if (noted && page.signal == signal) {
            end.located = true;
            end.address = page.address;
            end.instruction = page.instruction;
            end.was_read = page.was_read;
            // A push or a call faults just below the pointer, a large frame just above it.
            constexpr std::uint64_t below = 128 << 10, above = 64 << 10;
            end.stack_overflow = signal == SIGSEGV && page.address + below >= page.stack &&
                                 page.address <= page.stack + above;
        }
        return cell_end{end};
    }
    auto const code = WEXITSTATUS(seen.status);
    if (noted && page.signal == SIGSYS)
        return cell_end{cell_refused{page.call, name_of_call(page.call)}};
    switch (page.note) {
    case cell_note::out_of_memory:
        return cell_end{cell_out_of_memory{"std::bad_alloc"}};
    case cell_note::threw:
        return cell_end{cell_threw{std::move(text)}};
    case cell_note::none:
        break;
    }
    return cell_end{cell_exited{code}};
}

} // namespace lkt::process_detail
