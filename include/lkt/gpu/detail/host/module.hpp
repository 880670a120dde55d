// SPDX-License-Identifier: BSL-1.0
// What a compiled kernel and the process that runs it say to each other: the same structs as in the
// shim's text, field by field. Change `module_abi` with any of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace lkt::host_detail {

inline constexpr std::uint32_t module_abi = 11;
/// The only symbol that a compiled kernel exports.
inline constexpr char module_symbol[] = "lkt_kernel";
/// Before the names of the bytes of static shared memory, in builds that are watched.
inline constexpr std::string_view shared_prefix = "lkt_shared_";
/// On either side of these bytes, in the build for accesses out of bounds: nobody may touch it.
inline constexpr std::uint64_t shared_margin = std::uint64_t{64} << 10;
/// Before the names of workgroup variables, in a translation of WGSL.
inline constexpr std::string_view workgroup_prefix = "g_";
/// Set in a size for an argument that is a pointer.
inline constexpr std::uint32_t module_pointer = 0x80000000U;

/// What the shim's warp functions ask for; the numbers stand in its text.
enum class warp_call : int {
    sync,
    shuffle,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    ballot,
    all,
    any,
    match_any,
    match_all,
    add,
    minimum,
    maximum,
    bit_and,
    bit_or,
    bit_xor,
    meet, ///< lanes wait for each other in the same line, which orders no access
    /// With a mask of 0 another thread runs first; 1: something has happened that others wait for.
    /// Then `parameter` says for what (`awaited`), and `value` how much it lacks.
    idle,
    gather, ///< which lanes are there
};
/// Added to a `warp_call`: of the lanes that are there, with no mask that names them.
inline constexpr int warp_call_of_those_here = 256;
enum class block_call : int { sync, count, all, any };

/// Of an access, added up.
enum race_access_kind : unsigned {
    race_write = 1,
    race_atomic = 2,
    race_volatile = 4,
    race_fence = 8,
    race_of_block = 16, ///< a fence, or an atomic, for the block alone; without a place: from here
                        ///< on atomics are so, and with 0 no longer
    race_compare = 32,  ///< an atomic that stores only where it finds what it expects
    race_beside = 64,   ///< of a copy or product that runs beside the threads
    race_meets = 128    ///< no access: a `race_meeting` at the place, in the place of a size
};
/// What a thread does where others wait for it.
enum race_meeting : unsigned { race_arrives, race_completes, race_waited, race_proxy_fence };

/// For what a thread idles. The numbers stand in the shim's text.
enum class awaited : unsigned {
    something,
    mbarrier, ///< lacks arrivals, and bytes of copies in the upper half
    numbered, ///< barrier, which lacks threads
    product,  ///< of a warpgroup, which lacks threads
};

/// Which memory a barrier orders: in CUDA all of it. The numbers stand in the shim's text.
enum class barrier_memory : int { all, workgroup, storage };

/// What WGSL leaves to the implementation, added up. The numbers stand in the shim's text.
enum open_choice : unsigned {
    outside_reads = 1,   ///< what an index outside of an array means: nothing, or the last element
    fma_rounds = 2,      ///< whether fma rounds once or twice
    nan_comparisons = 4, ///< whether comparisons take notice of NaNs
    nan_results = 8,     ///< what min, max and conversions make of NaNs
    every_open_choice = 15,
};

struct module_calls {
    int (*sync)(int what, int predicate, int line);
    unsigned long long (*warp)(int what,
                               unsigned long long mask,
                               unsigned long long value,
                               unsigned parameter,
                               unsigned width,
                               int line);
    /// Before each access of a module that is compiled to find races.
    void (*access)(void const* p, unsigned size, unsigned kind, void const* code);
    unsigned long long const* bytes; ///< of each buffer among the parameters; 0 for a value
    unsigned subgroup;               ///< threads of one, in a translation of WGSL
    unsigned otherwise;              ///< `open_choice`s that are made the other way
    unsigned* met;                   ///< takes those that were met
    /// Of a module whose branches are watched: what it compares (`operand_type`), and each step.
    void (*compare)(unsigned type,
                    unsigned long long left,
                    unsigned long long right,
                    void const* code);
    /// The kernel has done what CUDA does not define: does not return.
    void (*misused)(char const* why, int line);
    /// Of a checked module: takes the line that converts a number outside of an integer's range.
    unsigned* converted;
};

struct module_launch {
    unsigned grid[3], block[3], shared_bytes; ///< dynamic shared memory
    module_calls calls;
};

/// Constant memory of the text; without an address where the text has none of that name.
struct module_constant {
    void* address;
    unsigned long long size;
};

struct module_table {
    unsigned abi;
    unsigned fibres; ///< 0: none; else lanes of a warp, where 1 stands for 32
    unsigned arguments, constants;
    unsigned const* sizes;
    module_constant const* filled; ///< in the order of the names
    void (*start)(module_launch const*);
    void (*enter)(unsigned x, unsigned y, unsigned z, char* dynamic_shared);
    void (*row)(unsigned y, unsigned z, void* const* arguments); ///< null if `fibres`
    void (*thread)(unsigned x, unsigned y, unsigned z, void* const* arguments);
};

/// Of AMD's waves; CUDA's warps have 32.
inline constexpr unsigned most_lanes = 64;
/// Of a module, which is not trusted.
[[nodiscard]] inline unsigned lanes_of(module_table const& module) {
    return module.fibres == most_lanes ? most_lanes : 32;
}

} // namespace lkt::host_detail
