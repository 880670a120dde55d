// SPDX-License-Identifier: BSL-1.0
// Part 1 of measure.cpp: the medians of lkt beside those of the reference.
#pragma once

#include "subject.hpp"

#include <lkt/kernel/measurement.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace measure {

/// One way in which lkt measures, over all kernels.
struct tally {
    char const* name = "";
    double worst[2] = {}, beyond[2] = {}; ///< long kernels, short ones; per cent
    int within = 0;                       ///< long kernels, 0.5 % at most both times
    double time = 0, time_at_worst = 0;   ///< as a part of the reference's at worst
    double differs[2] = {};               ///< of the kernel at hand, both times

    void add(bool is_short, double elsewhere) {
        double const worse = std::max(std::abs(differs[0]), std::abs(differs[1]));
        worst[is_short] = std::max(worst[is_short], worse);
        within += !is_short && worse <= 0.5;
        // Beyond what lies between the reference's two medians.
        double const low = std::min(0.0, elsewhere), high = std::max(0.0, elsewhere);
        for (double const d : differs)
            beyond[is_short] = std::max({beyond[is_short], d - high, low - d});
    }
    void print(double time_of_other) const {
        std::printf("figure cuda_%s_medians_differ %.3f %%\n", name, worst[0]);
        std::printf("figure cuda_%s_medians_within_half_a_per_cent %d kernels\n", name, within);
        std::printf("figure cuda_%s_short_medians_differ %.3f %%\n", name, worst[1]);
        std::printf("figure cuda_%s_medians_differ_beyond_place %.3f %%\n", name, beyond[0]);
        std::printf("figure cuda_%s_short_medians_differ_beyond_place %.3f %%\n", name, beyond[1]);
        std::printf("figure cuda_%s_time %.4f x\n", name, time / time_of_other);
        std::printf("figure cuda_%s_time_at_worst %.4f x\n", name, time_at_worst);
    }
};

inline void compare_medians(lkt::cuda& gpu, std::string const& text, double limit) {
    peer other(text);
    constexpr double short_below = 50e-6;
    constexpr std::uint64_t elsewhere = 65536 + 1536; // bytes; neighbours in no cache
    tally quick{"quick"}, settled{"settled"};
    double time_of_other = 0, worst_elsewhere[2] = {};
    int kernels_of[2] = {};
    std::printf("%-22s %11s %8s %7s | %15s %5s %5s | %15s %5s %5s | %9s\n",
                "kernel",
                "other us",
                "samples",
                "MHz",
                "quick %",
                "n",
                "MHz",
                "settled %",
                "n",
                "MHz",
                "elsewhere");
    for (std::size_t k = 0; k < kernels().size(); ++k) {
        subject own(gpu, text, k);
        double const once = own.run(2, 1, {}).samples.back().count();
        double medians[2][2] = {}, clocks[2] = {}, spent[2] = {};
        std::size_t samples[2] = {};
        int discarded = 0;
        auto const both = [&](int turn) {
            for (int which = 0; which < 2; ++which) {
                // A launch costs 0.1 ms besides.
                lkt::seconds const least(which == 0 ? 0 : 0.06 * once / (once + 1e-4));
                auto const begin = clock_type::now();
                auto r =
                    own.run(500, 1, {.min_launches = 10, .precision = 0.005, .min_time = least});
                spent[which] += since(begin) / 2;
                medians[which][turn] = lkt::measurement{r.samples}.median().count();
                samples[which] = r.samples.size();
                std::sort(r.megahertz.begin(), r.megahertz.end());
                clocks[which] = r.megahertz[r.megahertz.size() / 2];
                discarded += r.discarded;
            }
        };
        both(0);
        auto const ref = other.measure_kernel(k, 0, limit);
        both(1);
        auto const again = other.measure_kernel(k, elsewhere, std::min(limit, 0.7));
        bool const is_short = ref.median < short_below;
        ++kernels_of[is_short];
        double const away = per_cent(again.median, ref.median);
        worst_elsewhere[is_short] = std::max(worst_elsewhere[is_short], std::abs(away));
        time_of_other += ref.took;
        for (tally* const t : {&quick, &settled}) {
            int const which = t == &settled;
            for (int turn = 0; turn < 2; ++turn)
                t->differs[turn] = per_cent(medians[which][turn], ref.median);
            t->time += spent[which];
            t->time_at_worst = std::max(t->time_at_worst, spent[which] / ref.took);
            t->add(is_short, away);
        }
        std::printf("%-22s %11.3f %8llu %7.0f | %7.3f %7.3f %5zu %5.0f | %7.3f %7.3f %5zu %5.0f | "
                    "%9.3f",
                    kernels()[k].name,
                    ref.median * 1e6,
                    static_cast<unsigned long long>(ref.samples),
                    ref.megahertz,
                    quick.differs[0],
                    quick.differs[1],
                    samples[0],
                    clocks[0],
                    settled.differs[0],
                    settled.differs[1],
                    samples[1],
                    clocks[1],
                    away);
        if (discarded > 0) std::printf(", %d launches discarded", discarded);
        if (ref.discarded > 0)
            std::printf(", %llu by the other", static_cast<unsigned long long>(ref.discarded));
        std::printf("%s\n", ref.in_time ? "" : ", out of time");
        std::fflush(stdout);
    }
    std::printf("%d kernels above 50 us, %d below; the reference took %.1f s\n",
                kernels_of[0],
                kernels_of[1],
                time_of_other);
    quick.print(time_of_other);
    settled.print(time_of_other);
    std::printf("figure cuda_reference_differs_elsewhere %.3f %%\n", worst_elsewhere[0]);
    std::printf("figure cuda_reference_differs_elsewhere_short %.3f %%\n", worst_elsewhere[1]);
}

} // namespace measure
