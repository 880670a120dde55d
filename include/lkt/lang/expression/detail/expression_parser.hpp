// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/detail/expression_program.hpp>
#include <lkt/lang/expression/detail/expression_scanner.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace lkt::detail::lang {

/// Recursive descent straight to postfix code. Depth is bounded, since the text is untrusted.
class expression_parser : private expression_scanner {
public:
    explicit expression_parser(std::string_view text) : expression_scanner(text) {}

    result<expression_program> run() {
        program_.text = text_;
        if (text_.size() > expression::max_length) {
            program_.text.clear();
            return error{condition::rejected,
                         "lkt.expression.parse",
                         "the expression has " + std::to_string(text_.size()) +
                             " characters; the limit is " + std::to_string(expression::max_length) +
                             "",
                         {}};
        }
        next();
        ternary();
        if (!defect_ && kind_ != kind::end) fail(unexpected("an operator"));
        if (defect_) return *defect_;
        return std::move(program_);
    }

private:
    using program = expression_program;
    using code = program::code;

    std::size_t emit(code what, std::uint32_t a = 0, std::uint32_t b = 0) {
        return emit_at(start_, what, a, b);
    }
    std::size_t emit_at(std::size_t place, code what, std::uint32_t a = 0, std::uint32_t b = 0) {
        program_.instructions.push_back({what, a, b, static_cast<std::uint32_t>(place + 1)});
        return program_.instructions.size() - 1;
    }
    void land(std::size_t jump) {
        program_.instructions[jump].b = static_cast<std::uint32_t>(program_.instructions.size());
    }
    void push(parameter_value v) {
        program_.constants.push_back(std::move(v));
        emit(code::constant, static_cast<std::uint32_t>(program_.constants.size() - 1));
    }
    /// Every function that can call itself holds one.
    struct level {
        explicit level(expression_parser& p) : parser(p) {
            if (++parser.depth_ > expression::max_depth)
                parser.fail("nested more than " + std::to_string(expression::max_depth) + " deep");
        }
        level(level const&) = delete;
        level& operator=(level const&) = delete;
        ~level() { --parser.depth_; }
        expression_parser& parser;
    };

    // --- grammar, loosest binding first ------------------------------------------------------
    void ternary() {
        level const guard(*this);
        if (defect_) return;
        std::size_t const begin = program_.instructions.size();
        disjunction();
        if (!word("if")) return;
        // Python writes the value before the condition: what was emitted moves behind it.
        std::vector<program::instruction> const chosen(program_.instructions.begin() +
                                                           static_cast<std::ptrdiff_t>(begin),
                                                       program_.instructions.end());
        program_.instructions.resize(begin);
        next();
        disjunction();
        std::size_t const to_else = emit(code::jump_if_false);
        auto const shift = static_cast<std::uint32_t>(program_.instructions.size() - begin);
        for (program::instruction moved : chosen) {
            if (jumps(moved.what)) moved.b += shift;
            program_.instructions.push_back(moved);
        }
        std::size_t const to_end = emit(code::jump);
        land(to_else);
        if (!word("else")) return fail(unexpected("`else`"));
        next();
        ternary();
        if (!defect_) land(to_end);
    }
    static bool jumps(code c) {
        return c == code::jump || c == code::jump_if_false || c == code::and_jump ||
               c == code::or_jump || c == code::compare_chain;
    }
    void disjunction() {
        conjunction();
        while (word("or") || symbol("||")) {
            bool const c_spelling = symbol("||");
            std::size_t const jump = emit(code::or_jump);
            next();
            conjunction();
            land(jump);
            if (c_spelling) emit(code::truth);
        }
    }
    void conjunction() {
        inversion();
        while (word("and") || symbol("&&")) {
            bool const c_spelling = symbol("&&");
            std::size_t const jump = emit(code::and_jump);
            next();
            inversion();
            land(jump);
            if (c_spelling) emit(code::truth);
        }
    }
    void inversion() {
        bool any = false, odd = false;
        std::size_t const place = start_;
        for (; word("not"); next()) {
            any = true;
            odd = !odd;
        }
        comparison();
        if (any) emit_at(place, odd ? code::invert : code::truth);
    }

