// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/cpp_text.hpp>

#include <lkt/core/string_tools.hpp>
#include <lkt/lang/expression/detail/expression_parser.hpp>

#include <cstddef>
#include <vector>

namespace lkt {

namespace detail::lang {

/// From postfix code to C++: a value that depends on no size is computed here.
class cpp_writer {
public:
    cpp_writer(expression_program const& program,
               configuration const& config,
               std::span<cpp_size const> sizes)
        : p_(program), config_(config), sizes_(sizes) {}

    std::optional<std::string> run() {
        auto value = block(0, p_.instructions.size());
        if (!value || is_text(value->known.value_or(0))) return {};
        return value->real ? "a.whole(" + text_of(*value) + ")" : text_of(*value);
    }

private:
    using code = expression_program::code;
    struct term {
        std::string text;
        bool real = false;
        std::optional<operand> known{};
    };
    static constexpr std::size_t longest = 4000; // operands that are named twice add up

    static term constant(operand v) {
        bool const real = is_real(v);
        return {"", real, std::move(v)};
    }
    static std::string text_of(term const& t) {
        if (!t.known) return t.text;
        return is_real(*t.known) ? real_text(lang::real(*t.known))
                                 : std::to_string(whole(*t.known)) + "LL";
    }
    static std::string real_of(term const& t) {
        return t.real ? text_of(t) : "double(" + text_of(t) + ")";
    }
    static std::string truth_of(term const& t) {
        if (t.known) return truth(*t.known) ? "true" : "false";
        return "(" + t.text + " != 0)";
    }
    static std::optional<term> checked(term t) {
        if (t.text.size() > longest) return {};
        return t;
    }

    /// The one value that instructions [begin, end) leave.
    std::optional<term> block(std::size_t begin, std::size_t end) {
        std::vector<term> stack;
        for (std::size_t pc = begin; pc < end;) {
            auto const next = step(stack, pc, end);
            if (!next) return {};
            pc = *next;
        }
        if (stack.size() != 1) return {};
        return std::move(stack.back());
    }

    /// The place of the instruction after this one and what belongs to it.
    std::optional<std::size_t> step(std::vector<term>& stack, std::size_t pc, std::size_t end) {
        auto const& at = p_.instructions[pc];
        auto const pop = [&] {
            term t = std::move(stack.back());
            stack.pop_back();
            return t;
        };
        auto const push = [&](std::optional<term> t) {
            if (t) t = checked(std::move(*t));
            if (!t) return false;
            stack.push_back(std::move(*t));
            return true;
        };
        std::optional<term> made;
        std::size_t next = pc + 1;
        switch (at.what) {
        case code::constant:
            made = constant(p_.constants[at.a]);
            break;
        case code::name:
            made = named(p_.names[at.a]);
            break;
        case code::size: {
            term const index = pop();
            if (!index.known || is_text(*index.known) || index.real) return {};
            auto const k = static_cast<std::uint64_t>(whole(*index.known));
            if (k < sizes_.size()) made = term{sizes_[static_cast<std::size_t>(k)].second};
            break;
        }
        case code::all_sizes: // the call that follows takes them
            return next;
        case code::plus:
        case code::negate:
            made = sign(at.what, pop());
            break;
        case code::invert:
        case code::truth: {
            term const t = pop();
            bool const inverts = at.what == code::invert;
            made =
                t.known
                    ? constant(truth(*t.known) != inverts)
                    : term{"(" + t.text + (inverts ? " == 0 ? 1LL : 0LL)" : " != 0 ? 1LL : 0LL)")};
            break;
        }
        case code::add:
        case code::subtract:
        case code::multiply:
        case code::divide:
        case code::floor_divide:
        case code::modulo:
        case code::power: {
            term const b = pop(), a = pop();
            made = binary(at.what, a, b);
            break;
        }
        case code::compare: {
            term const b = pop(), a = pop();
            made = related(at.a, a, b);
            break;
        }
        case code::compare_chain: { // what follows compares the right operand
            term const b = pop(), a = pop();
            auto first = related(at.a, a, b);
            if (!first || at.b > end) return {};
            std::vector<term> rest{b};
            for (std::size_t k = pc + 1; k < at.b;) {
                auto const after = step(rest, k, at.b);
                if (!after) return {};
                k = *after;
            }
            if (rest.size() != 1) return {};
            made = choice(*first, rest.back(), constant(false));
            next = at.b;
            break;
        }
        case code::contains: {
            if (stack.size() < at.a + 1u) return {};
            std::vector<term> const items(stack.end() - at.a, stack.end());
            stack.resize(stack.size() - at.a);
            term const value = pop();
            term found = constant(false);
            for (term const& item : items) {
                auto same = related(expression_program::equal, value, item);
                if (!same) return {};
                auto either = choice(*same, constant(true), found);
                if (!either) return {};
                found = std::move(*either);
            }
            made = at.b != 0 ? choice(found, constant(false), constant(true)) : found;
            break;
        }
        case code::jump_if_false: { // the value, a jump over the other one, the other one
            term const condition = pop();
            if (at.b == 0 || at.b > end) return {};
            auto const& jump = p_.instructions[at.b - 1];
            if (jump.what != code::jump || jump.b > end) return {};
            auto const yes = block(pc + 1, at.b - 1), no = block(at.b, jump.b);
            made = yes && no ? choice(condition, *yes, *no) : std::nullopt;
            next = jump.b;
            break;
        }
        case code::and_jump:
        case code::or_jump: {
            term const left = pop();
            if (at.b > end) return {};
            auto const right = block(pc + 1, at.b);
            if (!right) return {};
            made =
                at.what == code::and_jump ? choice(left, *right, left) : choice(left, left, *right);
            next = at.b;
            break;
        }
        case code::call: {
            std::size_t count = at.b;
            if (at.b == expression_program::all_extents) {
                for (auto const& [size, text] : sizes_) stack.push_back(term{text});
                count = sizes_.size();
            }
            if (count == 0 || stack.size() < count) return {};
            auto const from = stack.end() - static_cast<std::ptrdiff_t>(count);
            std::vector<term> const arguments(from, stack.end());
            stack.erase(from, stack.end());
            made = called(at.a, arguments);
            break;
        }
        case code::jump:
            return {};
        }
        if (!push(std::move(made))) return {};
        return next;
    }

