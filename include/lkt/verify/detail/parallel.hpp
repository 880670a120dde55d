// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <stop_token>
#include <system_error>
#include <thread>
#include <type_traits>

namespace lkt::detail {

/// What a thread takes at a time. It does not depend on the number of threads, so neither does
/// anything that is summed chunk by chunk.
inline constexpr std::size_t lanes_in_chunk = std::size_t{1} << 16;
inline constexpr unsigned most_threads = 16;

[[nodiscard]] constexpr std::size_t chunks_in(std::size_t lanes) {
    return (lanes + lanes_in_chunk - 1) / lanes_in_chunk;
}

/// How many threads work on so many lanes: below a million, starting them is not worth it.
[[nodiscard]] inline unsigned threads_for(std::size_t lanes) {
    if (lanes < std::size_t{1} << 20) return 1;
    return std::clamp(std::thread::hardware_concurrency(), 1u, most_threads);
}

/// Calls `f(chunk, first, last)` for each chunk of [0, lanes), on up to `threads` threads with the
/// caller's among them, in no particular order. False: it was asked to stop and left some out.
/// `f` must not throw, and two of its calls may run at once. Where the system refuses a thread,
/// those that there are do the work.
template <class F>
[[nodiscard]] bool
for_each_chunk(std::size_t lanes, unsigned threads, std::stop_token const& stop, F const& f) {
    static_assert(std::is_nothrow_invocable_v<F const&, std::size_t, std::size_t, std::size_t>,
                  "an exception on a thread of its own would end the program");
    std::size_t const chunks = chunks_in(lanes);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    auto const work = [&]() noexcept {
        for (;;) {
            std::size_t const chunk = next.fetch_add(1, std::memory_order_relaxed);
            if (chunk >= chunks) return;
            if (stop.stop_requested()) {
                stopped = true;
                return;
            }
            std::size_t const first = chunk * lanes_in_chunk;
            f(chunk, first, std::min(first + lanes_in_chunk, lanes));
        }
    };
    {
        std::array<std::jthread, most_threads - 1> helpers;
        std::size_t const wanted = std::min<std::size_t>({threads, most_threads, chunks});
        try {
            for (std::size_t k = 1; k < wanted; ++k) helpers[k - 1] = std::jthread(work);
        } catch (std::system_error const&) { // no thread is left
        } catch (std::bad_alloc const&) {    // nor memory for one
        }
        work();
    }
    return !stopped;
}

} // namespace lkt::detail
