// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace lkt::process_detail {

/// A program can be started with standard input, output or error closed (`>&-`). The next file that
/// it opens, a journal or a socket, then has that number, and whatever is printed goes there. This
/// puts something in each free place that fails whoever uses it: nothing can be written to what is
/// open for reading alone. False where a place stays free, since no descriptor can be had.
inline bool secure_standard_streams() {
    for (int fd = 0; fd < 3; ++fd) {
        if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        int const mode = fd == 0 ? O_WRONLY : O_RDONLY;
        // The lowest free number is taken, which is this one. Where there is no /dev: the root.
        int opened = ::open("/dev/null", mode);
        if (opened < 0) opened = ::open("/", O_RDONLY | O_DIRECTORY);
        if (opened != fd) {
            if (opened >= 0) ::close(opened);
            return false;
        }
    }
    return true;
}

} // namespace lkt::process_detail
