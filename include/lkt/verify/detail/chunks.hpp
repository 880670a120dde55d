// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/parallel.hpp>

#include <cstddef>
#include <stop_token>
#include <vector>

namespace lkt::detail {

/// What a thread takes at a time. It does not depend on the number of threads, so neither does
/// anything that is summed chunk by chunk.
inline constexpr std::size_t lanes_in_chunk = std::size_t{1} << 16;

[[nodiscard]] constexpr std::size_t chunks_in(std::size_t lanes) {
    return parts_in(lanes, lanes_in_chunk);
}

/// How many threads work on so many lanes: below a million, starting them is not worth it.
[[nodiscard]] inline unsigned threads_for(std::size_t lanes) {
    return lanes < std::size_t{1} << 20 ? 1 : threads_at_hand();
}

/// The same where each lane is a number to draw, which takes as long as to compare eight and more.
[[nodiscard]] inline unsigned threads_to_draw(std::size_t lanes) { return threads_for(8 * lanes); }

/// `for_each_part` for the chunks of [0, lanes).
template <class F>
[[nodiscard]] bool
for_each_chunk(std::size_t lanes, unsigned threads, std::stop_token const& stop, F const& f) {
    return for_each_part(lanes, lanes_in_chunk, threads, stop, f);
}

/// What `part(sum, first, last)` adds to a `Sum` of its own for each chunk, the sums added up in
/// the order of the chunks: the same with any number of threads.
template <class Sum, class F>
[[nodiscard]] Sum sum_of_chunks(std::size_t lanes, unsigned threads, F const& part) {
    std::vector<Sum> sums(chunks_in(lanes));
    auto const one = [&](std::size_t chunk, std::size_t first, std::size_t last) noexcept {
        Sum sum;
        part(sum, first, last);
        sums[chunk] = sum;
    };
    (void)for_each_chunk(lanes, threads, {}, one); // nobody stops it
    Sum all;
    for (Sum const& sum : sums) all += sum;
    return all;
}

} // namespace lkt::detail
