// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/words.hpp>

#include <lkt/core/quantity.hpp>
#include <lkt/core/units.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

std::string value_words(parameter_value const& value) {
    return std::visit(
        [](auto const& v) -> std::string {
            using type = std::remove_cvref_t<decltype(v)>;
            if constexpr (std::is_same_v<type, bool>)
                return v ? "True" : "False";
            else if constexpr (std::is_same_v<type, std::string>)
                return "'" + v + "'";
            else {
                char text[32];
                auto const end = std::to_chars(text, text + sizeof text, v).ptr;
                return std::string(text, end);
            }
        },
        value);
}

std::string values_words(std::vector<parameter_value> const& values) {
    std::string text;
    for (parameter_value const& v : values) text += (text.empty() ? "" : ", ") + value_words(v);
    return text;
}

std::string configuration_words(configuration const& c) {
    std::string text;
    for (auto const& [name, value] : c.values)
        text += (text.empty() ? "" : ", ") + name + "=" + value_words(value);
    return text;
}

std::string size_words(problem_size const& size) {
    std::string text;
    for (auto const& [name, value] : size)
        text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(value);
    return text.empty() ? "(none)" : text;
}

std::string launch_words(launch_formula const& launch) {
    auto const extents = [](auto const& e) {
        std::string text = "`" + e[0].text() + "`, `" + e[1].text() + "`, `" + e[2].text() + "`";
        return text;
    };
    std::string text = "- grid: " + extents(launch.grid) + "\n- block: " + extents(launch.block);
    if (!(launch.shared_bytes == expression(0)))
        text += "\n- dynamic shared memory: `" + launch.shared_bytes.text() + "` bytes";
    return text + "\n";
}

std::string percent_words(double percent) {
    return significant(std::round(10 * percent) / 10) + " %";
}

std::string stall_words(std::string const& reason) {
    constexpr std::array<std::pair<std::string_view, char const*>, 7> known{
        {{"long_scoreboard", "for values from global or local memory"},
         {"short_scoreboard", "for values from shared memory, or of special functions"},
         {"lg_throttle", "for the queue of global and local memory, which is full"},
         {"mio_throttle", "for the queue of shared memory and special functions, which is full"},
         {"math_pipe_throttle", "for an arithmetic pipe, which is busy"},
         {"barrier", "at barriers for other warps"},
         {"wait", "for the fixed time that an instruction before takes"}}};
    for (auto const& [name, words] : known)
        if (name == reason) return words + (" (" + reason + ")");
    return "for " + reason;
}

std::string bottleneck_words(kernel_profile const& p) {
    constexpr double busy = 60;
    std::pair<char const*, double> most{"", -1};
    for (auto const& [name, percent] : {std::pair("compute", p.compute_percent),
                                        std::pair("device memory", p.dram_percent),
                                        std::pair("the L2 cache", p.l2_percent),
                                        std::pair("L1 and shared memory", p.l1_percent)})
        if (percent.value_or(-1) > most.second) most = {name, *percent};
    if (most.second < 0) return {};
    if (most.second >= busy)
        return std::string(most.first) + ", at " + percent_words(most.second) + " of the peak";
    std::string text = std::string("latency; the busiest part of the device, ") + most.first +
                       ", is at " + percent_words(most.second) + " of its peak";
    if (!p.stalls.empty()) text += ", and warps wait most " + stall_words(p.stalls.front().reason);
    return text;
}

std::string share_words(roofline const& r, seconds taken) {
    double const share = r.share(taken);
    if (!(share > 0)) return {};
    std::string const peak =
        r.memory_bound() ? to_string(byte_rate(r.bandwidth))
                         : to_string(flop_rate(r.rate)) + " in " + std::string(to_string(*r.type));
    return percent_words(100 * share) + " of what " + (r.memory_bound() ? "memory" : "arithmetic") +
           " allows (" + peak + (r.measured() ? ", measured)" : " on paper)");
}

std::string
missing_instructions(roofline const& r, device_description const& device, seconds taken) {
    constexpr double near = 0.9;
    double const reached = r.share(taken) * r.rate;
    if (r.memory_bound() || !(reached > 0) || device.allows_wgmma()) return {};
    double const peak = device.peaks.wgmma.of(*r.type);
    if (!(peak > r.rate) || reached >= near * peak) return {};
    return "tensor cores of this device reach " + to_string(flop_rate(peak)) + " in " +
           std::string(to_string(*r.type)) + " with wgmma, and " + to_string(flop_rate(r.rate)) +
           " without; kernels may contain it with --ptx listed (`ptx_policy::listed`)";
}

std::string unknown_arithmetic(roofline const& r) {
    if (!r.counted) return "how many operations it has is not known";
    if (!(r.operations > 0) || r.rate > 0) return {};
    return "the device's rate " + (r.type ? "in " + std::string(to_string(*r.type)) : "for them") +
           " is not known";
}

} // namespace lkt
