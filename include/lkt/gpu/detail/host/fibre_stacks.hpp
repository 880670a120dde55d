// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace lkt::host_detail {

/// Memory for the stacks of so many fibres, with a page between two that nobody may touch.
class fibre_stacks {
public:
    /// Throws std::bad_alloc where there is none.
    fibre_stacks(unsigned count, std::size_t bytes_of_one)
        : stride_(bytes_of_one + guard), bytes_(stride_ * count + guard) {
        constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
        memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, kind, -1, 0);
        if (memory_ == MAP_FAILED) throw std::bad_alloc{};
        for (unsigned n = 0; n <= count; ++n)
            if (!close(bottom(n) - guard)) {
                ::munmap(memory_, bytes_);
                throw std::bad_alloc{};
            }
    }
    ~fibre_stacks() { ::munmap(memory_, bytes_); }
    fibre_stacks(fibre_stacks const&) = delete;
    fibre_stacks& operator=(fibre_stacks const&) = delete;

    /// Of the n-th.
    [[nodiscard]] char* bottom(unsigned n) const {
        return static_cast<char*>(memory_) + n * stride_ + guard;
    }

private:
    static constexpr std::size_t guard = 4096;

    /// Linux 6.13 marks a page; before, each page that is closed makes two mappings of one, and a
    /// block has up to 1024 of them in each process.
    static bool close(char* page) {
        constexpr int install_guard = 102; // MADV_GUARD_INSTALL, which older headers lack
        return ::madvise(page, guard, install_guard) == 0 ||
               ::mprotect(page, guard, PROT_NONE) == 0;
    }

    std::size_t stride_, bytes_;
    void* memory_ = nullptr;
};

} // namespace lkt::host_detail
