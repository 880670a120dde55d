// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/host/fibre.hpp>
#include <lkt/gpu/detail/host/fibre_stacks.hpp>
#include <lkt/gpu/detail/host/misuse.hpp>
#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/gpu/detail/host/place_set.hpp>
#include <lkt/gpu/detail/host/race_watch.hpp>
#include <lkt/gpu/detail/host/warp.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace lkt::host_detail {

/// The threads of one block as fibres of one thread of the system, which run one after another in
/// a given order, each until it waits. Built once, used for one block after another.
class team {
public:
    /// Throws std::bad_alloc where there is no memory for the stacks.
    team(unsigned const (&block)[3], std::size_t stack_bytes, unsigned warp_size = 32)
        : warp_size_(warp_size), size_(block[0] * block[1] * block[2]),
          block_{block[0], block[1], block[2]}, stacks_(size_, stack_bytes),
          members_(std::make_unique<member[]>(size_)),
          warps_((size_ + warp_size_ - 1) / warp_size_), ready_(size_) {
        for (unsigned t = 0; t < size_; ++t)
            // Stacks that end at the same place of a page share few sets of the cache: apart, a
            // switch takes half the time.
            members_[t].at.prepare<&team::live>(stacks_.bottom(t), stack_bytes - t * 5 % 64 * 64);
        order_.resize(size_);
        std::iota(order_.begin(), order_.end(), 0U);
        place_ = order_;
    }
    team(team const&) = delete;
    team& operator=(team const&) = delete;

    /// In which order threads run; a permutation of 0 to threads - 1.
    void set_order(std::span<unsigned const> order) {
        order_.assign(order.begin(), order.end());
        for (unsigned p = 0; p < size_; ++p) place_[order_[p]] = p;
    }

    /// Who is told what orders threads; null: nobody.
    void set_watch(race_watch* watch) { watch_ = watch; }
    /// Whether a thread lets the others come before it changes what several may change: an atomic,
    /// or a volatile store. So what it has read before may be old by then, as on a device, where
    /// threads of a warp run at once. Only where accesses are watched.
    void set_turns(bool turns) { turns_ = turns; }
    /// Whether all threads have to reach a barrier, and not only those that have not returned:
    /// CUDA leaves out who has returned, WGSL asks for uniform control flow.
    void set_strict(bool strict) { strict_ = strict; }
    /// Its value is the thread that runs.
    [[nodiscard]] unsigned const& current() const { return current_; }

    /// Runs the block that the calling thread has entered. False: its threads cannot go on, and
    /// `why` says so; this team is then of no further use.
    [[nodiscard]] bool run(module_table const& module, void* const* arguments) {
        module_ = &module;
        arguments_ = arguments;
        alive_ = size_;
        arrived_ = idle_ = stepped_ = looks_ = gathering_ = 0;
        for (unsigned w = 0; w < warps_.size(); ++w) {
            auto const lanes = std::min(warp_size_, size_ - w * warp_size_);
            warps_[w] = {~lane_mask{0} >> (most_lanes - lanes), 0};
        }
        ready_.set_all();
        why_.clear();
        running = this;
        current_ = order_[0];
        members_[current_].at.switch_from(home_);
        return why_.empty();
    }
    [[nodiscard]] std::string const& why() const { return why_; }
    /// What that means.
    [[nodiscard]] cell_code ended() const { return ended_; }

    /// For the module: to be called by its threads only.
    [[nodiscard]] static module_calls calls() {
        return {[](int what, int p, int line) {
                    return running->sync(static_cast<block_call>(what), p, line);
                },
                [](int what,
                   unsigned long long mask,
                   unsigned long long value,
                   unsigned parameter,
                   unsigned width,
                   int line) -> unsigned long long {
                    return running->warp(warp_part::of(what, mask, value, parameter, width, line));
                },
                &team::access,
                nullptr,
                32,
                0,
                nullptr,
                &branch_watch::compare,
                &misuse_watch::end,
                nullptr};
    }

private:
    struct member {
        fibre at;
        warp_part part;
        int line = 0; ///< of the barrier at which it waits, 0 if it does not
    };
    struct warp_state {
        lane_mask alive = 0, waiting = 0;
    };

    static void access(void const* p, unsigned size, unsigned kind, void const* code) {
        if (running != nullptr && (kind & (race_atomic | race_volatile)) != 0)
            running->step_aside((kind & race_write) != 0);
        race_watch::access(p, size, kind, code);
    }
    /// Before a change: a few times for each thread, so that loops that try again come to their
    /// end. After many looks in one turn: who waits for others in a loop lets them run.
    void step_aside(bool changes) {
        if (!turns_) return;
        constexpr unsigned most = 8, most_looks = 1000;
        bool const now = changes && stepped_ < most * size_;
        if (!now && ++looks_ < most_looks) return;
        if (now) ++stepped_;
        looks_ = 0;
        wait((place_[current_] + 1) % size_);
    }

    /// What every fibre runs.
    static void live() {
        while (true) {
            team& t = *running;
            auto const id = t.current_;
            auto const x = id % t.block_[0], rest = id / t.block_[0];
            t.module_->thread(x, rest % t.block_[1], rest / t.block_[1], t.arguments_);
            running->leave();
        }
    }

