// SPDX-License-Identifier: BSL-1.0
// Finds data races in the cell: what threads of a grid do to memory that they share, and what
// orders them. The kernel is compiled with -fsanitize=thread, and the shim has the hooks.
#pragma once

#include <lkt/gpu/detail/host/buffers.hpp>
#include <lkt/gpu/detail/host/host_job.hpp>
#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/gpu/detail/host/race_order.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <link.h>
#include <span>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// Two accesses of one place by two threads, at least one of them a write and not both atomic or
/// volatile, are a race unless `race_order` knows an order. A store that leaves what was there is
/// none: all threads may write the same flag, unless one of them had read what was there before.
class race_watch {
public:
    /// Of arguments and variables, in bytes; what is larger goes unseen.
    static constexpr std::uint64_t max_watched = std::uint64_t{64} << 20;

    /// `head` receives the first race, and then `found` is called, which does not return.
    race_watch(job const& j,
               module_table const& module,
               arena_head& head,
               std::function<void()> found)
        : job_(j), head_(head), found_(std::move(found)), blocks_(j.dimensions.grid.count()),
          order_(lanes_of(module)) {
        auto const launches = static_cast<std::uint64_t>(j.warmups + j.launches);
        if (blocks_ == 0 || blocks_ > ~std::uint32_t{0} / (launches + 1)) return;
        find_variables(module);
        for (std::size_t i = 0; i < j.arguments.size(); ++i)
            // Inputs are mapped read-only, and reads alone make no race.
            if (auto const& a = j.arguments[i]; a.buffer && a.flow != direction::in)
                add(place_kind::argument, i, nullptr, a.size);
        dynamic_ = ranges_.size();
        add(place_kind::dynamic, 0, nullptr, j.dimensions.shared_bytes);
        if (dynamic_ < ranges_.size()) ranges_[dynamic_].shared = true;
        running = this;
    }
    ~race_watch() { running = nullptr; }
    race_watch(race_watch const&) = delete;
    race_watch& operator=(race_watch const&) = delete;

    /// What the next launch works on. `thread`: where the number of the running thread stands.
    void begin(buffers const& arguments, char* dynamic) {
        for (auto& r : ranges_)
            if (r.kind == place_kind::argument)
                r.begin = reinterpret_cast<std::uintptr_t>(arguments.at(r.index).pointer); // NOLINT
        if (dynamic_ < ranges_.size())
            ranges_[dynamic_].begin = reinterpret_cast<std::uintptr_t>(dynamic); // NOLINT
        first_serial_ += launched_ ? static_cast<std::uint32_t>(blocks_) : 0;
        launched_ = true;
        order_.begin(first_serial_, static_cast<unsigned>(job_.dimensions.block.count()));
    }
    void enter(std::uint64_t block, unsigned const& thread) {
        settle();
        serial_ = first_serial_ + static_cast<std::uint32_t>(block);
        thread_ = &thread;
        order_.enter(serial_);
    }
    /// All threads of the block that have not returned.
    void barrier(barrier_memory of) {
        settle();
        order_.barrier(of != barrier_memory::workgroup, of != barrier_memory::storage);
    }
    /// Lanes that a warp function has brought together.
    void warp(unsigned number, std::uint64_t lanes, bool orders) {
        settle();
        order_.warp(number, lanes, orders);
    }
    /// What is still to be looked at.
    void end() {
        settle();
        if (order_.exhausted()) head_.unordered = 1;
    }

    /// For the module.
    static void access(void const* p, unsigned size, unsigned kind, void const* code) {
        if (running != nullptr)
            running->look(reinterpret_cast<std::uintptr_t>(p), // NOLINT
                          size,
                          kind,
                          reinterpret_cast<std::uintptr_t>(code)); // NOLINT
    }

    /// Address space for shadows, beside what the run takes otherwise.
    [[nodiscard]] static std::uint64_t address_space(job const& j) {
        std::uint64_t n = std::uint64_t{64} << 20;
        for (auto const& a : j.arguments) n += a.buffer ? a.size : 0;
        return std::min(n, max_watched) / 4 * sizeof(word) + (std::uint64_t{1} << 30);
    }

private:
    static constexpr unsigned max_store = 256; ///< of a store, in bytes

