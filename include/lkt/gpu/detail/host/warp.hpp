// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/host/module.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace lkt::host_detail {

using lane_mask = std::uint64_t;
[[nodiscard]] constexpr lane_mask bit_of(unsigned lane) { return lane_mask{1} << lane; }

template <class F>
void for_each_lane(lane_mask lanes, F const& f) {
    for (auto rest = lanes; rest != 0; rest &= rest - 1)
        f(static_cast<unsigned>(std::countr_zero(rest)));
}

/// One lane's part in a warp function, and what it gets back.
struct warp_part {
    warp_call what = warp_call::sync;
    bool of_those_here = false; ///< there is no mask
    lane_mask mask = 0;
    std::uint64_t value = 0;
    std::uint32_t parameter = 0, width = 32;
    int line = 0;
    std::uint64_t result = 0;

    /// As a module calls it.
    [[nodiscard]] static warp_part of(int what,
                                      lane_mask mask,
                                      std::uint64_t value,
                                      unsigned parameter,
                                      unsigned width,
                                      int line) {
        bool const here = (what & warp_call_of_those_here) != 0;
        auto const call = static_cast<warp_call>(what & ~warp_call_of_those_here);
        return {call, here, mask, value, parameter, width, line};
    }
};
using warp_parts = std::array<warp_part*, most_lanes>;

/// The lane that a shuffle reads (CUDA C++ Programming Guide, Warp Shuffle Functions): lanes form
/// segments of `width`; a source outside the segment is the lane itself. XOR may reach back into
/// earlier segments.
[[nodiscard]] inline unsigned shuffle_source(warp_part const& p, unsigned lane) {
    auto const width = p.width;
    auto const first = lane & ~(width - 1);
    switch (p.what) {
    case warp_call::shuffle:
        return first | (p.parameter & (width - 1));
    case warp_call::shuffle_up:
        return p.parameter > lane - first ? lane : lane - p.parameter;
    case warp_call::shuffle_down:
        return p.parameter >= first + width - lane ? lane : lane + p.parameter;
    case warp_call::shuffle_xor: {
        // CUDA looks at five bits.
        bool const wide = p.of_those_here || p.width > 32;
        auto const source = lane ^ (p.parameter & (wide ? most_lanes - 1 : 31U));
        return source >= first + width ? lane : source;
    }
    case warp_call::sync:
    case warp_call::ballot:
    case warp_call::all:
    case warp_call::any:
    case warp_call::match_any:
    case warp_call::match_all:
    case warp_call::add:
    case warp_call::minimum:
    case warp_call::maximum:
    case warp_call::bit_and:
    case warp_call::bit_or:
    case warp_call::bit_xor:
    case warp_call::meet:
    case warp_call::idle:
    case warp_call::gather:
        break;
    }
    return lane;
}

/// What a shuffle reads of a lane that takes no part, which may be anything: large and positive or
/// negative in every type, so that a kernel that uses it is wrong.
[[nodiscard]] inline std::uint64_t value_of_nobody(unsigned lane) {
    return lane % 2 == 0 ? 0x7b7b'7b7b'7b7b'7b7b : 0xfb7b'fb7b'fb7b'fb7b;
}

/// A lane that asks which others are there (`__activemask`).
struct lane_that_asks {
    int line = 0;
    unsigned place = 0; ///< in the order of threads
    unsigned lane = 0;
    std::uint64_t* answer = nullptr;
};
/// All lanes of a warp that have not returned, in one line, are there together. Of some of them,
/// those that ask in one line are, as many as follow each other upwards in the order of threads:
/// all where threads run forward, each alone where they run in reverse. CUDA promises neither, so a
/// kernel has to be right in both. The lanes that have their answers.
inline lane_mask answer_who_is_there(std::vector<lane_that_asks>& lanes, lane_mask alive) {
    std::sort(lanes.begin(), lanes.end(), [](auto const& a, auto const& b) {
        return a.line != b.line ? a.line < b.line : a.place < b.place;
    });
    lane_mask all = 0;
    for (auto const& one : lanes) all |= bit_of(one.lane);
    bool const whole = all == alive && !lanes.empty() && lanes.front().line == lanes.back().line;
    for (std::size_t k = 0, first = 0; k < lanes.size(); ++k) {
        bool const more = k + 1 < lanes.size() && lanes[k + 1].line == lanes[k].line &&
                          (whole || lanes[k + 1].lane > lanes[k].lane);
        if (more) continue;
        lane_mask group = 0;
        for (auto n = first; n <= k; ++n) group |= bit_of(lanes[n].lane);
        for (; first <= k; ++first) *lanes[first].answer = group;
    }
    return all;
}

