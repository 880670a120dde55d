// SPDX-License-Identifier: BSL-1.0
// The API of a driver that loads modules and launches their functions, as far as lkt uses it. Names
// and numbers are those of CUDA's driver; HIP's functions have the same signatures, and its errors
// and attributes of functions the same numbers.
#pragma once

#include <lkt/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::device_detail {

using cu_device = int;
using cu_pointer = std::uint64_t; ///< an address in the device's memory
using cu_context = struct cu_context_object*;
using cu_module = struct cu_module_object*;
using cu_function = struct cu_function_object*;
using cu_stream = struct cu_stream_object*;
using cu_event = struct cu_event_object*;
struct cu_uuid {
    unsigned char bytes[16];
};
struct alignas(64) cu_tensor_map {
    unsigned char bytes[128];
};

/// What every call returns; 0 is success. The names are the driver's, without its prefix.
enum class cu_status : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    deinitialized = 4,
    stub_library = 34,
    device_unavailable = 46,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    no_binary_for_gpu = 209,
    ecc_uncorrectable = 214,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    assert_failed = 710,
    hardware_stack_error = 714,
    illegal_instruction = 715,
    misaligned_address = 716,
    invalid_address_space = 717,
    invalid_pc = 718,
    launch_failed = 719,
    cooperative_launch_too_large = 720,
    system_driver_mismatch = 803,
    invalid_cluster_size = 912,
};

/// Attributes of a device that are asked for.
enum class cu_attribute : int {
    max_threads_per_block = 1,
    max_block_x = 2,
    max_block_y = 3,
    max_block_z = 4,
    max_grid_x = 5,
    max_grid_y = 6,
    max_grid_z = 7,
    warp_size = 10,
    clock_khz = 13,
    multiprocessors = 16,
    memory_clock_khz = 36,
    memory_bus_bits = 37,
    l2_bytes = 38,
    max_threads_per_multiprocessor = 39,
    capability_major = 75,
    capability_minor = 76,
    shared_memory_per_multiprocessor = 81,
    registers_per_multiprocessor = 82,
    cooperative_launch = 95,
    shared_memory_per_block_optin = 97,
    cluster_launch = 120,
};

/// Attributes of a function; `max_dynamic_shared` may be set.
enum class cu_function_attribute : int {
    max_threads_per_block = 0,
    static_shared_bytes = 1,
    local_bytes = 3,
    registers = 4,
    max_dynamic_shared = 8,
};

