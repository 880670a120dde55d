// SPDX-License-Identifier: BSL-1.0
// The tensor maps of a launch, in numbers.
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/gpu/detail/launch_parameters.hpp>
#include <lkt/gpu/device/job.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/process/service.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::device_detail {

/// What the expressions of tensor maps may name: whole numbers, and tunable parameters.
[[nodiscard]] inline expression_scope scope_of_maps(std::span<argument const> declared,
                                                    std::span<argument_data const> arguments,
                                                    configuration const& definitions) {
    expression_scope scope;
    for (std::size_t k = 0; k < declared.size(); ++k) {
        if (declared[k].pointer || is_floating(declared[k].type.scalar) ||
            arguments[k].lanes() != 1)
            continue;
        std::string const text = lane_text(arguments[k], 0);
        std::int64_t number = text == "true";
        std::from_chars(text.data(), text.data() + text.size(), number);
        scope.values.emplace_back(declared[k].name, number);
    }
    scope.values.insert(scope.values.end(), definitions.values.begin(), definitions.values.end());
    return scope;
}

/// The maps of a kernel over these arguments, or why there is one that cannot be.
[[nodiscard]] inline std::variant<std::vector<job_map>, std::string>
maps_of(signature const& kernel,
        configuration const& definitions,
        std::span<argument_data const> arguments,
        std::span<direction const> directions) {
    std::vector<job_map> made;
    if (kernel.tensor_maps.empty()) return made;
    auto const& declared = kernel.arguments;
    auto const scope = scope_of_maps(declared, arguments, definitions);
    auto const places = gpu_detail::launch_parameters(declared, arguments.size());
    for (tensor_map const& map : kernel.tensor_maps) {
        auto const place = std::find_if(places.begin(), places.end(), [&](auto const& p) {
            return declared[p.first].pointer && declared[p.first].name == map.buffer;
        });
        if (place == places.end() || directions[place->first] != direction::in)
            return "the tensor map " + in_backticks(map.name) + ": its buffer " +
                   in_backticks(map.buffer) + " is not an input of the problem";
        argument_data const& buffer = arguments[place->first];
        auto layout = layout_of(map, buffer.type, buffer.bytes.size(), scope);
        if (auto* const why = std::get_if<std::string>(&layout)) return std::move(*why);
        made.push_back({map.parameter,
                        static_cast<std::uint64_t>(place - places.begin()),
                        std::get<tensor_layout>(std::move(layout))});
    }
    return made;
}

/// The same code with other tensor maps is another program.
[[nodiscard]] inline std::uint64_t with_maps(std::uint64_t digest, compile_request const& request) {
    for (tensor_map const& map : request.signature.tensor_maps)
        digest = layout_hash(to_string(map) + "; " + to_string(request.definitions), digest);
    return digest;
}

} // namespace lkt::device_detail