    std::optional<term> named(std::string const& name) const {
        for (auto const& [size, text] : sizes_)
            if (size == name) return term{text};
        if (auto const* v = config_.find(name)) return constant(*v);
        return {};
    }
    static std::optional<term> sign(code what, term const& t) {
        if (t.known && is_text(*t.known)) return {};
        if (what == code::plus) return t;
        if (t.real)
            return t.known ? constant(-lang::real(*t.known)) : term{"(-" + t.text + ")", true};
        return binary(code::subtract, constant(std::int64_t{0}), t);
    }
    static std::optional<term> folded(computed c) {
        if (c.why != nullptr) return {};
        return constant(std::move(c.v));
    }
    static std::optional<term> binary(code what, term const& a, term const& b) {
        if (a.known && b.known) return folded(arithmetic(what, *a.known, *b.known));
        if ((a.known && is_text(*a.known)) || (b.known && is_text(*b.known))) return {};
        bool const real = a.real || b.real;
        if (what == code::divide)
            return term{"a.divide(" + real_of(a) + ", " + real_of(b) + ")", true};
        char const* const call = what == code::add            ? "add"
                                 : what == code::subtract     ? "subtract"
                                 : what == code::multiply     ? "multiply"
                                 : what == code::floor_divide ? "floor_divide"
                                 : what == code::modulo       ? "modulo"
                                                              : nullptr;
        if (call == nullptr) return {};
        if (!real)
            return term{"a." + std::string(call) + "(" + text_of(a) + ", " + text_of(b) + ")"};
        char const* const symbol = what == code::add        ? " + "
                                   : what == code::subtract ? " - "
                                   : what == code::multiply ? " * "
                                                            : nullptr;
        if (symbol == nullptr) return {};
        return term{"(" + real_of(a) + symbol + real_of(b) + ")", true};
    }
    static std::optional<term> related(std::uint32_t relation, term const& a, term const& b) {
        if (a.known && b.known) return folded(relate(relation, *a.known, *b.known));
        if ((a.known && is_text(*a.known)) || (b.known && is_text(*b.known))) return {};
        static constexpr char const* symbols[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
        bool const real = a.real || b.real;
        return term{"(" + (real ? real_of(a) : text_of(a)) + symbols[relation] +
                    (real ? real_of(b) : text_of(b)) + " ? 1LL : 0LL)"};
    }
    static std::optional<term> choice(term const& condition, term const& yes, term const& no) {
        if (condition.known) return truth(*condition.known) ? yes : no;
        for (term const* t : {&yes, &no})
            if (t->known && is_text(*t->known)) return {};
        bool const real = yes.real || no.real;
        return term{"(" + truth_of(condition) + " ? " + (real ? real_of(yes) : text_of(yes)) +
                        " : " + (real ? real_of(no) : text_of(no)) + ")",
                    real};
    }
    static std::optional<term> called(std::uint32_t function, std::vector<term> const& arguments) {
        using program = expression_program;
        std::vector<operand> known;
        for (term const& t : arguments) {
            if (t.known && is_text(*t.known)) return {};
            if (t.known) known.push_back(*t.known);
        }
        if (known.size() == arguments.size()) return folded(lang::apply(function, known));
        term const& first = arguments.front();
        switch (function) {
        case program::f_min:
        case program::f_max: {
            term best = first;
            for (std::size_t k = 1; k < arguments.size(); ++k) {
                bool const real = best.real || arguments[k].real;
                auto const text = [&](term const& t) { return real ? real_of(t) : text_of(t); };
                best = term{std::string(function == program::f_min ? "a.min(" : "a.max(") +
                                text(best) + ", " + text(arguments[k]) + ")",
                            real};
            }
            return best;
        }
        case program::f_abs:
            return term{"(" + first.text + " < 0 ? -" + first.text + " : " + first.text + ")",
                        first.real};
        case program::f_ceil_div:
            for (term const& t : arguments)
                if (t.real) return {};
            return term{"a.ceil_div(" + text_of(first) + ", " + text_of(arguments[1]) + ")"};
        case program::f_float:
            return term{real_of(first), true};
        case program::f_int:
        case program::f_ceil:
        case program::f_floor:
            if (!first.real) return first;
            return term{std::string(function == program::f_int    ? "a.truncate("
                                    : function == program::f_ceil ? "a.ceil("
                                                                  : "a.floor(") +
                        first.text + ")"};
        default:
            return {};
        }
    }

    expression_program const& p_;
    configuration const& config_;
    std::span<cpp_size const> sizes_;
};

} // namespace detail::lang

std::optional<std::string>
cpp_text(expression const& e, configuration const& config, std::span<cpp_size const> sizes) {
    auto const program = detail::lang::expression_parser(e.text()).run();
    if (!program) return {};
    return detail::lang::cpp_writer(*program, config, sizes).run();
}

std::string_view cpp_arithmetic() {
    return R"(struct arithmetic {
    bool bad = false;
    long long within(long long v) {
        if (v <= -(1LL << 62) || v >= (1LL << 62)) bad = true;
        return bad ? 0 : v;
    }
    long long add(long long x, long long y) { return within(x + y); }
    long long subtract(long long x, long long y) { return within(x - y); }
    long long multiply(long long x, long long y) {
        long long const most = (1LL << 62) - 1;
        if (y != 0 && (x < 0 ? -x : x) > most / (y < 0 ? -y : y)) bad = true;
        return bad ? 0 : x * y;
    }
    long long floor_divide(long long x, long long y) {
        if (y == 0) bad = true;
        return bad ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
    }
    long long modulo(long long x, long long y) {
        if (y == 0) bad = true;
        return bad ? 0 : x % y != 0 && (x < 0) != (y < 0) ? x % y + y : x % y;
    }
    long long ceil_div(long long x, long long y) {
        if (y == 0) bad = true;
        return bad ? 0 : x / y + (x % y != 0 && (x < 0) == (y < 0) ? 1 : 0);
    }
    double divide(double x, double y) {
        if (y == 0) bad = true;
        return bad ? 0 : x / y;
    }
    template <class T>
    T min(T x, T y) {
        return y < x ? y : x;
    }
    template <class T>
    T max(T x, T y) {
        return y > x ? y : x;
    }
    long long truncate(double v) {
        if (!(v > -4.6e18 && v < 4.6e18)) bad = true;
        return bad ? 0 : static_cast<long long>(v);
    }
    long long floor(double v) {
        long long const i = truncate(v);
        return static_cast<double>(i) > v ? i - 1 : i;
    }
    long long ceil(double v) {
        long long const i = truncate(v);
        return static_cast<double>(i) < v ? i + 1 : i;
    }
    long long whole(double v) {
        long long const i = truncate(v);
        if (static_cast<double>(i) != v) bad = true;
        return i;
    }
};
)";
}

} // namespace lkt
