// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/host/buffers.hpp>
#include <lkt/gpu/detail/host/host_job.hpp>
#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/gpu/detail/host/team.hpp>
#include <lkt/process/cell.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// A permutation of 0 to n - 1; the shuffle is Fisher and Yates' over counters.
template <class N>
[[nodiscard]] std::vector<N> make_order(run_order order, std::size_t n, std::uint64_t seed) {
    std::vector<N> places(n);
    std::iota(places.begin(), places.end(), N{0});
    if (order == run_order::reverse) std::reverse(places.begin(), places.end());
    if (order == run_order::shuffled)
        for (std::size_t i = n; i > 1; --i) std::swap(places[i - 1], places[mix(seed + i) % i]);
    return places;
}

/// Memory for shared memory of a block, between two guards which nobody may touch, as wide as those
/// of arguments: what lies beyond may be a stack, and a fault near one reads as its overflow. Half
/// of the time it ends at the second guard.
class guarded_memory {
public:
    guarded_memory(std::uint32_t size,
                   std::uint32_t alignment,
                   std::uint64_t drawn,
                   buffers const& arguments) {
        auto const used = (size + alignment - 1U) / alignment * alignment;
        auto const room = whole_pages(used + page_bytes);
        bytes_ = room + 2 * buffers::guard;
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        base_ = ::mmap(nullptr, bytes_, PROT_NONE, flags, -1, 0);
        auto* const begin = static_cast<char*>(base_) + buffers::guard;
        if (base_ == MAP_FAILED || ::mprotect(begin, room, PROT_READ | PROT_WRITE) != 0)
            throw std::bad_alloc{};
        auto const step = std::max<std::uint64_t>(128, alignment);
        auto const last = room - used;
        auto const place = drawn % 2 == 0 ? last : drawn / 2 % (last / step + 1) * step;
        data_ = begin + place;
        arguments.hide_all_but(begin, room, place, size);
    }
    ~guarded_memory() {
        if (base_ != MAP_FAILED) ::munmap(base_, bytes_);
    }
    guarded_memory(guarded_memory const&) = delete;
    guarded_memory& operator=(guarded_memory const&) = delete;
    [[nodiscard]] char* data() const { return data_; }

private:
    void* base_ = MAP_FAILED;
    std::uint64_t bytes_ = 0;
    char* data_ = nullptr;
};

/// Runs whole grids: blocks are dealt out to threads of the system, which live as long as this.
class grid_runner {
public:
    /// `watch`: null unless races are looked for.
    grid_runner(job const& j,
                module_table const& module,
                buffers const& arguments,
                race_watch* watch = nullptr)
        : job_(j), module_(module), arguments_(arguments), watch_(watch),
          blocks_(j.dimensions.grid.count()) {
        auto const& d = j.dimensions;
        launch_ = {{d.grid.x, d.grid.y, d.grid.z},
                   {d.block.x, d.block.y, d.block.z},
                   d.shared_bytes,
                   team::calls()};
        for (auto const& a : j.arguments)
            if (!a.constant) bytes_.push_back(a.buffer ? a.size : 0);
        launch_.calls.bytes = bytes_.data();
        launch_.calls.subgroup = j.subgroup;
        launch_.calls.otherwise = j.otherwise;
        launch_.calls.met = &arguments.head().met;
        launch_.calls.converted = &arguments.head().converted;
        find_shared();
        // A block with as many threads as there may be takes two mappings for each of them.
        std::uint64_t most = module.fibres != 0 ? 30'000 / (2 * d.block.count() + 1) : 1024;
        most = std::min<std::uint64_t>({most == 0 ? 1 : most, blocks_, j.threads});
        if (j.order != run_order::forward) {
            most = 1;
            if (!j.blocks_forward)
                block_order_ = make_order<std::uint64_t>(j.order, blocks_, j.order_seed);
            thread_order_ =
                make_order<unsigned>(j.order, d.block.count(), mix(j.order_seed) ^ 0x7472);
        }
        fibre::annotations = fibre_annotations::find();
        for (std::uint64_t t = 0; t < most; ++t) lanes_.push_back(std::make_unique<lane>(*this));
        chunk_ = std::max<std::uint64_t>(1, blocks_ / (most * 16));
        for (std::uint64_t t = 1; t < most; ++t)
            threads_.emplace_back([this, t] { help(*lanes_[t]); });
        // What their start costs is not to be part of the first sample.
        for (std::uint32_t seen; (seen = started_.load()) + 1 < most;) started_.wait(seen);
    }
    ~grid_runner() {
        ending_ = true;
        ++epoch_;
        epoch_.notify_all();
        for (auto& t : threads_) t.join();
    }
    grid_runner(grid_runner const&) = delete;
    grid_runner& operator=(grid_runner const&) = delete;

