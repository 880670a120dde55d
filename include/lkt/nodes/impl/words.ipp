// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/words.hpp>

#include <lkt/kernel/expression.hpp>

#include <charconv>
#include <type_traits>
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

} // namespace lkt
