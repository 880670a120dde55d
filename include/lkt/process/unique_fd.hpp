// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

namespace lkt {

/// Owns one file descriptor; moved, never copied.
class unique_fd {
public:
    unique_fd() = default;
    explicit unique_fd(int fd) : fd_(fd) {}
    unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    unique_fd& operator=(unique_fd&& other) noexcept;
    ~unique_fd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1);
    /// Another descriptor of the same open file, closed on exec; empty when the table is full.
    [[nodiscard]] unique_fd duplicate() const;

private:
    int fd_ = -1;
};

} // namespace lkt
