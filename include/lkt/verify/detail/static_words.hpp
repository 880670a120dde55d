// SPDX-License-Identifier: BSL-1.0
// Words that static checks look for, and what they say about them.
#pragma once

#include <lkt/verify/static_policy.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace lkt::detail::statics {

// One sentence a rule, with what to do instead.
inline constexpr std::string_view no_host_code =
    "a candidate may contain only device code; lkt allocates, launches and measures";
inline constexpr std::string_view no_launches =
    "a kernel launches no kernels; do the work in the launch that is measured";
inline constexpr std::string_view no_state =
    "it keeps its value from one launch to the next, but each launch must compute its result from "
    "its arguments alone; use a local variable, shared memory or an argument";
inline constexpr std::string_view no_heap =
    "the device's heap outlives a launch; use shared memory, local arrays or an argument";
inline constexpr std::string_view no_clock =
    "a kernel must not depend on the time or on the number of launches";
inline constexpr std::string_view no_processor =
    "a kernel should not depend on the part of the device that it runs on";
inline constexpr std::string_view no_print =
    "the original does not have it, and it costs time in the measured launches";
inline constexpr std::string_view no_hints =
    "its effect on the cache may reach the next launch, but each measured launch must start cold";
inline constexpr std::string_view no_residency =
    "it keeps data in the cache after a launch, but each measured launch must start cold";
inline constexpr std::string_view no_deferring =
    "a launch ends when its outputs are written; nothing may start or end later";
inline constexpr std::string_view no_injection =
    "comments are for people who read the kernel; this one tells a judge or a model what to do";
inline constexpr std::string_view no_narrowing =
    "the original does not compute in this type; the outputs must stay within the bounds of their "
    "own type";
inline constexpr std::string_view no_built_assembly =
    "macros build this assembly, so it cannot be checked; write it out as a string";
inline constexpr std::string_view no_nested_assembly =
    "an operand of assembly contains assembly itself; write two statements";
inline constexpr std::string_view no_address =
    "a kernel may use only the addresses that it is given, never a number as an address";
inline constexpr std::string_view no_computed_address =
    "a pointer that is computed as an integer can point anywhere; compute with pointers or indices";
inline constexpr std::string_view no_const_cast = "a const object must not be written; use a copy";
inline constexpr std::string_view no_header =
    "only headers of the toolkit's device code and of freestanding C++ are allowed, and those that "
    "the original includes";
inline constexpr std::string_view no_library =
    "what is declared there counts as the toolkit's own; give it another name";
inline constexpr std::string_view no_path = "an include must name a header, not a path or a macro";
inline constexpr std::string_view no_question = "a kernel must not test which files exist";
inline constexpr std::string_view no_disguise =
    "its spelling hides what it is; use plain characters";
inline constexpr std::string_view no_constant_memory =
    "nothing fills this constant memory; give it an initialiser, or use an argument";
inline constexpr std::string_view no_size =
    "it is the size of the measured problem, and the kernel has to be right at every size; use "
    "the argument that has it";

struct suspicious_word {
    std::string_view name;
    static_rule rule;
    std::string_view why;
    bool call = false; ///< only before a parenthesis and not as a member
};

inline constexpr auto suspicious_words = std::to_array<suspicious_word>({
    {"clock64", static_rule::clock, no_clock},
    {"__clock64", static_rule::clock, no_clock},
    {"__clock", static_rule::clock, no_clock},
    {"wall_clock64", static_rule::clock, no_clock},
    {"clock", static_rule::clock, no_clock, true},
    {"globaltimer", static_rule::clock, no_clock, true},
    {"__globaltimer", static_rule::clock, no_clock},
    {"__nanosleep", static_rule::clock, no_clock},
    {"nanosleep", static_rule::clock, no_clock, true},
    {"system_clock", static_rule::clock, no_clock},
    {"steady_clock", static_rule::clock, no_clock},
    {"high_resolution_clock", static_rule::clock, no_clock},
    {"__builtin_readcyclecounter", static_rule::clock, no_clock},
    {"__builtin_readsteadycounter", static_rule::clock, no_clock},
    {"__builtin_amdgcn_s_memtime", static_rule::clock, no_clock},
    {"__builtin_amdgcn_s_memrealtime", static_rule::clock, no_clock},
    {"__nvvm_read_ptx_sreg_clock", static_rule::clock, no_clock},
    {"__nvvm_read_ptx_sreg_clock64", static_rule::clock, no_clock},
    {"__nvvm_read_ptx_sreg_globaltimer", static_rule::clock, no_clock},
    {"__nvvm_read_ptx_sreg_gridid", static_rule::clock, no_clock},
    {"cudaTriggerProgrammaticLaunchCompletion", static_rule::deferred, no_deferring},
    {"cudaGridDependencySynchronize", static_rule::deferred, no_deferring},
    {"__smid", static_rule::processor, no_processor},
    {"__nvvm_read_ptx_sreg_smid", static_rule::processor, no_processor},
    {"__nvvm_read_ptx_sreg_warpid", static_rule::processor, no_processor},
    {"malloc", static_rule::heap, no_heap, true},
    {"calloc", static_rule::heap, no_heap, true},
    {"realloc", static_rule::heap, no_heap, true},
    {"free", static_rule::heap, no_heap, true},
    {"new", static_rule::heap, no_heap},
    {"printf", static_rule::print, no_print, true},
    {"vprintf", static_rule::print, no_print, true},
    {"puts", static_rule::print, no_print, true},
    {"assert", static_rule::print, no_print, true},
    {"__assertfail", static_rule::print, no_print, true},
    {"__assert_fail", static_rule::print, no_print, true},
    {"const_cast", static_rule::const_cast_, no_const_cast},
    {"half2", static_rule::precision, no_narrowing},
    {"__half", static_rule::precision, no_narrowing},
    {"__half2", static_rule::precision, no_narrowing},
    {"_Float16", static_rule::precision, no_narrowing},
    {"__bf16", static_rule::precision, no_narrowing},
    {"__nv_bfloat16", static_rule::precision, no_narrowing},
    {"__nv_bfloat162", static_rule::precision, no_narrowing},
    {"nv_bfloat16", static_rule::precision, no_narrowing},
    {"nv_bfloat162", static_rule::precision, no_narrowing},
    {"__nv_fp4_e2m1", static_rule::precision, no_narrowing},
    {"__nv_fp8_e4m3", static_rule::precision, no_narrowing},
    {"__nv_fp8_e5m2", static_rule::precision, no_narrowing},
    {"__float_to_tf32", static_rule::precision, no_narrowing},
    {"tf32", static_rule::precision, no_narrowing},
    {"__float2half", static_rule::precision, no_narrowing},
    {"__float2half_rn", static_rule::precision, no_narrowing},
    {"__floats2half2_rn", static_rule::precision, no_narrowing},
    {"__float2bfloat16", static_rule::precision, no_narrowing},
});

