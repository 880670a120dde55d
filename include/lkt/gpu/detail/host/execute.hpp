// SPDX-License-Identifier: BSL-1.0
// The worker's side of a run: a cell that loads the kernel, launches it, times it, keeps outputs.
#pragma once

#include <lkt/gpu/detail/host/grid.hpp>
#include <lkt/process/cell.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// Ends the cell when a launch takes too long: when one of the threads that run it has had a
/// processor for so long, or when `busy_patience` times as much time has passed. On a busy machine
/// a launch waits for processors, and no kernel is guilty of that. A thread, since an endless loop
/// returns to nobody; the worker's own limit for the whole run remains in any case.
class launch_watch {
public:
    /// `clocks`: of the processor time of the threads that run launches.
    launch_watch(cell const& inside, std::uint64_t limit_ns, std::vector<clockid_t> clocks)
        : limit_(std::chrono::nanoseconds{limit_ns}), clocks_(std::move(clocks)),
          thread_([this, &inside] { look(inside); }) {}
    ~launch_watch() {
        ending_ = true;
        thread_.join();
    }
    launch_watch(launch_watch const&) = delete;
    launch_watch& operator=(launch_watch const&) = delete;

    void begin() {
        deadline_ = (std::chrono::steady_clock::now() + limit_).time_since_epoch().count();
    }
    void end() { deadline_ = 0; }

private:
    using nanoseconds = std::chrono::nanoseconds;

    [[nodiscard]] static nanoseconds read(clockid_t clock) {
        timespec t{};
        (void)::clock_gettime(clock, &t);
        return std::chrono::seconds{t.tv_sec} + nanoseconds{t.tv_nsec};
    }

    void look(cell const& inside) {
        auto const tick = std::clamp<nanoseconds>(
            limit_ / 20, std::chrono::milliseconds{1}, std::chrono::milliseconds{20});
        std::vector<nanoseconds> before(clocks_.size()); // when the launch was first seen
        std::chrono::steady_clock::rep seen = 0;
        while (!ending_.load()) {
            std::this_thread::sleep_for(tick);
            auto const deadline = deadline_.load();
            if (deadline == 0) continue;
            if (std::exchange(seen, deadline) != deadline)
                std::transform(clocks_.begin(), clocks_.end(), before.begin(), read);
            auto const over =
                std::chrono::steady_clock::now().time_since_epoch() - nanoseconds{deadline};
            if (over < nanoseconds{}) continue;
            nanoseconds most{};
            for (std::size_t k = 0; k < clocks_.size(); ++k)
                most = std::max(most, read(clocks_[k]) - before[k]);
            // The first look comes a tick late, and each thread yields now and then.
            if (most < limit_ - limit_ / 4 && over < (busy_patience - 1) * limit_) continue;
            inside.report("a launch exceeded its time limit");
            ::_exit(static_cast<int>(cell_code::timed_out));
        }
    }

    nanoseconds limit_;
    std::vector<clockid_t> clocks_;
    std::atomic<std::chrono::steady_clock::rep> deadline_{0};
    std::atomic<bool> ending_{false};
    std::thread thread_;
};

/// The compiled kernel, loaded into this process.
[[nodiscard]] inline module_table const* load_module(int fd, std::string& why) {
    auto const path = "/proc/self/fd/" + std::to_string(fd);
    auto* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto const* const table =
        library == nullptr ? nullptr
                           : static_cast<module_table const*>(::dlsym(library, module_symbol));
    if (table == nullptr) {
        auto const* const text = ::dlerror();
        why = text == nullptr ? "no such symbol" : text;
    } else if (table->abi != module_abi) {
        why = "it was compiled for another version of lkt";
        return nullptr;
    }
    return table;
}

/// Whether what the caller passes is what the kernel takes.
[[nodiscard]] inline std::string compare_arguments(job const& j, module_table const& module) {
    auto const constants = static_cast<std::size_t>(
        std::count_if(j.arguments.begin(), j.arguments.end(), [](auto& a) { return a.constant; }));
    if (module.arguments != j.arguments.size() - constants || module.constants != constants)
        return "the kernel takes " + std::to_string(module.arguments) + " arguments, but " +
               std::to_string(j.arguments.size() - constants) + " are passed";
    std::size_t i = 0, filled = 0;
    for (auto const& a : j.arguments) {
        if (a.constant) {
            auto const& c = module.filled[filled++];
            if (c.address != nullptr && c.size != a.size)
                return "the constant memory " + a.name + " of the kernel has " +
                       std::to_string(c.size) + " bytes, but " + std::to_string(a.size) +
                       " are passed";
            continue;
        }
        bool const pointer = (module.sizes[i] & module_pointer) != 0;
        if (pointer != a.buffer)
            return "argument " + a.name + " of the kernel is " +
                   (pointer ? "a pointer, but a value is passed"
                            : "a value, but a buffer is passed");
        if (!pointer && module.sizes[i] != a.values.front().size())
            return "argument " + a.name + " of the kernel takes " +
                   std::to_string(module.sizes[i]) + " bytes, but " +
                   std::to_string(a.values.front().size()) + " are passed";
        ++i;
    }
    return {};
}

