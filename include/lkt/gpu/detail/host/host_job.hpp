// SPDX-License-Identifier: BSL-1.0
// What a host back end asks of its worker.
#pragma once

#include <lkt/core/secret_stream.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/value_type.hpp>
#include <lkt/process/wire.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
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

/// A step of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes well, used on counters,
/// for what a kernel may know.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// One argument. A buffer lies somewhere in its room, which is made of whole pages between two that
/// nobody may touch: see `place_in_room`.
struct job_argument {
    std::string name;
    std::vector<std::string> values; ///< one for each set: the bytes of a value; empty for a buffer
    bool buffer = false;
    bool constant = false; ///< a buffer that is no parameter: the contents of constant memory
    direction flow = direction::in;
    std::uint64_t size = 0; ///< bytes of the buffer
    std::uint64_t off = 0;  ///< by which it lies beyond an aligned address; less than an alignment
    unsigned element = 0;   ///< bytes of an element; stays with the client
    /// One for each set: of its contents in the arena, where it has some. Those of an input are a
    /// room, in which it lies at `places`; those of others are only for the worker.
    std::vector<std::uint64_t> offsets, places;
    std::size_t position = 0; ///< among the arguments of the request; stays with the client
    /// Not 0: it is a tensor map of this argument, counted from 1, and begins with its address.
    std::uint64_t map_of = 0;
};

/// How many times its limit a launch may take where the machine lets it wait for processors.
inline constexpr int busy_patience = 8;

/// A tensor map as the shim's `lkt_map` has it. Without dimensions there is none.
struct host_map {
    std::uint64_t address = 0, extent[5] = {}, stride[4] = {};
    std::uint16_t box[5] = {}, rank = 0, bytes = 0, swizzle = 0;
    std::byte rest[32] = {};
};
static_assert(sizeof(host_map) == 128);

/// What is the same for the worker and the cell that it forks. What the cell must not know is in
/// `job_secrets`.
struct job {
    launch_dimensions dimensions;
    run_order order = run_order::forward;
    bool blocks_forward = false;   ///< the order is that of threads alone
    std::uint64_t order_seed = 0;  ///< of the threads
    std::uint64_t layout_seed = 0; ///< of the rooms in the cell's address space
    int warmups = 0, launches = 1;
    std::uint32_t sets = 1; ///< of arguments, which launches take in turns as `set_of_launch` says
    std::uint64_t launch_limit_ns = 0, run_limit_ms = 0;
    std::uint64_t memory_limit = 0, stack_bytes = 0;
    std::uint32_t shared_alignment = 16; ///< of dynamic shared memory
    std::uint32_t threads = 1;
    std::uint32_t subgroup = 32; ///< threads of one, in a translation of WGSL
    std::uint32_t otherwise = 0; ///< `open_choice`s of WGSL that are made the other way
    bool unsandboxed = false, strict = false;
    bool checked = false;    ///< the module is instrumented
    bool other_fill = false; ///< shared memory is filled with something else
    bool leftovers = false;  ///< it is filled for the first block alone
    bool races = false;      ///< it is compiled to find data races
    bool turns = false;      ///< threads take turns at atomics: see `team::set_turns`
    /// Places for what a run sees of branches, in the arena; none unless they are watched.
    std::uint64_t branches_offset = 0, branches_count = 0;
    bool wgsl = false; ///< it is a translation of WGSL
    /// In checked builds: offset in the module and size of each static variable that each block has
    /// for itself.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> shared;
    std::uint64_t secrets_offset = 0, secrets_size = 0; ///< in the arena: `job_secrets`, packed
    std::vector<job_argument> arguments;
};

/// What only the worker may know, and only while the cell is there: it reads it in memory that the
/// cell does not inherit.
struct job_secrets {
    secret_key run; ///< as `secrets_of_run` has it
    std::vector<int> keep;
    std::uint64_t kept_offset = 0; ///< in the arena: the kept outputs, each from a page on
    struct argument {
        std::uint64_t position = 0; ///< among the arguments of the request
        scalar_type scalar = scalar_type::float32;
        /// One for each set: in the arena, what is right; 0 where nobody knows.
        std::vector<std::uint64_t> right;
    };
    std::vector<argument> arguments; ///< as those of the job
};

