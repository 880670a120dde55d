// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/verify/compare.hpp>

#include <cstdint>
#include <cstring>
#include <string>

namespace lkt {

/// Whether element `k` of two buffers of one type has the same bits.
[[nodiscard]] inline bool
same_element(argument_data const& a, argument_data const& b, std::uint64_t k) {
    std::size_t const size = a.type.bytes();
    return std::memcmp(a.bytes.data() + k * size, b.bytes.data() + k * size, size) == 0;
}

/// What else a wrong output shows when its launch is repeated on the same inputs: once with the
/// same poison (`again`), once with another (`other_poison`). What changes with the poison alone
/// was not written, whatever the back end's pattern is; what changes without it depends on the
/// order of threads. An `inout` argument is not poisoned: there, `input` is what it started from.
[[nodiscard]] inline std::string describe_rerun(mismatch const& m,
                                                direction flow,
                                                argument_data const& input,
                                                argument_data const& got,
                                                argument_data const& again,
                                                argument_data const& other_poison) {
    std::uint64_t unstable = 0, unwritten = 0;
    for (std::uint64_t k = 0; k < m.wrong.size(); ++k) {
        if (!m.wrong[k]) continue;
        if (!same_element(got, again, k))
            ++unstable;
        else if (flow == direction::inout ? same_element(got, input, k)
                                          : !same_element(got, other_poison, k))
            ++unwritten;
    }
    auto const how_many = [&](std::uint64_t n) {
        return n == m.count
                   ? "every wrong element "
                   : std::to_string(n) + " of the " + std::to_string(m.count) + " wrong elements ";
    };
    std::string text;
    if (unwritten > 0)
        text = how_many(unwritten) +
               (flow == direction::inout
                    ? "still holds its input"
                    : "was not written: it depends on what the buffer held before the launch");
    if (unstable > 0)
        text += (text.empty() ? "" : "; ") + how_many(unstable) +
                "differs from one launch to the next on the same inputs: threads race, or "
                "uninitialised memory is read";
    return text;
}

} // namespace lkt
