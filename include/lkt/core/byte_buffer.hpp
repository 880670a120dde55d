// SPDX-License-Identifier: BSL-1.0
// Memory for bytes by the gigabyte.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace lkt {

/// Copies `from` to the beginning of `to`, which is at least as large and does not overlap it. Uses
/// several threads if there is enough to copy.
void copy_bytes(std::span<std::byte> to, std::span<std::byte const> from) noexcept;

/// A fixed number of bytes. Unlike those of a vector, they are zero without having been written:
/// the system provides the pages, as large as it has, when a thread first uses them; what large
/// buffers leave (up to 512 MiB of it) is used again, and zeroed then. `copy_bytes` makes copies.
/// Functions that need memory throw `std::bad_alloc` if there is none.
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

    /// Keeps the first bytes; added bytes are zero.
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
