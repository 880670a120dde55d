// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/byte_buffer.hpp>

#include <lkt/core/parallel.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

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

byte_buffer::byte_buffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    bytes_ = static_cast<std::byte*>(std::calloc(size, 1)); // NOLINT: new would write the zeros
    if (bytes_ == nullptr) throw std::bad_alloc();
    if (size > byte_parts::mapped) byte_parts::advise_huge_pages(bytes_, size);
}

byte_buffer::byte_buffer(std::span<std::byte const> bytes) : byte_buffer(bytes.size()) {
    copy_bytes(*this, bytes);
}

byte_buffer::~byte_buffer() { std::free(bytes_); } // NOLINT

void byte_buffer::resize(std::size_t size) {
    byte_buffer made(size);
    copy_bytes(made, {bytes_, std::min(size, size_)});
    *this = std::move(made);
}

bool byte_buffer::equals(byte_buffer const& other) const {
    return size_ == other.size_ && (size_ == 0 || std::memcmp(bytes_, other.bytes_, size_) == 0);
}

} // namespace lkt