/// Fills constant memory, or sees that nobody wrote it: the name of what differs, or empty. GPUs do
/// not let kernels write there; here it is memory like any other.
template <class Step>
[[nodiscard]] std::string
each_constant(job const& j, module_table const& module, buffers const& arguments, Step step) {
    std::size_t filled = 0;
    for (std::size_t i = 0; i < j.arguments.size(); ++i) {
        if (!j.arguments[i].constant) continue;
        auto const& c = module.filled[filled++];
        if (c.address != nullptr && step(c, arguments.at(i).pointer) != 0)
            return j.arguments[i].name;
    }
    return {};
}

/// Moves what is mapped from here on (the module, the stacks of its threads) to elsewhere than in
/// the worker's other cells: all of them are forks of one process, and would have the same
/// addresses. Small gaps between mappings are closed first, since the module would go there; then
/// a drawn number of pages is taken.
inline void move_what_follows(std::uint64_t seed) {
    constexpr std::uint64_t wide = std::uint64_t{64} << 20, choices = 1024;
    auto const take = [](std::uint64_t size) {
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        return ::mmap(nullptr, size, PROT_NONE, flags, -1, 0);
    };
    auto* const below = take(wide);
    if (below == MAP_FAILED) return;
    (void)::munmap(below, wide);
    auto const open = reinterpret_cast<std::uintptr_t>(below); // NOLINT: where much is free
    for (auto size = wide / 4; size >= page_bytes; size /= 4)
        for (int tried = 0; tried < 64; ++tried) {
            auto* const where = take(size);
            if (where == MAP_FAILED) break;
            if (reinterpret_cast<std::uintptr_t>(where) - open >= wide) continue; // NOLINT: a gap
            (void)::munmap(where, size);
            break;
        }
    (void)take((1 + mix(seed ^ 0x706c) % choices) * page_bytes);
}

/// In the cell.
inline int run_in_cell(cell const& inside, job const& j, buffers& arguments, int library) {
    auto const give_up = [&](cell_code code, std::string const& why) {
        inside.report(why);
        return static_cast<int>(code);
    };
    arguments.find_sanitizer();
    auto& head = arguments.head();
    std::string why;
    move_what_follows(j.layout_seed);
    auto const* const module = load_module(library, why);
    if (module == nullptr) return give_up(cell_code::load_failed, why);
    if (why = compare_arguments(j, *module); !why.empty())
        return give_up(cell_code::wrong_arguments, why);
    std::unique_ptr<race_watch> watcher;
    if (j.races)
        watcher = std::make_unique<race_watch>(j, *module, head, [&inside] {
            inside.report("a data race");
            ::_exit(static_cast<int>(cell_code::data_race));
        });
    misuse_watch const misuse{inside};
    branch_watch const branches{*module, arguments.branches()};
    grid_runner grid{j, *module, arguments, watcher.get()};
    auto const select = [&] {
        arguments.select();
        grid.fill_shared();
        for (std::size_t i = 0; i < j.arguments.size(); ++i)
            head.addresses[i] = reinterpret_cast<std::uintptr_t>(arguments.at(i).pointer); // NOLINT
        (void)each_constant(j, *module, arguments, [](auto const& c, void const* from) {
            std::memcpy(c.address, from, c.size);
            return 0;
        });
    };
    launch_watch watch{inside, j.launch_limit_ns, grid.clocks()};
    head.shared_address = reinterpret_cast<std::uintptr_t>(grid.shared_memory()); // NOLINT
    inside.forbid_loading();

    // What the worker does at the gate takes as long as it takes: nobody counts it.
    auto const pass = [&] {
        if (!arguments.gate().pass()) ::_exit(static_cast<int>(cell_code::overrun));
    };
    for (int n = 0; n < j.warmups + j.launches; ++n) {
        pass();
        select();
        ++head.reached;
        watch.begin();
        auto const start = std::chrono::steady_clock::now();
        bool const good = grid.run();
        auto const stop = std::chrono::steady_clock::now();
        watch.end();
        // _exit: where threads of a block are stuck, or memory is not what it was, nothing returns.
        if (!good) {
            inside.report(grid.why());
            ::_exit(static_cast<int>(grid.ended()));
        }
        auto const written = each_constant(j, *module, arguments, [](auto const& c, void const* p) {
            return std::memcmp(c.address, p, c.size);
        });
        if (!written.empty()) {
            inside.report("write to the constant memory " + written);
            ::_exit(static_cast<int>(cell_code::input_written));
        }
        auto const index = n - j.warmups;
        if (index >= 0)
            arguments.times()[index] = static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::nanoseconds>(stop - start).count());
        ++head.finished;
    }
    pass();                                     // for the last launch to be looked at
    ::_exit(static_cast<int>(cell_code::done)); // skips the kernel's own destructors, if any
}

} // namespace lkt::host_detail
