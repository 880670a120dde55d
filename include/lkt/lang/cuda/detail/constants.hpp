// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/argument.hpp>
#include <lkt/lang/cuda/detail/record_layout.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lkt::detail::lang {

/// The `__constant__` variables that the host has to fill, as arguments in the order of their
/// names: candidates may declare them in another order. All of them count, used or not: whether a
/// kernel reads one is more than a look at the text can tell.
class constant_reader {
public:
    constant_reader(declarations const& text, type_reader const& types)
        : text_(text), types_(types), integers_(text) {}

    /// `located` puts a place into words: `k.cu:3: `.
    template <class Located>
    [[nodiscard]] result<std::vector<argument>> read(Located const& located) const {
        std::vector<argument> all;
        for (constant_place const& place : text_.constants) {
            argument a;
            if (std::string const why = read_one(place, a); !why.empty()) {
                if (!is_used(place)) continue;
                std::vector<piece> const& p = text_.pieces();
                return error{condition::rejected,
                             "lkt.kernel.constant",
                             located(p[place.declaration.begin].tok.where) +
                                 "the constant memory " + in_backticks(spelled(place)) + " " + why,
                             "give it an initializer, or declare it as `__constant__ float "
                             "name[17];`, with a length that the text fixes: lkt fills it then"};
            }
            auto const same = std::find_if(
                all.begin(), all.end(), [&](argument const& b) { return b.name == a.name; });
            if (same == all.end()) {
                all.push_back(std::move(a));
            } else if (same->type != a.type || same->constant_count != a.constant_count) {
                return error{condition::rejected,
                             "lkt.kernel.constant",
                             located({}) + "the constant memory " + in_backticks(a.name, 60) +
                                 " has two different declarations",
                             "keep one of the two"};
            }
        }
        std::sort(all.begin(), all.end(), [](argument const& a, argument const& b) {
            return a.name < b.name;
        });
        return all;
    }

private:
    [[nodiscard]] std::string spelled(constant_place const& place) const {
        std::string text;
        for (std::size_t i = place.declaration.begin; i < place.declaration.end; ++i) {
            std::string const& word = text_.pieces()[i].tok.text;
            bool const tight = text.empty() || word == "[" || word == "]" || word == "," ||
                               word == ")" || word == "(" || text.ends_with("[") ||
                               text.ends_with("(");
            text += (tight ? "" : " ") + word;
        }
        return text.substr(0, 400);
    }

    /// Whether the text mentions it outside of its declaration.
    [[nodiscard]] bool is_used(constant_place const& place) const {
        std::vector<piece> const& p = text_.pieces();
        extent const d = place.declaration;
        std::string name;
        for (std::size_t i = d.begin; i < d.end && !p[i].is("["); ++i)
            if (p[i].names()) name = p[i].tok.text;
        for (std::size_t i = d.begin; i < d.end; ++i)
            if (p[i].is(",")) return true; // one of several
        for (std::size_t i = 0; i < p.size(); ++i)
            if ((i < d.begin || i >= d.end) && p[i].names() && p[i].tok.text == name) return true;
        return false;
    }

    /// Why not, or nothing.
    [[nodiscard]] std::string read_one(constant_place const& place, argument& a) const {
        std::vector<piece> const& p = text_.pieces();
        std::vector<piece> type; // with the name, without bounds
        std::uint64_t count = 1;
        for (std::size_t i = place.declaration.begin; i < place.declaration.end; ++i) {
            if (p[i].is("extern")) return "is defined elsewhere";
            if (p[i].is(",")) return "is declared together with others";
            if (p[i].is("__constant__") || p[i].is("__device__") || p[i].is("static") ||
                p[i].is("inline") || p[i].is("C") || p[i].tok.kind == token_kind::string)
                continue;
            if (p[i].is("alignas") || p[i].is("__align__")) {
                i = text_.past_bracket(i + 1, place.declaration.end) - 1;
            } else if (p[i].is("[")) {
                std::size_t const past = text_.past_bracket(i, place.declaration.end);
                auto const n =
                    integers_.read(std::span<piece const>(p).subspan(i + 1, past - i - 2));
                if (!n || *n < 1) return "has a length that lkt cannot determine";
                count *= static_cast<std::uint64_t>(std::min(*n, max_bytes + 1));
                if (count > max_bytes) return "has more bytes than constant memory has";
                i = past - 1;
            } else {
                type.push_back(p[i]);
            }
        }
        argument_type const t = types_.read(type);
        if (!t.why.empty()) return "is " + in_backticks(t.type_name, 40) + ": that " + t.why;
        if (!t.record.empty()) return "is a structure or enumeration of the text";
        if (t.pointers > 0) return "is a pointer";
        if (t.name.empty()) return "has no name";
        a.name = place.scope + t.name;
        a.type = t.type;
        a.pointer = true;
        a.is_const = true;
        a.flow = direction::in;
        a.spelling = spelled(place);
        a.constant_count = count;
        if (count * t.type.bytes() > max_bytes) return "has more bytes than constant memory has";
        return {};
    }

    static constexpr std::int64_t max_bytes = 65536; ///< of constant memory, on every GPU

    declarations const& text_;
    type_reader const& types_;
    integer_reader integers_;
};

} // namespace lkt::detail::lang
