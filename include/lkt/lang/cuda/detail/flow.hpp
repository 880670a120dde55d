// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/lang/cuda/detail/declarations.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace lkt::detail::lang {

/// Which way data flows through pointer `name`, as far as the body shows it. `out` only if each
/// time the name appears it is the target of a plain store, `name[..] = ` or `*name = `, at the
/// start of a statement: an alias, a call, an address, a member, a compound assignment, a local
/// variable of the same name or inline assembly makes it `inout`.
class flow_reader {
public:
    flow_reader(declarations const& text, std::set<std::string> const& unclear)
        : text_(text), unclear_(unclear) {}

    [[nodiscard]] direction of(extent body, std::string const& name, bool points_to_const) const {
        std::vector<piece> const& p = text_.pieces();
        bool const hidden = name.empty() || unclear_.contains(name);
        bool stores = false;
        for (std::size_t i = body.begin; i < body.end; ++i) {
            if (p[i].is("asm") || p[i].is("__asm__") || p[i].is("__asm"))
                return points_to_const ? direction::in : direction::inout;
            if (!p[i].names() || p[i].tok.text != name) continue;
            if (points_to_const) {
                if (casts_const_away(body, i)) return direction::inout;
                continue;
            }
            // A member or a qualified name is something else.
            if (i > body.begin && (p[i - 1].is(".") || p[i - 1].is("->") || p[i - 1].is("::")))
                continue;
            if (hidden || !is_store(body, i)) return direction::inout;
            stores = true;
        }
        if (points_to_const) return direction::in;
        return stores && !hidden ? direction::out : direction::inout;
    }

private:
    [[nodiscard]] bool is_store(extent body, std::size_t i) const {
        std::vector<piece> const& p = text_.pieces();
        if (i + 1 < body.end && p[i + 1].is("[")) {
            std::size_t const past = text_.past_bracket(i + 1, body.end);
            for (std::size_t k = i; k < past; ++k)
                if (p[k].mark != piece::edge::none) return false;
            return past < body.end && p[past].is("=") && starts_statement(body, i);
        }
        // `*name = `, where the star is not a product and not part of a declaration.
        return i > body.begin && p[i - 1].is("*") && i + 1 < body.end && p[i + 1].is("=") &&
               starts_statement(body, i - 1);
    }

    [[nodiscard]] bool starts_statement(extent body, std::size_t i) const {
        std::vector<piece> const& p = text_.pieces();
        if (i == body.begin) return true;
        piece const& before = p[i - 1];
        if (before.mark != piece::edge::none) {
            // The edge of a conditional: what counts is the token before all edges.
            std::size_t k = i - 1;
            while (k > body.begin && p[k].mark != piece::edge::none) --k;
            return p[k].mark != piece::edge::none || p[k].is(";") || p[k].is("{") || p[k].is("}");
        }
        if (before.is(";") || before.is("{") || before.is("}") || before.is("else") ||
            before.is("do"))
            return true;
        if (!before.is(")")) return false;
        // The head of an if, for, while or switch; `decltype(x) *name = ` would be a declaration.
        std::size_t depth = 0;
        for (std::size_t k = i; k-- > body.begin;) {
            if (p[k].is(")")) ++depth;
            if (p[k].is("(") && --depth == 0) {
                if (k == body.begin) return false;
                piece const& head = p[k - 1];
                return head.is("if") || head.is("for") || head.is("while") || head.is("switch") ||
                       (head.is("constexpr") && k >= body.begin + 2 && p[k - 2].is("if"));
            }
            if (p[k].is(";") && depth == 0) break;
        }
        return false;
    }

    /// `const_cast<..>(name)` and `(T*)name`; with reinterpret_cast that does not compile.
    [[nodiscard]] bool casts_const_away(extent body, std::size_t i) const {
        std::vector<piece> const& p = text_.pieces();
        std::size_t const least = i > body.begin + 40 ? i - 40 : body.begin;
        if (i > body.begin && p[i - 1].is(")")) {
            bool pointer = false, constant = false;
            for (std::size_t k = i - 1; k-- > least && !p[k].is("(");) {
                pointer = pointer || p[k].is("*");
                constant = constant || p[k].is("const");
            }
            if (pointer && !constant) return true;
        }
        for (std::size_t k = i; k-- > least;) {
            if (p[k].is(";") || p[k].is("{") || p[k].is("}")) break;
            if (p[k].is("const_cast")) return true;
        }
        return false;
    }

    declarations const& text_;
    std::set<std::string> const& unclear_;
};

} // namespace lkt::detail::lang
