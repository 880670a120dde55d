// SPDX-License-Identifier: BSL-1.0
// The kernel's arguments in the cell: the rooms in which they lie, between guards.
#pragma once

#include <lkt/gpu/detail/host/branch_watch.hpp>
#include <lkt/gpu/detail/host/gate.hpp>
#include <lkt/gpu/detail/host/host_job.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// One argument in the memory of the cell.
struct mapped_argument {
    void* pointer = nullptr;   ///< what the kernel is given, or null for a value
    std::byte* room = nullptr; ///< that contains the buffer, between two guards
    std::uint64_t place = 0;   ///< where
    /// Of a value, aligned as any struct may be.
    struct alignas(128) piece {
        std::array<char, 128> bytes{};
    };
    std::vector<piece> value{};
};

/// Mapped by the worker, since a cell cannot map shared memory, and inherited by the cell. Inputs
/// can only be read; all else both can write.
class buffers {
public:
    /// At least; more than an index that is off by a row of a matrix reaches.
    static constexpr std::uint64_t guard = std::uint64_t{1} << 20;
    static constexpr std::uint64_t max_guard = guard + 256 * page_bytes;

    buffers() = default;
    ~buffers() {
        for (auto const& [address, size] : mappings_) ::munmap(address, size);
    }
    buffers(buffers const&) = delete;
    buffers& operator=(buffers const&) = delete;

