// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/lang/expression/expression_scope.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

namespace detail::lang {
struct expression_program;
}

/// An arithmetic or logical expression over problem sizes and tunable parameters, in Python's
/// spelling and with Python's meaning: `+ - * / // % **`, comparisons (chained ones too),
/// `and or not`, `a if c else b`, `in [..]`, `min max abs ceil_div int float ceil floor`; `&& || !`
/// are read as well. `/` is true division, `//` and `%` round down, text compares with `== !=` and
/// `in` only. Integers are 64 bits wide; an overflow is an error, not a wrap.
class expression {
public:
    expression(); ///< the constant 0
    /* implicit */ expression(std::int64_t constant);
    /// Errors (rejected, `lkt.expression.parse`, with the column): a text that is not an
    /// expression, more than `max_length` bytes, brackets or signs nested deeper than `max_depth`.
    [[nodiscard]] static result<expression> parse(std::string_view text);
    static constexpr std::size_t max_length = 16384;
    static constexpr int max_depth = 64;

    /// Errors (rejected, `lkt.expression.evaluate`): an unknown name, a type that does not fit,
    /// division by zero, overflow.
    [[nodiscard]] result<parameter_value> evaluate(expression_scope const& scope) const;
    /// The same, for where only a whole number will do (`6.0` counts as one, True as 1).
    [[nodiscard]] result<std::int64_t> evaluate_integer(expression_scope const& scope) const;
    /// The same, for conditions: 0, 0.0 and False are false.
    [[nodiscard]] result<bool> evaluate_condition(expression_scope const& scope) const;

    [[nodiscard]] std::string const& text() const;
    /// Each name once, in order of appearance; `ProblemSize` is not one.
    [[nodiscard]] std::vector<std::string> const& names() const;
    friend bool operator==(expression const& a, expression const& b) {
        return a.text() == b.text();
    }

private:
    explicit expression(std::shared_ptr<detail::lang::expression_program const> program);
    std::shared_ptr<detail::lang::expression_program const>
        program_; // immutable, so copies share it
};

} // namespace lkt
