// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/cell_outcome.hpp>
#include <lkt/process/detail/cell_inside.hpp>
#include <lkt/process/detail/cell_watch.hpp>
#include <lkt/process/sandbox.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

namespace process_detail {
class cell_maker;
}

/// How a cell is confined.
struct cell_options {
    std::chrono::milliseconds time_limit{10'000};        ///< wall time
    std::uint64_t memory_limit = std::uint64_t{4} << 30; ///< bytes beyond what the worker has
    std::uint64_t stack_limit = std::uint64_t{8} << 20;  ///< bytes, of the cell's first thread
    std::size_t output_limit = std::size_t{64} << 10;    ///< bytes kept of what it prints
    int thread_limit = 256;
    std::vector<int> keep_fds{}; ///< left open, such as the memory that holds the code to load
    sandbox_policy sandbox{};
};

/// The inside of a cell, as its function sees it.
class cell {
public:
    /// To be called when everything is loaded: from here on no file can be opened (under a
    /// sanitizer: only read) and no memory becomes executable.
    void forbid_loading() const {
        if (!confined_ || process_detail::install_running_filter(shadow_)) return;
        page_->note = process_detail::cell_note::threw;
        page_->write("loading could not be forbidden");
        ::_exit(1);
    }
    /// A text of at most 4096 bytes for `cell_outcome::message`; the last one counts.
    void report(std::string_view text) const { page_->write(text); }

private:
    friend class process_detail::cell_maker;
    cell(process_detail::cell_page& page, bool confined, bool shadow)
        : page_(&page), confined_(confined), shadow_(shadow) {}

    process_detail::cell_page* page_;
    bool confined_, shadow_;
};

/// A stack for signal handlers, so that a stack overflow in a thread can be told from other faults.
/// The first thread of a cell has one; each further thread makes its own.
class cell_signal_stack {
public:
    cell_signal_stack() {
        stack_.ss_size = std::size_t{64} << 10;
        stack_.ss_sp = ::mmap(
            nullptr, stack_.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack_.ss_sp != MAP_FAILED) active_ = ::sigaltstack(&stack_, &before_) == 0;
    }
    ~cell_signal_stack() {
        if (active_) (void)::sigaltstack(&before_, nullptr);
        if (stack_.ss_sp != MAP_FAILED) ::munmap(stack_.ss_sp, stack_.ss_size);
    }
    cell_signal_stack(cell_signal_stack const&) = delete;
    cell_signal_stack& operator=(cell_signal_stack const&) = delete;

private:
    stack_t stack_{}, before_{};
    bool active_ = false;
};

namespace process_detail {

class cell_maker {
public:
    /// The life of a cell, in the cell.
    template <class F>
    [[noreturn]] static void live(cell_page& page,
                                  confinement& confined,
                                  cell_options const& options,
                                  sandbox_report const& kernel,
                                  int output,
                                  pid_t parent,
                                  F& function) {
        own_page = &page;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (::getppid() != parent) ::_exit(1);
        ::dup2(output, 1), ::dup2(output, 2);
        close_others(options.keep_fds);
        bool const shadow = has_shadow_memory();
        watch_signals(has_address_sanitizer());
        cell_signal_stack const stack;
        ::mallopt(M_ARENA_MAX, 2); // an arena reserves 64 MiB of address space
        auto const cpus = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
        auto const seconds = options.time_limit.count() / 1000 + 2;
        limit(RLIMIT_CORE, 0);
        limit(RLIMIT_FSIZE, 0);
        limit(RLIMIT_NOFILE, 64);
        limit(RLIMIT_STACK, options.stack_limit);
        limit(RLIMIT_CPU, static_cast<std::uint64_t>(seconds) * static_cast<std::uint64_t>(cpus));
        // Shadow memory takes terabytes of address space; the worker's watch remains.
        if (!shadow) limit(RLIMIT_AS, own_address_space() + options.memory_limit);
        if (auto const* const failed = confine(options.sandbox, kernel, shadow)) {
            confined = {failed, errno};
            ::_exit(1);
        }
        ::munmap(&confined, sizeof confined);
        int code = 1;
        try {
            code = function(cell{page, !options.sandbox.unsandboxed, shadow});
        } catch (std::bad_alloc const&) {
            page.note = cell_note::out_of_memory;
        } catch (std::exception const& e) {
            page.note = cell_note::threw;
            page.write(e.what());
        } catch (...) {
            page.note = cell_note::threw;
            page.write("something that is no std::exception");
        }
        ::_exit(code); // no destructor of the worker's globals runs here
    }
};

} // namespace process_detail

/// Runs `function(cell)` in a fork of this worker that can do nothing but compute: it has no
/// descriptor but its output and `keep_fds`, a seccomp filter, no file system, no network, no
/// processes; what it writes to shared memory mappings (made before) is all that remains of it.
/// Load untrusted code inside, not before: a constructor attribute runs when it is loaded.
///
/// Only for services, i.e. in a worker; `function` must not rely on other threads of it. Errors:
/// `lkt.cell.not-in-worker`, `lkt.sandbox.unavailable`, `lkt.cell.start`. Costs a fork, some 0.5
/// ms.
template <std::invocable<cell const&> F>
    requires std::convertible_to<std::invoke_result_t<F&, cell const&>, int>
[[nodiscard]] result<cell_outcome> run_cell(cell_options const& options, F&& function) {
    namespace pd = process_detail;
    auto const kernel = probe_sandbox();
    auto watch = pd::cell_watch::prepare(options.sandbox.unsandboxed || kernel.seccomp);
    if (!watch) return watch.error();
    auto const parent = ::getpid();
    auto const pid = ::fork();
    if (pid == 0)
        pd::cell_maker::live(*watch->page,
                             *watch->confined,
                             options,
                             kernel,
                             watch->output.write.get(),
                             parent,
                             function);
    cell_outcome outcome;
    auto seen = watch->follow(
        pid, options.time_limit, options.memory_limit, options.thread_limit, options.output_limit);
    if (!seen) return seen.error();
    outcome.message = watch->page->read();
    outcome.output = std::move(seen->output.text);
    outcome.output_cut = seen->output.cut;
    outcome.wall = seen->wall;
    outcome.cpu = seen->cpu;
    outcome.peak_rss = seen->peak_rss;
    auto end = pd::judge(*watch->page, *watch->confined, *seen);
    if (!end) return end.error();
    outcome.end = std::move(*end);
    return outcome;
}

} // namespace lkt
