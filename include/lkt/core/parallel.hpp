// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <stop_token>
#include <system_error>
#include <thread>
#include <type_traits>

namespace lkt {

/// The maximum number of threads: memory has no bandwidth for more.
inline constexpr unsigned max_threads = 16;

/// How many threads large pieces of work get.
[[nodiscard]] inline unsigned threads_at_hand() {
    unsigned const there = std::thread::hardware_concurrency(); // 0: unknown
    return there == 0 ? 1 : there < max_threads ? there : max_threads;
}

/// The same for so many bytes of memory that are to be written: below a few MiB, starting threads
/// takes longer than they save. Each takes `bytes_in_part` at a time.
[[nodiscard]] inline unsigned threads_for_bytes(std::size_t bytes) {
    return bytes < std::size_t{16} << 20 ? 1 : threads_at_hand();
}
inline constexpr std::size_t bytes_in_part = std::size_t{4} << 20;

/// The number of parts of `size` in `count`; the last one may be smaller.
[[nodiscard]] constexpr std::size_t parts_in(std::size_t count, std::size_t size) {
    return count / size + (count % size != 0 ? 1 : 0);
}

/// Calls `f(part, first, last)` for each part of [0, count), of `size` elements each except the
/// last, on up to `threads` threads including the caller's, in no particular order. False: it was
/// asked to stop and skipped some parts. `f` must not throw, and its calls may run concurrently. If
/// the system refuses a thread, the others do the work.
template <class F>
bool for_each_part(std::size_t count,
                   std::size_t size,
                   unsigned threads,
                   std::stop_token const& stop,
                   F const& f) {
    static_assert(std::is_nothrow_invocable_v<F const&, std::size_t, std::size_t, std::size_t>,
                  "an exception on a thread of its own would end the program");
    std::size_t const parts = parts_in(count, size);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    auto const work = [&]() noexcept {
        for (;;) {
            std::size_t const part = next.fetch_add(1, std::memory_order_relaxed);
            if (part >= parts) return;
            if (stop.stop_requested()) {
                stopped = true;
                return;
            }
            std::size_t const first = part * size;
            f(part, first, count - first < size ? count : first + size);
        }
    };
    {
        std::array<std::jthread, max_threads - 1> helpers;
        unsigned const most = threads < max_threads ? threads : max_threads;
        std::size_t const wanted = parts < most ? parts : most;
        try {
            for (std::size_t k = 1; k < wanted; ++k) helpers[k - 1] = std::jthread(work);
        } catch (std::system_error const&) { // no thread is left
        } catch (std::bad_alloc const&) {    // nor memory for one
        }
        work();
    }
    return !stopped;
}

} // namespace lkt
