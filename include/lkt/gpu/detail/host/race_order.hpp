// SPDX-License-Identifier: BSL-1.0
// What orders the accesses of a grid's threads.
#pragma once

#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/gpu/detail/host/race_clock.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// Happens-before. Blocks run one after another, and of a block one thread at a time, so that one
/// clock suffices for all: it goes on by one with each event. What a thread knows grows by
/// - barriers of its block and warp functions,
/// - an atomic or volatile read of what another thread has so written, if that one has fenced
///   before: then it knows what the other one knew at its fence. An atomic update acquires by
///   itself, another read with the next fence, barrier or __syncwarp,
/// - waiting where others arrive.
class race_order {
public:
    enum memory : unsigned char { global, shared }; ///< kinds, for barriers that order one of them
    static constexpr unsigned max_threads = 1024, warpgroup = 128;

    explicit race_order(unsigned warp_lanes) : warp_lanes_(warp_lanes) {}

    [[nodiscard]] unsigned warp_lanes() const { return warp_lanes_; }
    [[nodiscard]] std::uint32_t now() const { return clock_; }
    /// No longer sure of what orders blocks: there was too much to keep.
    [[nodiscard]] bool exhausted() const { return looked_ > max_looked; }

    /// A launch whose first block has this serial.
    void begin(std::uint32_t first_serial, unsigned threads) {
        first_serial_ = first_serial;
        threads_ = threads;
        places_.clear();
    }
    void enter(std::uint32_t serial) {
        serial_ = serial;
        barriers_[global] = barriers_[shared] = ++clock_;
        glances_.clear();
        meetings_.clear();
        auto const rows = (threads_ + warp_lanes_ - 1) / warp_lanes_ * warp_lanes_ * warp_lanes_;
        if (met_)
            for (auto* const lanes : {known_, passed_}) std::fill_n(lanes, rows, std::uint32_t{0});
        met_ = false;
        if (!fenced_any_ && !gained_) return;
        threads_of_.assign(max_threads, thread());
        for (auto* const lanes : fenced_) std::fill_n(lanes, rows, std::uint32_t{0});
        at_barrier_ = {};
        others_.clear();
        fenced_any_ = fenced_since_ = gained_ = false;
    }

    void barrier(bool orders_global, bool orders_shared) {
        auto const time = ++clock_;
        if (orders_global) barriers_[global] = time;
        if (orders_shared) barriers_[shared] = time;
        for (auto& g : glances_) g.by = everybody;
        if (gained_)
            for (unsigned t = 0; t < threads_; ++t) {
                take(t);
                looked_ += others_.join(threads_of_[t].others);
                threads_of_[t].others.clear();
                threads_of_[t].mates = {};
            }
        if (!fenced_since_) return;
        fenced_since_ = false;
        for (unsigned t = 0; t < threads_; ++t) at_barrier_.join(fenced_by(t, device));
    }

    /// Lanes that a warp function has brought together. If it orders accesses, each knows what any
    /// of them knew; else what they had read has been read, since values went on from there.
    void warp(unsigned number, std::uint64_t lanes, bool orders) {
        auto const time = ++clock_;
        met_ = true;
        auto const at = number * warp_lanes_ * warp_lanes_;
        join_rows((orders ? known_ : passed_) + at, lanes, time);
        if (!orders) return;
        auto const first = number * warp_lanes_;
        if (fenced_any_)
            for (auto* const rows : fenced_) join_rows(rows + at, lanes, 0);
        if (!fenced_any_ && !gained_) return;
        thread all;
        for (unsigned l = 0; l < warp_lanes_; ++l) {
            if ((lanes >> l & 1) == 0) continue;
            take(first + l);
            auto const& one = threads_of_[first + l];
            all.mates.join(one.mates);
            looked_ += all.others.join(one.others);
            for (unsigned s : {block, device}) {
                all.fence_all[s] = std::max(all.fence_all[s], one.fence_all[s]);
                all.fence_mates[s].join(one.fence_mates[s]);
                all.fences[s] = all.fences[s] || one.fences[s];
            }
        }
        for (unsigned l = 0; l < warp_lanes_; ++l)
            if ((lanes >> l & 1) != 0) threads_of_[first + l] = all;
    }

    /// What the thread knows now can be made known; to other blocks if the fence is the device's.
    void fence(unsigned t, bool of_device) {
        auto const time = ++clock_;
        take(t);
        auto& one = threads_of_[t];
        for (unsigned s : {block, device}) {
            if (s == device && !of_device) break;
            auto* const row = row_of(fenced_[s], t);
            std::memcpy(row, row_of(known_, t), warp_lanes_ * sizeof *row);
            row[t % warp_lanes_] = time;
            one.fence_all[s] = barriers_[global];
            one.fence_mates[s] = one.mates;
            one.fences[s] = true;
        }
        fenced_any_ = fenced_since_ = true;
    }