    /// What a launch finds in the dynamic shared memory of its first blocks.
    void fill_shared() {
        auto const noise = arguments_.shared_noise();
        for (auto& l : lanes_)
            if (l->shared != nullptr) std::memcpy(l->shared, noise.data(), noise.size());
    }

    /// One launch. False: threads of a block could not go on; `why` says so.
    [[nodiscard]] bool run() {
        if (watch_ != nullptr) watch_->begin(arguments_, lanes_[0]->shared);
        module_.start(&launch_);
        next_ = 0;
        busy_ = static_cast<int>(threads_.size());
        ++epoch_;
        if (!threads_.empty()) epoch_.notify_all();
        work(*lanes_[0]);
        if (watch_ != nullptr) watch_->end();
        for (int i = 0; i < 50 && busy_.load(std::memory_order_acquire) != 0; ++i) pause(50);
        for (int left; (left = busy_.load(std::memory_order_acquire)) != 0;) busy_.wait(left);
        return !failed_.load();
    }
    [[nodiscard]] std::string const& why() const { return why_; }
    /// Of the processor time of the threads that run launches; the caller is one of them.
    [[nodiscard]] std::vector<clockid_t> clocks() {
        std::vector<clockid_t> all{CLOCK_THREAD_CPUTIME_ID};
        if (::pthread_getcpuclockid(::pthread_self(), all.data()) != 0) all.clear();
        for (auto& t : threads_)
            if (clockid_t one{}; ::pthread_getcpuclockid(t.native_handle(), &one) == 0)
                all.push_back(one);
        return all;
    }
    [[nodiscard]] cell_code ended() const { return ended_; } ///< see `team::ended`
    [[nodiscard]] char* shared_memory() const { return lanes_[0]->shared; }

private:
    /// What one thread of the system needs to run blocks.
    struct lane {
        explicit lane(grid_runner const& g) {
            auto const bytes = g.job_.dimensions.shared_bytes;
            auto const drawn = mix(g.job_.layout_seed ^ (0x7368 + g.lanes_.size()));
            if (bytes != 0)
                guarded = std::make_unique<guarded_memory>(
                    bytes, g.job_.shared_alignment, drawn, g.arguments_),
                shared = guarded->data();
            if (!g.has_team()) return;
            auto const& b = g.job_.dimensions.block;
            unsigned const block[3] = {b.x, b.y, b.z};
            threads = std::make_unique<team>(block, g.job_.stack_bytes, lanes_of(g.module_));
            if (!g.thread_order_.empty()) threads->set_order(g.thread_order_);
            threads->set_watch(g.watch_);
            threads->set_turns(g.job_.turns);
            threads->set_strict(g.job_.wgsl);
        }
        std::unique_ptr<guarded_memory> guarded;
        std::unique_ptr<team> threads;
        char* shared = nullptr;
    };

    /// Whether threads can give way to each other.
    [[nodiscard]] bool has_team() const { return module_.fibres != 0 || job_.turns; }

    static void pause(int times) {
        for (int i = 0; i < times; ++i) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    }

    void help(lane& mine) {
        cell_signal_stack const stack;
        ++started_;
        started_.notify_one();
        std::uint32_t seen = 0;
        while (true) {
            epoch_.wait(seen, std::memory_order_acquire);
            seen = epoch_.load(std::memory_order_acquire);
            if (ending_.load()) return;
            work(mine);
            if (busy_.fetch_sub(1, std::memory_order_release) == 1) busy_.notify_one();
        }
    }

    void work(lane& mine) {
        while (!failed_.load(std::memory_order_relaxed)) {
            auto const first = next_.fetch_add(chunk_, std::memory_order_relaxed);
            if (first >= blocks_) return;
            auto const last = std::min(blocks_, first + chunk_);
            for (auto b = first; b < last; ++b)
                if (!run_block(mine, block_order_.empty() ? b : block_order_[b])) return;
        }
    }

