// SPDX-License-Identifier: BSL-1.0
// The part of a kernel's machine code that a question asks for.
#pragma once

#include <lkt/kernel/offered_evidence.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::gpu_detail {

/// One instruction.
struct code_line {
    std::int64_t line = 0; ///< of the kernel's text; 0: of none
    std::string text;      ///< as the disassembler writes it
};

/// The operation without its predicate and operands: `LDG.E.128`.
[[nodiscard]] inline std::string_view operation_of(std::string_view text) {
    auto const word = [&] {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        auto const first = text.substr(0, std::min(text.find_first_of(" \t"), text.size()));
        text.remove_prefix(first.size());
        return first;
    };
    auto name = word();
    if (name.starts_with('@')) name = word();
    return name;
}

[[nodiscard]] inline bool contains_in_any_case(std::string_view text, std::string_view part) {
    auto const same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// `3, 7 to 12`, the first twelve stretches.
[[nodiscard]] inline std::string stretches_of(std::set<std::int64_t> const& lines) {
    std::string text;
    std::size_t count = 0;
    for (auto at = lines.begin(); at != lines.end();) {
        auto const first = *at;
        auto last = first;
        for (++at; at != lines.end() && *at == last + 1; ++at) last = *at;
        if (++count > 12) return text + ", ...";
        text += (text.empty() ? "" : ", ") + std::to_string(first) +
                (last > first ? " to " + std::to_string(last) : "");
    }
    return text;
}

/// What the instructions are, most frequent first.
[[nodiscard]] inline std::string mix_of(std::vector<code_line> const& code) {
    std::map<std::string_view, std::size_t> count;
    for (code_line const& one : code) ++count[operation_of(one.text)];
    std::vector<std::pair<std::string_view, std::size_t>> all(count.begin(), count.end());
    std::stable_sort(
        all.begin(), all.end(), [](auto const& a, auto const& b) { return a.second > b.second; });
    std::string text = std::to_string(code.size()) + " instructions";
    for (std::size_t k = 0; k < std::min<std::size_t>(all.size(), 16); ++k)
        text += (k == 0 ? ": " : ", ") + std::string(all[k].first) + " " +
                std::to_string(all[k].second);
    return text + (all.size() > 16 ? ", ..." : "");
}

/// What the code consists of, then the instructions that are asked for, each with its line of the
/// text: at most `evidence_lines` in all.
[[nodiscard]] inline std::vector<std::string> code_excerpt(std::vector<code_line> const& code,
                                                           evidence_question const& q) {
    constexpr std::int64_t beside = 2;
    std::vector<std::string> lines{mix_of(code)};
    auto const of_line = [&](code_line const& one) {
        return q.line == 0 || (one.line >= q.line - beside && one.line <= q.line + beside);
    };
    std::set<std::int64_t> all;
    std::vector<std::size_t> found;
    bool line_has_code = false;
    for (std::size_t k = 0; k < code.size(); ++k) {
        if (code[k].line > 0) all.insert(code[k].line);
        if (!of_line(code[k])) continue;
        line_has_code = true;
        if (contains_in_any_case(code[k].text, q.containing)) found.push_back(k);
    }
    if (found.empty()) {
        if (!line_has_code)
            lines.push_back(
                "no instruction belongs to lines " +
                std::to_string(std::max<std::int64_t>(1, q.line - beside)) + " to " +
                std::to_string(q.line + beside) +
                (all.empty() ? "" : "; there are instructions of lines " + stretches_of(all)));
        else
            lines.push_back("none of them" +
                            std::string(q.line > 0 ? " that belongs to these lines" : "") +
                            " contains '" + q.containing + "'");
        return lines;
    }
    if (found.size() < code.size())
        lines.push_back(std::to_string(found.size()) + " of them are asked for:");
    std::size_t before = found.front();
    for (std::size_t k = 0; k < found.size(); ++k) {
        if (lines.size() + 2 >= evidence_lines) {
            lines.push_back("(and " + std::to_string(found.size() - k) +
                            " more: ask for a line, or for what they contain)");
            break;
        }
        // What contains something lies apart anyway.
        if (found[k] > before + 1 && q.containing.empty()) lines.emplace_back("...");
        before = found[k];
        code_line const& one = code[before];
        lines.push_back((one.line > 0 ? "line " + std::to_string(one.line) : "-") + "\t" +
                        one.text);
    }
    return lines;
}

} // namespace lkt::gpu_detail
