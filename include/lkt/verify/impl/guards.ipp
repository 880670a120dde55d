// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/guards.hpp>

#include <lkt/verify/detail/chunks.hpp>

#include <cstring>

namespace lkt {

bool same_element(argument_data const& a, argument_data const& b, std::uint64_t k) {
    std::size_t const size = a.type.bytes();
    return std::memcmp(a.bytes.data() + k * size, b.bytes.data() + k * size, size) == 0;
}

std::string describe_rerun(mismatch const& m,
                           direction flow,
                           argument_data const& input,
                           argument_data const& got,
                           argument_data const& again,
                           argument_data const& other_poison) {
    struct counts {
        std::uint64_t unstable = 0, unwritten = 0;
        counts& operator+=(counts const& o) {
            unstable += o.unstable;
            unwritten += o.unwritten;
            return *this;
        }
    };
    auto const add = [&](counts& sum, std::uint64_t first, std::uint64_t last) {
        m.wrong.all_of(first, last, [&](std::uint64_t k) {
            if (!same_element(got, again, k))
                ++sum.unstable;
            else if (flow == direction::inout ? same_element(got, input, k)
                                              : !same_element(got, other_poison, k))
                ++sum.unwritten;
            return true;
        });
    };
    auto const [unstable, unwritten] =
        detail::sum_of_chunks<counts>(m.wrong.size(), detail::threads_for(m.count), add);
    auto const how_many = [&](std::uint64_t n, std::string const& one, std::string const& more) {
        if (n == m.count) return "every wrong element " + one;
        return std::to_string(n) + " of the " + std::to_string(m.count) + " wrong elements " +
               (n == 1 ? one : more);
    };
    std::string text;
    if (unwritten > 0)
        text = flow == direction::inout
                   ? how_many(unwritten, "still holds its input", "still hold their input")
                   : how_many(unwritten,
                              "was not written: it depends",
                              "were not written: they depend") +
                         " on what the buffer held before the launch";
    if (unstable > 0)
        text += (text.empty() ? "" : "; ") + how_many(unstable, "differs", "differ") +
                " from one launch to the next on the same inputs: threads race, or "
                "uninitialised memory is read";
    return text;
}

} // namespace lkt
