// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/detail/standard_texts.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/definitions.hpp>
#include <lkt/process/service.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

namespace lkt::device_detail::standard {

/// A name that one line of a header declares.
struct declaration {
    std::string_view line;
    bool type = false;
    bool stdint = false; ///< user's headers may declare it otherwise
    bool nvcc = true;    ///< nvcc knows it without an include
};

std::map<std::string_view, declaration> const& declarations() {
    static auto const all = [] {
        std::map<std::string_view, declaration> found;
        auto const read = [&](std::string_view text, bool nvcc) {
            while (!text.empty()) {
                auto const end = text.find('\n');
                auto const line = text.substr(0, end);
                text.remove_prefix(std::min(end + 1, text.size()));
                constexpr std::string_view define = "#define ";
                if (line.starts_with(define)) {
                    auto const rest = line.substr(define.size());
                    found.try_emplace(rest.substr(0, rest.find_first_of(" (")),
                                      declaration{line, false, false, nvcc});
                } else if (line.starts_with("typedef ")) {
                    auto const name = line.substr(line.rfind(' ') + 1);
                    found.try_emplace(name.substr(0, name.size() - 1),
                                      declaration{line, true, false, nvcc});
                }
            }
        };
        for (auto const text : {math_h, limits_h, stdlib_h, stddef_h, types_h}) read(text, true);
        for (auto const text : {float_h, stdint_h}) read(text, false);
        for (auto const* const name : {"int8_t", "int16_t", "int32_t", "int64_t"})
            found[name].nvcc = found[name].stdint = true;
        return found;
    }();
    return all;
}

/// The header that makes `std::name` known; empty if there is none.
std::string_view home_of(std::string_view name) {
    auto const declaring = "using ::" + std::string{name} + ";";
    if (name == "nullptr_t") return "cstddef";
    for (auto const* const h : {"cmath", "cstddef", "cstdlib", "cstdint", "cstring", "cstdio"})
        if (find_header(h)->text.find(declaring) != std::string_view::npos) return h;
    if (name == "min" || name == "max" || name == "clamp") return "algorithm";
    if (name == "numeric_limits") return "limits";
    if (name == "swap" || name == "pair" || name == "make_pair" || name == "exchange" ||
        name == "index_sequence" || name == "make_index_sequence" || name == "integer_sequence")
        return "utility";
    for (auto const* const stem : {"is_",
                                   "remove_",
                                   "add_",
                                   "make_signed",
                                   "make_unsigned",
                                   "decay",
                                   "enable_if",
                                   "conditional",
                                   "integral_constant",
                                   "bool_constant",
                                   "true_type",
                                   "false_type",
                                   "common_type",
                                   "underlying_type",
                                   "void_t",
                                   "conjunction",
                                   "disjunction",
                                   "negation"})
        if (name.starts_with(stem)) return "type_traits";
    return {};
}

/// What a text says of the names above.
struct mentions {
    std::set<std::string_view> used, own;
    std::set<std::string_view> homes; ///< headers to include
    std::set<std::string> included;
    bool extends_std = false;
};

bool is_any(token const& t, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](auto word) { return t.is(word); });
}

/// Whether the text itself declares the name that `all[i]` is, as macro, constant or type.
bool declares(std::vector<token> const& all, std::size_t i, declaration const& d) {
    auto const next = [&](std::string_view what) {
        return i + 1 < all.size() && all[i + 1].is(what);
    };
    if (i == 0) return false;
    auto const& before = all[i - 1];
    if (all[i].directive) return is_any(before, {"define", "undef"});
    if (before.directive) return false;
    if (d.type) // `typedef unsigned uint;`
        return (next(";") && before.kind == token_kind::identifier) ||
               is_any(before, {"using", "struct", "class", "enum", "union"});
    // A constant after a word is being declared: `float INFINITY`.
    return next("=") || (before.kind == token_kind::identifier &&
                         !is_any(before, {"return", "case", "else", "do", "and", "or", "not"}));
}

