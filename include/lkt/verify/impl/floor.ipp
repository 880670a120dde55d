// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/floor.hpp>

#include <lkt/verify/guards.hpp>

#include <cmath>
#include <string>

namespace lkt {

std::uint64_t compulsory_bytes(problem const& task, test_suite const& suite) {
    std::uint64_t bytes = 0;
    prepared_test const& test = suite.tests.front();
    auto const positions = output_positions(suite.directions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
        std::size_t const k = positions[p];
        argument_data const& before = test.test.arguments[k];
        if (k < task.arguments.size() && task.arguments[k].scratch) continue;
        if (suite.directions[k] == direction::out) {
            bytes += before.bytes.size();
            continue;
        }
        if (p >= test.expected.size() || test.expected[p].bytes.size() != before.bytes.size())
            continue;
        for (std::uint64_t e = 0; e < before.count(); ++e)
            if (!same_element(before, test.expected[p], e)) bytes += before.type.bytes();
    }
    return bytes;
}

seconds min_time(device_description const& device, std::uint64_t compulsory) {
    constexpr double slack = 1.1;
    if (device.memory_bandwidth <= 0 || device.l2.count == 0 || compulsory <= 2 * device.l2.count)
        return {};
    return seconds{static_cast<double>(compulsory - device.l2.count) /
                   (device.memory_bandwidth * slack)};
}

std::optional<failure> check_time(measurement const& time,
                                  device_description const& device,
                                  problem const& task,
                                  test_suite const& suite) {
    seconds const median = time.median();
    if (!(median.count() > 0) || !std::isfinite(median.count()))
        return implausible{"a launch takes " + to_string(median) + ", which is not a valid time"};
    std::uint64_t const moved = compulsory_bytes(task, suite);
    seconds const least = min_time(device, moved);
    if (median >= least) return std::nullopt;
    return implausible{"a launch takes " + to_string(median) + ", and " + device.name +
                       " needs at least " + to_string(least) + " to write the " +
                       to_string(bytes{moved}) + " of its outputs, which is " +
                       significant(static_cast<double>(moved) / median.count() / 1e9) +
                       " GB/s where its memory has " + significant(device.memory_bandwidth / 1e9) +
                       " GB/s on paper"};
}

} // namespace lkt
