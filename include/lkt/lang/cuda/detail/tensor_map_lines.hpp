// SPDX-License-Identifier: BSL-1.0
// The lines in which a text describes its tensor maps.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/tensor_map.hpp>
#include <lkt/lang/cuda/detail/declarations.hpp>
#include <lkt/lang/cuda/detail/piece.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail::lang {

inline constexpr std::string_view tensor_map_type = "CUtensorMap";
inline constexpr std::string_view tensor_map_form =
    "a tensor map is a parameter `const __grid_constant__ CUtensorMap NAME`, described by a line "
    "`// lkt: tensor_map NAME = A[M][K], box [64][64]`";

/// The maps that the lines of a text describe.
class tensor_map_lines {
public:
    /// What is wrong with them (rejected, `lkt.kernel.tensor-map`). `tokens` are those of the text.
    [[nodiscard]] std::optional<error> read(std::string_view text,
                                            std::vector<token> const& tokens) {
        for (int number = 1; !text.empty(); ++number) {
            auto const end = std::min(text.find('\n'), text.size());
            std::string_view line = trimmed(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            if (!line.starts_with("//")) continue;
            line = trimmed(line.substr(2));
            if (!line.starts_with("lkt:")) continue;
            if (auto e = read_one(trimmed(line.substr(4)), tokens)) {
                e->message = "line " + std::to_string(number) + ": " + e->message;
                return e;
            }
        }
        return {};
    }

    /// Whether a parameter is of CUDA's type, and not of a type of the text with that name.
    [[nodiscard]] static bool declares(std::span<piece const> parameter, declarations const& text) {
        std::string const type(tensor_map_type);
        return !text.aliases.contains(type) && !text.records.contains(type) &&
               std::any_of(parameter.begin(), parameter.end(), [&](piece const& p) {
                   return p.is(tensor_map_type);
               });
    }

    /// The map that is parameter `place`, or what is wrong with it.
    [[nodiscard]] std::variant<tensor_map, std::string>
    described(std::span<piece const> parameter,
              std::size_t place,
              std::vector<tensor_map> const& others) const {
        auto const has = [&](std::string_view word) {
            return std::any_of(
                parameter.begin(), parameter.end() - 1, [&](piece const& p) { return p.is(word); });
        };
        std::string const name = parameter.back().tok.text;
        if (parameter.size() != 4 || !has("const") || !has("__grid_constant__") ||
            !has(tensor_map_type) || !is_identifier(name))
            return in_backticks(name) +
                   " is not declared as `const __grid_constant__ CUtensorMap NAME`";
        auto const found = maps_.find(name);
        if (found == maps_.end())
            return in_backticks(name) + " is described nowhere; add a line `// lkt: tensor_map " +
                   name + " = A[M][K], box [64][64]`";
        for (tensor_map const& other : others)
            if (other.name == name) return in_backticks(name) + " is there twice";
        tensor_map map = found->second;
        map.parameter = place;
        return map;
    }

private:
    [[nodiscard]] std::optional<error> read_one(std::string_view line,
                                                std::vector<token> const& tokens) {
        auto const wrong = [](std::string why) {
            return error{condition::rejected,
                         "lkt.kernel.tensor-map",
                         std::move(why),
                         std::string(tensor_map_form)};
        };
        constexpr std::string_view word = "tensor_map ";
        if (!line.starts_with(word))
            return wrong("`// lkt:` is followed by `tensor_map`, not by " + in_backticks(line, 60));
        auto map = tensor_map::parse(line.substr(word.size()));
        if (!map) return map.error();
        bool declared = false; // as `CUtensorMap const& map`, too
        for (std::size_t i = 0, type = tokens.size(); i < tokens.size() && !declared; ++i) {
            if (tokens[i].is(tensor_map_type)) type = i;
            declared = tokens[i].is(map->name) && i > type && i <= type + 3;
        }
        std::string const name = map->name;
        if (!declared)
            return wrong("the tensor map " + in_backticks(name) + " is no parameter of a kernel");
        if (!maps_.emplace(name, std::move(*map)).second)
            return wrong("the tensor map " + in_backticks(name) + " is described twice");
        return {};
    }

    std::map<std::string, tensor_map> maps_;
};

/// Why a map cannot be made for a kernel with these arguments; empty if it can.
[[nodiscard]] inline std::string fault_in_map(tensor_map const& map,
                                              std::vector<argument> const& arguments) {
    auto const of = [&](std::string_view name) {
        return std::find_if(arguments.begin(), arguments.end(), [&](argument const& a) {
            return a.name == name && a.constant_count == 0;
        });
    };
    auto const buffer = of(map.buffer);
    if (buffer == arguments.end() || !buffer->pointer)
        return "its buffer " + in_backticks(map.buffer) + " is not a pointer among the parameters";
    if (buffer->flow != direction::in)
        return "its buffer " + in_backticks(map.buffer) +
               " is not only read, or not declared const; maps are for inputs";
    // Names that are no arguments are tunable parameters, or unknown: the launch will tell.
    for (expression const& e : map.expressions())
        for (std::string const& name : e.names())
            if (auto const a = of(name);
                a != arguments.end() && (a->pointer || is_floating(a->type.scalar)))
                return in_backticks(name) + " in " + in_backticks(e.text(), 60) +
                       " is not a whole number";
    return {};
}

} // namespace lkt::detail::lang
