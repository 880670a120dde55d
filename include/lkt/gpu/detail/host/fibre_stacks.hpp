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
        memory_ = ::mmap(nullptr, bytes_, PROT_NONE, kind, -1, 0);
        if (memory_ == MAP_FAILED) throw std::bad_alloc{};
        for (unsigned n = 0; n < count; ++n)
            if (::mprotect(bottom(n), bytes_of_one, PROT_READ | PROT_WRITE) != 0) {
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
    std::size_t stride_, bytes_;
    void* memory_ = nullptr;
};

} // namespace lkt::host_detail
