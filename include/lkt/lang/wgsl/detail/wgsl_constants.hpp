// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/wgsl/detail/wgsl_syntax.hpp>
#include <lkt/lang/wgsl/detail/wgsl_value.hpp>

#include <charconv>
#include <span>

namespace lkt::detail::lang {

/// Evaluates constant and override expressions of a module when they are asked for. What nobody
/// asks for, such as a constant array of weights, need not be understood.
class wgsl_constants {
public:
    wgsl_constants(kernel_source const& source, wgsl_syntax const& syntax)
        : source_(source), s_(syntax), known_(syntax.declarations.size()),
          open_(syntax.declarations.size()) {}

    [[nodiscard]] error
    fail(std::size_t token, char const* code, std::string message, std::string hint) const {
        return wgsl_error(
            source_, code, s_.tokens[token].where, std::move(message), std::move(hint));
    }

    [[nodiscard]] result<wgsl_value> value(wgsl_node_id id) {
        wgsl_node const& n = s_.nodes[id];
        level const guard(depth_);
        // Nodes are nested, and names lead from one chain of them to the next.
        if (depth_ > 400)
            return fail(n.token,
                        "lkt.kernel.constant",
                        "constants refer to one another more than 400 levels deep",
                        "give this one a number");
        switch (n.what) {
        case wgsl_node::sort::literal:
            return literal(n);
        case wgsl_node::sort::name:
            return named(n);
        case wgsl_node::sort::call:
            return call(n);
        case wgsl_node::sort::unary: {
            auto inner = value(n.operands[0]);
            if (!inner) return inner;
            char const sign = s_.tokens[n.token].text[0];
            if (sign == '*' || sign == '&') return unknown(n);
            return settled(n, wgsl_unary(sign, std::move(*inner)));
        }
        case wgsl_node::sort::binary: {
            auto left = value(n.operands[0]);
            if (!left) return left;
            auto right = value(n.operands[1]);
            if (!right) return right;
            return settled(
                n, wgsl_binary(s_.tokens[n.token].text, std::move(*left), std::move(*right)));
        }
        case wgsl_node::sort::index:
        case wgsl_node::sort::member:
            break;
        }
        return unknown(n);
    }

    /// An integer that depends on no override.
    [[nodiscard]] result<std::int64_t> fixed_integer(wgsl_node_id id, std::string const& what) {
        auto const v = value(id);
        if (!v) return v.error();
        std::size_t const token = s_.nodes[id].token;
        if (!is_integer(v->type))
            return fail(token,
                        "lkt.kernel.constant",
                        what + " is " + std::string(to_string(v->type)) + ", not an integer",
                        "give a whole number");
        if (!v->fixed())
            return fail(token,
                        "lkt.kernel.constant",
                        what + " depends on the override " + in_backticks(v->formula, 40) +
                            ", which is not allowed here",
                        "make it a const");
        return v->whole();
    }

    /// `v` as lkt's other parts read it.
    [[nodiscard]] result<expression> formula(wgsl_value const& v, std::size_t token) const {
        if (v.fixed())
            if (auto const* i = std::get_if<std::int64_t>(&v.number)) return expression(*i);
        auto e = expression::parse(v.fixed() ? value_text(v.number) : v.formula);
        if (!e)
            return fail(token,
                        "lkt.kernel.constant",
                        "this expression over overrides cannot be evaluated: " + e.error().message,
                        "use only + - * / %, comparisons, min, max, select");
        return e;
    }

    /// The scalar that a type's name stands for, aliases followed; none for another type.
    [[nodiscard]] std::optional<wgsl_scalar> scalar(wgsl_node_id id) const {
        for (int steps = 0; id != no_node && steps <= 64; ++steps) {
            wgsl_node const& n = s_.nodes[id];
            if (n.what != wgsl_node::sort::name || !n.templates.empty()) return {};
            std::string_view const name = s_.tokens[n.token].text;
            if (wgsl_declaration const* d = s_.find(name)) {
                if (d->what != wgsl_declaration::sort::alias) return {};
                id = d->type;
                continue;
            }
            static constexpr std::pair<std::string_view, wgsl_scalar> all[] = {
                {"bool", wgsl_scalar::boolean},
                {"i32", wgsl_scalar::i32},
                {"u32", wgsl_scalar::u32},
                {"f16", wgsl_scalar::f16},
                {"f32", wgsl_scalar::f32}};
            for (auto const& [spelling, type] : all)
                if (name == spelling) return type;
            return {};
        }
        return {};
    }