    /// Null, or what could not be mapped.
    [[nodiscard]] char const* map(job const& j, int arena) {
        job_ = &j;
        arena_ = arena;
        head_ = reserve(head_bytes(j.launches), PROT_READ | PROT_WRITE, MAP_SHARED, arena, 0);
        auto* const page = reserve(whole_pages(sizeof(launch_gate)),
                                   PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS,
                                   -1,
                                   0);
        if (head_ == nullptr || page == nullptr) return "the times";
        if (auto const n = j.dimensions.shared_bytes; n != 0) {
            shared_noise_ = static_cast<std::byte*>(
                reserve(whole_pages(n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
            if (shared_noise_ == nullptr) return "shared memory";
        }
        if (j.branches_count != 0) {
            branches_ = reserve(whole_pages(j.branches_count * sizeof(branch_place)),
                                PROT_READ | PROT_WRITE,
                                MAP_SHARED,
                                arena,
                                j.branches_offset);
            if (branches_ == nullptr) return "the branches";
        }
        gate_ = new (page) launch_gate;
        sets_.resize(j.sets);
        for (auto& set : sets_) set.arguments.resize(j.arguments.size());
        // In another order each time: how far which argument is from which tells nothing.
        std::vector<std::size_t> order(j.sets * j.arguments.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        auto seed = j.layout_seed;
        for (std::size_t i = order.size(); i > 1; --i) {
            seed = mix(seed);
            std::swap(order[i - 1], order[seed % i]);
        }
        for (auto const one : order) {
            auto const i = one % j.arguments.size(), k = one / j.arguments.size();
            auto const& a = j.arguments[i];
            seed = mix(seed);
            if (a.buffer && !map(a, a.offsets[k], seed, sets_[k].arguments[i]))
                return "an argument";
        }
        for (std::size_t k = 0; k < j.sets; ++k) point(k);
        return nullptr;
    }

    [[nodiscard]] arena_head& head() const { return *static_cast<arena_head*>(head_); }
    /// For a branch_watch.
    [[nodiscard]] std::span<branch_place> branches() const {
        return {static_cast<branch_place*>(branches_),
                branches_ == nullptr ? 0 : static_cast<std::size_t>(job_->branches_count)};
    }
    [[nodiscard]] launch_gate& gate() const { return *gate_; }
    [[nodiscard]] std::uint64_t* times() const {
        return reinterpret_cast<std::uint64_t*>(&head() + 1); // NOLINT
    }

    /// In the cell: the arguments of the next launch, as the gate has them, and near at hand.
    void select() {
        set_ = gate_->set % sets_.size();
        for (std::size_t i = 0; i < job_->arguments.size(); ++i) {
            auto const& a = job_->arguments[i];
            if (!a.buffer) continue;
            auto& m = sets_[set_].arguments[i];
            if (a.flow != direction::in) {
                m.place = std::min(gate_->places[i], room_bytes(a.size) - a.size);
                m.pointer = m.room + m.place;
            }
            hide_all_but(m.room, room_bytes(a.size), m.place, a.size);
            if (a.flow != direction::in) warm(static_cast<std::byte*>(m.pointer), a.size);
        }
    }

    /// In the cell: under AddressSanitizer the rest of a room is out of bounds as well.
    void find_sanitizer() {
        if (!job_->checked) return;
        hide_ = find("__asan_poison_memory_region");
        show_ = find("__asan_unpoison_memory_region");
    }
    [[nodiscard]] bool sanitized() const { return hide_ != nullptr && show_ != nullptr; }

    /// Of the parameters, in order.
    [[nodiscard]] void* const* pointers() const { return sets_[set_].pointers.data(); }
    [[nodiscard]] mapped_argument const& at(std::size_t i) const {
        return sets_[set_].arguments[i];
    }
    /// What dynamic shared memory holds before a launch.
    [[nodiscard]] std::span<std::byte> shared_noise() const {
        return {shared_noise_, shared_noise_ == nullptr ? 0 : job_->dimensions.shared_bytes};
    }
    /// In the cell: under AddressSanitizer all of a room is out of bounds, but for `size` bytes.
    void
    hide_all_but(void* room, std::uint64_t bytes, std::uint64_t place, std::uint64_t size) const {
        if (!sanitized()) return;
        auto* const begin = static_cast<std::byte*>(room);
        show_(begin, bytes);
        hide_(begin, place);
        hide_(begin + place + size, bytes - place - size);
    }
    /// In the worker.
    [[nodiscard]] std::byte* room(std::size_t set, std::size_t i) const {
        return sets_[set].arguments[i].room;
    }

private:
    using mark_region = void (*)(void const volatile*, std::size_t);
    struct mapped_set {
        std::vector<mapped_argument> arguments;
        std::vector<void*> pointers; ///< of the parameters, in order
    };

    static mark_region find(char const* name) {
        return reinterpret_cast<mark_region>(::dlsym(RTLD_DEFAULT, name)); // NOLINT
    }

    /// The worker wrote it, on another core: what is not larger than caches are is fetched from
    /// there, and the pages of the rest are found, before time is taken.
    static void warm(std::byte* begin, std::uint64_t size) {
        constexpr std::uint64_t small = std::uint64_t{4} << 20, line = 64;
        auto const step = size <= small ? line : page_bytes;
        for (std::uint64_t k = 0; k < size; k += step) {
            auto* const p = static_cast<std::byte volatile*>(begin + k);
            *p = *p;
        }
    }

    /// Null if it failed; unmapped by the destructor.
    void* reserve(std::uint64_t size, int protection, int flags, int fd, std::uint64_t offset) {
        auto* const p = ::mmap(nullptr, size, protection, flags, fd, static_cast<off_t>(offset));
        if (p == MAP_FAILED) return nullptr;
        mappings_.emplace_back(p, size);
        return p;
    }

    /// What the kernel is given of a set.
    void point(std::size_t number) {
        auto& set = sets_[number];
        for (std::size_t i = 0; i < job_->arguments.size(); ++i) {
            auto const& a = job_->arguments[i];
            auto& m = set.arguments[i];
            if (!a.buffer) {
                auto const& value = a.values[number];
                m.value.resize(value.size() / sizeof(mapped_argument::piece) + 1);
                std::memcpy(m.value.data(), value.data(), value.size());
                set.pointers.push_back(m.value.data());
                continue;
            }
            m.place = std::min(a.places[number], room_bytes(a.size) - a.size);
            m.pointer = m.room + m.place;
            if (!a.constant) set.pointers.push_back(&m.pointer);
        }
        // Only inputs have maps, and they stay where they are.
        for (std::size_t i = 0; i < job_->arguments.size(); ++i)
            if (auto const of = job_->arguments[i].map_of; of != 0 && of <= job_->arguments.size())
                std::memcpy(set.arguments[i].value.front().bytes.data(),
                            &set.arguments[of - 1].pointer,
                            sizeof(void*));
    }

    bool map(job_argument const& a, std::uint64_t offset, std::uint64_t seed, mapped_argument& m) {
        auto const size = room_bytes(a.size);
        auto const before = guard + seed % 256 * page_bytes;
        auto const behind = guard + seed / 256 % 256 * page_bytes;
        auto* const space = static_cast<std::byte*>(reserve(
            size + before + behind, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (space == nullptr) return false;
        m.room = space + before;
        auto const input = a.flow == direction::in;
        auto* const p = ::mmap(m.room,
                               size,
                               input ? PROT_READ : PROT_READ | PROT_WRITE,
                               MAP_FIXED | MAP_SHARED | (input ? 0 : MAP_ANONYMOUS),
                               input ? arena_ : -1,
                               input ? static_cast<off_t>(offset) : 0);
        return p != MAP_FAILED;
    }

    job const* job_ = nullptr;
    int arena_ = -1;
    void* head_ = nullptr;
    void* branches_ = nullptr;
    launch_gate* gate_ = nullptr;
    std::byte* shared_noise_ = nullptr;
    std::vector<std::pair<void*, std::uint64_t>> mappings_;
    mark_region hide_ = nullptr, show_ = nullptr;
    std::vector<mapped_set> sets_;
    std::size_t set_ = 0;
};

/// What the arguments, guards and stacks of a run reserve beside what the kernel may use.
[[nodiscard]] inline std::uint64_t address_space(job const& j) {
    std::uint64_t n = std::uint64_t{256} << 20;
    for (auto const& a : j.arguments)
        if (a.buffer) n += j.sets * (room_bytes(a.size) + 2 * buffers::max_guard);
    n += std::uint64_t{j.threads} * (j.dimensions.block.count() * (j.stack_bytes + page_bytes) +
                                     (std::uint64_t{16} << 20) + j.dimensions.shared_bytes);
    return n;
}

} // namespace lkt::host_detail
