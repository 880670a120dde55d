// SPDX-License-Identifier: BSL-1.0
// What Nsight Compute leaves in its log.
#include "support/property.hpp"

#include <lkt/gpu/cuda/profiler.hpp>

#include <algorithm>
#include <cmath>

lkt_fuzz::target const here("profiler_log", [](std::uint8_t const* data, std::size_t size) {
    using namespace lkt::cuda_detail;
    using lkt_fuzz::require;
    auto const text = lkt_fuzz::text_of(data, size);
    auto const log = read_profiler_log(text);
    for (profiled_launch const& launch : log.launches) {
        for (profiler_metric const& m : launch.metrics)
            require(std::isfinite(m.value) && m.value >= 0, "a metric is a number", text);
        auto const p = profile_of(launch);
        bool const falling =
            std::is_sorted(p.stalls.begin(), p.stalls.end(), [](auto const& a, auto const& b) {
                return a.percent > b.percent;
            });
        require(falling, "the largest share comes first", text);
    }
    auto const metrics = profiler_metrics();
    for (std::string const& name : unknown_metrics(log, metrics))
        require(std::find(metrics.begin(), metrics.end(), name) != metrics.end(),
                "what is unknown was asked for",
                text);
    lkt_fuzz::require_error(no_profile(log, "nothing came"));
    return 0;
});