    struct mark : race_moment {
        std::uint8_t mask = 0, kind = 0;
        std::uint32_t code = 0;
    };
    struct word {
        mark writes[4]; ///< of bytes of it, where several threads write some: each byte is in one
        mark reads[4];
        mark earlier; ///< a read of what the last write replaced
    };
    struct range {
        place_kind kind = place_kind::argument;
        std::size_t index = 0;
        std::uintptr_t begin = 0;
        std::uint64_t size = 0;
        word* words = nullptr;
        bool shared = false; ///< by a block alone
    };
    struct store {
        range* in = nullptr; ///< null: in none
        std::uint64_t offset = 0;
        std::uintptr_t place = 0; ///< 0: there is none
        unsigned size = 0;
        mark by;
        unsigned char old[max_store];
    };

    template <class T>
    [[nodiscard]] static T* shadow_of(std::uint64_t count) {
        auto* const p = ::mmap(nullptr,
                               count * sizeof(T),
                               PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                               -1,
                               0);
        return p == MAP_FAILED ? nullptr : static_cast<T*>(p);
    }
    void add(place_kind kind, std::size_t index, void const* begin, std::uint64_t size) {
        if (size == 0 || size > max_watched - watched_) return;
        auto* const words = shadow_of<word>(size / 4 + 2);
        if (words == nullptr) return;
        watched_ += size;
        ranges_.push_back(
            {kind, index, reinterpret_cast<std::uintptr_t>(begin), size, words, false}); // NOLINT
    }

