// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/simulated_engine.hpp>

#include <algorithm>
#include <cmath>

namespace lkt {

namespace detail::scan {

struct simulated_tile {
    std::int64_t m, n, k;
    double efficiency; ///< of arithmetic, in a product that fills it
};

inline constexpr simulated_tile simulated_tiles[] = {{256, 256, 64, 0.86},
                                                     {256, 128, 64, 0.80},
                                                     {128, 128, 64, 0.74},
                                                     {128, 64, 64, 0.62},
                                                     {64, 64, 32, 0.48},
                                                     {16, 64, 128, 0.31}};

/// FNV-1a, then finished as in splitmix64: the same on every machine.
inline std::uint64_t mixed_hash(std::string_view text, std::uint64_t seed) {
    std::uint64_t h = 14695981039346656037u ^ seed;
    for (char const c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

} // namespace detail::scan

std::string simulated_engine::refuses(scan_spec const& spec) const {
    if (spec.elementwise() != nullptr || options_.device.rate(spec.type()) > flop_rate()) return {};
    return options_.device.name + " has no matrix units for " + std::string(to_string(spec.type()));
}

result<scan_setup> simulated_engine::setup(call_context const&) const {
    return scan_setup{options_.device.name + " (simulated)",
                      to_string(options_.settings) + " seed=" + std::to_string(options_.seed)};
}

result<scanned_product> simulated_engine::measure(scan_spec const& spec,
                                                  call_context const& context) {
    if (context.stop.stop_requested()) return cancelled("the simulated scan");
    if (auto why = refuses(spec); !why.empty())
        return error{condition::rejected, "lkt.scan.refused", std::move(why), {}};
    scanned_product found;
    found.device = options_.device.name + " (simulated)";
    auto const roof = roofline_of(spec, options_.device);
    bool const known = spec.elementwise() == nullptr ||
                       spec.elementwise()->function() != elementwise_function::other;
    auto const verdict =
        options_.settings.verify && known ? scan_verdict::correct : scan_verdict::unchecked;
    auto const instance = [&](std::string name, double least) {
        auto const hash = detail::scan::mixed_hash(to_string(spec) + name, options_.seed);
        double const noise = 1 + 0.04 * static_cast<double>(hash >> 11) / 9007199254740992.0;
        double const time = (least + 2e-6) * noise; // and a launch
        found.instances.push_back({.name = std::move(name),
                                   .time = seconds{time},
                                   .least = seconds{time * 0.99},
                                   .most = seconds{time * 1.02},
                                   .deviation = seconds{time * 0.006},
                                   .iterations = options_.settings.iterations,
                                   .verdict = verdict});
    };
    if (auto const* const elementwise = spec.elementwise()) {
        // Vector units compute what has 64 bits in f64, and the rest in f32.
        auto const rate =
            options_.device.rate(spec.type() == gemm_type::f64 ? gemm_type::f64 : gemm_type::f32);
        double const arithmetic =
            rate > flop_rate() ? seconds(spec.operations() / rate).count() / 0.8 : 0;
        for (std::int64_t const width : {1, 2, 4, 8})
            if (elementwise->elements() % width != 0)
                ++found.unsupported;
            else
                instance(
                    "vectors of " + std::to_string(width),
                    std::max(arithmetic,
                             roof.memory_time.count() / (0.94 - 0.3 / static_cast<double>(width))));
        return found;
    }
    // A convolution is a matrix product for each group.
    auto const shape =
        spec.gemm() != nullptr ? spec.gemm()->shape() : spec.convolution()->as_gemm();
    auto const filled = [](std::int64_t extent, std::int64_t tile) {
        auto const tiles = (extent + tile - 1) / tile;
        return static_cast<double>(extent) / static_cast<double>(tiles * tile);
    };
    for (auto const& tile : detail::scan::simulated_tiles) {
        std::string const name = "tile " + std::to_string(tile.m) + "x" + std::to_string(tile.n) +
                                 "x" + std::to_string(tile.k);
        // Long steps through K need a K that they divide.
        if (shape.k % std::min<std::int64_t>(tile.k, 64) != 0 && tile.m > 64) {
            ++found.unsupported;
            continue;
        }
        double const use = filled(shape.m, tile.m) * filled(shape.n, tile.n);
        double const arithmetic = roof.arithmetic_time.count() / (tile.efficiency * use);
        double const memory = roof.memory_time.count() / 0.82;
        instance(name, std::max(arithmetic, memory));
    }
    return found;
}

} // namespace lkt
