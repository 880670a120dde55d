// SPDX-License-Identifier: BSL-1.0
// What a struct of the text holds, and where: C's rules with CUDA's alignments.
#pragma once

#include <lkt/lang/cuda/detail/argument_type.hpp>
#include <lkt/lang/cuda/detail/whole_number.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt::detail::lang {

/// One value in a struct: of a member, of an element of an array, of a struct in the struct.
struct record_value {
    std::string path; ///< `inner.w[2]`
    std::string name; ///< `w[2]`
    value_type type;
    std::uint64_t offset = 0;
};

struct record_layout {
    std::vector<record_value> values;
    std::uint64_t size = 0, alignment = 1;
    std::string why; ///< empty if all is well
};

/// CUDA's vectors of two and four are aligned to their size, up to 16 bytes.
[[nodiscard]] constexpr std::uint64_t alignment_of(value_type t) {
    if (t.lanes != 2 && t.lanes != 4) return size_of(t.scalar);
    return std::min<std::uint64_t>(t.bytes(), 16);
}

/// Integers that the text itself fixes.
class integer_reader {
public:
    explicit integer_reader(declarations const& text) : text_(text) {}

    /// `4 * N`, with `constexpr int N = 4;` in the text. Nothing: nobody knows.
    [[nodiscard]] std::optional<std::int64_t> read(std::span<piece const> in, int depth = 0) const {
        if (in.empty() || in.size() > 200 || depth > 8) return {};
        std::vector<piece> known(in.begin(), in.end());
        for (piece& p : known) {
            if (!p.names() || p.is("true") || p.is("false")) continue;
            auto const n = named(p.tok.text, depth);
            if (!n || *n < 0) return {};
            p.tok.kind = token_kind::number;
            p.tok.text = std::to_string(*n);
        }
        return whole_number::of(known);
    }

private:
    [[nodiscard]] std::optional<std::int64_t> named(std::string const& name, int depth) const {
        std::vector<piece> const& p = text_.pieces();
        std::optional<std::int64_t> all;
        for (std::size_t i = 1; i + 2 < p.size(); ++i) {
            if (!p[i].names() || p[i].tok.text != name || !p[i + 1].is("=")) continue;
            if (!is_constant(i)) continue;
            std::size_t end = i + 2;
            while (end < p.size() && p[end].mark == piece::edge::none && !p[end].is(";") &&
                   !p[end].is(",") && !p[end].is("}"))
                ++end;
            auto const n = read(std::span<piece const>(p).subspan(i + 2, end - i - 2), depth + 1);
            if (!n || (all && *all != *n)) return {};
            all = n;
        }
        return all;
    }
    /// Whether what begins a declaration's initializer at `i` cannot change.
    [[nodiscard]] bool is_constant(std::size_t i) const {
        std::vector<piece> const& p = text_.pieces();
        for (std::size_t k = i; k-- > 0 && i - k < 40;) {
            if (p[k].is("constexpr") || p[k].is("const")) return true;
            if (p[k].is(";") || p[k].is("}") || p[k].is("(")) return false;
            if (p[k].is("{")) // of an enumeration: `enum name : int {`
                for (std::size_t e = k; e-- > 0 && k - e < 6;)
                    if (p[e].is("enum")) return true;
            if (p[k].is("{")) return false;
        }
        return false;
    }

    declarations const& text_;
};

class record_reader {
public:
    static constexpr std::size_t max_values = 64;

    /// `packed`: a pragma of the text moves members about.
    record_reader(declarations const& text, type_reader const& types, bool packed)
        : text_(text), types_(types), integers_(text), packed_(packed) {}

    [[nodiscard]] record_layout read(std::string const& name) const {
        record_layout layout;
        auto const found = text_.records.find(name);
        if (found == text_.records.end())
            layout.why = "is not defined in the text";
        else if (found->second.ambiguous)
            layout.why = "is defined twice, and differently";
        else if (found->second.is_template)
            layout.why = "is a class template";
        else if (packed_)
            layout.why = "may be packed by a pragma of the text";
        else
            layout = read_definition(found->second.keyword, 0);
        return layout;
    }

private:
    using pieces = std::vector<piece>;