    [[nodiscard]] std::optional<std::uint32_t> relation() const {
        static constexpr std::string_view spellings[] = {"==", "!=", "<", "<=", ">", ">="};
        for (std::uint32_t i = 0; i < std::size(spellings); ++i)
            if (symbol(spellings[i])) return i;
        return {};
    }
    void comparison() {
        sum();
        std::vector<std::size_t> chain;
        while (!defect_) {
            std::size_t const place = start_;
            if (auto const r = relation()) {
                next();
                sum();
                if (relation())
                    chain.push_back(emit_at(place, code::compare_chain, *r));
                else
                    emit_at(place, code::compare, *r);
                if (word("in") || word("not"))
                    fail("`in` cannot be chained with comparisons; add brackets");
            } else if (word("in") || word("not")) {
                bool const negated = word("not");
                if (negated) {
                    next();
                    if (!word("in")) return fail(unexpected("`in`"));
                }
                next();
                std::uint32_t const items = list();
                emit_at(place, code::contains, items, negated ? 1 : 0);
                if (relation() || word("in") || word("not"))
                    fail("`in` cannot be chained with comparisons; add brackets");
                return;
            } else {
                break;
            }
        }
        for (std::size_t const jump : chain) land(jump);
    }
    /// `[a, b]` or `(a, b)`; the number of items.
    std::uint32_t list() {
        std::string_view const close = symbol("[") ? "]" : ")";
        if (!symbol("[") && !symbol("(")) {
            fail(unexpected("a list such as [1, 2]"));
            return 0;
        }
        next();
        std::uint32_t items = 0;
        while (!defect_ && !symbol(close)) {
            ternary();
            ++items;
            if (!accept(",")) break;
        }
        expect(close);
        return items;
    }

    void sum() {
        product();
        while (symbol("+") || symbol("-")) {
            code const what = symbol("+") ? code::add : code::subtract;
            std::size_t const place = start_;
            next();
            product();
            emit_at(place, what);
        }
    }
    void product() {
        sign();
        while (symbol("*") || symbol("/") || symbol("//") || symbol("%")) {
            code const what = symbol("*")    ? code::multiply
                              : symbol("/")  ? code::divide
                              : symbol("//") ? code::floor_divide
                                             : code::modulo;
            std::size_t const place = start_;
            next();
            sign();
            emit_at(place, what);
        }
    }
    void sign() {
        level const guard(*this);
        if (defect_) return;
        std::size_t const place = start_;
        for (auto const& [spelling, what] : {std::pair{"+", code::plus},
                                             std::pair{"-", code::negate},
                                             std::pair{"!", code::invert}}) {
            if (!symbol(spelling)) continue;
            next();
            if (what == code::negate && lowest_integer()) return;
            sign();
            emit_at(place, what);
            return;
        }
        primary();
        std::size_t const power_place = start_;
        if (accept("**")) {
            sign(); // binds tighter than a sign on its left, looser than one on its right
            emit_at(power_place, code::power);
        }
    }
    /// -9223372036854775808, whose digits alone are one too many.
    bool lowest_integer() {
        if (kind_ != kind::number || spelling_ != "9223372036854775808") return false;
        push(std::numeric_limits<std::int64_t>::min());
        next();
        if (symbol("**")) fail("the result does not fit 64 bits");
        return true;
    }

    void primary() {
        switch (kind_) {
        case kind::number:
            return number();
        case kind::text:
            push(literal_);
            return next();
        case kind::name:
            return name();
        case kind::symbol:
            if (symbol("(")) {
                next();
                ternary();
                return expect(")");
            }
            break;
        case kind::end:
        case kind::bad:
            break;
        }
        fail(unexpected("a value"));
    }