    // --- ready threads, by their place in the order ---------------------------------------------
    void set_ready(unsigned thread) { ready_.set(place_[thread]); }
    void clear_ready(unsigned thread) { ready_.clear(place_[thread]); }
    /// The next ready thread from `place` on, around the end; `size_` if there is none.
    [[nodiscard]] unsigned next_ready(unsigned place) const {
        auto const next = ready_.next(place);
        return next == size_ ? size_ : order_[next];
    }

    /// Gives way; returns when this thread is ready and its turn has come.
    void wait(unsigned from_place) {
        auto const me = current_;
        auto next = next_ready(from_place);
        if (next == size_ && gathering_ > 0) {
            gather();
            next = next_ready(from_place);
        }
        if (next == me) return;
        if (next == size_) explain_deadlock(); // does not return
        current_ = next;
        members_[next].at.switch_from(members_[me].at);
    }
    /// Ends the block early; the fibres stay as they are for ever.
    void return_to_scheduler() { home_.switch_from(members_[current_].at); }

    /// The kernel has returned in this thread.
    void leave() {
        auto const me = current_;
        clear_ready(me);
        idle_ = 0;
        --alive_;
        if (alive_ == 0) {
            home_.switch_from(members_[me].at);
            return; // the next block has begun
        }
        auto& w = warps_[me / warp_size_];
        w.alive &= ~bit_of(me % warp_size_);
        for (auto rest = w.waiting; rest != 0 && w.waiting != 0; rest &= rest - 1)
            try_complete(me / warp_size_, static_cast<unsigned>(std::countr_zero(rest)));
        if (arrived_ == alive_ && arrived_ != 0) {
            release();
            wait(0);
        } else {
            wait(place_[me]);
        }
    }

    int sync(block_call what, int predicate, int line) {
        auto& m = members_[current_];
        if (arrived_ == 0) {
            first_line_ = line;
            votes_ = 0;
            waiters_ = 0;
        } else if (line != first_line_) {
            why_ = "threads of one block wait at different barriers, in lines " +
                   std::to_string(std::min(line, first_line_)) + " and " +
                   std::to_string(std::max(line, first_line_));
            return_to_scheduler();
        }
        m.line = line;
        orders_ =
            what == block_call::sync ? static_cast<barrier_memory>(predicate) : barrier_memory::all;
        ++arrived_;
        ++waiters_;
        votes_ += predicate != 0 ? 1U : 0U;
        clear_ready(current_);
        if (arrived_ == alive_) {
            release();
            wait(0);
        } else {
            wait(place_[current_]);
        }
        m.line = 0;
        switch (what) {
        case block_call::sync:
            return 0;
        case block_call::count:
            return static_cast<int>(result_votes_);
        case block_call::all:
            return result_votes_ == result_waiters_ ? 1 : 0;
        case block_call::any:
            return result_votes_ != 0 ? 1 : 0;
        }
        return 0;
    }

    /// Every thread that has not returned waits at the barrier: all go on.
    void release() {
        if (strict_ && alive_ < size_) {
            why_ = "the barrier in line " + std::to_string(first_line_) + " is reached by " +
                   std::to_string(alive_) + " invocations of a workgroup of " +
                   std::to_string(size_) + ", but the others have returned";
            return_to_scheduler();
        }
        idle_ = 0;
        if (watch_ != nullptr) watch_->barrier(orders_);
        result_votes_ = votes_;
        result_waiters_ = waiters_;
        arrived_ = 0;
        for (unsigned t = 0; t < size_; ++t)
            if (members_[t].line != 0) set_ready(t);
    }

    std::uint64_t warp(warp_part const& part) {
        if (part.what == warp_call::idle) return idle(part);
        auto const me = current_, lane = me % warp_size_, w = me / warp_size_;
        auto& m = members_[me];
        bool const sane = std::has_single_bit(part.width) && part.width <= warp_size_;
        if (!sane || (!part.of_those_here && (part.mask >> lane & 1) == 0)) {
            why_ = "the warp function in line " + std::to_string(part.line) +
                   (sane ? " is called by a lane that is not in its mask"
                         : " has a width that is not 1, 2, 4, 8, 16" +
                               std::string(warp_size_ == 32 ? " or 32" : ", 32 or 64"));
            return_to_scheduler();
        }
        m.part = part;
        warps_[w].waiting |= bit_of(lane);
        clear_ready(me);
        if (part.what == warp_call::gather || part.of_those_here)
            ++gathering_;
        else
            try_complete(w, lane);
        wait(place_[me]);
        return m.part.result;
    }

    /// A thread that looks again and again for what others do lets them run first.
    std::uint64_t idle(warp_part const& part) {
        if (part.mask != 0) return idle_ = 0;
        awaited_ = part;
        if (++idle_ > 2 * size_) { // each has looked twice, and nothing happened
            if (gathering_ == 0) explain_deadlock();
            gather();
        }
        wait((place_[current_] + 1) % size_);
        return 0;
    }

    [[nodiscard]] warp_part& part_of(unsigned w, unsigned lane) {
        return members_[w * warp_size_ + lane].part;
    }

