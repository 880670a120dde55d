// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/cell.hpp>

#include <lkt/process/detail/cell_inside.hpp>
#include <lkt/process/detail/cell_watch.hpp>

#include <algorithm>
#include <exception>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace lkt {

void cell::forbid_loading() const {
    if (!confined_ || process_detail::install_running_filter(shadow_)) return;
    page_->note = process_detail::cell_note::threw;
    page_->write("loading could not be forbidden");
    ::_exit(1);
}

void cell::report(std::string_view text) const { page_->write(text); }

cell_signal_stack::cell_signal_stack() {
    stack_.ss_size = std::size_t{64} << 10;
    stack_.ss_sp =
        ::mmap(nullptr, stack_.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack_.ss_sp != MAP_FAILED) active_ = ::sigaltstack(&stack_, &before_) == 0;
}

cell_signal_stack::~cell_signal_stack() {
    if (active_) (void)::sigaltstack(&before_, nullptr);
    if (stack_.ss_sp != MAP_FAILED) ::munmap(stack_.ss_sp, stack_.ss_size);
}

namespace process_detail {

class cell_maker {
public:
    /// The life of a cell, in the cell.
    [[noreturn]] static void live(cell_page& page,
                                  confinement& confined,
                                  cell_options const& options,
                                  sandbox_report const& kernel,
                                  int output,
                                  pid_t parent,
                                  cell_function function) {
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
            code = function.call(function.object, cell{page, !options.sandbox.unsandboxed, shadow});
        } catch (std::bad_alloc const&) {
            page.note = cell_note::out_of_memory;
        } catch (std::exception const& e) {
            page.note = cell_note::threw;
            page.write(e.what());
        } catch (...) {
            page.note = cell_note::threw;
            page.write("something that is not a std::exception");
        }
        ::_exit(code); // no destructor of the worker's globals runs here
    }
};

result<cell_outcome> run_cell(cell_options const& options, cell_function function) {
    auto const kernel = probe_sandbox();
    auto watch = cell_watch::prepare(options.sandbox.unsandboxed || kernel.seccomp);
    if (!watch) return watch.error();
    auto const parent = ::getpid();
    auto const pid = ::fork();
    if (pid == 0)
        cell_maker::live(*watch->page,
                         *watch->confined,
                         options,
                         kernel,
                         watch->output.write.get(),
                         parent,
                         function);
    if (pid > 0 && options.started) options.started();
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
    auto end = judge(*watch->page, *watch->confined, *seen);
    if (!end) return end.error();
    outcome.end = std::move(*end);
    return outcome;
}

} // namespace process_detail
} // namespace lkt
