// SPDX-License-Identifier: BSL-1.0
// Pipes, what is read from them, and deadlines.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/unique_fd.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace lkt::process_detail {

using time_point = std::chrono::steady_clock::time_point;

/// `limit` from now, without overflow for "as long as it takes".
[[nodiscard]] inline time_point deadline_in(std::chrono::milliseconds limit) {
    auto const now = std::chrono::steady_clock::now();
    return limit > std::chrono::hours{24 * 365} ? time_point::max() : now + limit;
}

/// For poll: rounded up, so that it does not spin just before the deadline.
[[nodiscard]] inline int milliseconds_until(time_point deadline) {
    if (deadline == time_point::max()) return -1;
    auto const left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

/// Reads one pipe into a bounded text: the first `limit` bytes, or the last ones.
struct capture {
    unique_fd fd;
    std::size_t limit = 0;
    bool keep_last = false;
    std::string text;
    bool cut = false;

    /// Takes what is there, but at most what a pipe holds: a writer that never stops must not keep
    /// its reader from looking at the clock. Closes `fd` at its end.
    void drain() {
        char buffer[16384];
        for (int reads = 0; fd && reads < 64; ++reads) {
            auto const n = ::read(fd.get(), buffer, sizeof buffer);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
            if (n <= 0) return fd.reset();
            take({buffer, static_cast<std::size_t>(n)});
        }
    }

private:
    void take(std::string_view bytes) {
        if (keep_last) {
            text += bytes;
            cut = cut || text.size() > limit;
            if (text.size() > limit) text.erase(0, text.size() - limit);
            return;
        }
        auto const room = limit - text.size();
        cut = cut || bytes.size() > room;
        text += bytes.substr(0, room);
    }
};

struct pipe_ends {
    unique_fd read, write;
};

[[nodiscard]] inline error descriptor_error(std::string const& what) {
    return {condition::exhausted,
            "lkt.worker.descriptors",
            "cannot make " + what + ": " + std::strerror(errno),
            "raise the limit of open files (ulimit -n)"};
}

/// Both ends above the descriptors that a worker is started with, so that dup2 cannot collide.
[[nodiscard]] inline result<pipe_ends> make_pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return descriptor_error("a pipe");
    unique_fd const low[2] = {unique_fd{fds[0]}, unique_fd{fds[1]}};
    pipe_ends ends{unique_fd{::fcntl(fds[0], F_DUPFD_CLOEXEC, 16)},
                   unique_fd{::fcntl(fds[1], F_DUPFD_CLOEXEC, 16)}};
    if (!ends.read || !ends.write) return descriptor_error("a pipe");
    return ends;
}

} // namespace lkt::process_detail
