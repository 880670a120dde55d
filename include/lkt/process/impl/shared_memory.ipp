// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/shared_memory.hpp>

#include <lkt/core/parallel.hpp>

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
    if (number == EFBIG)
        return {condition::exhausted,
                "lkt.memory.exhausted",
                std::move(what) + ": " + std::strerror(number),
                "it counts as a file: raise the file size limit (ulimit -f)"};
    auto const full = number == ENOMEM || number == ENOSPC || number == EMFILE || number == ENFILE;
    return {full ? condition::exhausted : condition::rejected,
            full ? "lkt.memory.exhausted" : "lkt.memory.refused",
            std::move(what) + ": " + std::strerror(number),
            full ? "free memory or descriptors, or work on a smaller problem" : ""};
}

/// Has the system find the pages of `bytes`, at once where it can (Linux 5.14).
void find_pages(std::span<std::byte> bytes) {
    auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    auto const before = reinterpret_cast<std::uintptr_t>(bytes.data()) % page; // NOLINT
#ifdef MADV_POPULATE_WRITE
    if (::madvise(bytes.data() - before, bytes.size() + before, MADV_POPULATE_WRITE) == 0) return;
#endif
    for (std::size_t at = 0; at < bytes.size(); at += page - (at + before) % page) {
        auto volatile& byte = bytes[at];
        byte = byte;
    }
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
        return process_detail::memory_error("cannot inspect shared memory", errno);
    auto const seals = ::fcntl(fd.get(), F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
        return error{condition::rejected,
                     "lkt.memory.unsealed",
                     "shared memory from another process can still be shrunk",
                     "send memory that lkt::shared_memory made"};
    return map(std::move(fd), static_cast<std::size_t>(about.st_size), access);
}

void shared_memory::write(std::size_t at, std::span<std::byte const> bytes) {
    if (unsigned const threads = threads_for_bytes(bytes.size()); threads > 1) {
        auto const to = writable_bytes().subspan(at, bytes.size());
        auto const copy = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
            process_detail::find_pages(to.subspan(first, last - first));
            std::memcpy(to.data() + first, bytes.data() + first, last - first);
        };
        (void)for_each_part(bytes.size(), bytes_in_part, threads, {}, copy); // nobody stops it
        return;
    }
    // Through the descriptor, fresh memory is neither zeroed nor mapped page by page.
    while (!bytes.empty()) {
        auto const n = ::pwrite(fd(), bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (n <= 0) break;
        at += static_cast<std::size_t>(n);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    if (!bytes.empty()) std::memcpy(writable_bytes().data() + at, bytes.data(), bytes.size());
}

void shared_memory::populate() {
    auto const all = writable_bytes();
    unsigned const threads = threads_for_bytes(all.size());
    if (threads == 1) return; // whoever writes finds the pages as fast
    auto const find = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
        process_detail::find_pages(all.subspan(first, last - first));
    };
    (void)for_each_part(all.size(), bytes_in_part, threads, {}, find); // nobody stops it
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