/// The functions. Each is null until the driver is loaded, those that say so perhaps then, too.
struct driver_api {
    cu_status (*init)(unsigned) = nullptr;
    cu_status (*driver_version)(int*) = nullptr;
    cu_status (*error_name)(cu_status, char const**) = nullptr;
    cu_status (*error_text)(cu_status, char const**) = nullptr;
    cu_status (*device_count)(int*) = nullptr;
    cu_status (*device_get)(cu_device*, int) = nullptr;
    cu_status (*device_name)(char*, int, cu_device) = nullptr;
    cu_status (*device_uuid)(cu_uuid*, cu_device) = nullptr;
    cu_status (*device_memory)(std::size_t*, cu_device) = nullptr;
    cu_status (*device_attribute)(int*, cu_attribute, cu_device) = nullptr;
    /// What a compiler calls the device; null where its capability says it.
    std::string (*architecture)(cu_device) = nullptr;
    cu_status (*context_retain)(cu_context*, cu_device) = nullptr;
    cu_status (*context_release)(cu_device) = nullptr; ///< null in a driver that lacks it
    cu_status (*context_use)(cu_context) = nullptr;
    cu_status (*context_wait)() = nullptr;
    cu_status (*allocate)(cu_pointer*, std::size_t) = nullptr;
    cu_status (*release)(cu_pointer) = nullptr;
    cu_status (*host_allocate)(void**, std::size_t, unsigned) = nullptr;
    cu_status (*host_pointer)(cu_pointer*, void*, unsigned) = nullptr;
    cu_status (*copy_to_device)(cu_pointer, void const*, std::size_t) = nullptr;
    cu_status (*copy_from_device)(void*, cu_pointer, std::size_t) = nullptr;
    cu_status (*copy_on_device)(cu_pointer, cu_pointer, std::size_t, cu_stream) = nullptr;
    cu_status (*fill_bytes)(cu_pointer, unsigned char, std::size_t, cu_stream) = nullptr;
    cu_status (*stream_create)(cu_stream*, unsigned) = nullptr;
    cu_status (*stream_query)(cu_stream) = nullptr;
    cu_status (*event_create)(cu_event*, unsigned) = nullptr;
    cu_status (*event_record)(cu_event, cu_stream) = nullptr;
    cu_status (*event_elapsed)(float*, cu_event, cu_event) = nullptr;
    cu_status (*module_load)(cu_module*, void const*) = nullptr;
    cu_status (*module_unload)(cu_module) = nullptr;
    cu_status (*module_function)(cu_function*, cu_module, char const*) = nullptr;
    cu_status (*module_global)(cu_pointer*, std::size_t*, cu_module, char const*) = nullptr;
    cu_status (*function_attribute)(int*, cu_function_attribute, cu_function) = nullptr;
    /// Null where a launch may ask for all shared memory that there is.
    cu_status (*function_set)(cu_function, cu_function_attribute, int) = nullptr;
    /// Offset and size of a parameter; null before CUDA 12.4.
    cu_status (*parameter)(cu_function, std::size_t, std::size_t*, std::size_t*) = nullptr;
    /// `cuTensorMapEncodeTiled`, its enumerations as numbers; null where there are no tensor maps.
    cu_status (*encode_tiled)(cu_tensor_map*,
                              int type,
                              std::uint32_t rank,
                              cu_pointer,
                              std::uint64_t const* extent,
                              std::uint64_t const* stride,
                              std::uint32_t const* box,
                              std::uint32_t const* step,
                              int interleave,
                              int swizzle,
                              int l2_promotion,
                              int fill) = nullptr;
    cu_status (*occupancy)(int*, cu_function, int, std::size_t) = nullptr;
    cu_status (*launch)(cu_function,
                        unsigned,
                        unsigned,
                        unsigned,
                        unsigned,
                        unsigned,
                        unsigned,
                        unsigned,
                        cu_stream,
                        void**,
                        void**) = nullptr;
    /// Null in a driver that lacks it.
    cu_status (*launch_cooperative)(cu_function,
                                    unsigned,
                                    unsigned,
                                    unsigned,
                                    unsigned,
                                    unsigned,
                                    unsigned,
                                    unsigned,
                                    cu_stream,
                                    void**) = nullptr;

    /// `name` in the driver's spelling, and what it means: `CUDA_ERROR_...: an illegal ...`.
    [[nodiscard]] std::string describe(cu_status) const;
    std::string_view title = "CUDA"; ///< in `CUDA error 17`
};

/// A kind of drivers, and what its session says of it.
struct device_kind {
    std::string_view name;  ///< of the back end: its errors are `lkt.<name>.*`
    std::string_view title; ///< `CUDA`
    /// Errors: unavailable.
    result<driver_api> (*load)(std::string const& library) = nullptr;
    std::string_view how_to_name;    ///< a device; a hint
    std::string_view how_to_look;    ///< whether devices are well; a hint
    std::string_view when_too_new{}; ///< what to do if the driver refuses lkt's own kernels; a hint
    /// Parts of devices, each of which a process sees only alone: how their names begin (empty:
    /// there are none), the variable that chooses one, and all of them, named, with their
    /// identifiers.
    std::string_view parts{}, chosen_by{};
    std::vector<std::pair<std::string, std::string>> (*list_parts)() = nullptr;
};

/// Whether the context can be used no more after `s`: the worker must be replaced.
[[nodiscard]] bool is_fatal(cu_status s);

} // namespace lkt::device_detail
