// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/detail/walk_state.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// `BX = 32, PAD = true`, for messages.
[[nodiscard]] inline std::string show_values(expression_scope const& scope) {
    std::string text;
    for (auto const& [name, value] : scope.values) {
        text += (text.empty() ? "" : ", ") + name + " = ";
        if (auto const* i = std::get_if<std::int64_t>(&value)) text += std::to_string(*i);
        if (auto const* d = std::get_if<double>(&value)) text += significant(*d);
        if (auto const* b = std::get_if<bool>(&value)) text += *b ? "true" : "false";
        if (auto const* s = std::get_if<std::string>(&value)) text += "'" + *s + "'";
    }
    return text;
}

/// What a walk saw on its way, and how far it may go.
struct walk_statistics {
    std::uint64_t visited = 0, max_visited = 0;
    std::vector<std::uint64_t> excluded; ///< by each restriction
};

/// Parameters and restrictions, each restriction attached to the parameter that completes it.
struct walk {
    struct use {
        std::size_t restriction, slot; ///< a value in that restriction's scope
    };
    std::vector<tunable_parameter> parameters;
    std::vector<expression> restrictions;
    std::vector<expression_scope> scopes;               ///< sizes bound, parameters not yet
    std::vector<std::size_t> at_once;                   ///< restrictions without any parameter
    std::vector<std::vector<std::size_t>> completed_by; ///< restrictions, for each parameter
    std::vector<std::vector<use>> uses;                 ///< for each parameter

    [[nodiscard]] walk_state begin() const {
        return {std::vector<std::size_t>(parameters.size()), 0, false, false, scopes};
    }

    [[nodiscard]] configuration current(walk_state const& state) const {
        configuration c;
        c.values.reserve(parameters.size());
        for (std::size_t k = 0; k < parameters.size(); ++k)
            c.values.emplace_back(parameters[k].name, parameters[k].values[state.next[k] - 1]);
        return c;
    }

    /// Whether all of `which` hold; the first that does not is counted, the others not looked at,
    /// so that an earlier one may guard a later one.
    [[nodiscard]] result<bool> hold(std::vector<std::size_t> const& which,
                                    walk_state const& state,
                                    walk_statistics* statistics) const {
        for (std::size_t r : which) {
            auto const holds = restrictions[r].evaluate_condition(state.scopes[r]);
            if (!holds)
                return error{condition::rejected,
                             "lkt.search.bad_restriction",
                             "the restriction `" + restrictions[r].text() +
                                 "` cannot be evaluated with " + show_values(state.scopes[r]) +
                                 ": " + holds.error().message,
                             "Change it, or put a restriction before it that excludes these "
                             "values."};
            if (*holds) continue;
            if (statistics) ++statistics->excluded[r];
            return false;
        }
        return true;
    }

    void bind(std::size_t parameter, std::size_t value, walk_state& state) const {
        for (auto const& [restriction, slot] : uses[parameter])
            state.scopes[restriction].values[slot].second = parameters[parameter].values[value];
    }

    /// Goes to the next configuration; false when there is none.
    [[nodiscard]] result<bool> advance(walk_state& state, walk_statistics* statistics) const {
        if (state.done) return false;
        std::size_t const all = parameters.size();
        if (!state.started) {
            state.started = true;
            auto const holds = hold(at_once, state, statistics);
            if (!holds) return holds.error();
            state.done = !*holds || all == 0;
            if (state.done) return *holds;
        } else {
            state.depth = all - 1;
        }
        while (true) {
            std::size_t const p = state.depth;
            if (state.next[p] == parameters[p].values.size()) {
                state.done = p == 0;
                if (state.done) return false;
                --state.depth;
                continue;
            }
            if (statistics && ++statistics->visited > statistics->max_visited)
                return error{condition::exhausted,
                             "lkt.search.too_large",
                             "the search space was not enumerated within " +
                                 std::to_string(statistics->max_visited) + " steps",
                             "Give fewer values, or restrictions over the first parameters."};
            bind(p, state.next[p]++, state);
            auto const holds = hold(completed_by[p], state, statistics);
            if (!holds) return holds.error();
            if (!*holds) continue;
            if (++state.depth == all) return true;
            state.next[state.depth] = 0;
        }
    }
};

} // namespace lkt::detail