    /// Nobody else runs: lanes that ask which of them are there are there together.
    void gather() {
        idle_ = gathering_ = 0;
        for (unsigned w = 0; w < warps_.size(); ++w) {
            std::vector<lane_that_asks> asking;
            lane_mask here = 0;
            for_each_lane(warps_[w].waiting, [&](unsigned lane) {
                auto& part = part_of(w, lane);
                if (part.of_those_here)
                    here |= bit_of(lane);
                else if (part.what == warp_call::gather)
                    asking.push_back(
                        {part.line, place_[w * warp_size_ + lane], lane, &part.result});
            });
            warps_[w].waiting &= ~answer_who_is_there(asking, warps_[w].alive);
            for (auto const& lane : asking) set_ready(w * warp_size_ + lane.lane);
            if (here != 0) complete_those_here(w, here);
        }
    }

    /// The lanes of a wave run in step, so those that are at one call are there together. Where
    /// some are at another one, the compiler decides which of them wait for the others.
    void complete_those_here(unsigned w, lane_mask here) {
        auto const& first = part_of(w, static_cast<unsigned>(std::countr_zero(here)));
        for_each_lane(here, [&](unsigned lane) {
            auto const& other = part_of(w, lane);
            if (ended_ == cell_code::unclear ||
                (other.line == first.line && other.what == first.what))
                return;
            auto const [least, most] = std::minmax(other.line, first.line);
            why_ = "lanes of one wave are in lines " + std::to_string(least) + " and " +
                   std::to_string(most) + " at once, at functions of those that are there: which " +
                   "run first is not known on the CPU";
            ended_ = cell_code::unclear;
        });
        if (ended_ == cell_code::unclear) return_to_scheduler();
        complete(w, here);
    }

    /// Completes the call of `lane` if all lanes of its mask that have not returned take part.
    void try_complete(unsigned w, unsigned lane) {
        auto const& state = warps_[w];
        if ((state.waiting >> lane & 1) == 0) return;
        auto const& mine = part_of(w, lane);
        if (mine.what == warp_call::gather || mine.of_those_here) return;
        auto const needed = mine.mask & state.alive;
        bool all = (needed & ~state.waiting) == 0;
        for_each_lane(all ? needed : 0, [&](unsigned l) {
            auto const& other = part_of(w, l);
            all = all && !other.of_those_here && other.mask == mine.mask &&
                  other.what == mine.what &&
                  (mine.what != warp_call::meet || other.line == mine.line);
        });
        if (all) complete(w, needed);
    }

    /// All of these lanes are at the same call, and go on.
    void complete(unsigned w, lane_mask lanes) {
        warp_parts parts{};
        for_each_lane(lanes, [&](unsigned l) { parts[l] = &part_of(w, l); });
        auto const what = parts[static_cast<unsigned>(std::countr_zero(lanes))]->what;
        complete_warp_call(parts, lanes);
        idle_ = 0;
        if (watch_ != nullptr && what != warp_call::meet)
            watch_->warp(w, lanes, what == warp_call::sync);
        warps_[w].waiting &= ~lanes;
        for_each_lane(lanes, [&](unsigned l) { set_ready(w * warp_size_ + l); });
    }

    /// Nobody is ready: some wait for threads that will not come.
    void explain_deadlock() {
        int barrier = 0, warp_function = 0;
        for (unsigned t = 0; t < size_; ++t) {
            auto const waits = (warps_[t / warp_size_].waiting >> t % warp_size_ & 1) != 0;
            if (waits && warp_function == 0) warp_function = members_[t].part.line;
            if (members_[t].line != 0 && barrier == 0) barrier = members_[t].line;
        }
        why_ = deadlock(barrier, warp_function, idle_ > 2 * size_ ? &awaited_ : nullptr);
        return_to_scheduler();
    }

    static inline thread_local team* running = nullptr;

    unsigned warp_size_, size_;
    unsigned block_[3];
    fibre_stacks stacks_;
    std::unique_ptr<member[]> members_;
    std::vector<warp_state> warps_;
    place_set ready_;
    std::vector<unsigned> order_, place_;
    fibre home_;
    module_table const* module_ = nullptr;
    void* const* arguments_ = nullptr;
    unsigned current_ = 0, alive_ = 0, arrived_ = 0;
    unsigned votes_ = 0, waiters_ = 0, result_votes_ = 0, result_waiters_ = 0;
    int first_line_ = 0;
    warp_part awaited_{}; ///< of the last thread that looked, and has to wait
    barrier_memory orders_ = barrier_memory::all; ///< of the barrier at which threads wait
    unsigned idle_ = 0;      ///< looks of threads that idle since something happened
    unsigned gathering_ = 0; ///< threads that ask which lanes are there
    unsigned stepped_ = 0;   ///< times that threads stepped aside in this block
    unsigned looks_ = 0;     ///< at what several may change, in one turn
    bool turns_ = false;
    cell_code ended_ = cell_code::race;
    std::string why_;
    race_watch* watch_ = nullptr;
    bool strict_ = false;
};

} // namespace lkt::host_detail