/// What somebody waits for, as the end of a sentence.
[[nodiscard]] inline std::string what_is_awaited(warp_part const& idle) {
    auto const count = [](std::uint64_t n, std::string const& what) {
        return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
    };
    auto const low = idle.value & 0xffff'ffff;
    switch (static_cast<awaited>(idle.parameter)) {
    case awaited::something:
        break;
    case awaited::mbarrier: {
        auto const bytes = static_cast<std::int32_t>(idle.value >> 32);
        return ", where an mbarrier lacks " +
               (low != 0 ? count(low, "arrival") + (bytes != 0 ? " and " : "") : std::string()) +
               (bytes != 0 || low == 0
                    ? count(static_cast<std::uint64_t>(std::abs(bytes)), "byte") +
                          (bytes < 0 ? " fewer to have been copied" : " of copies")
                    : "");
    }
    case awaited::numbered:
        return ", where a barrier lacks " + count(low, "thread");
    case awaited::product:
        return ", where a wgmma lacks " + count(low, "thread") + " of its warpgroup";
    }
    return {};
}

/// Threads wait in these lines (0: in none), and one looks again and again for `idle` (null: none).
[[nodiscard]] inline std::string deadlock(int barrier, int warp_function, warp_part const* idle) {
    std::string text = "threads of one block wait for each other forever", sep = ",";
    auto const add = [&](std::string const& what, int line) {
        text += sep + " at the " + what + " in line " + std::to_string(line);
        sep = " and";
    };
    if (barrier != 0) add("barrier", barrier);
    if (warp_function != 0) add("warp function", warp_function);
    if (idle != nullptr) add("wait", idle->line);
    return idle != nullptr ? text + what_is_awaited(*idle) : text;
}

/// What `lanes`, which have all arrived at the same call, get back.
inline void complete_warp_call(warp_parts const& parts, lane_mask lanes) {
    auto const each = [&](auto f) { for_each_lane(lanes, f); };
    auto const give_all = [&](std::uint64_t r) { each([&](unsigned l) { parts[l]->result = r; }); };
    auto const fold = [&](auto f) {
        auto const first = static_cast<unsigned>(std::countr_zero(lanes));
        auto r = static_cast<std::uint32_t>(parts[first]->value);
        each([&](unsigned l) {
            if (l != first) r = f(r, static_cast<std::uint32_t>(parts[l]->value));
        });
        give_all(r);
    };
    auto const equals = [&](std::uint64_t v) {
        lane_mask r = 0;
        each([&](unsigned l) { r |= parts[l]->value == v ? bit_of(l) : 0; });
        return r;
    };
    auto const leader = parts[static_cast<unsigned>(std::countr_zero(lanes))];
    switch (leader->what) {
    case warp_call::sync:
    case warp_call::meet:
    case warp_call::idle:
    case warp_call::gather:
        break;
    case warp_call::shuffle:
    case warp_call::shuffle_up:
    case warp_call::shuffle_down:
    case warp_call::shuffle_xor:
        each([&](unsigned l) {
            auto const source = shuffle_source(*parts[l], l);
            parts[l]->result =
                (lanes >> source & 1) != 0 ? parts[source]->value : value_of_nobody(source);
        });
        break;
    case warp_call::ballot:
        give_all(lanes & ~equals(0));
        break;
    case warp_call::all:
        give_all(equals(0) == 0 ? 1 : 0);
        break;
    case warp_call::any:
        give_all(equals(0) == lanes ? 0 : 1);
        break;
    case warp_call::match_any:
        each([&](unsigned l) { parts[l]->result = equals(parts[l]->value); });
        break;
    case warp_call::match_all:
        give_all(equals(leader->value) == lanes ? lanes : 0);
        break;
    case warp_call::add:
        fold([](std::uint32_t a, std::uint32_t b) { return a + b; });
        break;
    case warp_call::minimum:
        fold([](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
        break;
    case warp_call::maximum:
        fold([](std::uint32_t a, std::uint32_t b) { return a < b ? b : a; });
        break;
    case warp_call::bit_and:
        fold([](std::uint32_t a, std::uint32_t b) { return a & b; });
        break;
    case warp_call::bit_or:
        fold([](std::uint32_t a, std::uint32_t b) { return a | b; });
        break;
    case warp_call::bit_xor:
        fold([](std::uint32_t a, std::uint32_t b) { return a ^ b; });
        break;
    }
}

} // namespace lkt::host_detail
