// SPDX-License-Identifier: BSL-1.0
// What a host back end asks of its worker.
#pragma once

#include <lkt/kernel/launch.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/process/wire.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lkt::host_detail {

/// In which order blocks and threads of a block run.
enum class run_order : unsigned char { forward, reverse, shuffled };

[[nodiscard]] constexpr char const* to_string(run_order o) {
    switch (o) {
    case run_order::forward:
        return "forward";
    case run_order::reverse:
        return "reverse";
    case run_order::shuffled:
        return "shuffled";
    }
    return "unknown";
}

/// One argument. A buffer lies right-aligned (to 64 bytes) in whole pages of the arena: what comes
/// after it is never more than 63 bytes of padding, and then a page that nobody may touch.
struct job_argument {
    std::string name;
    std::vector<std::string> values; ///< one for each set: the bytes of a value; empty for a buffer
    bool buffer = false;
    bool constant = false; ///< a buffer that is no parameter: the contents of constant memory
    direction flow = direction::in;
    std::uint64_t size = 0; ///< bytes of the buffer
    unsigned element = 0;   ///< bytes of an element; stays with the client
    /// One for each set: of its pages in the arena, where it has contents.
    std::vector<std::uint64_t> offsets;
    std::size_t position = 0; ///< among the arguments of the request; stays with the client
};

struct job {
    launch_dimensions dimensions;
    run_order order = run_order::forward;
    std::uint64_t order_seed = 0, poison_seed = 0;
    int warmups = 0, launches = 1;
    std::uint32_t sets = 1; ///< of arguments, which launches take in turns as `set_of_launch` says
    std::vector<int> keep;
    std::uint64_t launch_limit_ns = 0, run_limit_ms = 0;
    std::uint64_t memory_limit = 0, stack_bytes = 0;
    std::uint32_t threads = 1;
    std::uint32_t subgroup = 32; ///< threads of one, in a translation of WGSL
    bool unsandboxed = false, strict = false;
    bool checked = false;          ///< the module is instrumented
    bool races = false;            ///< it is compiled to find data races
    bool wgsl = false;             ///< it is a translation of WGSL
    std::uint64_t kept_offset = 0; ///< in the arena: the kept outputs, each from a page on
    std::vector<job_argument> arguments;
};

inline constexpr std::uint64_t page_bytes = 4096;
inline constexpr std::uint64_t buffer_alignment = 64;
inline constexpr std::size_t most_arguments = 64;
inline constexpr std::size_t most_sets = 64;
inline constexpr std::size_t most_value_bytes = 32; ///< a double4
inline constexpr int most_launches = 100'000;