    /// Where threads arrive and wait (an mbarrier, a barrier with a number, what runs beside them):
    /// who waits learns what those knew that arrived until it was complete.
    void meet(race_meeting what, std::uintptr_t place, unsigned t) {
        auto const time = ++clock_;
        take(t);
        auto& one = threads_of_[t];
        switch (what) {
        case race_arrives: {
            auto known = one.mates;
            known.all = std::max(known.all, std::min(barriers_[global], barriers_[shared]));
            known.each.resize(threads_);
            auto const first = t / warp_lanes_ * warp_lanes_;
            for (unsigned l = 0; l < warp_lanes_ && first + l < threads_; ++l)
                known.each[first + l] = std::max(known.each[first + l], row_of(known_, t)[l]);
            known.each[t] = time;
            auto& m = meetings_[place];
            m.arrived.join(known);
            looked_ += m.others.join(one.others);
            break;
        }
        case race_completes:
            meetings_[place].complete = std::exchange(meetings_[place].arrived, {});
            break;
        case race_waited:
            one.mates.join(meetings_[place].complete);
            looked_ += one.others.join(meetings_[place].others);
            gained_ = true;
            break;
        case race_proxy_fence:
            proxy_fences_[t] = time;
            break;
        }
    }
    /// Whether a fence between the proxies stands behind `a`, in its thread or in the warpgroup of
    /// `by`.
    [[nodiscard]] bool proxies_fenced(race_moment const& a, unsigned by) const {
        auto const* const first = proxy_fences_ + by / warpgroup * warpgroup;
        return proxy_fences_[a.thread] > a.time ||
               std::any_of(
                   first, first + warpgroup, [&](std::uint32_t fence) { return fence > a.time; });
    }

    /// An atomic or volatile store to `place` has been made. `update`: an atomic one, which leaves
    /// known what was so before.
    void wrote(std::uintptr_t place, unsigned t, bool of_device, bool update) {
        ++clock_;
        auto const& one = threads_of_[t];
        bool const far = of_device && (one.fences[device] || at_barrier_.all != 0 ||
                                       !others_.empty() || !one.others.empty());
        bool const near = one.fences[block];
        if (!far && !near) {
            if (!update && !places_.empty()) places_.erase(place);
            return;
        }
        auto& p = places_[place];
        if (!update) p = {};
        if (far) {
            looked_ += p.others.join(others_) + p.others.join(one.others);
            auto own = fenced_by(t, device);
            own.join(at_barrier_);
            looked_ += p.others.add(serial_, std::move(own));
        }
        if (near) {
            if (p.serial != serial_) p.serial = serial_, p.mates = {};
            p.mates.join(fenced_by(t, block));
        }
    }

    /// An atomic or volatile read of `place`, which was last written by `writer`.
    void saw(std::uintptr_t place, unsigned t, bool update) {
        if (places_.empty()) return;
        auto const found = places_.find(place);
        if (found == places_.end()) return;
        auto const& p = found->second;
        auto& one = threads_of_[t];
        looked_ += (update ? one.others : one.others_seen).join(p.others);
        if (p.serial == serial_) (update ? one.mates : one.mates_seen).join(p.mates);
        gained_ = true;
    }

    /// Whether the earlier access is ordered before this one of the running block. `reused`: it
    /// read what this one writes.
    [[nodiscard]] bool
    follows(race_moment const& a, race_moment const& b, memory where, bool reused) const {
        if (a.serial < first_serial_) return true; // of an earlier launch, or none
        if (a.serial != b.serial)
            return where == shared // another memory
                   || others_.covers(a) || threads_of_[b.thread].others.covers(a) || exhausted();
        if (a.thread == b.thread || a.time < barriers_[where]) return true;
        auto const lane = a.thread % warp_lanes_;
        if (a.thread / warp_lanes_ == b.thread / warp_lanes_ &&
            (row_of(known_, b.thread)[lane] > a.time ||
             (reused && row_of(passed_, b.thread)[lane] > a.time)))
            return true;
        return threads_of_[b.thread].mates.covers(a);
    }

