// SPDX-License-Identifier: BSL-1.0
// Between two launches: the cell waits here while the worker prepares the next one.
#pragma once

#include <lkt/gpu/detail/host/host_job.hpp>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lkt::host_detail {

/// Waits as long as `word` is `seen`, and not much longer than `milliseconds`; between processes.
inline void await_change(std::atomic<std::uint32_t>& word, std::uint32_t seen, int milliseconds) {
    timespec const limit{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
    (void)::syscall(__NR_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}
inline void notify_change(std::atomic<std::uint32_t>& word) {
    (void)::syscall(__NR_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// In memory that both share. The cell says how often it has asked, and nothing else that counts.
struct launch_gate {
    std::atomic<std::uint32_t> asked{0}, answered{0};
    // Of the launch to come:
    std::uint32_t open = 0; ///< 0: there is none, something went wrong
    std::uint32_t set = 0;
    std::uint64_t places[max_arguments] =
        {}; ///< of the buffers that are not inputs, in their rooms

    /// In the cell: the worker has looked at the launch before, if there was one, and memory is
    /// what the next one is to find.
    [[nodiscard]] bool pass() {
        auto const number = asked.load(std::memory_order_relaxed) + 1;
        asked.store(number, std::memory_order_release);
        notify_change(asked);
        for (std::uint32_t seen; (seen = answered.load(std::memory_order_acquire)) != number;)
            await_change(answered, seen, 1000);
        return open != 0;
    }
    /// In the worker.
    void answer(std::uint32_t number, bool good) {
        open = good ? 1 : 0;
        answered.store(number, std::memory_order_release);
        notify_change(answered);
    }
};

} // namespace lkt::host_detail
