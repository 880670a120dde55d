// SPDX-License-Identifier: BSL-1.0
// Which questions about a kernel make sense, and what a model is told of the others.
#pragma once

#include <lkt/core/near_name.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/nodes/inquire.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::detail {

namespace inquiring {

inline constexpr std::int64_t most_value = 65'536; // of a tunable parameter
inline constexpr std::size_t most_containing = 40; // bytes

/// The parameters that a question may give another value.
[[nodiscard]] inline std::vector<std::string> askable_parameters(tuned_kernel const& k) {
    std::vector<std::string> names;
    for (auto const& [name, value] : k.config.values)
        if (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<bool>(value))
            names.push_back(name);
    return names;
}

[[nodiscard]] inline std::vector<std::string> kinds_of(evidence_offer const& offer,
                                                       tuned_kernel const& k) {
    std::vector<std::string> kinds;
    if (!offer.compiler.empty()) kinds.emplace_back("compiler");
    if (!offer.code.empty()) kinds.emplace_back("code");
    if (!offer.stalls.empty()) kinds.emplace_back("stalls");
    if (!offer.counters.empty()) kinds.emplace_back("counters");
    if (!askable_parameters(k).empty()) kinds.emplace_back("timing");
    return kinds;
}

/// What the model wrote, so that it can stand in a sentence.
[[nodiscard]] inline std::string said(std::string_view text) {
    std::string plain;
    for (char const c : text.substr(0, 60))
        plain += c >= ' ' && c < 127 && c != '`' && c != '"' ? c : '?';
    return "\"" + plain + (text.size() > 60 ? "..." : "") + "\"";
}

[[nodiscard]] inline std::string fault_in_code(evidence_wish const& w, tuned_kernel const& k) {
    std::string_view const text = k.kernel.source.text;
    auto const lines = 1 + std::count(text.begin(), text.end(), '\n');
    if (w.line && (*w.line < 1 || *w.line > lines))
        return "line " + std::to_string(*w.line) +
               " does not exist: the kernel's text has lines 1 to " + std::to_string(lines);
    if (!w.containing) return {};
    bool const plain = std::all_of(
        w.containing->begin(), w.containing->end(), [](char c) { return c >= ' ' && c < 127; });
    if (!plain || w.containing->size() > most_containing)
        return "containing is " + said(*w.containing) +
               "; it is part of an instruction's text, of at most " +
               std::to_string(most_containing) + " printable characters";
    return {};
}

[[nodiscard]] inline std::string fault_in_counters(evidence_wish const& w,
                                                   evidence_offer const& offer) {
    std::vector<std::string> names;
    std::vector<std::string_view> known;
    for (offered_counter const& c : offer.counters)
        names.push_back(c.name), known.emplace_back(c.name);
    if (w.counters.empty()) return "counters is empty; name some of: " + joined(names, ", ");
    for (std::string const& one : w.counters)
        if (std::find(names.begin(), names.end(), one) == names.end())
            return "there is no counter " + said(one) + did_you_mean(one, known) +
                   "; there are: " + joined(names, ", ");
    return {};
}

[[nodiscard]] inline std::string fault_in_timing(evidence_wish const& w, tuned_kernel const& k) {
    auto const names = askable_parameters(k);
    if (w.parameters.empty())
        return "parameters is empty; give another value to some of: " + joined(names, ", ");
    for (auto const& [name, value] : w.parameters) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            return "there is no parameter " + said(name) +
                   " whose value can be asked for; there are: " + joined(names, ", ");
        bool const flag = std::holds_alternative<bool>(*k.config.find(name));
        auto const most = flag ? 1 : most_value;
        if (value < 0 || value > most)
            return name + " = " + std::to_string(value) + " is out of range: 0 to " +
                   std::to_string(most);
    }
    return {};
}

} // namespace inquiring

} // namespace lkt::detail
