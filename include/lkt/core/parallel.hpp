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

/// More threads than these nobody is given: memory has no more bandwidth for them.
inline constexpr unsigned max_threads = 16;

/// How many threads work on what is worth them.
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

/// How many parts of `size` there are in `count`, the last of which may be smaller.
[[nodiscard]] constexpr std::size_t parts_in(std::size_t count, std::size_t size) {
    return count / size + (count % size != 0 ? 1 : 0);
}

/// Calls `f(part, first, last)` for each part of [0, count), of `size` elements each but the last,
/// on up to `threads` threads with the caller's among them, in no particular order. False: it was
/// asked to stop and left some out. `f` must not throw, and two of its calls may run at once. Where
/// the system refuses a thread, those that there are do the work.
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
