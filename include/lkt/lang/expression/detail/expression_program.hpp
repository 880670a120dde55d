// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/lang/expression/detail/expression_values.hpp>
#include <lkt/lang/expression/expression_scope.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail::lang {

/// Postfix code for a stack machine: an evaluation loops and never recurses, however deep the text
/// was nested.
struct expression_program {
    enum class code : unsigned char {
        constant, ///< push constants[a]
        name,     ///< push the value of names[a]
        size,     ///< the index on the stack becomes ProblemSize[index]
        plus,
        negate,
        invert, ///< not
        truth,  ///< to a bool
        add,
        subtract,
        multiply,
        divide,
        floor_divide,
        modulo,
        power,
        compare,       ///< by relation a
        compare_chain, ///< by relation a: keep the right operand, or leave false and jump to b
        contains,      ///< whether the value below the a items is one of them; b: the negation
        jump,          ///< to b
        jump_if_false, ///< to b; pops
        and_jump,      ///< to b, keeping the value, if it is false; else pops
        or_jump,       ///< to b, keeping the value, if it is true; else pops
        all_sizes,     ///< nothing: the call that follows takes all extents
        call,          ///< function a of b arguments, or of `all_extents`
    };
    static constexpr std::uint32_t all_extents = 1001;
    enum relation : std::uint32_t { equal, unequal, less, less_equal, greater, greater_equal };
    enum function : std::uint32_t {
        f_min,
        f_max,
        f_abs,
        f_ceil_div,
        f_int,
        f_float,
        f_ceil,
        f_floor,
        f_all,
        f_any
    };

    struct instruction {
        code what = code::constant;
        std::uint32_t a = 0, b = 0;
        std::uint32_t column = 1; ///< in the text, from 1
    };

    std::string text;
    std::vector<instruction> instructions;
    std::vector<parameter_value> constants;
    std::vector<std::string> names;

    [[nodiscard]] result<parameter_value> run(expression_scope const& scope) const;
};

using op = expression_program::code;

inline computed arithmetic(op what, operand const& a, operand const& b) {
    if (is_text(a) || is_text(b)) return computed::no("text has no arithmetic");
    bool const in_reals = is_real(a) || is_real(b);
    std::int64_t r = 0;
    switch (what) {
    case op::add:
        if (in_reals) return computed::of(real(a) + real(b));
        return __builtin_add_overflow(whole(a), whole(b), &r) ? computed::no(overflows)
                                                              : computed::of(r);
    case op::subtract:
        if (in_reals) return computed::of(real(a) - real(b));
        return __builtin_sub_overflow(whole(a), whole(b), &r) ? computed::no(overflows)
                                                              : computed::of(r);
    case op::multiply:
        if (in_reals) return computed::of(real(a) * real(b));
        return __builtin_mul_overflow(whole(a), whole(b), &r) ? computed::no(overflows)
                                                              : computed::of(r);
    case op::divide:
        return real(b) == 0 ? computed::no(by_zero) : computed::of(real(a) / real(b));
    case op::floor_divide:
        if (!in_reals) return floor_divide(whole(a), whole(b));
        return real(b) == 0 ? computed::no(by_zero)
                            : computed::of(__builtin_floor(real(a) / real(b)));
    case op::modulo: {
        if (!in_reals) return floor_modulo(whole(a), whole(b));
        if (real(b) == 0) return computed::no(by_zero);
        double const rest = __builtin_fmod(real(a), real(b));
        return computed::of(rest != 0 && (rest < 0) != (real(b) < 0) ? rest + real(b) : rest);
    }
    case op::power:
        if (!in_reals) return power(whole(a), whole(b));
        if (real(a) == 0 && real(b) < 0) return computed::no(by_zero);
        return computed::of(__builtin_pow(real(a), real(b)));
    case op::constant:
    case op::name:
    case op::size:
    case op::plus:
    case op::negate:
    case op::invert:
    case op::truth:
    case op::compare:
    case op::compare_chain:
    case op::contains:
    case op::jump:
    case op::jump_if_false:
    case op::and_jump:
    case op::or_jump:
    case op::all_sizes:
    case op::call:
        break;
    }
    return computed::no("not a binary operation");
}

