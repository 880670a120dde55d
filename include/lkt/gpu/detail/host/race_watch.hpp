// SPDX-License-Identifier: BSL-1.0
// Finds data races in the cell: what threads of a grid do to memory that they share, and what
// orders them. The kernel is compiled with -fsanitize=thread, and the shim has the hooks.
#pragma once

#include <lkt/gpu/detail/host/buffers.hpp>
#include <lkt/gpu/detail/host/host_job.hpp>
#include <lkt/gpu/detail/host/module.hpp>

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

/// Happens-before, kept by one clock that goes on by one at each barrier, warp function, atomic and
/// fence. An access is ordered before a later one by
/// - a barrier of its block in between,
/// - warp functions that lead from one lane to the other,
/// - an atomic or a fence of both sides in between: perhaps, so nothing is said.
/// A store that leaves what was there is no access: all threads may write the same flag.
class race_watch {
public:
    /// Of arguments and variables, in bytes; what is larger goes unseen.
    static constexpr std::uint64_t max_watched = std::uint64_t{64} << 20;

    /// `head` receives the first race, and then `found` is called, which does not return.
    race_watch(job const& j,
               module_table const& module,
               arena_head& head,
               std::function<void()> found)
        : job_(j), head_(head), found_(std::move(found)), blocks_(j.dimensions.grid.count()) {
        auto const launches = static_cast<std::uint64_t>(j.warmups + j.launches);
        if (blocks_ == 0 || blocks_ > ~std::uint32_t{0} / (launches + 1)) return;
        block_syncs_ = shadow_of<std::uint32_t>(blocks_);
        if (block_syncs_ == nullptr) return;
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
    }
    void enter(std::uint64_t block, unsigned const& thread) {
        settle();
        serial_ = first_serial_ + static_cast<std::uint32_t>(block);
        thread_ = &thread;
        barrier_time_ = ++clock_;
        std::fill(std::begin(known_), std::end(known_), std::uint32_t{0});
    }
    /// All threads of the block that have not returned.
    void barrier() {
        settle();
        barrier_time_ = ++clock_;
    }
    /// Lanes that a warp function has brought together: each knows what any of them knew.
    void warp(unsigned number, std::uint32_t lanes) {
        settle();
        auto const time = ++clock_;
        auto* const all = known_ + number * 1024;
        std::uint32_t joined[32] = {};
        for (unsigned l = 0; l < 32; ++l)
            for (unsigned k = 0; (lanes >> l & 1) != 0 && k < 32; ++k)
                joined[k] = std::max(joined[k], all[l * 32 + k]);
        for (unsigned l = 0; l < 32; ++l)
            if ((lanes >> l & 1) != 0) joined[l] = time;
        for (unsigned l = 0; l < 32; ++l)
            if ((lanes >> l & 1) != 0) std::memcpy(all + l * 32, joined, sizeof joined);
    }
    /// What is still to be looked at.
    void end() { settle(); }

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
        return std::min(n, max_watched) / 4 * sizeof(word) + j.dimensions.grid.count() * 4;
    }