    void number() {
        std::string digits;
        for (std::size_t i = 0; i < spelling_.size(); ++i) {
            bool const between = i > 0 && i + 1 < spelling_.size() && spelling_[i - 1] != '_';
            if (spelling_[i] != '_')
                digits += spelling_[i];
            else if (!between)
                return fail(in_backticks(spelling_, 24) + " is not a number");
        }
        int base = 10;
        std::string_view rest = digits;
        if (rest.size() > 2 && rest[0] == '0') {
            char const mark = rest[1];
            base = mark == 'x' || mark == 'X'   ? 16
                   : mark == 'b' || mark == 'B' ? 2
                   : mark == 'o' || mark == 'O' ? 8
                                                : 10;
            if (base != 10) rest.remove_prefix(2);
        }
        std::int64_t i = 0;
        char const* const end = rest.data() + rest.size();
        auto const whole_read = std::from_chars(rest.data(), end, i, base);
        if (whole_read.ptr == end && rest.front() != '-') {
            if (whole_read.ec != std::errc{})
                return fail(in_backticks(spelling_, 24) + " does not fit 64 bits");
            push(i);
            return next();
        }
        double d = 0;
        auto const read = std::from_chars(rest.data(), end, d);
        if (base != 10 || read.ptr != end || read.ec != std::errc{})
            return fail(in_backticks(spelling_, 24) + " is not a number");
        push(d);
        next();
    }

    void name() {
        static constexpr std::string_view reserved[] = {
            "and", "or", "not", "if", "else", "in", "is", "lambda", "for"};
        for (std::string_view const r : reserved)
            if (word(r)) return fail(unexpected("a value"));
        std::string const id(spelling_);
        std::size_t const place = start_;
        bool const alone = std::exchange(takes_list_, false);
        if (id == "True" || id == "true" || id == "False" || id == "false") {
            push(id[0] == 'T' || id[0] == 't');
            return next();
        }
        next();
        if (id == "ProblemSize") {
            if (alone && symbol(")")) {
                emit_at(place, code::all_sizes);
                return;
            }
            if (!accept("["))
                return fail(unexpected("`[`: write ProblemSize[0], ProblemSize[1], ..."));
            ternary();
            expect("]");
            emit_at(place, code::size);
            return;
        }
        if (symbol("(")) return call(id, place);
        if (symbol("[")) return fail("only ProblemSize can have an index");
        std::uint32_t index = 0;
        while (index < program_.names.size() && program_.names[index] != id) ++index;
        if (index == program_.names.size()) program_.names.push_back(id);
        emit_at(place, code::name, index);
    }

    void call(std::string const& id, std::size_t place) {
        struct known {
            std::string_view name;
            std::uint32_t min, max;
        };
        static constexpr std::uint32_t any = program::all_extents - 1;
        static constexpr known functions[] = {{"min", 1, any},
                                              {"max", 1, any},
                                              {"abs", 1, 1},
                                              {"ceil_div", 2, 2},
                                              {"int", 1, 1},
                                              {"float", 1, 1},
                                              {"ceil", 1, 1},
                                              {"floor", 1, 1},
                                              {"all", 1, any},
                                              {"any", 1, any}}; // in the order of `function`
        std::uint32_t which = 0;
        while (which < std::size(functions) && functions[which].name != id) ++which;
        if (which == std::size(functions)) {
            start_ = place;
            return fail("unknown function " + in_backticks(id, 24) +
                        "; known: min, max, abs, ceil_div, int, float, ceil, floor, all and any");
        }
        next();
        std::uint32_t count = 0;
        bool const of_many = functions[which].max == any;
        if (of_many && symbol("[")) { // as Python has it
            count = list();
        } else {
            for (; !defect_ && !symbol(")"); ++count) {
                takes_list_ = of_many && count == 0 && word("ProblemSize");
                ternary();
                if (!accept(",")) {
                    ++count;
                    break;
                }
            }
        }
        expect(")");
        if (defect_) return;
        if (count == 1 && program_.instructions.back().what == code::all_sizes)
            count = program::all_extents;
        else if (count < functions[which].min || count > functions[which].max) {
            start_ = place;
            return fail(id + " takes " + std::to_string(functions[which].min) +
                        (functions[which].max == any ? " or more" : "") + ", not " +
                        std::to_string(count) + " arguments");
        }
        emit_at(place, code::call, which, count);
    }

    int depth_ = 0;
    bool takes_list_ = false; ///< the word that comes may be all that a function gets
    program program_;
};

} // namespace lkt::detail::lang
