// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/byte_buffer.hpp>

#include <lkt/core/parallel.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace lkt {

namespace byte_parts {

/// What the C library maps by itself rather than takes from its heap, whatever was freed before
/// (glibc's DEFAULT_MMAP_THRESHOLD_MAX): `calloc` knows these to be zero.
constexpr std::size_t mapped = std::size_t{32} << 20, huge_page = std::size_t{2} << 20;

/// A page fault for each 4 KiB takes longer than to draw what goes there. Where there are no huge
/// pages, nothing changes.
void advise_huge_pages([[maybe_unused]] std::byte* bytes, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
    auto const before = reinterpret_cast<std::uintptr_t>(bytes) % huge_page; // NOLINT
    std::size_t const skipped = before == 0 ? 0 : huge_page - before;
    (void)::madvise(bytes + skipped, (size - skipped) / huge_page * huge_page, MADV_HUGEPAGE);
#endif
}

/// What is allocated for that many bytes: at most an eighth more, so that what one buffer leaves
/// fits another one of nearly its size.
std::size_t room_for(std::size_t size) {
    if (size <= mapped) return size;
    std::size_t const step = std::bit_floor(size) / 8;
    return size > ~step ? size : (size + step - 1) / step * step;
}

/// Large blocks that were freed: to write to pages that are there takes a tenth of what the system
/// takes to find other ones and to clear them. As many as make no more than 512 MiB, or than there
/// were in use at once, together with those in use.
class freed_blocks {
public:
    /// Null if there is none of that room.
    [[nodiscard]] std::byte* take(std::size_t room) {
        std::lock_guard const lock(mutex_);
        for (std::size_t k = blocks_.size(); k-- > 0;) {
            if (blocks_[k].second != room) continue;
            std::byte* const found = blocks_[k].first;
            drop(k);
            return found;
        }
        return nullptr;
    }
    /// A block is in use, from here or from the system.
    void use(std::size_t room) noexcept {
        std::lock_guard const lock(mutex_);
        used_ += room;
        peak_ = std::max(peak_, used_);
        while (!blocks_.empty() && used_ + held_ > std::max(least, peak_)) free_oldest();
    }
    /// The oldest go back to the system.
    void put(std::byte* block, std::size_t room) noexcept {
        std::lock_guard const lock(mutex_);
        used_ -= room;
        blocks_.emplace_back(block, room); // there is room
        held_ += room;
        while (used_ + held_ > std::max(least, peak_) || blocks_.size() == blocks_.capacity())
            free_oldest();
    }

private:
    static constexpr std::size_t least = std::size_t{512} << 20, most_blocks = 64;

    void free_oldest() noexcept {
        std::free(blocks_.front().first); // NOLINT
        drop(0);
    }
    void drop(std::size_t k) noexcept {
        held_ -= blocks_[k].second;
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(k));
    }

    std::mutex mutex_;
    std::vector<std::pair<std::byte*, std::size_t>> blocks_ = [] {
        std::vector<std::pair<std::byte*, std::size_t>> none;
        none.reserve(most_blocks);
        return none;
    }();
    std::size_t held_ = 0, used_ = 0, peak_ = 0;
};

/// Never destroyed: buffers may outlive whatever is.
freed_blocks& freed() {
    static auto& all = *new freed_blocks; // NOLINT
    return all;
}

/// `zero`: what was there before is overwritten, where there was anything.
std::byte* allocate(std::size_t size, bool zero) {
    if (size == 0) return nullptr;
    std::size_t const room = room_for(size);
    if (size > mapped)
        if (std::byte* const found = freed().take(room)) {
            auto const clear = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
                std::memset(found + first, 0, last - first);
            };
            freed().use(room);
            if (zero) (void)for_each_part(size, bytes_in_part, threads_for_bytes(size), {}, clear);
            return found;
        }
    auto* const made = static_cast<std::byte*>(std::calloc(room, 1)); // NOLINT: new writes zeros
    if (made == nullptr) throw std::bad_alloc();
    if (size > mapped) {
        freed().use(room);
        advise_huge_pages(made, room);
    }
    return made;
}

} // namespace byte_parts

void copy_bytes(std::span<std::byte> to, std::span<std::byte const> from) noexcept {
    if (from.empty()) return;
    unsigned const threads = threads_for_bytes(from.size());
    if (threads == 1) {
        std::memcpy(to.data(), from.data(), from.size());
        return;
    }
    auto const copy = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
        std::memcpy(to.data() + first, from.data() + first, last - first);
    };
    (void)for_each_part(from.size(), bytes_in_part, threads, {}, copy); // nobody stops it
}

byte_buffer::byte_buffer(std::size_t size)
    : bytes_(byte_parts::allocate(size, true)), size_(size) {}

byte_buffer::byte_buffer(std::span<std::byte const> bytes)
    : bytes_(byte_parts::allocate(bytes.size(), false)), size_(bytes.size()) {
    copy_bytes(*this, bytes);
}

byte_buffer::~byte_buffer() {
    if (size_ > byte_parts::mapped)
        byte_parts::freed().put(bytes_, byte_parts::room_for(size_));
    else
        std::free(bytes_); // NOLINT
}

void byte_buffer::resize(std::size_t size) {
    byte_buffer made(size);
    copy_bytes(made, {bytes_, std::min(size, size_)});
    *this = std::move(made);
}

bool byte_buffer::equals(byte_buffer const& other) const {
    return size_ == other.size_ && (size_ == 0 || std::memcmp(bytes_, other.bytes_, size_) == 0);
}

} // namespace lkt