    /// Static shared memory, and the rest of what the module may write.
    void find_variables(module_table const& module) {
        struct search {
            std::uintptr_t inside, base = 0, begin = 0, end = 0;
        } s{reinterpret_cast<std::uintptr_t>(&module)}; // NOLINT
        ::dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* data) {
                auto& to = *static_cast<search*>(data);
                search one{to.inside};
                bool here = false;
                for (auto const& p : std::span{info->dlpi_phdr, info->dlpi_phnum}) {
                    if (p.p_type != PT_LOAD) continue;
                    auto const begin = info->dlpi_addr + p.p_vaddr, end = begin + p.p_memsz;
                    here = here || (to.inside >= begin && to.inside < end);
                    if ((p.p_flags & PF_W) != 0) one.begin = begin, one.end = end;
                }
                if (!here) return 0;
                one.base = info->dlpi_addr;
                to = one;
                return 1;
            },
            &s);
        base_ = s.base;
        for (auto const& [offset, size] : job_.shared) {
            auto const before = ranges_.size();
            add(place_kind::variable, 0, reinterpret_cast<void*>(base_ + offset), size); // NOLINT
            if (ranges_.size() > before) ranges_.back().shared = true;
        }
        // Looked for from the front: what is shared by a block has been found by then.
        add(place_kind::variable, 0, reinterpret_cast<void*>(s.begin), s.end - s.begin); // NOLINT
    }

    [[nodiscard]] range* find(std::uintptr_t p) {
        for (auto *r = ranges_.data(), *end = r + ranges_.size(); r != end; ++r)
            if (p - r->begin < r->size) return r;
        return nullptr;
    }

    void look(std::uintptr_t p, unsigned size, unsigned kind, std::uintptr_t code) {
        settle();
        if (thread_ == nullptr) return;
        auto const me = *thread_;
        if ((kind & race_meets) != 0) return order_.meet(static_cast<race_meeting>(size), p, me);
        if ((kind & race_fence) != 0) return order_.fence(me, (kind & race_of_block) == 0);
        if (p == 0) { // a mark of the shim
            of_block_ = (kind & race_of_block) != 0;
            return;
        }
        if (of_block_ && (kind & race_atomic) != 0) kind |= race_of_block;
        auto* const in = find(p);
        bool const special = (kind & (race_atomic | race_volatile)) != 0;
        if (in == nullptr && !special) return;
        auto const offset = in == nullptr ? 0 : p - in->begin;
        auto const rest = in == nullptr ? size : in->size - offset;
        auto const bytes = static_cast<unsigned>(std::min<std::uint64_t>({size, max_store, rest}));
        mark by;
        by.serial = serial_;
        by.time = order_.now();
        by.code = static_cast<std::uint32_t>(code - base_ - 1); // inside of the call
        by.thread = static_cast<std::uint16_t>(me);
        by.kind = static_cast<std::uint8_t>(kind & ~race_compare);
        if ((kind & race_write) != 0) {
            pending_.in = in;
            pending_.offset = offset;
            pending_.place = p;
            pending_.size = bytes;
            pending_.by = by;
            compares_ = (kind & race_compare) != 0;
            std::memcpy(pending_.old, reinterpret_cast<void const*>(p), bytes); // NOLINT
            return;
        }
        if (in != nullptr) each_word(*in, offset, bytes, by, &race_watch::read);
        if (special) order_.saw(p, me, false);
    }

    /// A store has been made since: it counts in full if it changed something.
    void settle() {
        if (pending_.place == 0) return;
        auto const& s = pending_;
        auto const place = s.place;
        auto const* const now = reinterpret_cast<unsigned char const*>(place); // NOLINT
        for (unsigned at = 0; s.in != nullptr && at < s.size;) {
            auto const part =
                std::min<unsigned>(s.size - at, 4 - static_cast<unsigned>((s.offset + at) % 4));
            auto by = s.by;
            changed_ = 0;
            for (unsigned k = 0; k < part; ++k)
                changed_ |= static_cast<unsigned>(now[at + k] != s.old[at + k])
                            << ((s.offset + at + k) % 4);
            if (changed_ != 0) {
                each_word(*s.in, s.offset + at, part, by, &race_watch::write);
            } else if ((by.kind & race_atomic) != 0) {
                by.kind = static_cast<std::uint8_t>(by.kind & ~race_write);
                each_word(*s.in, s.offset + at, part, by, &race_watch::read);
            } else {
                each_word(*s.in, s.offset + at, part, by, &race_watch::write_again);
            }
            at += part;
        }
        pending_.place = 0;
        bool const atomic = (s.by.kind & race_atomic) != 0;
        if (!atomic && (s.by.kind & race_volatile) == 0) return;
        // An atomic that stored nothing has made nothing known, but it has seen.
        if (!compares_ || std::memcmp(now, s.old, s.size) != 0)
            order_.wrote(place, s.by.thread, (s.by.kind & race_of_block) == 0, atomic);
        if (atomic) order_.saw(place, s.by.thread, true);
    }

    using step = void (race_watch::*)(range&, std::uint64_t, word&, mark const&);
    void each_word(range& in, std::uint64_t offset, unsigned size, mark by, step visit) {
        for (auto const end = offset + size; offset < end;) {
            auto const first = static_cast<unsigned>(offset % 4);
            auto const count =
                static_cast<unsigned>(std::min<std::uint64_t>(4 - first, end - offset));
            by.mask = static_cast<std::uint8_t>(((1U << count) - 1) << first);
            (this->*visit)(in, offset, in.words[offset / 4], by);
            offset += count;
        }
    }

    void read(range& in, std::uint64_t offset, word& w, mark const& by) {
        for (auto& written : w.writes) compare(in, offset, written, by);
        // One goes that says no more than this one, or which this one follows anyway.
        auto* place = &w.reads[by.time & 3];
        for (auto& r : w.reads) {
            if (!same(r, by) && r.mask != 0 && !follows(in, r, by)) continue;
            place = &r;
            if ((r.mask & ~by.mask) == 0) break;
        }
        *place = by;
    }
    void write(range& in, std::uint64_t offset, word& w, mark const& by) {
        for (auto& written : w.writes) compare(in, offset, written, by);
        for (auto& r : w.reads) compare(in, offset, r, by);
        mark const* before = nullptr; // the last of others, or else of its own
        for (auto const& r : w.reads) {
            if ((r.mask & changed_) == 0) continue;
            bool const own = same(r, by);
            bool const better =
                before == nullptr || (own == same(*before, by) ? r.time > before->time : !own);
            if (better) before = &r;
        }
        if (before != nullptr) w.earlier = *before;
        w.earlier.mask &= static_cast<std::uint8_t>(before != nullptr ? changed_ : ~changed_);
        for (auto* const marks : {w.writes, w.reads})
            for (unsigned k = 0; k < 4; ++k) marks[k].mask &= static_cast<std::uint8_t>(~by.mask);
        // One is free, since no byte is in two.
        *std::ranges::find_if(w.writes, [](mark const& m) { return m.mask == 0; }) = by;
    }

    /// What others had read before this value was there, they might have read afterwards.
    void write_again(range& in, std::uint64_t offset, word& w, mark const& by) {
        compare(in, offset, w.earlier, by);
    }

    [[nodiscard]] static bool same(mark const& a, mark const& b) {
        return a.serial == b.serial && a.thread == b.thread && (a.mask & ~b.mask) == 0;
    }

    [[nodiscard]] bool follows(range const& in, mark const& a, mark const& b) const {
        bool const reused = (a.kind & race_write) == 0 && (b.kind & race_write) != 0;
        return order_.follows(a, b, in.shared ? race_order::shared : race_order::global, reused);
    }
    /// An atomic of the block's scope alone, in memory that others see, too.
    [[nodiscard]] static bool too_narrow(mark const& a, mark const& b) {
        return a.serial != b.serial && ((a.kind | b.kind) & race_of_block) != 0;
    }

    void compare(range const& in, std::uint64_t offset, mark const& a, mark const& b) {
        if ((a.mask & b.mask) == 0) return;
        if (follows(in, a, b)) {
            // What runs beside the threads sees their stores behind a fence.
            bool const through = (a.kind & race_write) != 0 && (a.kind & race_beside) == 0 &&
                                 b.kind == race_beside && in.shared && a.serial == b.serial;
            if (through && !order_.proxies_fenced(a, b.thread)) report(in, offset, a, b, true);
            return;
        }
        bool const special_a = (a.kind & (race_atomic | race_volatile)) != 0,
                   special_b = (b.kind & (race_atomic | race_volatile)) != 0;
        // Volatile variables are how kernels wait for each other; in a warp's shared memory it is a
        // hope that its lanes run in step.
        bool const in_step = in.shared &&
                             a.thread / order_.warp_lanes() == b.thread / order_.warp_lanes() &&
                             ((a.kind | b.kind) & race_atomic) == 0;
        if (special_a && special_b && !in_step && !too_narrow(a, b)) {
            // So do flags, but what comes after one needs a fence, volatile or not.
            bool const handed = a.kind == (race_write | race_volatile) && b.kind == race_volatile;
            if (!handed) return;
            if (!order_.glanced_later(a, b)) return order_.glanced(a, b);
        }
        // A plain look at what atomics change, before one of them: the programming guide's loop
        // around atomicCAS begins with it.
        if (((a.kind & race_atomic) != 0 && (b.kind & race_write) == 0 && !special_b) ||
            ((b.kind & race_atomic) != 0 && (a.kind & race_write) == 0 && !special_a))
            return;
        report(in, offset, a, b);
    }

    void report(range const& in,
                std::uint64_t offset,
                mark const& a,
                mark const& b,
                bool unfenced = false) {
        auto const side = [&](mark const& m) {
            return race_access{m.serial - first_serial_, m.thread, m.kind, m.code};
        };
        auto& note = head_.race;
        note.kind = in.kind;
        note.shared = in.shared;
        note.index = in.index;
        note.offset = in.kind == place_kind::variable ? in.begin + offset - base_ : offset;
        note.unfenced = unfenced;
        note.first = side(a);
        note.second = side(b);
        found_();
    }

    static inline race_watch* running = nullptr;

    job const& job_;
    arena_head& head_;
    std::function<void()> found_;
    std::uint64_t blocks_, watched_ = 0;
    std::uintptr_t base_ = 0;
    std::vector<range> ranges_;
    std::size_t dynamic_ = ~std::size_t{0};
    store pending_{};
    std::uint32_t first_serial_ = 1, serial_ = 1;
    bool launched_ = false;
    bool of_block_ = false; ///< atomics are so now
    bool compares_ = false; ///< the store that is pending
    unsigned changed_ = 0;  ///< by the store that is looked at, of a word's bytes
    unsigned const* thread_ = nullptr;
    race_order order_;
};

} // namespace lkt::host_detail