    [[nodiscard]] record_layout read_definition(std::size_t keyword, int depth) const {
        pieces const& p = text_.pieces();
        record_layout layout;
        auto const refuse = [&](std::string why) {
            if (layout.why.empty()) layout.why = std::move(why);
        };
        if (p[keyword].is("union")) refuse("is a union");
        if (p[keyword].is("enum")) refuse("is an enumeration");
        if (depth > 8) refuse("holds structs nested more than 8 deep");
        std::size_t i = keyword + 1;
        for (; i < p.size() && !p[i].is("{") && layout.why.empty(); ++i) {
            if (p[i].is(":")) refuse("has a base class");
            if (p[i].is("__attribute__") || p[i].is("__declspec")) refuse("has an attribute");
            if (is_alignment(p[i])) i = align(i, p.size(), layout);
        }
        auto const past = text_.closing(i, p.size());
        if (i >= p.size() || !past) refuse("is never closed");
        if (!layout.why.empty()) return layout;
        if (*past < p.size() && (p[*past].is("__attribute__") || is_alignment(p[*past])))
            refuse("has an attribute");
        for (std::size_t at = i + 1; at + 1 < *past && layout.why.empty();)
            at = read_member(at, *past - 1, layout, depth);
        if (layout.values.empty()) refuse("has no members");
        layout.size = rounded(layout.size, layout.alignment);
        return layout;
    }

    static bool is_alignment(piece const& p) {
        return p.is("alignas") || p.is("__align__") || p.is("_Alignas");
    }
    static std::uint64_t rounded(std::uint64_t n, std::uint64_t to) {
        return (n + to - 1) / to * to;
    }
    /// Reads `alignas(16)`; the index of its closing bracket.
    std::size_t align(std::size_t i, std::size_t end, record_layout& layout) const {
        std::size_t const past = text_.past_bracket(i + 1, end);
        auto const n =
            i + 2 < past ? integers_.read(
                               std::span<piece const>(text_.pieces()).subspan(i + 2, past - i - 3))
                         : std::nullopt;
        if (!n || *n < 1 || *n > 128 || (*n & (*n - 1)) != 0)
            layout.why = "has an alignment that lkt cannot determine, or one above 128";
        else
            layout.alignment = std::max(layout.alignment, static_cast<std::uint64_t>(*n));
        return past - 1;
    }

    /// One declaration of [at, end); where the next one begins.
    [[nodiscard]] std::size_t
    read_member(std::size_t at, std::size_t end, record_layout& layout, int depth) const {
        pieces const& p = text_.pieces();
        std::size_t semicolon = at;
        bool function = false;
        for (; semicolon < end && !p[semicolon].is(";"); ++semicolon) {
            if (p[semicolon].mark != piece::edge::none) layout.why = "depends on an #if";
            if (is_alignment(p[semicolon]) || p[semicolon].is("[")) {
                bool const bound = p[semicolon].is("[");
                semicolon = text_.past_bracket(bound ? semicolon : semicolon + 1, end) - 1;
                continue;
            }
            if (p[semicolon].is("=")) break;
            function = function || p[semicolon].is("(");
            // A struct that is defined where it is used, or an initializer.
            if (p[semicolon].is("{")) semicolon = text_.past_bracket(semicolon, end) - 1;
        }
        while (semicolon < end && !p[semicolon].is(";"))
            semicolon = p[semicolon].is("{") || p[semicolon].is("(")
                            ? text_.past_bracket(semicolon, end)
                            : semicolon + 1;
        if (!layout.why.empty()) return end;
        piece const& first = p[at];
        if (at + 1 < end && first.is("public") && p[at + 1].is(":")) return at + 2;
        if (first.is("private") || first.is("protected"))
            layout.why = "has members that are not public";
        if (first.is(";") || first.is("static_assert")) return semicolon + 1;
        bool const is_static = first.is("static") || (first.is("constexpr") && !function);
        if (first.is("using") || first.is("typedef") || (is_static && !function) ||
            (first.is("enum") && p[semicolon - 1].is("}")))
            return semicolon + 1;
        if (function || first.is("friend") || first.is("template") || first.is("~"))
            layout.why = "has functions";
        if (layout.why.empty()) read_declarators(at, semicolon, layout, depth);
        return semicolon + 1;
    }

