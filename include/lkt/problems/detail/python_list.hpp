// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <optional>

namespace lkt::detail::problems {

/// Reads the lists of values that T1 files write as Python: `[1, 2]`, `list(range(1, 9, 2))`,
/// `[2**i for i in range(5)]`, `[i for i in range(9) if i % 2]`, and sums of those.
class python_list {
public:
    static result<std::vector<parameter_value>> read(std::string_view text) {
        python_list list(text);
        if (text.size() > expression::max_length) return list.refuse("the text is too long");
        for (std::string_view const term : list.split(text, "+"))
            if (auto e = list.term(trimmed(term), 0)) return *e;
        return std::move(list.values_);
    }

private:
    explicit python_list(std::string_view text) : text_(text) {}

    static constexpr std::size_t max_values = 100000;

    [[nodiscard]] error refuse(std::string const& why) const {
        return {condition::rejected,
                "lkt.problem.value",
                in_backticks(text_) + ": " + why,
                "write [1, 2, 4], list(range(1, 9)) or [2**i for i in range(5)]"};
    }

    /// Where `separator` stands outside of brackets and quotes.
    static std::size_t find(std::string_view s, std::string_view separator, std::size_t from = 0) {
        int depth = 0;
        char quote = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            char const c = s[i];
            if (quote != 0) {
                if (c == quote) quote = 0;
                continue;
            }
            if (i >= from && depth == 0 && s.substr(i, separator.size()) == separator) return i;
            if (c == '\'' || c == '"') quote = c;
            if (c == '(' || c == '[') ++depth;
            if (c == ')' || c == ']') --depth;
        }
        return std::string_view::npos;
    }
    static std::vector<std::string_view> split(std::string_view s, std::string_view separator) {
        std::vector<std::string_view> parts;
        for (std::size_t at = find(s, separator); at != std::string_view::npos;
             at = find(s, separator)) {
            parts.push_back(s.substr(0, at));
            s = s.substr(at + separator.size());
            if (parts.size() > 2000) break; // the rest will not read as one item
        }
        parts.push_back(s);
        return parts;
    }
    /// The inside of `open ... close`, if these two belong together.
    static std::optional<std::string_view>
    inside(std::string_view s, std::string_view open, char close) {
        if (!s.starts_with(open) || s.size() <= open.size() || s.back() != close) return {};
        return s.substr(open.size(), s.size() - open.size() - 1);
    }

    std::optional<error> add(std::string_view item, expression_scope const& scope) {
        auto const e = expression::parse(item);
        if (!e) return refuse(e.error().message);
        return add(*e, scope);
    }
    std::optional<error> add(expression const& e, expression_scope const& scope) {
        auto v = e.evaluate(scope);
        if (!v) return refuse(v.error().message);
        if (values_.size() >= max_values) return refuse("at most 100000 values are read");
        values_.push_back(std::move(*v));
        return {};
    }

    std::optional<error> term(std::string_view s, int depth) {
        if (depth > 4) return refuse("lists are nested too deep");
        if (auto const inner = inside(s, "list(", ')')) return term(trimmed(*inner), depth + 1);
        if (s.starts_with("range(")) {
            auto const range = integers(s);
            if (!range) return range.error();
            for (std::int64_t const i : *range) {
                if (values_.size() >= max_values) return refuse("at most 100000 values are read");
                values_.emplace_back(i);
            }
            return {};
        }
        auto inner = inside(s, "[", ']');
        if (!inner) inner = inside(s, "(", ')');
        if (!inner) return refuse("this is not a list");
        std::string_view const items = trimmed(*inner);
        if (items.empty()) return {};
        if (find(items, " for ") != std::string_view::npos) return comprehension(items);
        std::vector<std::string_view> parts = split(items, ",");
        if (trimmed(parts.back()).empty()) parts.pop_back(); // a trailing comma
        for (std::string_view const item : parts)
            if (auto e = add(trimmed(item), {})) return e;
        return {};
    }

    /// `EXPRESSION for NAME in range(..) [if CONDITION]`
    std::optional<error> comprehension(std::string_view s) {
        std::size_t const at_for = find(s, " for ");
        std::string_view const rest = trimmed(s.substr(at_for + 5));
        std::size_t const at_in = find(rest, " in ");
        if (at_in == std::string_view::npos) return refuse("`in` is missing after `for`");
        std::string_view const name = trimmed(rest.substr(0, at_in));
        std::string_view range = trimmed(rest.substr(at_in + 4));
        std::string_view condition = "True";
        if (std::size_t const at_if = find(range, " if "); at_if != std::string_view::npos) {
            condition = trimmed(range.substr(at_if + 4));
            range = trimmed(range.substr(0, at_if));
        }
        auto const item = expression::parse(trimmed(s.substr(0, at_for)));
        auto const wanted = expression::parse(condition);
        if (!item) return refuse(item.error().message);
        if (!wanted) return refuse(wanted.error().message);
        auto const numbers = integers(range);
        if (!numbers) return numbers.error();
        for (std::int64_t const i : *numbers) {
            expression_scope const scope{{{std::string(name), i}}, {}};
            auto const takes = wanted->evaluate_condition(scope);
            if (!takes) return refuse(takes.error().message);
            if (!*takes) continue;
            if (auto e = add(*item, scope)) return e;
        }
        return {};
    }

    [[nodiscard]] result<std::vector<std::int64_t>> integers(std::string_view s) const {
        auto const inner = inside(s, "range(", ')');
        if (!inner) return refuse("only range(...) can be iterated over");
        std::vector<std::int64_t> bounds;
        for (std::string_view const part : split(*inner, ",")) {
            auto const e = expression::parse(trimmed(part));
            auto const v = e ? e->evaluate_integer({}) : result<std::int64_t>(e.error());
            if (!v) return refuse(v.error().message);
            bounds.push_back(*v);
        }
        if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
        if (bounds.size() == 2) bounds.push_back(1);
        if (bounds.size() != 3 || bounds[2] == 0)
            return refuse("range takes one to three numbers, and a step that is not 0");
        std::vector<std::int64_t> all;
        // In floating point the bound is approximate, and nothing can overflow.
        double const count = (static_cast<double>(bounds[1]) - static_cast<double>(bounds[0])) /
                             static_cast<double>(bounds[2]);
        if (count > static_cast<double>(max_values))
            return refuse("at most 100000 values are read");
        for (std::int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
            all.push_back(i);
            if (__builtin_add_overflow(i, bounds[2], &i)) break;
        }
        return all;
    }

    std::string_view text_;
    std::vector<parameter_value> values_;
};

} // namespace lkt::detail::problems
