// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace lkt::device_detail::text_screen {

using tokens = std::vector<token>;

std::size_t end_of_directive(tokens const& all, std::size_t i) {
    do ++i;
    while (i < all.size() && all[i].directive && !all[i].first);
    return i;
}

std::string_view unquoted(std::string_view spelt) {
    return spelt.size() < 2 ? std::string_view{} : spelt.substr(1, spelt.size() - 2);
}

bool leaves(std::string_view path) {
    return path.empty() || path[0] == '/' || path.find("..") != path.npos;
}

constexpr std::string_view no_file =
    "a kernel's text may read only headers, named by a relative path without `..`";

/// `#include`, `#embed` and the like: `i` is the `#`, `end` one past the line.
std::optional<refused>
directive(std::string_view text, tokens const& all, std::size_t i, std::size_t end) {
    if (i + 1 >= end) return {};
    auto const& name = all[i + 1];
    auto const refusal = [&](std::string why) {
        auto const length = std::min<std::size_t>(all[end - 1].end - all[i].begin, 120);
        return refused{
            std::string{text.substr(all[i].begin, length)}, std::move(why), all[i].where};
    };
    if (name.is("embed") || name.is("import")) return refusal(std::string{no_file});
    if (!name.is("include") && !name.is("include_next")) return {};
    bool const one = i + 3 == end;
    auto const& header = all[std::min(i + 2, end - 1)];
    bool const spelt = header.kind == token_kind::header_name ||
                       (header.kind == token_kind::string && header.text.starts_with('"'));
    if (!one || !spelt) return refusal("an include must name its header, not a macro");
    if (leaves(unquoted(header.text))) return refusal(std::string{no_file});
    return {};
}

/// `__has_include` is fine in a condition, with a path that an include may have.
std::optional<refused>
question(std::string_view text, tokens const& all, std::size_t i, std::size_t begin) {
    auto const& word = all[i];
    auto const refusal = [&](std::string_view why) {
        return refused{word.text, std::string{why}, word.where};
    };
    auto const is = [&](std::size_t k, std::string_view what) {
        return k < all.size() && all[k].is(what);
    };
    if (!word.directive) return refusal("use it only in a preprocessor condition");
    bool const condition = is(begin + 1, "if") || is(begin + 1, "elif");
    if (is(begin + 1, "ifdef") || is(begin + 1, "ifndef") || is(begin + 1, "elifdef") ||
        is(begin + 1, "elifndef"))
        return {};
    if (is(i - 1, "defined") || (is(i - 1, "(") && is(i - 2, "defined"))) return {};
    if (!condition || !is(i + 1, "("))
        return refusal("use it only in a preprocessor condition, followed by its header");
    auto close = i + 2;
    auto const end = end_of_directive(all, begin);
    while (close < end && !all[close].is(")")) ++close;
    if (close >= end || close == i + 2) return refusal("its header is not allowed");
    auto path = text.substr(all[i + 2].begin, all[close].begin - all[i + 2].begin);
    while (!path.empty() && (path.back() == ' ' || path.back() == '\t')) path.remove_suffix(1);
    bool const spelt = path.size() > 2 && ((path.front() == '<' && path.back() == '>') ||
                                           (path.front() == '"' && path.back() == '"'));
    if (!spelt || leaves(unquoted(path)) || path.find_first_of("\\\n") != path.npos)
        return refusal(no_file);
    return {};
}

std::optional<refused> look(std::string_view text, tokens const& all) {
    // Older standards read two trigraphs as `#` and as a line splice.
    for (std::string_view const trigraph : {"\?\?=", "\?\?/"})
        if (text.find(trigraph) != text.npos)
            return refused{std::string{trigraph}, "trigraphs are not allowed", {}};
    std::size_t begin = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& t = all[i];
        if (t.directive && t.first) {
            begin = i;
            if (auto no = directive(text, all, i, end_of_directive(all, i))) return no;
        }
        if (t.kind != token_kind::identifier) continue;
        if (t.is("__has_include") || t.is("__has_include_next") || t.is("__has_embed"))
            if (auto no = question(text, all, i, begin)) return no;
        if ((t.is("import") || t.is("module")) && t.first && !t.directive)
            return refused{
                t.text, "a kernel's text must not read modules, which are files", t.where};
    }
    return {};
}

/// Text from elsewhere that becomes part of a line: a parameter's value.
std::optional<refused> value_of(std::string const& name, std::string const& spelt) {
    auto const shown = name + "=" + spelt.substr(0, 120);
    auto const words = tokenize(spelt);
    if (!words) return refused{shown, words.error().message, {}};
    for (auto const& w : *words)
        if (w.is("#") || w.is("##") || w.is("{") || w.is("}") || w.is(";") ||
            w.kind == token_kind::other || w.text.starts_with("__has_"))
            return refused{shown, "a parameter's value must be one expression", {}};
    return {};
}

std::optional<refused> kernel_name(std::string const& name) {
    auto const shown = name.substr(0, 120);
    auto const words = tokenize(name);
    if (!words || words->empty() || words->front().kind != token_kind::identifier ||
        name.find_first_of("\r\n\\") != name.npos || name.size() > 4096)
        return refused{shown, "it is not a kernel's name", {}};
    for (auto const& w : *words) {
        bool const fine = w.kind == token_kind::identifier || w.kind == token_kind::number ||
                          w.kind == token_kind::character ||
                          (w.kind == token_kind::punctuator && !w.directive && !w.is(";") &&
                           !w.is("{") && !w.is("}") && !w.is("#") && !w.is("##"));
        if (!fine) return refused{shown, "it is not a kernel's name", {}};
    }
    return {};
}

} // namespace lkt::device_detail::text_screen

namespace lkt::device_detail {

std::optional<refused> reaches_outside(std::string_view text) {
    auto const all = tokenize(text);
    if (!all) return refused{"the text", all.error().message, {}};
    return text_screen::look(text, *all);
}

std::optional<refused> value_reaches_outside(std::string const& name, std::string const& spelt) {
    return text_screen::value_of(name, spelt);
}
std::optional<refused> no_kernel_name(std::string const& name) {
    return text_screen::kernel_name(name);
}

bool waits_for_the_grid(std::string_view text) {
    auto const tokens = tokenize(text);
    return tokens && std::any_of(tokens->begin(), tokens->end(), [](auto const& t) {
               return t.text == "this_grid" || t.text == "grid_group";
           });
}

bool has_header(compiler_place const& where, std::string_view name) {
    return std::any_of(where.includes.begin(), where.includes.end(), [&](auto const& folder) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(std::filesystem::path{folder} / name, ignored);
    });
}

} // namespace lkt::device_detail
