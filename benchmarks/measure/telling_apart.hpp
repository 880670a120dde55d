// SPDX-License-Identifier: BSL-1.0
// How often two kernels are told apart, judged as the finals of a tuning run judge them.
#pragma once

#include "common.hpp"

#include <lkt/gpu/sampling.hpp>
#include <lkt/kernel/measurement.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace measure {

constexpr int final_rounds = 7, final_launches = 3; // as evaluation_options

/// The series of one comparison, in the order in which they were taken.
struct trial {
    std::vector<double> one[final_rounds], other[final_rounds];
};

/// A subject's `run(launches, warmups, sampling)` returns a lkt::run_report.
template <class Subject>
trial take_turns(Subject& one, Subject& other, lkt::sampling how = {}) {
    trial t;
    for (int round = 0; round < final_rounds; ++round)
        for (int turn = 0; turn < 2; ++turn) {
            bool const first = (turn == 0) == (round % 2 == 0);
            auto const r = (first ? one : other).run(final_launches, 1, how);
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
    for (int round = 0; round < final_rounds; ++round) {
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
            for (int round = 0; round < final_rounds; ++round)
                for (double const s : side[round]) to << ' ' << std::lround(s * 1e9);
        to << '\n';
    }
}

} // namespace measure
