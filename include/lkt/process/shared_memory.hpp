// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/unique_fd.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <type_traits>

namespace lkt {

enum class memory_access : unsigned char { read_only, read_write };

namespace process_detail {

[[nodiscard]] inline error memory_error(std::string what, int number) {
    auto const full = number == ENOMEM || number == ENOSPC || number == EMFILE || number == ENFILE;
    return {full ? condition::exhausted : condition::rejected,
            full ? "lkt.memory.exhausted" : "lkt.memory.refused",
            std::move(what) + ": " + std::strerror(number),
            full ? "free memory or descriptors, or work on a smaller problem" : ""};
}

} // namespace process_detail

/// Anonymous memory with a descriptor, mapped here and mappable by any process that is handed the
/// descriptor. Its size is sealed: nobody can shrink it under somebody who reads.
class shared_memory {
public:
    shared_memory() = default;
    shared_memory(shared_memory&& other) noexcept
        : fd_(std::move(other.fd_)), address_(std::exchange(other.address_, nullptr)),
          size_(std::exchange(other.size_, 0)), access_(other.access_) {}
    shared_memory& operator=(shared_memory&& other) noexcept {
        if (this == &other) return *this;
        unmap();
        fd_ = std::move(other.fd_);
        address_ = std::exchange(other.address_, nullptr);
        size_ = std::exchange(other.size_, 0);
        access_ = other.access_;
        return *this;
    }
    ~shared_memory() { unmap(); }

    /// `size` bytes of zeros, writable. Size 0 is allowed. Errors: `lkt.memory.exhausted`,
    /// `lkt.memory.refused`.
    [[nodiscard]] static result<shared_memory> create(std::size_t size) {
        auto fd = make(size);
        if (!fd) return fd.error();
        return map(std::move(*fd), size, memory_access::read_write);
    }

    /// A copy of `bytes` that nobody can change any more, this process included.
    [[nodiscard]] static result<shared_memory> frozen(std::string_view bytes) {
        auto fd = make(bytes.size());
        if (!fd) return fd.error();
        for (std::size_t done = 0; done < bytes.size();) {
            auto const n = ::pwrite(
                fd->get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return process_detail::memory_error("cannot fill shared memory", errno);
            done += static_cast<std::size_t>(n);
        }
        if (::fcntl(fd->get(), F_ADD_SEALS, F_SEAL_WRITE) != 0)
            return process_detail::memory_error("cannot freeze shared memory", errno);
        return map(std::move(*fd), bytes.size(), memory_access::read_only);
    }

    /// Maps what another process sent. Errors: `lkt.memory.unsealed` when the sender could still
    /// shrink it (reading would then kill the reader).
    [[nodiscard]] static result<shared_memory> adopt(unique_fd fd, memory_access access) {
        struct stat about{};
        if (::fstat(fd.get(), &about) != 0)
            return process_detail::memory_error("cannot look at shared memory", errno);
        auto const seals = ::fcntl(fd.get(), F_GET_SEALS);
        if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
            return error{condition::rejected,
                         "lkt.memory.unsealed",
                         "shared memory from another process can still be shrunk",
                         "send memory that lkt::shared_memory made"};
        return map(std::move(fd), static_cast<std::size_t>(about.st_size), access);
    }

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
    [[nodiscard]] static result<unique_fd> make(std::size_t size) {
        unique_fd fd{::memfd_create("lkt", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
        if (!fd) return process_detail::memory_error("cannot create shared memory", errno);
        auto const fits = size <= static_cast<std::uint64_t>(PTRDIFF_MAX);
        if (!fits || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0)
            return process_detail::memory_error("cannot create " + std::to_string(size) +
                                                    " bytes of shared memory",
                                                fits ? errno : ENOMEM);
        if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
            return process_detail::memory_error("cannot seal shared memory", errno);
        return fd;
    }

    [[nodiscard]] static result<shared_memory>
    map(unique_fd fd, std::size_t size, memory_access a) {
        shared_memory memory;
        memory.size_ = size;
        memory.access_ = a;
        if (size != 0) {
            auto const protection =
                a == memory_access::read_only ? PROT_READ : PROT_READ | PROT_WRITE;
            auto* const p = ::mmap(nullptr, size, protection, MAP_SHARED, fd.get(), 0);
            if (p == MAP_FAILED)
                return process_detail::memory_error(
                    "cannot map " + std::to_string(size) + " bytes of shared memory", errno);
            memory.address_ = p;
        }
        memory.fd_ = std::move(fd);
        return memory;
    }

    void unmap() {
        if (address_ != nullptr) ::munmap(address_, size_);
        address_ = nullptr;
    }

    unique_fd fd_;
    void* address_ = nullptr;
    std::size_t size_ = 0;
    memory_access access_ = memory_access::read_write;
};

} // namespace lkt