    /// `float a = 1, w[4]`: what stands before the first name belongs to all of them.
    void read_declarators(std::size_t at, std::size_t end, record_layout& layout, int depth) const {
        pieces const& p = text_.pieces();
        record_layout wanted; // what `alignas` before the member asks for
        pieces type;
        record_layout inner;
        bool defines = false, tagged = false;
        std::size_t i = at;
        for (; i < end; ++i) {
            if (is_alignment(p[i])) {
                i = align(i, end, wanted);
            } else if (p[i].is("struct") || p[i].is("union") || p[i].is("class")) {
                std::size_t const brace = i + (i + 1 < end && p[i + 1].names() ? 2 : 1);
                if (brace >= end || !p[brace].is("{")) continue;
                inner = read_definition(i, depth + 1);
                defines = true;
                tagged = brace == i + 2;
                i = text_.past_bracket(brace, end) - 1;
            } else if (!p[i].is("mutable")) {
                break;
            }
        }
        // The type ends before the name of the first declarator.
        std::size_t name = i;
        while (name < end && !p[name].is("[") && !p[name].is("=") && !p[name].is("{") &&
               !p[name].is(",") && !p[name].is(":"))
            ++name;
        if (name == i) {
            if (!tagged) layout.why = "has a member without a name";
            return;
        }
        type.assign(p.begin() + static_cast<std::ptrdiff_t>(i),
                    p.begin() + static_cast<std::ptrdiff_t>(name - 1));
        layout.alignment = std::max(layout.alignment, wanted.alignment);
        if (!wanted.why.empty()) layout.why = wanted.why;
        for (extent const e : text_.split(name - 1, end)) {
            if (!layout.why.empty()) return;
            pieces one = type;
            std::size_t k = e.begin;
            for (; k < e.end && !p[k].is("[") && !p[k].is("=") && !p[k].is("{") && !p[k].is(":");
                 ++k)
                one.push_back(p[k]);
            if (k < e.end && p[k].is(":")) {
                layout.why = "has a bit-field";
                return;
            }
            std::string const called = one.empty() ? "" : one.back().tok.text;
            if (!defines) inner = layout_of(one, depth);
            if (!inner.why.empty()) {
                layout.why = "has the member " + in_backticks(called, 40) + ", which " + inner.why;
                return;
            }
            add(layout, inner, wanted.alignment, called, k, e.end);
        }
    }

    /// Of a member without its array bounds.
    [[nodiscard]] record_layout layout_of(pieces const& declaration, int depth) const {
        argument_type const t = types_.read(declaration);
        record_layout one;
        if (!t.why.empty())
            one.why = "is " + in_backticks(t.type_name, 40) + ": that " + t.why;
        else if (t.pointers > 0)
            one.why = "is a pointer";
        else if (t.is_volatile)
            one.why = "is volatile";
        else if (t.name.empty())
            one.why = "has no name";
        else if (t.record.empty())
            one = {{{"", "", t.type, 0}}, t.type.bytes(), alignment_of(t.type), ""};
        else if (auto const found = text_.records.find(t.record); found->second.ambiguous)
            one.why = "is of a struct that is defined twice, and differently";
        else if (found->second.is_template)
            one.why = "is of a class template";
        else
            one = read_definition(found->second.keyword, depth + 1);
        return one;
    }

    /// Puts an array of `inner`, of the bounds in [k, end), behind what is there.
    void add(record_layout& layout,
             record_layout const& inner,
             std::uint64_t alignment,
             std::string const& name,
             std::size_t k,
             std::size_t end) const {
        pieces const& p = text_.pieces();
        std::vector<std::string> names{name};
        while (k < end && p[k].is("[")) {
            std::size_t const past = text_.past_bracket(k, end);
            auto const n =
                past > k + 1
                    ? integers_.read(std::span<piece const>(p).subspan(k + 1, past - k - 2))
                    : std::nullopt;
            if (!n || *n < 1) {
                layout.why = "has the array " + in_backticks(name, 40) +
                             ", whose length the text does not fix";
                return;
            }
            std::vector<std::string> elements;
            for (std::string const& before : names)
                for (std::int64_t j = 0; j < *n && elements.size() <= max_values; ++j)
                    elements.push_back(before + "[" + std::to_string(j) + "]");
            names = std::move(elements);
            k = past;
        }
        std::uint64_t at = rounded(layout.size, std::max(inner.alignment, alignment));
        for (std::string const& element : names) {
            for (record_value const& v : inner.values)
                layout.values.push_back({v.path.empty() ? element : element + "." + v.path,
                                         v.name.empty() ? element : v.name,
                                         v.type,
                                         at + v.offset});
            at += inner.size;
        }
        layout.size = at;
        layout.alignment = std::max(layout.alignment, inner.alignment);
        if (layout.values.size() > max_values)
            layout.why = "has more than " + std::to_string(max_values) + " values";
    }

    declarations const& text_;
    type_reader const& types_;
    integer_reader integers_;
    bool packed_;
};

} // namespace lkt::detail::lang