private:
    static constexpr unsigned max_store = 256; ///< of a store, in bytes

    struct mark {
        std::uint32_t serial = 0, time = 0, code = 0; ///< serial 0: none
        std::uint16_t thread = 0;
        std::uint8_t mask = 0, kind = 0;
    };
    struct word {
        mark write, reads[2];
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
        range* in = nullptr;
        std::uint64_t offset = 0;
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
        if (pending_.in != nullptr) settle();
        if ((kind & race_fence) != 0) return synchronise(kind);
        auto* const in = find(p);
        if (in == nullptr || thread_ == nullptr) return;
        auto const offset = p - in->begin;
        auto const bytes =
            static_cast<unsigned>(std::min<std::uint64_t>({size, max_store, in->size - offset}));
        mark by;
        by.serial = serial_;
        by.time = clock_;
        by.code = static_cast<std::uint32_t>(code - base_ - 1); // inside of the call
        by.thread = static_cast<std::uint16_t>(*thread_);
        by.kind = static_cast<std::uint8_t>(kind);
        if ((kind & race_write) != 0) {
            pending_.in = in;
            pending_.offset = offset;
            pending_.size = bytes;
            pending_.by = by;
            std::memcpy(pending_.old, reinterpret_cast<void const*>(p), bytes); // NOLINT
        } else {
            each_word(*in, offset, bytes, by, &race_watch::read);
        }
        if ((kind & (race_atomic | race_volatile)) != 0) synchronise(kind);
    }

    /// A store has been made since: it counts if it changed something.
    void settle() {
        if (pending_.in == nullptr) return;
        auto const& s = pending_;
        auto const* const now =
            reinterpret_cast<unsigned char const*>(s.in->begin + s.offset); // NOLINT
        for (unsigned at = 0; at < s.size;) {
            auto const part =
                std::min<unsigned>(s.size - at, 4 - static_cast<unsigned>((s.offset + at) % 4));
            auto by = s.by;
            if (std::memcmp(now + at, s.old + at, part) != 0) {
                each_word(*s.in, s.offset + at, part, by, &race_watch::write);
            } else if ((by.kind & race_atomic) != 0) {
                by.kind = race_atomic;
                each_word(*s.in, s.offset + at, part, by, &race_watch::read);
            }
            at += part;
        }
        pending_.in = nullptr;
    }

    void synchronise(unsigned kind) {
        if (thread_ == nullptr) return;
        auto const time = ++clock_;
        block_syncs_[serial_ - first_serial_] = time;
        // That lanes of a warp run in step is no promise, volatile or not.
        if ((kind & race_volatile) == 0) thread_syncs_[*thread_] = time;
        warp_syncs_[*thread_ / 32] = time;
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
        compare(in, offset, w.write, by);
        // The older of two reads goes, or one that this one follows anyway.
        auto& r = w.reads;
        if (same(r[0], by) || follows(in, r[0], by)) {
            r[0] = by;
        } else if (same(r[1], by) || follows(in, r[1], by)) {
            r[1] = by;
        } else {
            r[by.time & 1] = by;
        }
    }
    void write(range& in, std::uint64_t offset, word& w, mark const& by) {
        compare(in, offset, w.write, by);
        for (auto& r : w.reads) compare(in, offset, r, by);
        w.write = by;
        for (auto& r : w.reads)
            if ((r.mask & ~by.mask) == 0) r = {};
    }

    [[nodiscard]] static bool same(mark const& a, mark const& b) {
        return a.serial == b.serial && a.thread == b.thread && (a.mask & ~b.mask) == 0;
    }

    /// Whether the earlier access is ordered before this one, or may be.
    [[nodiscard]] bool follows(range const& in, mark const& a, mark const& b) const {
        if (a.serial < first_serial_) return true; // of an earlier launch, or none
        if (a.serial != b.serial) {
            if (in.shared) return true; // another memory
            return block_syncs_[a.serial - first_serial_] > a.time &&
                   block_syncs_[b.serial - first_serial_] > a.time;
        }
        if (a.thread == b.thread || a.time < barrier_time_) return true;
        auto const from = a.thread / 32U, to = b.thread / 32U;
        if (from != to) return warp_syncs_[from] > a.time && warp_syncs_[to] > a.time;
        return known_[to * 1024 + b.thread % 32U * 32 + a.thread % 32U] > a.time ||
               (thread_syncs_[a.thread] > a.time && thread_syncs_[b.thread] > a.time);
    }

    void compare(range const& in, std::uint64_t offset, mark const& a, mark const& b) {
        if ((a.mask & b.mask) == 0 || follows(in, a, b)) return;
        bool const special_a = (a.kind & (race_atomic | race_volatile)) != 0,
                   special_b = (b.kind & (race_atomic | race_volatile)) != 0;
        // Between warps, volatile variables are how kernels wait for each other; within one it is
        // a hope that its lanes run in step.
        bool const in_step = a.serial == b.serial && a.thread / 32 == b.thread / 32 &&
                             ((a.kind | b.kind) & race_atomic) == 0;
        if (special_a && special_b && !in_step) return;
        // A plain look at what atomics change, before one of them: the programming guide's loop
        // around atomicCAS begins with it.
        if (((a.kind & race_atomic) != 0 && (b.kind & race_write) == 0) ||
            ((b.kind & race_atomic) != 0 && (a.kind & race_write) == 0))
            return;
        report(in, offset, a, b);
    }

    void report(range const& in, std::uint64_t offset, mark const& a, mark const& b) {
        auto const side = [&](mark const& m) {
            return race_access{m.serial - first_serial_, m.thread, m.kind, m.code};
        };
        auto& note = head_.race;
        note.kind = in.kind;
        note.shared = in.shared;
        note.index = in.index;
        note.offset = in.kind == place_kind::variable ? in.begin + offset - base_ : offset;
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
    std::uint32_t first_serial_ = 1, serial_ = 1, clock_ = 1, barrier_time_ = 1;
    bool launched_ = false;
    unsigned const* thread_ = nullptr;
    std::uint32_t* block_syncs_ = nullptr;
    std::uint32_t thread_syncs_[1024] = {}, warp_syncs_[32] = {};
    std::uint32_t known_[32 * 1024] = {}; ///< for each lane, up to when it knows each other one
};

} // namespace lkt::host_detail
