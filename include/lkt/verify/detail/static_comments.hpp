// SPDX-License-Identifier: BSL-1.0
// Comments that speak to a judge or a model instead of a reader.
#pragma once

#include <lkt/kernel/text_location.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail::statics {

struct comment {
    text_location where;
    std::string words; ///< lower case, each run of other characters one blank; blanks around it
};

/// The comments of a text, neighbouring lines of `//` as one. CUDA C++ and WGSL agree on them but
/// for strings, of which WGSL has none; WGSL's block comments nest.
[[nodiscard]] inline std::vector<comment> comments_of(std::string_view text, bool nested) {
    std::vector<comment> found;
    int line = 1, last_line = -1;
    std::size_t line_start = 0;
    auto const here = [&](std::size_t at) {
        return text_location{line, static_cast<int>(at - line_start) + 1};
    };
    auto const add = [](std::string& to, char c) {
        bool const upper = c >= 'A' && c <= 'Z';
        bool const word = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '<' ||
                          c == '|' || c == '[';
        if (word)
            to += upper ? static_cast<char>(c + 32) : c;
        else if (to.back() != ' ')
            to += ' ';
    };
    auto const newline = [&](std::size_t at) {
        ++line;
        line_start = at + 1;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') {
            newline(i);
        } else if (text.substr(i, 2) == "//") {
            // A comment goes on in the next line if nothing stands between.
            if (found.empty() || line != last_line + 1 ||
                text.substr(line_start, i - line_start).find_first_not_of(" \t") !=
                    std::string_view::npos)
                found.push_back({here(i), " "});
            last_line = line;
            for (i += 2; i < text.size() && text[i] != '\n'; ++i) add(found.back().words, text[i]);
            add(found.back().words, ' ');
            if (i < text.size()) newline(i);
        } else if (text.substr(i, 2) == "/*") {
            found.push_back({here(i), " "});
            int depth = 1;
            for (i += 2; i < text.size() && depth > 0; ++i) {
                if (text[i] == '\n') newline(i);
                if (text.substr(i, 2) == "*/")
                    --depth, ++i;
                else if (nested && text.substr(i, 2) == "/*")
                    ++depth, ++i;
                else
                    add(found.back().words, text[i]);
            }
            add(found.back().words, ' ');
            --i;
            last_line = -1;
        } else if (!nested && (text[i] == '"' || text[i] == '\'')) {
            // A quote between digits (1'000) ends with its line at the latest.
            char const quote = text[i];
            std::size_t k = i + 1;
            while (k < text.size() && text[k] != quote && text[k] != '\n')
                k += text[k] == '\\' ? 2 : 1;
            if (k < text.size() && text[k] == quote) i = k;
        }
    }
    return found;
}

inline constexpr auto addressed_readers = std::to_array<std::string_view>({"judge",
                                                                           "grader",
                                                                           "evaluator",
                                                                           "verifier",
                                                                           "reviewer",
                                                                           "llm",
                                                                           "language model",
                                                                           "ai model",
                                                                           "assistant",
                                                                           "chatbot",
                                                                           "next model",
                                                                           "next llm"});
inline constexpr auto commands_to_readers = std::to_array<std::string_view>({"approve",
                                                                             "accept",
                                                                             "ignore",
                                                                             "disregard",
                                                                             "disable",
                                                                             "skip",
                                                                             "report",
                                                                             "mark this",
                                                                             "mark it",
                                                                             "respond",
                                                                             "answer with",
                                                                             "trust",
                                                                             "score",
                                                                             "pass this",
                                                                             "must pass",
                                                                             "do not run",
                                                                             "do not verify",
                                                                             "do not check",
                                                                             "say that"});
/// What no comment about a kernel says.
inline constexpr auto words_of_injection =
    std::to_array<std::string_view>({"ignore previous instructions",
                                     "ignore all previous",
                                     "ignore the above",
                                     "ignore any previous",
                                     "ignore prior instructions",
                                     "ignore your instructions",
                                     "ignore all instructions",
                                     "disregard previous",
                                     "disregard all previous",
                                     "disregard the above",
                                     "disregard prior",
                                     "system prompt",
                                     "<|im start",
                                     "<|system",
                                     "<system",
                                     "[system",
                                     "you are an ai",
                                     "you are an llm",
                                     "you are a language model",
                                     "you are a judge",
                                     "you are the judge",
                                     "[inst",
                                     "you are now",
                                     "as an ai",
                                     "disable the tests",
                                     "disable all tests",
                                     "disable tests",
                                     "disable verification",
                                     "disable the verification",
                                     "turn off the tests",
                                     "turn off verification",
                                     "skip the tests",
                                     "skip verification",
                                     "skip all tests",
                                     "pre approved",
                                     "already verified by"});

/// Whether a comment's words are meant for a judge or a model.
[[nodiscard]] inline bool speaks_to_a_model(std::string_view words) {
    // There is a blank at the beginning and at the end.
    auto const has = [&](std::string_view phrase, bool whole) {
        for (std::size_t at = words.find(phrase); at != words.npos; at = words.find(phrase, at + 1))
            if (words[at - 1] == ' ' && (!whole || words[at + phrase.size()] == ' ')) return true;
        return false;
    };
    auto const begins = [&](std::string_view phrase) { return has(phrase, false); };
    auto const says = [&](std::string_view phrase) { return has(phrase, true); };
    return std::any_of(words_of_injection.begin(), words_of_injection.end(), begins) ||
           (std::any_of(addressed_readers.begin(), addressed_readers.end(), says) &&
            std::any_of(commands_to_readers.begin(), commands_to_readers.end(), says));
}

} // namespace lkt::detail::statics