void look(std::vector<token> const& all, mentions& m) {
    auto const& known = declarations();
    auto const is = [&](std::size_t k, std::string_view what) {
        return k < all.size() && all[k].is(what);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& t = all[i];
        if (t.is("include") && t.directive && is(i - 1, "#") && i + 1 < all.size()) {
            auto const& header = all[i + 1].text;
            if (header.size() > 2) m.included.insert(header.substr(1, header.size() - 2));
        }
        if (t.kind != token_kind::identifier) continue;
        if (auto const d = known.find(t.text); d != known.end())
            (declares(all, i, d->second) ? m.own : m.used).insert(d->first);
        if (t.is("CUtensorMap") && !declares(all, i, {{}, true})) m.homes.insert("cuda.h");
        if (!t.is("std")) continue;
        if (is(i - 1, "namespace") && is(i + 1, "{")) m.extends_std = true;
        bool const nested = is(i - 1, "::") && i > 1 && all[i - 2].kind == token_kind::identifier;
        if (!nested && is(i + 1, "::") && i + 2 < all.size())
            if (auto const home = home_of(all[i + 2].text); !home.empty()) m.homes.insert(home);
    }
}

mentions mentions_in(std::string const& text) {
    mentions m;
    if (auto const all = tokenize(text)) look(*all, m);
    return m;
}

} // namespace lkt::device_detail::standard

namespace lkt::device_detail::standard {

std::uint64_t hash_of_headers() {
    static auto const made = [] {
        auto hash = layout_hash("standard headers");
        for (auto const& h : headers) hash = layout_hash(h.text, layout_hash(h.name, hash));
        return hash;
    }();
    return made;
}

header const* find_header(std::string_view name) {
    auto const* const found =
        std::find_if(headers.begin(), headers.end(), [&](auto const& h) { return h.name == name; });
    return found == headers.end() ? nullptr : found;
}

std::vector<std::string> headers_for(compiler_place const& place,
                                     std::vector<std::string> const& user_folders) {
    std::vector<std::string> given;
    for (auto const& h : headers) {
        std::error_code ignored;
        bool const shadowed =
            std::any_of(user_folders.begin(), user_folders.end(), [&](auto const& folder) {
                return std::filesystem::exists(std::filesystem::path{folder} / h.name, ignored);
            });
        if (!shadowed && (!h.toolkit_first || !has_header(place, h.name)))
            given.emplace_back(h.name);
    }
    return given;
}

std::string prelude(std::string const& text,
                    std::string const& kernel,
                    configuration const& definitions,
                    compiler_place const& place) {
    // A sweep brings the same text under each of its configurations.
    thread_local std::string last;
    thread_local mentions of_last;
    if (last != text) {
        of_last = mentions_in(text);
        last = text;
    }
    auto m = of_last;
    std::string names = kernel;
    for (auto const& [name, value] : definitions.values) names += ' ' + definition_text(value);
    auto const around = mentions_in("(" + names + ")");
    m.used.insert(around.used.begin(), around.used.end());
    m.used.insert(around.own.begin(), around.own.end()); // nothing is declared there
    m.homes.insert(around.homes.begin(), around.homes.end());

    // Headers of the user's may use what nvcc knows, and declare what it does not.
    bool const foreign = std::any_of(m.included.begin(), m.included.end(), [&](auto const& name) {
        return find_header(name) == nullptr && !has_header(place, name);
    });
    std::string lines;
    if (!m.extends_std)
        for (auto const home : m.homes)
            if ((!foreign || home != "cstdint") &&
                (home == "type_traits" || home[0] == 'c' || home == "algorithm" ||
                 has_header(place, "cuda/std/" + std::string{home})))
                lines += "#include <" + std::string{home} + ">\n";
    for (auto const& [name, d] : declarations()) {
        bool const wanted = m.used.contains(name) ? d.nvcc || !foreign : foreign && d.nvcc;
        if (!wanted || m.own.contains(name) || (foreign && d.stdint)) continue;
        if (std::any_of(definitions.values.begin(), definitions.values.end(), [&](auto const& v) {
                return v.first == name;
            }))
            continue;
        lines += d.type
                     ? std::string{d.line} + "\n"
                     : "#ifndef " + std::string{name} + "\n" + std::string{d.line} + "\n#endif\n";
    }
    return lines;
}

} // namespace lkt::device_detail::standard
