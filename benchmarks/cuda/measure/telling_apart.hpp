// SPDX-License-Identifier: BSL-1.0
// Parts 2 and 3 of measure.cpp: how often kernels are told apart that differ, or do not.
#pragma once

#include "../../measure/telling_apart.hpp"
#include "subject.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

inline std::size_t index_of(std::string_view name) {
    auto const& all = kernels();
    auto const at =
        std::find_if(all.begin(), all.end(), [&](auto const& k) { return k.name == name; });
    if (at == all.end()) throw std::runtime_error("there is no kernel " + std::string(name));
    return static_cast<std::size_t>(at - all.begin());
}

/// `most` trials of each part, for so many seconds at most.
inline void tell_apart(
    lkt::cuda& gpu, std::string const& text, int most, double seconds, std::string const& file) {
    // Kernels whose noise is of different kinds take part in equal shares.
    std::vector<trial> same;
    constexpr char const* names[] = {"fma 1000", "copy 160 MiB", "matmul 512", "stencil 2048"};
    for (char const* const name : names) {
        subject s(gpu, text, index_of(name));
        std::vector<trial> own;
        auto const begin = clock_type::now();
        while (own.size() < static_cast<std::size_t>(most + 3) / 4 && since(begin) < seconds / 4)
            own.push_back(take_turns(s, s));
        std::printf(
            "A/A %-16s %4zu trials in %.1f s, called different:", name, own.size(), since(begin));
        for (criterion const& c : criteria) std::printf(" %.2f %%", share(own, c, false));
        std::printf("\n");
        std::fflush(stdout);
        dump(file, name, own);
        same.insert(same.end(), own.begin(), own.end());
    }
    std::printf("figure cuda_aa_trials %zu trials\n", same.size());
    for (criterion const& c : criteria)
        std::printf("figure cuda_aa_different%s %.2f %%\n", c.name, share(same, c, false));

    subject less(gpu, text, index_of("fma 1000")), more(gpu, text, index_of("fma 1010"));
    std::vector<trial> unlike;
    auto const begin = clock_type::now();
    while (unlike.size() < static_cast<std::size_t>(most) && since(begin) < seconds)
        unlike.push_back(take_turns(less, more));
    dump(file, "more", unlike);
    std::printf("figure cuda_one_percent_trials %zu trials\n", unlike.size());
    for (criterion const& c : criteria)
        std::printf(
            "figure cuda_one_percent_told_apart%s %.2f %%\n", c.name, share(unlike, c, true));
}

} // namespace measure
