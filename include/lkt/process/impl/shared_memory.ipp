// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/shared_memory.hpp>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lkt {

namespace process_detail {

error memory_error(std::string what, int number) {
    auto const full = number == ENOMEM || number == ENOSPC || number == EMFILE || number == ENFILE;
    return {full ? condition::exhausted : condition::rejected,
            full ? "lkt.memory.exhausted" : "lkt.memory.refused",
            std::move(what) + ": " + std::strerror(number),
            full ? "free memory or descriptors, or work on a smaller problem" : ""};
}

} // namespace process_detail

shared_memory& shared_memory::operator=(shared_memory&& other) noexcept {
    if (this == &other) return *this;
    unmap();
    fd_ = std::move(other.fd_);
    address_ = std::exchange(other.address_, nullptr);
    size_ = std::exchange(other.size_, 0);
    access_ = other.access_;
    return *this;
}

result<shared_memory> shared_memory::create(std::size_t size) {
    auto fd = make(size);
    if (!fd) return fd.error();
    return map(std::move(*fd), size, memory_access::read_write);
}

result<shared_memory> shared_memory::frozen(std::string_view bytes) {
    auto fd = make(bytes.size());
    if (!fd) return fd.error();
    for (std::size_t done = 0; done < bytes.size();) {
        auto const n =
            ::pwrite(fd->get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return process_detail::memory_error("cannot fill shared memory", errno);
        done += static_cast<std::size_t>(n);
    }
    if (::fcntl(fd->get(), F_ADD_SEALS, F_SEAL_WRITE) != 0)
        return process_detail::memory_error("cannot freeze shared memory", errno);
    return map(std::move(*fd), bytes.size(), memory_access::read_only);
}

result<shared_memory> shared_memory::adopt(unique_fd fd, memory_access access) {
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

result<unique_fd> shared_memory::make(std::size_t size) {
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

result<shared_memory> shared_memory::map(unique_fd fd, std::size_t size, memory_access a) {
    shared_memory memory;
    memory.size_ = size;
    memory.access_ = a;
    if (size != 0) {
        auto const protection = a == memory_access::read_only ? PROT_READ : PROT_READ | PROT_WRITE;
        auto* const p = ::mmap(nullptr, size, protection, MAP_SHARED, fd.get(), 0);
        if (p == MAP_FAILED)
            return process_detail::memory_error(
                "cannot map " + std::to_string(size) + " bytes of shared memory", errno);
        memory.address_ = p;
    }
    memory.fd_ = std::move(fd);
    return memory;
}

void shared_memory::unmap() {
    if (address_ != nullptr) ::munmap(address_, size_);
    address_ = nullptr;
}

} // namespace lkt