    /// Where static shared memory lies in checked builds, which run on one thread of the system.
    void find_shared() {
        Dl_info facts{};
        if (job_.wgsl || job_.shared.empty() || ::dladdr(&module_, &facts) == 0) return;
        for (auto const& [offset, size] : job_.shared) {
            auto* const begin = static_cast<char*>(facts.dli_fbase) + offset;
            shared_.emplace_back(begin, size);
            if (!job_.races && arguments_.sanitized())
                arguments_.hide_all_but(
                    begin - shared_margin, size + 2 * shared_margin, shared_margin, size);
        }
    }
    /// In checked builds each block finds other noise in shared memory, whatever was left there, or
    /// under the other fill NaN in every floating type, which no product with 0 hides; or all but
    /// the first what the one before has left.
    void fill_shared_of_block(lane const& mine, std::uint64_t block) {
        bool const looked_at = job_.checked || job_.races || job_.branches_count > 0;
        if (job_.wgsl || !looked_at) return;
        if (std::exchange(shared_filled_, job_.leftovers)) return;
        auto const seed = mix(job_.order_seed) + block;
        auto const noise = [&](char* begin, std::uint64_t size) {
            for (std::uint64_t at = 0; at < size; at += 8) {
                auto const word = job_.other_fill ? ~std::uint64_t{0} : mix(seed ^ at << 20);
                std::memcpy(begin + at, &word, std::min<std::uint64_t>(8, size - at));
            }
        };
        for (auto const& [begin, size] : shared_) noise(begin, size);
        if (mine.shared != nullptr) noise(mine.shared, job_.dimensions.shared_bytes);
    }

    bool run_block(lane& mine, std::uint64_t block) {
        fill_shared_of_block(mine, block);
        auto const& g = job_.dimensions.grid;
        auto const& size = job_.dimensions.block;
        auto const rest = block / g.x;
        module_.enter(static_cast<unsigned>(block % g.x),
                      static_cast<unsigned>(rest % g.y),
                      static_cast<unsigned>(rest / g.y),
                      mine.shared);
        auto* const arguments = arguments_.pointers();
        if (watch_ != nullptr) watch_->enter(block, has_team() ? mine.threads->current() : thread_);
        if (has_team()) {
            if (mine.threads->run(module_, arguments)) return true;
            std::lock_guard const hold{why_lock_};
            why_ = mine.threads->why();
            ended_ = mine.threads->ended();
            failed_ = true;
            return false;
        }
        if (watch_ != nullptr) {
            for (thread_ = 0; thread_ < size.count(); ++thread_)
                module_.thread(thread_ % size.x,
                               thread_ / size.x % size.y,
                               thread_ / size.x / size.y,
                               arguments);
        } else if (thread_order_.empty()) {
            for (unsigned z = 0; z < size.z; ++z)
                for (unsigned y = 0; y < size.y; ++y) module_.row(y, z, arguments);
        } else {
            for (auto const t : thread_order_)
                module_.thread(t % size.x, t / size.x % size.y, t / size.x / size.y, arguments);
        }
        return true;
    }

    job const& job_;
    module_table const& module_;
    buffers const& arguments_;
    race_watch* watch_;
    unsigned thread_ = 0; ///< that runs, while somebody watches
    module_launch launch_{};
    std::vector<std::pair<char*, std::uint64_t>> shared_; ///< static; in checked builds
    bool shared_filled_ = false;                          ///< once, where that is enough
    std::vector<unsigned long long> bytes_;               ///< of each buffer among the parameters
    std::uint64_t blocks_, chunk_ = 1;
    std::vector<std::uint64_t> block_order_;
    std::vector<unsigned> thread_order_;
    std::vector<std::unique_ptr<lane>> lanes_;
    std::vector<std::thread> threads_;
    std::atomic<std::uint32_t> epoch_{0}, started_{0};
    std::atomic<std::uint64_t> next_{0};
    std::atomic<int> busy_{0};
    std::atomic<bool> ending_{false}, failed_{false};
    std::mutex why_lock_;
    std::string why_;
    cell_code ended_ = cell_code::race;
};

} // namespace lkt::host_detail
