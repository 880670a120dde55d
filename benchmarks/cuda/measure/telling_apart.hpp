// SPDX-License-Identifier: BSL-1.0
// Parts 2 and 3 of measure.cpp: how often kernels are told apart that differ, or do not.
#pragma once

#include "subject.hpp"

#include <lkt/kernel/measurement.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

constexpr int rounds = 7, launches = 3; // as evaluation_options

/// The series of one comparison, in the order in which they were taken.
struct trial {
    std::vector<double> one[rounds], other[rounds];
};

inline trial take_turns(subject& one, subject& other) {
    trial t;
    for (int round = 0; round < rounds; ++round)
        for (int turn = 0; turn < 2; ++turn) {
            bool const first = (turn == 0) == (round % 2 == 0);
            auto const r = (first ? one : other).run(launches, 1, {});
            for (auto const s : r.samples) (first ? t.one : t.other)[round].push_back(s.count());
        }
    return t;
}

/// lkt::compare, for intervals of another confidence than 95 %: `tail` may lie beyond either end.
inline lkt::comparison
compare_at(lkt::measurement const& a, lkt::measurement const& b, double tail) {
    std::size_t const n = std::min(a.samples.size(), b.samples.size());
    std::size_t rank = 0; // the largest with P(Binomial(n, 1/2) < rank) <= tail
    double term = std::pow(0.5, static_cast<double>(n)), below = 0;
    for (std::size_t i = 0; i < n && (below += term) <= tail; ++i) {
        rank = i + 1;
        term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
    }
    if (rank == 0) return lkt::comparison::undecided;
    auto x = a.samples, y = b.samples;
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    if (x[n - rank] < y[rank - 1]) return lkt::comparison::faster;
    if (y[n - rank] < x[rank - 1]) return lkt::comparison::slower;
    return lkt::comparison::undecided;
}

/// How a comparison is judged.
struct criterion {
    char const* name = "";
    std::size_t least = 0; ///< samples, before which nothing is judged
    double tail = 0;       ///< 0: as lkt::compare does
};
constexpr criterion criteria[] = {{"", 6, 0},
                                  {"_at_the_end", 21, 0},
                                  {"_from_12_samples", 12, 0},
                                  {"_at_97_per_cent", 6, 0.0155}};

/// After every round, until there is a verdict.
inline lkt::comparison verdict(trial const& t, criterion const& c) {
    lkt::measurement a, b;
    for (int round = 0; round < rounds; ++round) {
        for (double const s : t.one[round]) a.samples.emplace_back(s);
        for (double const s : t.other[round]) b.samples.emplace_back(s);
        if (a.samples.size() < c.least) continue;
        auto const found = c.tail > 0 ? compare_at(a, b, c.tail) : lkt::compare(a, b);
        if (found != lkt::comparison::undecided) return found;
    }
    return lkt::comparison::undecided;
}

/// Of all trials, per cent: those that call the first kernel faster, or either.
inline double share(std::vector<trial> const& all, criterion const& c, bool only_faster) {
    std::size_t n = 0;
    for (trial const& t : all) {
        auto const v = verdict(t, c);
        n += only_faster ? v == lkt::comparison::faster : v != lkt::comparison::undecided;
    }
    return 100 * static_cast<double>(n) / static_cast<double>(std::max<std::size_t>(1, all.size()));
}

inline void dump(std::string const& file, std::string const& name, std::vector<trial> const& all) {
    if (file.empty()) return;
    std::ofstream to(file, std::ios::app);
    for (trial const& t : all) {
        to << name;
        for (auto const* const side : {t.one, t.other})
            for (int round = 0; round < rounds; ++round)
                for (double const s : side[round]) to << ' ' << std::lround(s * 1e9);
        to << '\n';
    }
}

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
