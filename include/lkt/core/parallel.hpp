// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <stop_token>
#include <type_traits>

namespace lkt {

/// The maximum number of threads: memory has no bandwidth for more.
inline constexpr unsigned max_threads = 16;

/// How many threads large pieces of work get.
[[nodiscard]] unsigned threads_at_hand();

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

namespace detail {
using part_call = void (*)(void const* f, std::size_t part, std::size_t first, std::size_t last);
[[nodiscard]] bool call_for_parts(std::size_t count,
                                  std::size_t size,
                                  unsigned threads,
                                  std::stop_token const& stop,
                                  void const* f,
                                  part_call call);
} // namespace detail

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
    auto const call = [](void const* of, std::size_t part, std::size_t first, std::size_t last) {
        (*static_cast<F const*>(of))(part, first, last);
    };
    return detail::call_for_parts(count, size, threads, stop, &f, call);
}

} // namespace lkt
