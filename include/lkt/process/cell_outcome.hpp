// SPDX-License-Identifier: BSL-1.0
// How a cell ended; for both sides, so that a service can send it to its client.
#pragma once

#include <lkt/process/wire.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

namespace lkt {

/// It returned, or called exit.
struct cell_exited {
    int code = 0;
};
/// A signal killed it. `address` and `instruction` are known if `located`.
struct cell_signalled {
    int signal = 0;
    bool located = false;
    std::uint64_t address = 0, instruction = 0;
    bool stack_overflow = false; ///< the address is at the stack pointer: a heuristic
    bool was_read = false;       ///< the access was a read for certain, as x86 tells
};
/// It made a system call that is not for it, and was ended before the kernel did anything.
struct cell_refused {
    long number = -1; ///< -1: not known
    std::string call; ///< `socket`
};
struct cell_timed_out {};
/// Its memory limit was reached: it threw `std::bad_alloc`, or held too much. (A null pointer that
/// it got from malloc and then used is a `cell_signalled`.)
struct cell_out_of_memory {
    std::string why;
};
/// It started too many threads.
struct cell_overcrowded {
    int threads = 0;
};
struct cell_threw {
    std::string what;
};

using cell_end = std::variant<cell_exited,
                              cell_signalled,
                              cell_refused,
                              cell_timed_out,
                              cell_out_of_memory,
                              cell_overcrowded,
                              cell_threw>;

/// How a cell ended.
struct cell_outcome {
    cell_end end;
    std::string message; ///< given to `cell::report`
    std::string output;  ///< printed to standard output and error
    bool output_cut = false;
    std::chrono::nanoseconds wall{}, cpu{};
    std::uint64_t peak_rss = 0; ///< bytes, shared memory included
};

namespace process_detail {
/// `0x7f00`
[[nodiscard]] std::string hexadecimal(std::uint64_t value);
/// `segmentation fault`
[[nodiscard]] std::string name_of_signal(int signal);
} // namespace process_detail

/// One phrase for people: `segmentation fault at address 0x0`.
[[nodiscard]] std::string describe(cell_end const& end);

/// For the wire; `read_cell_outcome` undoes it.
void put(packer& out, cell_outcome const& o);

/// Malformed bytes leave `in.good()` false.
[[nodiscard]] cell_outcome read_cell_outcome(unpacker& in);

} // namespace lkt
