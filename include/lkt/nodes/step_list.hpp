// SPDX-License-Identifier: BSL-1.0
// A list of optimisation steps, and what makes it one that can be worked off.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// A tunable parameter that a step brings into the kernel.
struct step_parameter {
    std::string name;
    std::vector<parameter_value> values; ///< the neutral one first
    /// With which the kernel is what it was without the step (a factor of 1, a switch at 0).
    /// Nothing where no value is: a block size has only the one that the kernel is launched with,
    /// which is added when the step is applied.
    std::optional<parameter_value> neutral;
    friend bool operator==(step_parameter const&, step_parameter const&) = default;
};

/// One isolated change. Kernel, device and measurements are in every request anyway, so a prompt
/// says only what is to be done.
struct optimization_step {
    std::string id;
    std::string prompt;
    std::vector<step_parameter> tune_params;
    std::vector<std::string> depends_on; ///< ids of other steps
    bool skip_evaluation = false;        ///< applied without asking whether it makes sense
    std::vector<language> languages;     ///< that it is for; empty: all
    friend bool operator==(optimization_step const&, optimization_step const&) = default;
};

enum class step_fault : unsigned char {
    none,
    no_steps,
    no_id,
    duplicate_id,
    no_prompt,
    placeholder, ///< `${`: a step's prompt is text, nothing is put into it
    unknown_dependency,
    cycle,
    bad_name, ///< of a parameter: no identifier, or twice in one step
    no_values,
    duplicate_value,
    not_neutral, ///< the first value is not the neutral one
};

/// The defects of a list, the most fundamental first.
struct step_defect {
    step_fault kind = step_fault::none;
    std::size_t step = 0;            ///< in the list
    std::string_view offending_part; ///< the id, dependency or parameter; part of the list
    constexpr explicit operator bool() const { return kind != step_fault::none; }
};

namespace detail {

constexpr bool is_parameter_name(std::string_view name) {
    auto const letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    if (name.empty() || name.size() > 64 || !letter(name.front())) return false;
    for (char const c : name)
        if (!letter(c) && !(c >= '0' && c <= '9')) return false;
    return true;
}

template <class List, class Value>
constexpr std::size_t occurrences(List const& list, Value const& value) {
    std::size_t n = 0;
    for (auto const& item : list) n += item == value ? 1 : 0;
    return n;
}

template <class Step>
constexpr step_defect parameter_defect(Step const& step, std::size_t at) {
    for (auto const& p : step.tune_params) {
        std::size_t same = 0;
        for (auto const& other : step.tune_params) same += other.name == p.name ? 1 : 0;
        if (!is_parameter_name(p.name) || same > 1) return {step_fault::bad_name, at, p.name};
        if (p.values.begin() == p.values.end()) return {step_fault::no_values, at, p.name};
        for (auto const& v : p.values)
            if (occurrences(p.values, v) > 1) return {step_fault::duplicate_value, at, p.name};
        if (p.neutral && !(*p.values.begin() == *p.neutral))
            return {step_fault::not_neutral, at, p.name};
    }
    return {};
}

/// The first step that waits for itself, told by taking away what waits for nothing.
template <class Steps>
constexpr step_defect cycle_defect(Steps const& steps) {
    std::vector<std::string_view> free;
    for (bool more = true; more;) {
        more = false;
        for (auto const& s : steps) {
            if (occurrences(free, std::string_view(s.id)) > 0) continue;
            bool ready = true;
            for (auto const& d : s.depends_on)
                ready = ready && occurrences(free, std::string_view(d)) > 0;
            if (!ready) continue;
            free.push_back(s.id);
            more = true;
        }
    }
    std::size_t at = 0;
    for (auto const& s : steps) {
        if (occurrences(free, std::string_view(s.id)) == 0) return {step_fault::cycle, at, s.id};
        ++at;
    }
    return {};
}

} // namespace detail

/// The defect of `steps`: any range of steps with the members of `optimization_step`, so that lists
/// are checked when they are compiled, and lists of users when they are read. Quadratic in the
/// number of steps.
template <class Steps>
[[nodiscard]] constexpr step_defect find_step_defect(Steps const& steps) {
    if (steps.begin() == steps.end()) return {step_fault::no_steps, 0, {}};
    std::vector<std::string_view> ids;
    for (auto const& s : steps) ids.push_back(s.id);
    std::size_t at = 0;
    for (auto const& s : steps) {
        std::string_view const id = s.id, prompt = s.prompt;
        if (id.empty()) return {step_fault::no_id, at, {}};
        if (detail::occurrences(ids, id) > 1) return {step_fault::duplicate_id, at, id};
        if (prompt.find_first_not_of(" \t\r\n") == prompt.npos)
            return {step_fault::no_prompt, at, id};
        if (prompt.find("${") != prompt.npos) return {step_fault::placeholder, at, id};
        ++at;
    }
    at = 0;
    for (auto const& s : steps) {
        for (auto const& d : s.depends_on)
            if (detail::occurrences(ids, std::string_view(d)) == 0)
                return {step_fault::unknown_dependency, at, d};
        if (auto const wrong = detail::parameter_defect(s, at)) return wrong;
        ++at;
    }
    return detail::cycle_defect(steps);
}

/// The same as an error: `lkt.strategies.steps` (rejected), with step and offending part.
[[nodiscard]] result<void> check_steps(std::span<optimization_step const> steps);

/// What a model is asked for: id and prompt, the parameters with their values, and what the kernel
/// lacks of the steps that this one builds on (`lacking`, an id and why).
[[nodiscard]] std::string step_request(optimization_step const& step,
                                       std::span<std::string const> lacking = {});

} // namespace lkt