    /// `b` has read what `a` wrote, though nothing orders them: both are volatile.
    void glanced(race_moment const& a, race_moment const& b) {
        if (glances_.size() < max_glances) glances_.push_back({a, b.thread});
    }
    /// Whether `b` has read something that the thread of `a` wrote after it: whoever has seen a
    /// flag takes it that what was written before it is there, too.
    [[nodiscard]] bool glanced_later(race_moment const& a, race_moment const& b) const {
        return std::any_of(glances_.begin(), glances_.end(), [&](glance const& g) {
            return (g.by == everybody || g.by == b.thread) && g.what.serial == a.serial &&
                   g.what.thread == a.thread && g.what.time > a.time;
        });
    }

private:
    enum scope : unsigned { block, device };
    static constexpr std::uint16_t everybody = 0xffff;
    static constexpr std::size_t max_glances = 256, max_looked = std::size_t{1} << 26;

    struct thread {
        block_knowledge mates, mates_seen; ///< of its own block; and to come with a fence
        race_clock others, others_seen;    ///< of other blocks
        std::uint32_t fence_all[2] = {};   ///< at its last fence: the barrier before it
        block_knowledge fence_mates[2];
        bool fences[2] = {};
    };
    struct meeting {
        block_knowledge arrived{}, complete{}; ///< of its phase, and of the one before
        race_clock others{};
    };
    struct place_state { ///< what is known to whoever reads there
        race_clock others{};
        std::uint32_t serial = 0; ///< of the block of `mates`
        block_knowledge mates{};
    };
    struct glance {
        race_moment what;
        std::uint16_t by = 0;
    };

    template <class Row>
    [[nodiscard]] Row* row_of(Row* rows, unsigned t) const {
        return rows + t * warp_lanes_;
    }

    void join_rows(std::uint32_t* rows, std::uint64_t lanes, std::uint32_t time) const {
        std::uint32_t joined[most_lanes] = {};
        for (unsigned l = 0; l < warp_lanes_; ++l)
            for (unsigned k = 0; (lanes >> l & 1) != 0 && k < warp_lanes_; ++k)
                joined[k] = std::max(joined[k], rows[l * warp_lanes_ + k]);
        for (unsigned l = 0; l < warp_lanes_; ++l)
            if ((lanes >> l & 1) != 0 && time != 0) joined[l] = time;
        for (unsigned l = 0; l < warp_lanes_; ++l)
            if ((lanes >> l & 1) != 0)
                std::memcpy(rows + l * warp_lanes_, joined, warp_lanes_ * sizeof *joined);
    }

    /// What a thread has read takes effect.
    void take(unsigned t) {
        if (!gained_) return;
        auto& one = threads_of_[t];
        looked_ += one.others.join(one.others_seen);
        one.mates.join(one.mates_seen);
        one.others_seen.clear();
        one.mates_seen = {};
    }

    /// What the thread can make known of its own block.
    [[nodiscard]] block_knowledge fenced_by(unsigned t, scope s) const {
        auto const& one = threads_of_[t];
        block_knowledge made = one.fence_mates[s];
        made.all = std::max(made.all, s == block ? barriers_[global] : one.fence_all[s]);
        made.each.resize(threads_);
        auto const first = t / warp_lanes_ * warp_lanes_;
        auto const* const row = row_of(fenced_[s], t);
        for (unsigned l = 0; l < warp_lanes_ && first + l < threads_; ++l)
            made.each[first + l] = std::max(made.each[first + l], row[l]);
        return made;
    }

    /// Of each thread, what it knows of the lanes of its warp.
    static constexpr std::size_t words_of_rows = std::size_t{max_threads} * most_lanes;

    unsigned warp_lanes_;
    std::uint32_t clock_ = 1, first_serial_ = 1, serial_ = 1, barriers_[2] = {1, 1};
    unsigned threads_ = 0;
    std::size_t looked_ = 0;
    bool met_ = false, fenced_any_ = false, fenced_since_ = false, gained_ = false;
    std::vector<thread> threads_of_ = std::vector<thread>(max_threads);
    block_knowledge at_barrier_{}; ///< what all have fenced for the device before the last barrier
    race_clock others_{};          ///< what all know of other blocks
    std::unordered_map<std::uintptr_t, place_state> places_;
    std::unordered_map<std::uintptr_t, meeting> meetings_; ///< of the running block
    std::uint32_t proxy_fences_[max_threads] = {};         ///< when each had its last one
    std::vector<glance> glances_;
    /// For each lane, up to when it knows each other one: its accesses; what it has read; what it
    /// had done at a fence that this lane knows of.
    std::uint32_t known_[words_of_rows] = {}, passed_[words_of_rows] = {};
    std::uint32_t fenced_[2][words_of_rows] = {};
};

} // namespace lkt::host_detail
