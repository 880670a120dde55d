// SPDX-License-Identifier: BSL-1.0
// What the CUDA back end asks of the worker that holds the device, and what comes back.
#pragma once

#include <lkt/gpu/sampling.hpp>
#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/process/service.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::cuda_detail {

inline constexpr service_key device_key{"lkt.cuda.device", layout_hash("cuda device 1")};

enum class request_kind : unsigned char {
    open,  ///< text: index, UUID or nothing; answered by device_facts
    tools, ///< text: the compiled tools_source; answered by nothing
    run,   ///< a run_job; answered by a run_answer
};

/// What is known of a device, as the driver says it.
struct device_facts {
    std::string name, uuid;
    int driver = 0; ///< as cuDriverGetVersion counts: 13000 is CUDA 13.0
    int index = 0, devices = 0;
    int major = 0, minor = 0; ///< compute capability
    int multiprocessors = 0, warp_size = 32, max_threads_per_block = 0;
    int threads_per_multiprocessor = 0, registers_per_multiprocessor = 0;
    int shared_per_block = 0, shared_per_multiprocessor = 0; ///< bytes
    int l2_bytes = 0, clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
    bool cooperative = false, clusters = false;
    dim3 max_block{}, max_grid{};
    std::uint64_t memory = 0; ///< bytes
};

/// One argument of a launch. Contents of buffers lie one after the other in the first descriptor,
/// each from a multiple of 256 bytes on.
struct job_argument {
    std::string value; ///< the bytes of a value; empty for a buffer
    bool buffer = false;
    direction flow = direction::in;
    std::uint64_t size = 0; ///< bytes of the buffer
};

/// How the device compares an output with what is expected.
enum class comparer : unsigned char { none, bytes, float16, bfloat16, float32, float64 };
struct job_bound {
    comparer how = comparer::none;
    double relative = 0, absolute = 0;
};

struct run_job {
    std::uint64_t module = 0; ///< names the image, which is sent once
    std::string image, entry;
    bool cooperative = false;
    launch_dimensions dimensions;
    std::vector<job_argument> arguments;
    /// Nonzero: contents that were sent under this number before need not be sent again.
    std::uint64_t contents = 0, expected = 0;
    bool brings_contents = false, brings_expected = false;
    std::vector<job_bound> bounds; ///< one an output, if `expected` is to be compared
    int warmups = 0, launches = 1, least = 1;
    double precision = 0, sampling_seconds = 0, give_up_seconds = 0;
    bool cold = true;
    std::vector<int> keep;
    std::uint64_t poison_seed = 0;
    double launch_limit = 10; ///< seconds
};

enum class run_end : unsigned char {
    done,
    unknown_contents, ///< nothing was run: the job must come again with what it lacks
    bad_image,
    launch_failed, ///< the launch was refused; the device is well
    crashed,       ///< the context is lost, and the worker with it
    timed_out,     ///< likewise
    out_of_memory, ///< for the arguments
    overrun,       ///< bytes beside a buffer were changed
    broken,        ///< the driver failed at something that is not the kernel's fault
};

struct run_answer {
    run_end end = run_end::done;
    std::string what;                       ///< one phrase where it did not end well
    int launch = 0;                         ///< in which
    std::vector<double> seconds, megahertz; ///< one a timed launch; 0 where a clock is unknown
    sampling_end why = sampling_end::all_taken;
    int discarded = 0; ///< samples taken at too low a clock
    int blocks_per_multiprocessor = 0, registers = 0, local_bytes = 0, static_shared_bytes = 0;
    struct kept {
        int launch = 0;
        bool as_expected = false; ///< else its outputs lie in the reply's descriptor
    };
    std::vector<kept> outputs;
};

[[nodiscard]] std::string pack(device_facts const&);
[[nodiscard]] std::optional<device_facts> unpack_facts(std::string_view);
[[nodiscard]] std::string pack(run_job const&);
[[nodiscard]] std::optional<run_job> unpack_job(std::string_view);
[[nodiscard]] std::string pack(run_answer const&);
[[nodiscard]] std::optional<run_answer> unpack_answer(std::string_view);

/// Where the next buffer begins in a descriptor, after one that ends at `end`.
[[nodiscard]] constexpr std::uint64_t next_place(std::uint64_t end) {
    return (end + 255) / 256 * 256;
}

/// Serves the requests above in a worker; see process/service.hpp.
[[nodiscard]] result<worker_message> serve_device(worker_message request);
inline service_entry const device_entry{device_key, &serve_device};

} // namespace lkt::cuda_detail