inline constexpr std::uint64_t page_bytes = 4096;
inline constexpr std::uint64_t buffer_alignment = 256; ///< what CUDA promises
inline constexpr std::size_t max_arguments = 64;
inline constexpr std::size_t max_sets = 64;
inline constexpr std::size_t max_value_bytes = 32; ///< a double4
inline constexpr int max_launches = 100'000;

[[nodiscard]] constexpr std::uint64_t whole_pages(std::uint64_t size) {
    return size == 0 ? page_bytes : (size + page_bytes - 1) / page_bytes * page_bytes;
}
[[nodiscard]] constexpr std::uint64_t aligned_bytes(std::uint64_t size) {
    return (size + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}
/// The pages in which a buffer lies: at least one page more than it takes.
[[nodiscard]] constexpr std::uint64_t room_bytes(std::uint64_t size) {
    return whole_pages(aligned_bytes(size) + page_bytes);
}
/// Where a buffer begins in its room. Half of all places are the last one, where it ends at most
/// 255 bytes before a page that nobody may touch (at none, if its size is a multiple of 256); of
/// the others, half begin right behind such a page. Each is `off` bytes further on.
[[nodiscard]] constexpr std::uint64_t
place_in_room(std::uint64_t size, std::uint64_t off, std::uint64_t drawn) {
    auto const last = room_bytes(size) - aligned_bytes(size + off);
    if (drawn % 2 == 0) return last + off;
    if (drawn % 4 == 1) return off;
    return drawn / 4 % (last / buffer_alignment + 1) * buffer_alignment + off;
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
    bool unfenced = false;     ///< they are ordered, but by no fence of the other proxy
    std::uint64_t index = 0;   ///< of the argument
    std::uint64_t offset = 0;  ///< in bytes; of a variable in the module
    race_access first, second; ///< as they ran
};

/// The first pages of the arena, written by the cell: hints, to be read with care.
struct arena_head {
    std::uint64_t reached = 0; ///< launches that were begun, warm-ups included
    std::uint64_t finished = 0;
    std::uint64_t addresses[max_arguments] = {}; ///< of the launch's buffers, in the cell
    std::uint64_t shared_address = 0;            ///< of the dynamic shared memory
    race_note race;                              ///< of the cell code `data_race`
    std::uint32_t met = 0;                       ///< `open_choice`s of WGSL
    std::uint32_t converted = 0;                 ///< a line; see `module_calls`
    std::uint32_t unordered = 0; ///< 1: there was too much to keep of what orders blocks
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
    unclear, ///< what the kernel does is not known here; the message says why
    misused, ///< it has done what CUDA does not define; the message says what
};

[[nodiscard]] inline std::string pack(job const& j) {
    packer out;
    for (auto const* const d : {&j.dimensions.grid, &j.dimensions.block})
        out.put(d->x).put(d->y).put(d->z);
    out.put(j.dimensions.shared_bytes).put(j.order).put(j.order_seed).put(j.layout_seed);
    out.put(j.sets).put(j.warmups).put(j.launches).put(j.launch_limit_ns).put(j.run_limit_ms);
    out.put(j.memory_limit)
        .put(j.stack_bytes)
        .put(j.shared_alignment)
        .put(j.threads)
        .put(j.subgroup)
        .put(j.otherwise)
        .put(j.blocks_forward)
        .put(j.unsandboxed)
        .put(j.strict)
        .put(j.checked)
        .put(j.other_fill)
        .put(j.leftovers)
        .put(j.races)
        .put(j.turns)
        .put(j.branches_offset)
        .put(j.branches_count)
        .put(j.wgsl);
    out.put(static_cast<std::uint64_t>(j.shared.size()));
    for (auto const& [offset, size] : j.shared) out.put(offset).put(size);
    out.put(j.secrets_offset).put(j.secrets_size);
    out.put(static_cast<std::uint64_t>(j.arguments.size()));
    for (auto const& a : j.arguments) {
        out.put(a.name).put(a.buffer).put(a.constant).put(a.flow).put(a.size).put(a.off);
        out.put(a.map_of);
        for (std::size_t k = 0; k < j.sets; ++k)
            out.put(a.values[k]).put(a.offsets[k]).put(a.places[k]);
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
    j.layout_seed = in.get<std::uint64_t>();
    j.sets = in.get<std::uint32_t>();
    if (j.sets == 0 || j.sets > max_sets) return false;
    j.warmups = in.get<int>();
    j.launches = in.get<int>();
    j.launch_limit_ns = in.get<std::uint64_t>();
    j.run_limit_ms = in.get<std::uint64_t>();
    j.memory_limit = in.get<std::uint64_t>();
    j.stack_bytes = in.get<std::uint64_t>();
    j.shared_alignment = in.get<std::uint32_t>();
    j.threads = in.get<std::uint32_t>();
    j.subgroup = in.get<std::uint32_t>();
    j.otherwise = in.get<std::uint32_t>();
    j.blocks_forward = in.get<bool>();
    j.unsandboxed = in.get<bool>();
    j.strict = in.get<bool>();
    j.checked = in.get<bool>();
    j.other_fill = in.get<bool>();
    j.leftovers = in.get<bool>();
    j.races = in.get<bool>();
    j.turns = in.get<bool>();
    j.branches_offset = in.get<std::uint64_t>();
    j.branches_count = in.get<std::uint64_t>();
    j.wgsl = in.get<bool>();
    j.shared.resize(in.count(2 * sizeof(std::uint64_t)));
    for (auto& [offset, size] : j.shared) {
        offset = in.get<std::uint64_t>();
        size = in.get<std::uint64_t>();
    }
    j.secrets_offset = in.get<std::uint64_t>();
    j.secrets_size = in.get<std::uint64_t>();
    j.arguments.resize(in.count(2 * sizeof(std::uint64_t)));
    for (auto& a : j.arguments) {
        a.name = in.text();
        a.buffer = in.get<bool>();
        a.constant = in.get<bool>();
        a.flow = in.get<direction>();
        a.size = in.get<std::uint64_t>();
        a.off = in.get<std::uint64_t>() % buffer_alignment;
        a.map_of = in.get<std::uint64_t>();
        for (std::size_t k = 0; k < j.sets; ++k) {
            a.values.emplace_back(in.text());
            a.offsets.push_back(in.get<std::uint64_t>());
            a.places.push_back(in.get<std::uint64_t>());
        }
    }
    return in.complete() && j.arguments.size() <= max_arguments && j.launches >= 0 &&
           j.warmups >= 0 && j.launches <= max_launches && j.dimensions.block.count() <= 1024 &&
           j.dimensions.block.count() > 0 && j.threads > 0 && j.shared_alignment > 0 &&
           j.shared_alignment <= page_bytes;
}

[[nodiscard]] inline std::string pack(job_secrets const& s) {
    packer out;
    for (auto const word : s.run.words) out.put(word);
    out.put(s.keep).put(s.kept_offset).put(static_cast<std::uint64_t>(s.arguments.size()));
    for (auto const& a : s.arguments) out.put(a.position).put(a.scalar).put(a.right);
    return std::move(out).bytes();
}

/// False: malformed, or of another job.
[[nodiscard]] inline bool unpack(std::string_view bytes, job const& j, job_secrets& s) {
    unpacker in{bytes};
    for (auto& word : s.run.words) word = in.get<std::uint32_t>();
    s.keep.resize(in.count(sizeof(int)));
    for (auto& k : s.keep) k = in.get<int>();
    s.kept_offset = in.get<std::uint64_t>();
    s.arguments.resize(in.count(sizeof(std::uint64_t)));
    for (auto& a : s.arguments) {
        a.position = in.get<std::uint64_t>();
        a.scalar = in.get<scalar_type>();
        a.right.resize(in.count(sizeof(std::uint64_t)));
        for (auto& offset : a.right) offset = in.get<std::uint64_t>();
        if (a.right.size() != j.sets) return false;
    }
    return in.complete() && s.arguments.size() == j.arguments.size();
}

} // namespace lkt::host_detail
