// SPDX-License-Identifier: BSL-1.0
// From arguments to what a launch passes: the members of a struct travel as one value.
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/argument_data.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace lkt::gpu_detail {

/// Arguments [first, first + count), which are one parameter.
struct launch_parameter {
    std::size_t first = 0, count = 1;
};

/// What is passed for `n` arguments of a kernel. Where nothing is known of their declarations, each
/// is a parameter.
[[nodiscard]] inline std::vector<launch_parameter>
launch_parameters(std::span<argument const> declared, std::size_t n) {
    std::vector<launch_parameter> all;
    for (std::size_t k = 0; k < n; ++k) {
        bool const continues = declared.size() == n && k > 0 && declared[k].within &&
                               declared[k - 1].within &&
                               declared[k].within->record == declared[k - 1].within->record;
        if (continues)
            ++all.back().count;
        else
            all.push_back({k, 1});
    }
    return all;
}

/// The bytes of a parameter that is a value; what lies between a struct's members is zero.
[[nodiscard]] inline std::string value_bytes(launch_parameter const& p,
                                             std::span<argument const> declared,
                                             std::span<argument_data const> arguments) {
    auto const text = [](argument_data const& a) {
        return std::string(reinterpret_cast<char const*>(a.bytes.data()), a.bytes.size()); // NOLINT
    };
    if (declared.size() != arguments.size() || !declared[p.first].within)
        return text(arguments[p.first]);
    std::string whole(declared[p.first].within->size, '\0');
    for (std::size_t k = p.first; k < p.first + p.count; ++k) {
        std::size_t const offset = declared[k].within->offset;
        auto const& bytes = arguments[k].bytes;
        if (offset + bytes.size() <= whole.size())
            std::memcpy(whole.data() + offset, bytes.data(), bytes.size());
    }
    return whole;
}

} // namespace lkt::gpu_detail