[[nodiscard]] constexpr std::uint64_t whole_pages(std::uint64_t size) {
    return size == 0 ? page_bytes : (size + page_bytes - 1) / page_bytes * page_bytes;
}
/// Where a buffer begins in its pages.
[[nodiscard]] constexpr std::uint64_t place_in_pages(std::uint64_t size) {
    return whole_pages(size) - (size + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}

/// What a data race is about.
enum class place_kind : std::uint32_t { none, argument, dynamic, variable };

/// One of two accesses that nothing orders.
struct race_access {
    std::uint64_t block = 0;
    std::uint32_t thread = 0; ///< of the block
    std::uint32_t kind = 0;   ///< as `race_access_kind` has it
    std::uint64_t code = 0;   ///< offset in the module
};

struct race_note {
    place_kind kind = place_kind::none;
    std::uint32_t shared = 0;  ///< 1: shared memory
    std::uint64_t index = 0;   ///< of the argument
    std::uint64_t offset = 0;  ///< in bytes; of a variable in the module
    race_access first, second; ///< as they ran
};

/// The first pages of the arena, written by the cell: hints, to be read with care.
struct arena_head {
    std::uint64_t reached = 0; ///< launches that were begun, warm-ups included
    std::uint64_t finished = 0;
    std::uint64_t addresses[most_arguments] = {}; ///< of the launch's buffers, in the cell
    std::uint64_t shared_address = 0;             ///< of the dynamic shared memory
    race_note race;                               ///< of the cell code `data_race`
    // std::uint64_t nanoseconds[launches] follow
};
[[nodiscard]] constexpr std::uint64_t head_bytes(int launches) {
    return whole_pages(sizeof(arena_head) + static_cast<std::uint64_t>(launches) * 8);
}

/// How a cell's function ends, beside what the operating system says of it.
enum class cell_code : int {
    done = 0,
    load_failed = 40, ///< the message says why
    wrong_arguments,
    timed_out,
    race,
    overrun, ///< bytes around a buffer were changed
    input_written,
    no_memory,
    data_race,
};

[[nodiscard]] inline std::string pack(job const& j) {
    packer out;
    for (auto const* const d : {&j.dimensions.grid, &j.dimensions.block})
        out.put(d->x).put(d->y).put(d->z);
    out.put(j.dimensions.shared_bytes).put(j.order).put(j.order_seed).put(j.poison_seed);
    out.put(j.sets)
        .put(j.warmups)
        .put(j.launches)
        .put(j.keep)
        .put(j.launch_limit_ns)
        .put(j.run_limit_ms);
    out.put(j.memory_limit)
        .put(j.stack_bytes)
        .put(j.threads)
        .put(j.subgroup)
        .put(j.unsandboxed)
        .put(j.strict)
        .put(j.checked)
        .put(j.races)
        .put(j.wgsl);
    out.put(j.kept_offset).put(static_cast<std::uint64_t>(j.arguments.size()));
    for (auto const& a : j.arguments) {
        out.put(a.name).put(a.buffer).put(a.constant).put(a.flow).put(a.size);
        for (std::size_t k = 0; k < j.sets; ++k) out.put(a.values[k]).put(a.offsets[k]);
    }
    return std::move(out).bytes();
}

/// False: malformed. The client is the program itself, so this guards against bugs only.
[[nodiscard]] inline bool unpack(std::string_view bytes, job& j) {
    unpacker in{bytes};
    for (auto* const d : {&j.dimensions.grid, &j.dimensions.block})
        for (auto* const n : {&d->x, &d->y, &d->z}) *n = in.get<std::uint32_t>();
    j.dimensions.shared_bytes = in.get<std::uint32_t>();
    j.order = in.get<run_order>();
    j.order_seed = in.get<std::uint64_t>();
    j.poison_seed = in.get<std::uint64_t>();
    j.sets = in.get<std::uint32_t>();
    if (j.sets == 0 || j.sets > most_sets) return false;
    j.warmups = in.get<int>();
    j.launches = in.get<int>();
    j.keep.resize(in.count(sizeof(int)));
    for (auto& k : j.keep) k = in.get<int>();
    j.launch_limit_ns = in.get<std::uint64_t>();
    j.run_limit_ms = in.get<std::uint64_t>();
    j.memory_limit = in.get<std::uint64_t>();
    j.stack_bytes = in.get<std::uint64_t>();
    j.threads = in.get<std::uint32_t>();
    j.subgroup = in.get<std::uint32_t>();
    j.unsandboxed = in.get<bool>();
    j.strict = in.get<bool>();
    j.checked = in.get<bool>();
    j.races = in.get<bool>();
    j.wgsl = in.get<bool>();
    j.kept_offset = in.get<std::uint64_t>();
    j.arguments.resize(in.count(2 * sizeof(std::uint64_t)));
    for (auto& a : j.arguments) {
        a.name = in.text();
        a.buffer = in.get<bool>();
        a.constant = in.get<bool>();
        a.flow = in.get<direction>();
        a.size = in.get<std::uint64_t>();
        for (std::size_t k = 0; k < j.sets; ++k) {
            a.values.emplace_back(in.text());
            a.offsets.push_back(in.get<std::uint64_t>());
        }
    }
    return in.complete() && j.arguments.size() <= most_arguments && j.launches >= 0 &&
           j.warmups >= 0 && j.launches <= most_launches && j.dimensions.block.count() <= 1024 &&
           j.dimensions.block.count() > 0 && j.threads > 0;
}

} // namespace lkt::host_detail
