// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/unique_fd.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt {

enum class memory_access : unsigned char { read_only, read_write };

/// Anonymous memory with a descriptor, mapped here and mappable by any process that receives the
/// descriptor. Its size is sealed: no process can shrink it while another one reads.
class shared_memory {
public:
    shared_memory() = default;
    shared_memory(shared_memory&& other) noexcept
        : fd_(std::move(other.fd_)), address_(std::exchange(other.address_, nullptr)),
          size_(std::exchange(other.size_, 0)), access_(other.access_) {}
    shared_memory& operator=(shared_memory&& other) noexcept;
    ~shared_memory() { unmap(); }

    /// `size` bytes of zeros, writable. Size 0 is allowed. Errors: `lkt.memory.exhausted`,
    /// `lkt.memory.refused`.
    [[nodiscard]] static result<shared_memory> create(std::size_t size);

    /// A copy of `bytes` that no process can change, not even this one.
    [[nodiscard]] static result<shared_memory> frozen(std::string_view bytes);

    /// Maps what another process sent. Errors: `lkt.memory.unsealed` when the sender could still
    /// shrink it (reading would then kill the reader).
    [[nodiscard]] static result<shared_memory> adopt(unique_fd fd, memory_access access);

    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] memory_access access() const { return access_; }
    [[nodiscard]] explicit operator bool() const { return static_cast<bool>(fd_); }

    /// Bytes to read.
    [[nodiscard]] std::span<std::byte const> bytes() const {
        return {static_cast<std::byte const*>(address_), size_};
    }
    /// Bytes to write; empty where the mapping is read-only.
    [[nodiscard]] std::span<std::byte> writable_bytes() {
        if (access_ == memory_access::read_only) return {};
        return {static_cast<std::byte*>(address_), size_};
    }
    /// Copies `bytes` to `at`, where there is room for them. Into memory that was not written yet
    /// this is much faster than writing through `writable_bytes`.
    void write(std::size_t at, std::span<std::byte const> bytes);
    /// Lets the system allocate all of the memory now, on several threads if it is large, for a
    /// later writer with one thread. Keeps the contents. No one else may write meanwhile.
    void populate();

    [[nodiscard]] std::string_view text() const {
        return {static_cast<char const*>(address_), size_};
    }
    /// As elements, whole ones only; writable if `T` is not const and the mapping is.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    [[nodiscard]] std::span<T> as() {
        if (!std::is_const_v<T> && access_ == memory_access::read_only) return {};
        return {static_cast<T*>(address_), size_ / sizeof(T)};
    }

private:
    [[nodiscard]] static result<unique_fd> make(std::size_t size);

    [[nodiscard]] static result<shared_memory> map(unique_fd fd, std::size_t size, memory_access a);

    void unmap();

    unique_fd fd_;
    void* address_ = nullptr;
    std::size_t size_ = 0;
    memory_access access_ = memory_access::read_write;
};

} // namespace lkt