    /// What a const or an override has as its value, converted to its declared type. For an
    /// override that is its default; none where it has none.
    [[nodiscard]] result<wgsl_value> initial(wgsl_declaration const& d) {
        auto v = value(d.value);
        if (!v) return v;
        if (d.type != no_node) {
            auto const type = scalar(d.type);
            if (!type)
                return fail(s_.nodes[d.type].token,
                            "lkt.kernel.constant",
                            in_backticks(s_.name(d), 40) +
                                " is not a scalar, but its value is needed",
                            "use bool, i32, u32, f16 or f32 here");
            return settled(s_.nodes[d.value], wgsl_converted(std::move(*v), *type));
        }
        return v;
    }
    /// The type of an override; an abstract default becomes i32 or f32.
    [[nodiscard]] result<wgsl_scalar> override_type(wgsl_declaration const& d) {
        if (d.type == no_node && d.value == no_node)
            return fail(
                d.token,
                "lkt.kernel.text",
                "override " + in_backticks(s_.name(d), 40) + " has neither a type nor a default",
                "declare it as in `override " + plain_line(s_.name(d), 40) + ": u32 = 16;`");
        if (d.type != no_node) {
            if (auto const type = scalar(d.type)) return *type;
            return fail(s_.nodes[d.type].token,
                        "lkt.kernel.type",
                        "override " + in_backticks(s_.name(d), 40) + " is not a scalar",
                        "overrides are bool, i32, u32, f16 or f32");
        }
        auto const v = declared(d);
        if (v) return v->type;
        error e = v.error();
        e.hint = "declare the type of override " + plain_line(s_.name(d), 40) +
                 ", as in `: f32`; lkt then does not need to evaluate its default";
        return e;
    }

private:
    struct level {
        explicit level(int& d) : depth(++d) {}
        level(level const&) = delete;
        level& operator=(level const&) = delete;
        ~level() { --depth; }
        int& depth;
    };

    [[nodiscard]] result<wgsl_value> settled(wgsl_node const& n, wgsl_computed c) const {
        if (c.why.empty()) c = wgsl_checked(std::move(c.v));
        if (c.why.empty()) return std::move(c.v);
        return fail(n.token,
                    "lkt.kernel.constant",
                    "this expression cannot be evaluated: " + c.why,
                    "check the types and the range; u32 literals end in u");
    }
    [[nodiscard]] error unknown(wgsl_node const& n) const {
        return fail(n.token,
                    "lkt.kernel.constant",
                    in_backticks(s_.tokens[n.token].text, 40) +
                        " has no value before the kernel runs, or lkt does not know it",
                    "use numbers, const, override, + - * / %, comparisons, select, min, max");
    }

    [[nodiscard]] result<wgsl_value> literal(wgsl_node const& n) const {
        std::string_view text = s_.tokens[n.token].text;
        if (text == "true" || text == "false") return wgsl_boolean(text == "true");
        bool const hex = text.starts_with("0x") || text.starts_with("0X");
        if (hex) text.remove_prefix(2);
        char const last = text.empty() ? '\0' : text.back();
        bool const exponent = text.find_first_of(hex ? "pP" : "eE") != text.npos;
        bool const real =
            exponent || text.find('.') != text.npos || last == 'h' || (last == 'f' && !hex);
        auto const bad = [&] {
            return fail(n.token,
                        "lkt.kernel.text",
                        in_backticks(s_.tokens[n.token].text, 40) + " is not a WGSL number",
                        "write 16, 16u, 0x1f, 1.5, 1e-3 or 1.5f; in decimal without a leading 0");
        };
        wgsl_value v;
        bool const real_suffix = last == 'h' || (last == 'f' && (!hex || exponent));
        if (last == 'i' || last == 'u' || real_suffix) text.remove_suffix(1);
        char const* const end = text.data() + text.size();
        if (text.empty()) return bad();
        if (real) {
            if (last == 'i' || last == 'u') return bad();
            double number = 0;
            auto const format = hex ? std::chars_format::hex : std::chars_format::general;
            auto const read = std::from_chars(text.data(), end, number, format);
            if (read.ec != std::errc() || read.ptr != end) return bad();
            v = {last == 'h'   ? wgsl_scalar::f16
                 : real_suffix ? wgsl_scalar::f32
                               : wgsl_scalar::abstract_float,
                 number};
        } else {
            if (!hex && text.size() > 1 && text[0] == '0') return bad();
            std::int64_t number = 0;
            auto const read = std::from_chars(text.data(), end, number, hex ? 16 : 10);
            if (read.ec != std::errc() || read.ptr != end) return bad();
            v = {last == 'i'   ? wgsl_scalar::i32
                 : last == 'u' ? wgsl_scalar::u32
                               : wgsl_scalar::abstract_int,
                 number};
        }
        return settled(n, {std::move(v)});
    }

