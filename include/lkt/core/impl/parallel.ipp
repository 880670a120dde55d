// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/parallel.hpp>

#include <array>
#include <atomic>
#include <new>
#include <system_error>
#include <thread>

namespace lkt {

unsigned threads_at_hand() {
    unsigned const there = std::thread::hardware_concurrency(); // 0: unknown
    return there == 0 ? 1 : there < max_threads ? there : max_threads;
}

namespace detail {

bool call_for_parts(std::size_t count,
                    std::size_t size,
                    unsigned threads,
                    std::stop_token const& stop,
                    void const* f,
                    part_call call) {
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
            call(f, part, first, count - first < size ? count : first + size);
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

} // namespace detail

} // namespace lkt
