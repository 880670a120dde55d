// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/fit_parameters.hpp>

#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/search/space.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// A candidate's parameters on their way into a budget.
class parameter_fitting {
public:
    parameter_fitting(state_ref const& s, optimization_step const& step, std::size_t most)
        : task_(s.task), best_(s.best), step_(step), max_(most), candidate_(s.proposal) {}

    void run() {
        for (step_parameter const& p : step_.tune_params) take_over(p);
        if (size() == extent::large) narrow();
    }
    [[nodiscard]] candidate& fitted() { return candidate_; }
    [[nodiscard]] std::vector<std::string>& notes() { return notes_; }

private:
    enum class extent { fits, large, none };
    using values = std::vector<parameter_value>;

    [[nodiscard]] tunable_parameter* find(std::string_view name) {
        for (tunable_parameter& p : candidate_.parameters)
            if (p.name == name) return &p;
        return nullptr;
    }

    /// Whether the candidate makes use of a name: its text, or, where the text says it with
    /// declarations (WGSL), these alone.
    [[nodiscard]] bool uses(std::string const& name) const {
        auto const& source = candidate_.source;
        if (source.language == language::wgsl) {
            auto const module = reflect_wgsl(source);
            return module && std::any_of(module->overrides.begin(),
                                         module->overrides.end(),
                                         [&](wgsl_override const& o) { return o.name == name; });
        }
        auto const in = [&](expression const& e) { return occurrences(e.names(), name) > 0; };
        auto const& launch = candidate_.launch;
        if (std::any_of(launch.grid.begin(), launch.grid.end(), in) ||
            std::any_of(launch.block.begin(), launch.block.end(), in) || in(launch.shared_bytes))
            return true;
        auto const tokens = tokenize(source.text);
        return tokens && std::any_of(tokens->begin(), tokens->end(), [&](token const& t) {
                   return t.kind == token_kind::identifier && t.text == name;
               });
    }

    /// The value of a parameter with which the best kernel works.
    [[nodiscard]] std::optional<parameter_value> present_value(std::string const& name) const {
        if (auto const* v = best_.config.find(name)) return *v;
        dim3 const block = best_.dimensions.block;
        std::array<std::uint32_t, 3> const extents{block.x, block.y, block.z};
        for (std::size_t axis = 0; axis < extents.size(); ++axis)
            if (candidate_.launch.block[axis].text() == name)
                return parameter_value(std::int64_t{extents[axis]});
        return std::nullopt;
    }

    void take_over(step_parameter const& p) {
        if (!uses(p.name)) return;
        values list = p.values;
        auto const now = present_value(p.name);
        if (now && occurrences(list, *now) == 0) list.insert(list.begin(), *now);
        if (auto* mine = find(p.name)) {
            if (std::is_permutation(
                    mine->values.begin(), mine->values.end(), list.begin(), list.end()))
                return;
            notes_.push_back("the values of " + p.name + " are the step's, " + values_words(list) +
                             ", not the reply's, " + values_words(mine->values));
            mine->values = std::move(list);
        } else {
            candidate_.parameters.push_back({p.name, std::move(list)});
        }
    }

    [[nodiscard]] extent size() const {
        auto const space = search_space::make(
            candidate_.parameters, candidate_.restrictions, task_.size, {.configurations = max_});
        // Any other defect is what the evaluation will tell the model.
        if (!space)
            return space.error().code == "lkt.search.too_large" ? extent::large : extent::fits;
        return space->empty() ? extent::none : extent::fits;
    }

    /// Takes `list` for the values of `p`, unless that leaves no configuration.
    [[nodiscard]] bool keep_only(tunable_parameter& p, values list) {
        if (list == p.values) return true;
        std::swap(p.values, list);
        if (size() == extent::none) {
            std::swap(p.values, list);
            return false;
        }
        if (occurrences(narrowed_, p.name) == 0) narrowed_.push_back(p.name);
        return true;
    }

    /// The longest list that may lose its last value; null where there is none.
    [[nodiscard]] tunable_parameter* longest(std::vector<std::string> const& fixed) {
        tunable_parameter* found = nullptr;
        for (tunable_parameter& p : candidate_.parameters)
            if (p.values.size() > (found ? found->values.size() : 1) &&
                occurrences(fixed, p.name) == 0)
                found = &p;
        return found;
    }

    /// The best value of `p` first, and those beside it in order of size.
    [[nodiscard]] values best_of(tunable_parameter const& p, bool neighbours) const {
        auto const* known = best_.config.find(p.name);
        parameter_value const best =
            known && occurrences(p.values, *known) > 0 ? *known : p.values.front();
        values kept{best};
        if (!neighbours) return kept;
        values sorted = p.values;
        std::sort(sorted.begin(), sorted.end());
        auto const at = std::find(sorted.begin(), sorted.end(), best);
        if (at != sorted.begin()) kept.push_back(*(at - 1));
        if (at + 1 != sorted.end()) kept.push_back(*(at + 1));
        return kept;
    }

    [[nodiscard]] bool of_this_step(std::string const& name) const {
        return std::any_of(step_.tune_params.begin(),
                           step_.tune_params.end(),
                           [&](step_parameter const& p) { return p.name == name; });
    }

    void narrow() {
        std::vector<tunable_parameter> const before = candidate_.parameters;
        for (bool const neighbours : {true, false})
            for (tunable_parameter& p : candidate_.parameters)
                if (!of_this_step(p.name) && size() == extent::large)
                    (void)keep_only(p, best_of(p, neighbours));
        std::vector<std::string> fixed; // what needs its last value
        while (size() == extent::large) {
            auto* const p = longest(fixed);
            if (p == nullptr) break; // a defect that the evaluation will name
            if (!keep_only(*p, values(p->values.begin(), p->values.end() - 1)))
                fixed.push_back(p->name);
        }
        say_what_was_narrowed(before);
    }

    void say_what_was_narrowed(std::vector<tunable_parameter> const& before) {
        std::string text;
        for (tunable_parameter const& old : before) {
            if (occurrences(narrowed_, old.name) == 0) continue;
            text += (text.empty() ? "" : "; ") + old.name + " from " +
                    std::to_string(old.values.size()) + " values to " +
                    values_words(find(old.name)->values);
        }
        if (!text.empty())
            notes_.push_back("narrowed, to keep the configurations to " + std::to_string(max_) +
                             ": " + text);
    }

    problem const& task_;
    tuned_kernel const& best_;
    optimization_step const& step_;
    std::size_t max_;
    candidate candidate_;
    std::vector<std::string> notes_, narrowed_;
};

void fit_parameters(state_ref const& s, step_ledger const& l, tools_ref const& tools) {
    std::size_t const most =
        std::min(count_of(l.limits.max_configurations), tools.options.max_configurations);
    static optimization_step const none;
    auto const* step = l.find(l.current.id);
    parameter_fitting fitting(s, step ? *step : none, std::max<std::size_t>(most, 1));
    fitting.run();
    s.proposal = std::move(fitting.fitted());
    if (s.history.empty() || !std::holds_alternative<not_evaluated>(s.history.back().outcome))
        return;
    s.history.back().proposal = s.proposal;
    for (std::string& note : fitting.notes()) s.history.back().notes.push_back(std::move(note));
}

} // namespace lkt::detail