/// Names of WGSL.
inline constexpr auto suspicious_wgsl_words = std::to_array<suspicious_word>({
    {"f16", static_rule::precision, no_narrowing},
    {"vec2h", static_rule::precision, no_narrowing},
    {"vec3h", static_rule::precision, no_narrowing},
    {"vec4h", static_rule::precision, no_narrowing},
    {"pack2x16float", static_rule::precision, no_narrowing},
});

// --- assembly -----------------------------------------------------------------------------------
struct suspicious_part {
    std::string_view text;
    static_rule rule;
    std::string_view why;
};
/// Registers and modifiers that matter whatever the instruction is.
inline constexpr auto suspicious_in_assembly = std::to_array<suspicious_part>({
    {"%clock", static_rule::clock, no_clock},
    {"%globaltimer", static_rule::clock, no_clock},
    {"%gridid", static_rule::clock, no_clock},
    {"%pm0", static_rule::clock, no_clock},
    {"nanosleep", static_rule::clock, no_clock},
    {"%smid", static_rule::processor, no_processor},
    {"%nsmid", static_rule::processor, no_processor},
    {"%warpid", static_rule::processor, no_processor},
    {"%envreg", static_rule::processor, no_processor},
    {"evict_last", static_rule::cache_residency, no_residency},
    {"launch_dependents", static_rule::deferred, no_deferring},
    {"prefetch", static_rule::cache_hint, no_hints},
    {"createpolicy", static_rule::cache_hint, no_hints},
    {"applypriority", static_rule::cache_hint, no_hints},
    {"discard", static_rule::cache_hint, no_hints},
    {".f16", static_rule::precision, no_narrowing},
    {".bf16", static_rule::precision, no_narrowing},
    {".tf32", static_rule::precision, no_narrowing},
    {".e4m3", static_rule::precision, no_narrowing},
    {".e5m2", static_rule::precision, no_narrowing},
});

// --- headers ------------------------------------------------------------------------------------
inline constexpr auto allowed_headers = std::to_array<std::string_view>({
    "algorithm",
    "array",
    "assert.h",
    "bit",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "concepts",
    "cooperative_groups.h",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstring",
    "cuda.h",
    "cuda_awbarrier_primitives.h",
    "cuda_bf16.h",
    "cuda_fp16.h",
    "cuda_fp4.h",
    "cuda_fp8.h",
    "cuda_pipeline.h",
    "cuda_pipeline_primitives.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_atomic_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "float.h",
    "functional",
    "initializer_list",
    "limits",
    "limits.h",
    "math.h",
    "math_constants.h",
    "math_functions.h",
    "mma.h",
    "numeric",
    "sm_30_intrinsics.h",
    "sm_32_intrinsics.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "string.h",
    "tuple",
    "type_traits",
    "utility",
    "vector_functions.h",
    "vector_types.h",
});
/// Folders whose headers are device code; of `cuda/std`, all but the clocks.
inline constexpr auto allowed_folders = std::to_array<std::string_view>(
    {"cooperative_groups/", "cub/", "cuda/", "cute/", "cutlass/", "hip/", "thrust/"});

[[nodiscard]] inline bool header_allowed(std::string_view name) {
    if (name.find("..") != name.npos || name.find("chrono") != name.npos) return false;
    auto const begins = [&](std::string_view folder) { return name.starts_with(folder); };
    return std::find(allowed_headers.begin(), allowed_headers.end(), name) !=
               allowed_headers.end() ||
           std::any_of(allowed_folders.begin(), allowed_folders.end(), begins);
}

/// A function of the CUDA runtime, the CUDA driver or of HIP by its name.
[[nodiscard]] inline bool host_api(std::string_view name) {
    auto const upper = [&](std::size_t k) {
        return k < name.size() && name[k] >= 'A' && name[k] <= 'Z';
    };
    if (name.starts_with("cuda")) return upper(4);
    if (name.starts_with("hip")) return upper(3);
    if (name.starts_with("nvrtc")) return upper(5);
    constexpr std::string_view driver[] = {
        "Array", "Ctx",       "Device", "Event",   "Func",     "Get",    "Graph",     "Init",
        "Ipc",   "Kernel",    "Launch", "Library", "Link",     "Mem",    "Mipmapped", "Module",
        "Multi", "Occupancy", "Param",  "Pointer", "Profiler", "Stream", "Surf",      "Tex"};
    if (!name.starts_with("cu")) return false;
    return std::any_of(std::begin(driver), std::end(driver), [&](std::string_view family) {
        return name.substr(2).starts_with(family);
    });
}

} // namespace lkt::detail::statics
