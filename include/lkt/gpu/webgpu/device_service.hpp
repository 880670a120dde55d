// SPDX-License-Identifier: BSL-1.0
// The worker that holds a WebGPU device: what it says of it, and what a program is made of. Jobs
// are those of gpu/device/job.hpp.
#pragma once

#include <lkt/gpu/device/job.hpp>
#include <lkt/gpu/webgpu/detail/api_types.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/text_location.hpp>
#include <lkt/process/service.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::webgpu_detail {

using namespace device_detail;

inline constexpr service_key device_key{"lkt.webgpu.device",
                                        layout_hash("webgpu device 3", job_layout)};

/// Requests only for this back end's worker, in addition to those of `request_kind`.
inline constexpr request_kind build_ahead{64};   ///< a wgsl_program; answered at once by nothing
inline constexpr request_kind count_objects{65}; ///< answered by object_counts
inline constexpr request_kind lose_device{66};   ///< for tests: destroys the device

/// The exit status of a worker that finds its device lost at the start of a request: it is not a
/// verdict on that request.
inline constexpr int lost_exit = 66;

/// The facts about a device, from the library.
struct device_facts {
    std::string name, driver; ///< `llvmpipe (LLVM 15.0.6, 256 bits)`, `Mesa 22.3.6 ...`
    std::string interface;    ///< `Vulkan`
    std::uint32_t version = 0;
    wg_adapter_kind kind = wg_adapter_kind::unknown;
    bool f16 = false, subgroups = false;
    std::uint32_t subgroup_most = 0;
    double period = 0;  ///< seconds of a tick; 0: no timestamps
    double quantum = 0; ///< seconds by which timestamps differ at least
    std::uint32_t bind_groups = 0, bindings_per_group = 0;
    std::uint32_t storage_buffers = 0, uniform_buffers = 0;
    std::uint64_t storage_binding = 0, uniform_binding = 0, buffer_size = 0; ///< bytes
    std::uint32_t workgroup_storage = 0, invocations = 0, workgroups = 0; ///< the last: a dimension
    dim3 workgroup{};
};

/// A buffer that a program binds.
struct program_binding {
    std::uint32_t group = 0, binding = 0;
    bool uniform = false, read_only = false;
    std::uint64_t size = 0; ///< of a value; 0 for a buffer
};
/// Where an argument goes.
struct program_argument {
    std::uint32_t binding = 0; ///< an index into `bindings`
    /// Of one element as lkt has it, and as the device has it: they differ for vectors of three.
    std::uint32_t packed = 4, stride = 4;
    std::string name{}; ///< of a buffer, as the text has it
};
/// What a job's program is made of.
struct wgsl_program {
    std::string text, entry;
    std::vector<std::pair<std::string, double>> constants;
    dim3 block{};
    bool folds = false; ///< it computes its place from the number of workgroups
    std::uint64_t workgroup_bytes = 0;
    std::vector<program_binding> bindings;
    std::vector<program_argument> arguments; ///< one for each of a job's
};

/// The result of making a program's pipeline.
struct build_answer {
    bool built = false;
    std::string log; ///< of the compiler, where it said no
    text_location where;
};

/// What exists in the library, for tests.
struct object_counts {
    std::uint64_t buffers = 0, bind_groups = 0, pipelines = 0, shaders = 0, layouts = 0;
    std::uint64_t command_buffers = 0, query_sets = 0;
    friend bool operator==(object_counts const&, object_counts const&) = default;
};

[[nodiscard]] std::string pack(device_facts const&);
[[nodiscard]] std::optional<device_facts> unpack_facts(std::string_view);
[[nodiscard]] std::string pack(wgsl_program const&);
[[nodiscard]] std::optional<wgsl_program> unpack_program(std::string_view);
[[nodiscard]] std::string pack(build_answer const&);
[[nodiscard]] std::optional<build_answer> unpack_build(std::string_view);
[[nodiscard]] std::string pack(object_counts const&);
[[nodiscard]] std::optional<object_counts> unpack_counts(std::string_view);

/// Serves requests (`open` with a library and an adapter, `build` with a wgsl_program, `run`, and
/// those above) in a worker; see process/service.hpp.
[[nodiscard]] result<worker_message> serve_device(worker_message request);
inline service_entry const device_entry{device_key, &serve_device};

} // namespace lkt::webgpu_detail
