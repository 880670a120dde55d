// SPDX-License-Identifier: BSL-1.0
// What a text says of the tunable parameters that come with it is settled before it is compiled.
#pragma once

#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/definitions.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/nodes/detail/parameter_names.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// The names that a text or a launch makes use of.
class used_names {
public:
    explicit used_names(kernel_source const& source) {
        if (source.language == language::wgsl) {
            // A parameter is there if it is declared; any other word of its name is not it.
            if (auto const module = reflect_wgsl(source))
                for (wgsl_override const& o : module->overrides) names_.push_back(o.name);
        } else if (auto tokens = tokenize(source.text)) {
            for (token const& t : *tokens)
                if (t.kind == token_kind::identifier) names_.push_back(t.text);
        }
    }
    void add(launch_formula const& launch) {
        for (auto const* extents : {&launch.grid, &launch.block})
            for (expression const& e : *extents) add(e);
        add(launch.shared_bytes);
    }
    void add(expression const& e) {
        names_.insert(names_.end(), e.names().begin(), e.names().end());
    }
    [[nodiscard]] bool contains(std::string const& name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }

private:
    std::vector<std::string> names_;
};

/// `#define TILE(x) ...` of a tunable parameter: no value can stand for that.
[[nodiscard]] inline std::optional<failure> function_like(candidate const& c) {
    auto const tokens = tokenize(c.source.text);
    if (!tokens) return std::nullopt;
    for (std::size_t i = 0; i + 3 < tokens->size(); ++i) {
        auto const& t = *tokens;
        if (!t[i].directive || !t[i].first || !t[i + 1].is("define")) continue;
        bool const called = t[i + 3].is("(") && t[i + 3].begin == t[i + 2].end;
        bool const declared = std::any_of(c.parameters.begin(), c.parameters.end(), [&](auto& p) {
            return p.name == t[i + 2].text;
        });
        if (called && declared)
            return failure(refused{"#define " + t[i + 2].text + "(...)",
                                   "the tunable parameter " + t[i + 2].text +
                                       " is a value that the tuner defines; give the macro "
                                       "another name",
                                   t[i].where});
    }
    return std::nullopt;
}

/// Takes the parameters' own definitions out of the text.
inline void drop_definitions(candidate& c, std::vector<std::string>& notes) {
    for (tunable_parameter const& p : c.parameters) {
        std::string text = without_definitions(c.source.text, {p.name});
        if (text == c.source.text) continue;
        c.source.text = std::move(text);
        notes.push_back("the definition of " + p.name +
                        " was taken out of the kernel's text, since the tuner defines it");
    }
}

/// Two spellings of one name become one, and names that may or may not be one are a failure. Names
/// that stood side by side before are two.
[[nodiscard]] inline std::optional<failure>
merge_spellings(candidate& c, candidate const& before, std::vector<std::string>& notes) {
    auto const stood_before = [&](std::string const& name) {
        return std::any_of(before.parameters.begin(), before.parameters.end(), [&](auto& p) {
            return p.name == name;
        });
    };
    used_names used(c.source);
    used.add(c.launch);
    for (std::size_t i = 0; i < c.parameters.size(); ++i)
        for (std::size_t j = i + 1; j < c.parameters.size(); ++j) {
            std::string const a = c.parameters[i].name, b = c.parameters[j].name;
            bool const one = plain_name(a) == plain_name(b);
            if (!(one || differ_by_x(a, b)) || !used.contains(a) || !used.contains(b) ||
                (stood_before(a) && stood_before(b)))
                continue;
            bool const text = c.source.language != language::wgsl;
            if (one && text && merge_parameters(c, i, j)) {
                notes.push_back("the parameters " + a + " and " + b +
                                " are two spellings of one name, and became " + a);
                --j;
                continue;
            }
            return failure(refused{a + " and " + b,
                                   "these tunable parameters look like two spellings of one; use "
                                   "the same name in the kernel, its launch and the restrictions, "
                                   "or give two parameters names that differ more",
                                   {}});
        }
    return std::nullopt;
}

/// Holds the parameters of `c` against its text. Nothing, or what the text does not settle.
[[nodiscard]] inline std::optional<failure>
settle_parameters(candidate& c, candidate const& before, std::vector<std::string>& notes) {
    bool const wgsl = c.source.language == language::wgsl;
    if (!wgsl) {
        if (auto why = function_like(c)) return why;
        drop_definitions(c, notes);
    }
    if (auto why = merge_spellings(c, before, notes)) return why;
    if (wgsl) return std::nullopt; // its overrides are looked at by name
    auto const defined = with_definitions(c.source, default_configuration(c.parameters));
    if (!defined) return std::nullopt; // is said where the text is compiled
    if (auto const* why = std::get_if<refused>(&*defined)) return failure(*why);
    return std::nullopt;
}

} // namespace lkt::detail
