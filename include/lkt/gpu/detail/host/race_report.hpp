// SPDX-License-Identifier: BSL-1.0
// A data race in words.
#pragma once

#include <lkt/gpu/detail/host/compile.hpp>
#include <lkt/gpu/detail/host/host_job.hpp>
#include <lkt/gpu/detail/host/inspect.hpp>
#include <lkt/gpu/detail/host/module.hpp>
#include <lkt/kernel/failure.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <string>

namespace lkt::host_detail {

/// `17`, or `(1, 2, 0)` where there is more than one dimension.
[[nodiscard]] inline std::string place_in(dim3 const& size, std::uint64_t i) {
    if (size.y == 1 && size.z == 1) return std::to_string(i);
    auto const row = i / size.x;
    return "(" + std::to_string(i % size.x) + ", " + std::to_string(row % size.y) + ", " +
           std::to_string(row / size.y) + ")";
}

/// `out[17]`, `byte 68 of the shared variable tile`.
[[nodiscard]] inline std::string
race_place(job const& j, race_note const& note, std::span<module_variable const> variables) {
    auto const bytes = "byte " + std::to_string(note.offset);
    switch (note.kind) {
    case place_kind::argument: {
        if (note.index >= j.arguments.size()) break;
        auto const& a = j.arguments[note.index];
        return a.name + "[" + std::to_string(note.offset / std::max(a.element, 1U)) + "]";
    }
    case place_kind::dynamic:
        return bytes + " of the dynamic shared memory";
    case place_kind::variable:
        for (auto const& v : variables) {
            if (note.offset - v.address >= v.size) continue;
            auto name = v.name();
            auto const prefix = j.wgsl ? workgroup_prefix : shared_prefix;
            if (name.starts_with(prefix)) name.erase(0, prefix.size());
            return (v.size <= 8 ? std::string{}
                                : "byte " + std::to_string(note.offset - v.address) + " of ") +
                   "the " +
                   (j.wgsl             ? "workgroup"
                    : note.shared != 0 ? "shared"
                                       : "global") +
                   " variable " + name;
        }
        return note.shared != 0 ? "shared memory" : "a global variable";
    case place_kind::none:
        break;
    }
    return "memory";
}

/// `find_line` maps an offset in the module to the kernel's text, as far as it can.
[[nodiscard]] inline std::string
describe_race(job const& j,
              race_note const& note,
              std::span<module_variable const> variables,
              std::function<text_location(std::uint64_t)> const& find_line) {
    std::string const member = j.wgsl ? "invocation " : "thread ";
    std::string const group = j.wgsl ? "workgroup " : "block ";
    auto const side = [&](race_access const& a) {
        auto const line = find_line(a.code).line;
        return std::string{(a.kind & race_atomic) != 0  ? "changed atomically"
                           : (a.kind & race_write) != 0 ? "written"
                                                        : "read"} +
               ((a.kind & race_beside) != 0 ? " by a bulk copy or a wgmma of " : " by ") + member +
               place_in(j.dimensions.block, a.thread) + " of " + group +
               place_in(j.dimensions.grid, a.block) +
               (line > 0 ? " (line " + std::to_string(line) + ")" : "");
    };
    if (j.wgsl)
        return "data race on " + race_place(j, note, variables) + ": " + side(note.first) +
               ", and " + side(note.second) + "; nothing orders them: is " +
               (note.first.block == note.second.block ? "a workgroupBarrier"
                                                      : "a second dispatch") +
               " or an atomic missing?";
    if (note.unfenced)
        return "data race on " + race_place(j, note, variables) + ": " + side(note.first) +
               ", and " + side(note.second) +
               ", which may come before it: is a fence.proxy.async missing between the store and "
               "what orders the two?";
    bool const one_block = note.first.block == note.second.block;
    bool const one_warp = one_block && note.first.thread / 32 == note.second.thread / 32;
    return "data race on " + race_place(j, note, variables) + ": " + side(note.first) + ", and " +
           side(note.second) + "; nothing orders them: is " +
           (one_warp    ? "a __syncwarp, a __syncthreads"
            : one_block ? "a __syncthreads"
                        : "a second launch") +
           " or an atomic missing?";
}

} // namespace lkt::host_detail