    [[nodiscard]] result<wgsl_value> named(wgsl_node const& n) {
        wgsl_declaration const* const d = s_.find(s_.tokens[n.token].text);
        if (d == nullptr || !n.templates.empty()) return unknown(n);
        if (d->what != wgsl_declaration::sort::constant &&
            d->what != wgsl_declaration::sort::override)
            return unknown(n);
        return declared(*d);
    }
    /// A const's value, or an override's name with its type.
    [[nodiscard]] result<wgsl_value> declared(wgsl_declaration const& d) {
        auto const index = static_cast<std::size_t>(&d - s_.declarations.data());
        if (known_[index]) return *known_[index];
        if (open_[index])
            return fail(d.token,
                        "lkt.kernel.constant",
                        in_backticks(s_.name(d), 40) + " is defined in terms of itself",
                        "give it a number");
        open_[index] = true;
        auto v = read(d);
        open_[index] = false;
        if (v) known_[index] = *v;
        return v;
    }
    [[nodiscard]] result<wgsl_value> read(wgsl_declaration const& d) {
        if (d.what == wgsl_declaration::sort::constant) {
            if (d.value != no_node) return initial(d);
            return fail(d.token,
                        "lkt.kernel.text",
                        "const " + in_backticks(s_.name(d), 40) + " has no value",
                        "write `const NAME = VALUE;`");
        }
        wgsl_value v{wgsl_scalar::i32};
        v.formula = s_.name(d);
        if (d.type != no_node || d.value == no_node) { // with neither, that is what is wrong
            auto const type = override_type(d);
            if (!type) return type.error();
            v.type = *type;
        } else {
            auto const by_default = initial(d);
            if (!by_default) return by_default;
            v.type = by_default->type;
            if (v.type == wgsl_scalar::abstract_int) v.type = wgsl_scalar::i32;
            if (v.type == wgsl_scalar::abstract_float) v.type = wgsl_scalar::f32;
        }
        return v;
    }

    [[nodiscard]] result<wgsl_value> call(wgsl_node const& n) {
        std::vector<wgsl_value> a;
        for (std::size_t i = 1; i < n.operands.size() && i < 5; ++i) {
            auto v = value(n.operands[i]);
            if (!v) return v;
            a.push_back(std::move(*v));
        }
        std::size_t const count = n.operands.size() - 1;
        if (auto const to = scalar(n.operands[0])) {
            if (count == 1) return settled(n, wgsl_cast(*to, std::move(a[0])));
            return unknown(n);
        }
        std::string_view const name = s_.tokens[n.token].text;
        if (s_.find(name) != nullptr || !s_.nodes[n.operands[0]].templates.empty())
            return unknown(n);
        if (name == "select" && count == 3) return select(n, a);
        if ((name == "min" || name == "max") && count == 2) return extreme(n, name, a[0], a[1]);
        if (name == "clamp" && count == 3) {
            auto const above = extreme(n, "max", a[0], a[1]);
            return above ? extreme(n, "min", *above, a[2]) : above;
        }
        if (name == "abs" && count == 1 && a[0].type != wgsl_scalar::boolean) {
            if (!a[0].fixed())
                a[0].formula = "abs(" + a[0].formula + ")";
            else if (is_real(a[0].type) ? a[0].real() < 0 : a[0].whole() < 0)
                return settled(n, wgsl_unary('-', std::move(a[0])));
            return std::move(a[0]);
        }
        return unknown(n);
    }
    [[nodiscard]] result<wgsl_value> select(wgsl_node const& n, std::vector<wgsl_value>& a) const {
        if (std::string why = wgsl_unify(a[0], a[1]); !why.empty())
            return settled(n, wgsl_computed::no(std::move(why)));
        if (a[2].type != wgsl_scalar::boolean)
            return settled(n, wgsl_computed::no("the condition of select is not a bool"));
        if (a[2].fixed()) return std::move(a[2].truth() ? a[1] : a[0]);
        wgsl_value v{a[0].type};
        v.formula = "(" + a[1].text() + " if " + a[2].formula + " else " + a[0].text() + ")";
        return v;
    }
    [[nodiscard]] result<wgsl_value>
    extreme(wgsl_node const& n, std::string_view name, wgsl_value a, wgsl_value b) const {
        std::string why = wgsl_unify(a, b);
        if (why.empty() && a.type == wgsl_scalar::boolean) why = "truth values have no order";
        if (!why.empty()) return settled(n, wgsl_computed::no(std::move(why)));
        if (a.fixed() && b.fixed()) {
            bool const less = wgsl_compared("<", a, b).v.truth();
            return less == (name == "min") ? a : b;
        }
        wgsl_value v{a.type};
        v.formula = std::string(name) + "(" + a.text() + ", " + b.text() + ")";
        return v;
    }

    kernel_source const& source_;
    wgsl_syntax const& s_;
    std::vector<std::optional<wgsl_value>> known_; ///< by declaration
    std::vector<bool> open_;                       ///< being evaluated
    int depth_ = 0;
};

} // namespace lkt::detail::lang
