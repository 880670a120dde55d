// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/process/unique_fd.hpp>

#include <fcntl.h>
#include <unistd.h>

namespace lkt {

unique_fd& unique_fd::operator=(unique_fd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
}

void unique_fd::reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
}

unique_fd unique_fd::duplicate() const {
    return fd_ < 0 ? unique_fd{} : unique_fd{::fcntl(fd_, F_DUPFD_CLOEXEC, 3)};
}

} // namespace lkt
