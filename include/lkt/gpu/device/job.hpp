// SPDX-License-Identifier: BSL-1.0
// What a back end asks of the worker that holds its device, and what comes back: the same for every
// kind of device.
#pragma once

#include <lkt/core/secret_stream.hpp>
#include <lkt/gpu/sampling.hpp>
#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/tensor_map.hpp>
#include <lkt/kernel/value_type.hpp>
#include <lkt/process/service.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::device_detail {

/// Part of the layout of every service that takes jobs; to be changed with anything below.
inline constexpr std::uint64_t job_layout = layout_hash("device job 7");

enum class request_kind : unsigned char {
    open,  ///< which device; answered by what is known of it
    tools, ///< lkt's own kernels, where they are compiled elsewhere; answered by nothing
    run,   ///< a run_job; answered by a run_answer
    build, ///< a program to make ready, ahead of its first job
    leave, ///< the worker exits as a program does; there is no answer
};

/// One argument of a launch.
struct job_argument {
    bool buffer = false;
    /// The name of the constant memory to fill with the buffer, which is then not a parameter.
    std::string constant;
    direction flow = direction::in;
    scalar_type type = scalar_type::uint8; ///< of the buffer's elements
    std::uint64_t size = 0;                ///< bytes of the buffer
};

/// How the device compares an output with the expected one.
enum class comparer : unsigned char { none, bytes, float16, bfloat16, float32, float64 };
struct job_bound {
    comparer how = comparer::none;
    double relative = 0, absolute = 0;
};

/// A parameter that the worker makes: a tensor map of one of the buffers.
struct job_map {
    std::uint64_t parameter = 0; ///< its place among all parameters
    std::uint64_t argument = 0;  ///< the buffer
    tensor_layout layout{};      ///< without extents: all zero is passed
};

/// One of the sets of arguments that launches use in turns. Its data is in its own descriptors:
/// buffers one after the other, each starting at a multiple of 256 bytes.
struct job_set {
    /// Nonzero: contents that were sent under this number before need not be sent again.
    std::uint64_t contents = 0, expected = 0;
    bool brings_contents = false, brings_expected = false;
    /// One an argument: the bytes of a value, or of a struct; empty for a buffer.
    std::vector<std::string> values;
    std::vector<job_map> maps;     ///< in the order of their places
    std::vector<job_bound> bounds; ///< one an output, where `expected` is not 0
};

struct run_job {
    /// A compiled kernel as its back end packs it, which is sent once under its number.
    std::uint64_t program = 0;
    std::string program_bytes;
    launch_dimensions dimensions;
    std::vector<job_argument> arguments;
    std::vector<job_set> sets; ///< at least one; the others where there is memory for them
    bool fresh = false;        ///< the program is loaded anew
    /// One launch for a tool that watches the device: each buffer is a separate allocation of
    /// exactly its size, and no kernels of lkt run beside it.
    bool bare = false;
    bool unfilled = false; ///< a bare one whose tool looks for what nobody has written
    int warmups = 0, launches = 1, min_launches = 1;
    double precision = 0, sampling_seconds = 0, min_seconds = 0, give_up_seconds = 0;
    bool cold = true;
    std::vector<int> keep;
    /// The key of this run: it reveals nothing about another run or about the common seed.
    secret_key secrets;
    double launch_limit = 10; ///< seconds
};

enum class run_end : unsigned char {
    done,
    unknown_contents, ///< nothing was run: the job must come again with what it lacks
    bad_program,
    launch_failed, ///< the launch was refused; the device is well
    crashed,       ///< the device is lost, and the worker with it
    timed_out,     ///< likewise
    out_of_memory, ///< for the arguments
    overrun,       ///< bytes beside a buffer were changed
    input_written, ///< bytes of an input were
    broken,        ///< the driver failed at something that is not the kernel's fault
};

struct run_answer {
    run_end end = run_end::done;
    std::string what;                       ///< one phrase where it did not end well
    int launch = 0;                         ///< in which
    std::vector<double> seconds, megahertz; ///< one a timed launch; 0 where a clock is unknown
    sampling_end why = sampling_end::all_taken;
    int discarded = 0;      ///< samples taken at too low a clock
    double occupancy = 0;   ///< 0 where unknown
    std::string timing;     ///< as run_report::timing
    std::uint64_t sets = 1; ///< of arguments that were in use
    struct kept {
        int launch = 0;
        bool as_expected = false; ///< else its outputs lie in the reply's descriptor
        std::uint64_t set = 0;    ///< the arguments that it had
    };
    std::vector<kept> outputs;
};

[[nodiscard]] std::string pack(run_job const&);
[[nodiscard]] std::optional<run_job> unpack_job(std::string_view);
[[nodiscard]] std::string pack(run_answer const&);
[[nodiscard]] std::optional<run_answer> unpack_answer(std::string_view);

/// Where the next buffer begins in a descriptor, after one that ends at `end`.
[[nodiscard]] constexpr std::uint64_t next_place(std::uint64_t end) {
    return (end + 255) / 256 * 256;
}

} // namespace lkt::device_detail