inline computed apply(std::uint32_t function, std::span<operand const> arguments) {
    using program = expression_program;
    operand const& first = arguments.front();
    for (operand const& v : arguments)
        if (is_text(v)) return computed::no("functions take numbers, not text");
    switch (function) {
    case program::f_min:
    case program::f_max: {
        operand const* best = &first;
        for (operand const& v : arguments)
            if (function == program::f_min ? order(v, *best) < 0 : order(v, *best) > 0) best = &v;
        return {*best};
    }
    case program::f_abs:
        if (is_real(first)) return computed::of(__builtin_fabs(real(first)));
        return whole(first) < 0 ? floor_divide(whole(first), -1) : computed::of(whole(first));
    case program::f_ceil_div: {
        std::int64_t parts[2] = {0, 0};
        for (std::size_t i = 0; i < 2; ++i) {
            if (is_real(arguments[i]) && __builtin_trunc(real(arguments[i])) != real(arguments[i]))
                return computed::no("ceil_div takes whole numbers");
            computed const part =
                is_real(arguments[i]) ? to_whole(real(arguments[i])) : computed{arguments[i]};
            if (part.why != nullptr) return part;
            parts[i] = whole(part.v);
        }
        if (parts[1] == 0) return computed::no(by_zero);
        if (parts[1] == -1) return floor_divide(parts[0], -1);
        bool const rounds = parts[0] % parts[1] != 0 && (parts[0] < 0) == (parts[1] < 0);
        return computed::of(parts[0] / parts[1] + (rounds ? 1 : 0));
    }
    case program::f_int:
        return is_real(first) ? to_whole(__builtin_trunc(real(first))) : computed::of(whole(first));
    case program::f_float:
        return computed::of(real(first));
    case program::f_ceil:
        return is_real(first) ? to_whole(__builtin_ceil(real(first))) : computed::of(whole(first));
    case program::f_floor:
        return is_real(first) ? to_whole(__builtin_floor(real(first))) : computed::of(whole(first));
    case program::f_all:
        return {std::all_of(arguments.begin(), arguments.end(), truth)};
    case program::f_any:
        return {std::any_of(arguments.begin(), arguments.end(), truth)};
    default:
        break;
    }
    return computed::no("no such function");
}

inline computed relate(std::uint32_t relation, operand const& a, operand const& b) {
    using program = expression_program;
    if (relation == program::equal) return {same(a, b)};
    if (relation == program::unequal) return {!same(a, b)};
    if (is_text(a) || is_text(b)) return computed::no("text can be compared only with == and !=");
    int const o = order(a, b);
    bool const holds = relation == program::less         ? o < 0
                       : relation == program::less_equal ? o <= 0
                       : relation == program::greater    ? o > 0
                                                         : o >= 0;
    return {holds};
}

/// `column 7 of `N / B`: division by zero`.
inline error expression_error(std::string_view text, std::size_t column, std::string const& why) {
    return {condition::rejected,
            "lkt.expression.evaluate",
            "column " + std::to_string(column) + " of " + in_backticks(text) + ": " + why,
            {}};
}

inline error unknown_name(expression_program const& p,
                          expression_program::instruction const& at,
                          expression_scope const& scope) {
    std::string known;
    for (auto const& [name, unused] : scope.values) {
        if (known.size() > 200) {
            known += ", ...";
            break;
        }
        known += (known.empty() ? "" : ", ") + plain_line(name, 80);
    }
    error e = expression_error(p.text, at.column, "unknown name " + in_backticks(p.names[at.a]));
    e.hint = known.empty() ? "names are not allowed here; use only ProblemSize[0], ..."
                           : "known names: " + known;
    return e;
}

