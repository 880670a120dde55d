// SPDX-License-Identifier: BSL-1.0
// Memory for bytes by the gigabyte.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace lkt {

/// Copies `from` to the beginning of `to`, which is no smaller and does not overlap it; on several
/// threads where there is enough to do.
void copy_bytes(std::span<std::byte> to, std::span<std::byte const> from) noexcept;

/// Bytes, as many as it was made with. Unlike a vector's they are zero without having been written:
/// memory by the gigabyte is the system's until it is used, on whichever threads use it, in pages
/// as large as the system has. Copies are made by `copy_bytes`. What needs memory throws
/// `std::bad_alloc` where there is none.
class byte_buffer {
public:
    byte_buffer() = default;
    /// Zeros.
    explicit byte_buffer(std::size_t size);
    explicit byte_buffer(std::span<std::byte const> bytes);
    byte_buffer(std::vector<std::byte> const& bytes) : byte_buffer(std::span(bytes)) {}
    byte_buffer(std::initializer_list<std::byte> bytes)
        : byte_buffer(std::span<std::byte const>(bytes.begin(), bytes.size())) {}
    byte_buffer(byte_buffer const& other) : byte_buffer(std::span<std::byte const>(other)) {}
    byte_buffer(byte_buffer&& other) noexcept
        : bytes_(std::exchange(other.bytes_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    byte_buffer& operator=(byte_buffer other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~byte_buffer();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::byte* data() { return bytes_; }
    [[nodiscard]] std::byte const* data() const { return bytes_; }
    [[nodiscard]] std::byte* begin() { return bytes_; }
    [[nodiscard]] std::byte* end() { return bytes_ + size_; }
    [[nodiscard]] std::byte const* begin() const { return bytes_; }
    [[nodiscard]] std::byte const* end() const { return bytes_ + size_; }
    [[nodiscard]] std::byte& operator[](std::size_t k) { return bytes_[k]; }
    [[nodiscard]] std::byte const& operator[](std::size_t k) const { return bytes_[k]; }

    /// Its first bytes stay, what is added is zero.
    void resize(std::size_t size);

    [[nodiscard]] friend bool operator==(byte_buffer const& a, byte_buffer const& b) {
        return a.equals(b);
    }

private:
    [[nodiscard]] bool equals(byte_buffer const& other) const;

    std::byte* bytes_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace lkt