inline result<parameter_value> expression_program::run(expression_scope const& scope) const {
    std::vector<operand> stack;
    stack.reserve(8);
    auto const fails = [&](instruction const& at, std::string const& why) {
        return expression_error(text, at.column, why);
    };
    auto const pop = [&] {
        operand v = std::move(stack.back());
        stack.pop_back();
        return v;
    };
    for (std::size_t pc = 0; pc < instructions.size(); ++pc) {
        instruction const& at = instructions[pc];
        switch (at.what) {
        case code::constant:
            stack.push_back(constants[at.a]);
            break;
        case code::name: {
            operand const* found = nullptr;
            for (auto const& [name, v] : scope.values)
                if (name == names[at.a]) {
                    found = &v;
                    break;
                }
            if (found == nullptr) return unknown_name(*this, at, scope);
            stack.push_back(*found);
            break;
        }
        case code::size: {
            operand const index = pop();
            if (is_text(index) || is_real(index))
                return fails(at, "the index of ProblemSize must be an integer");
            if (whole(index) < 0 ||
                static_cast<std::uint64_t>(whole(index)) >= scope.problem_size.size())
                return fails(at,
                             "ProblemSize has " + std::to_string(scope.problem_size.size()) +
                                 " extents, so there is no ProblemSize[" +
                                 std::to_string(whole(index)) + "]");
            stack.emplace_back(scope.problem_size[static_cast<std::size_t>(whole(index))]);
            break;
        }
        case code::plus:
        case code::negate: {
            operand const v = pop();
            if (is_text(v)) return fails(at, "text has no sign");
            computed const c = at.what == code::plus
                                   ? (is_real(v) ? computed{v} : computed::of(whole(v)))
                                   : arithmetic(code::subtract, std::int64_t{0}, v);
            if (c.why != nullptr) return fails(at, c.why);
            // 0 - 0.0 is 0.0, but -(0.0) is -0.0.
            stack.push_back(at.what == code::negate && is_real(v) ? operand{-real(v)} : c.v);
            break;
        }
        case code::invert:
            stack.back() = !truth(stack.back());
            break;
        case code::truth:
            stack.back() = truth(stack.back());
            break;
        case code::add:
        case code::subtract:
        case code::multiply:
        case code::divide:
        case code::floor_divide:
        case code::modulo:
        case code::power: {
            operand const b = pop();
            computed c = arithmetic(at.what, stack.back(), b);
            if (c.why != nullptr) return fails(at, c.why);
            stack.back() = std::move(c.v);
            break;
        }
        case code::compare: {
            operand const b = pop();
            computed c = relate(at.a, stack.back(), b);
            if (c.why != nullptr) return fails(at, c.why);
            stack.back() = std::move(c.v);
            break;
        }
        case code::compare_chain: {
            operand b = pop();
            computed const c = relate(at.a, stack.back(), b);
            if (c.why != nullptr) return fails(at, c.why);
            if (truth(c.v)) {
                stack.back() = std::move(b);
            } else {
                stack.back() = false;
                pc = at.b - 1;
            }
            break;
        }
        case code::contains: {
            std::size_t const first = stack.size() - at.a;
            bool found = false;
            for (std::size_t i = first; i < stack.size(); ++i)
                found = found || same(stack[first - 1], stack[i]);
            stack.resize(first);
            stack.back() = found != (at.b != 0);
            break;
        }
        case code::jump:
            pc = at.b - 1;
            break;
        case code::jump_if_false:
            if (!truth(pop())) pc = at.b - 1;
            break;
        case code::and_jump:
        case code::or_jump:
            if (truth(stack.back()) == (at.what == code::or_jump))
                pc = at.b - 1;
            else
                stack.pop_back();
            break;
        case code::all_sizes:
            break;
        case code::call: {
            std::size_t count = at.b;
            if (at.b == all_extents) {
                for (std::int64_t const extent : scope.problem_size) stack.emplace_back(extent);
                count = scope.problem_size.size();
                if (count == 0) return fails(at, "the problem has no size");
            }
            std::size_t const first = stack.size() - count;
            computed c = apply(at.a, std::span<operand const>(stack).subspan(first));
            if (c.why != nullptr) return fails(at, c.why);
            stack.resize(first + 1);
            stack.back() = std::move(c.v);
            break;
        }
        }
    }
    return std::move(stack.back());
}

} // namespace lkt::detail::lang
