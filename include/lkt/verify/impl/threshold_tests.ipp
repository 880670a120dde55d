// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/threshold_tests.hpp>

#include <lkt/lang/expanded_text.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt {

namespace detail::threshold_parts {

constexpr std::size_t most_numbers = 64;

/// A constant of a text: whole ones divide and shift as such.
struct number {
    double value = 0;
    bool whole = false;
};

std::optional<number> number_of(std::string_view literal) {
    std::string digits;
    for (char const c : literal)
        if (c != '\'') digits += c;
    bool const hex = digits.starts_with("0x") || digits.starts_with("0X");
    bool const real = digits.find_first_of(hex ? "pP." : ".eE") != std::string::npos ||
                      (!hex && !digits.empty() &&
                       std::string_view("fFhH").find(digits.back()) != std::string_view::npos);
    std::string_view const suffix = real ? "fFlLhH" : hex ? "uUlLiI" : "uUlLiIzZ";
    while (!digits.empty() && suffix.find(digits.back()) != std::string_view::npos)
        digits.pop_back();
    std::string_view text = digits;
    if (hex) text.remove_prefix(2);
    char const* const end = text.data() + text.size();
    if (real) {
        double value = 0;
        auto const read = std::from_chars(
            text.data(), end, value, hex ? std::chars_format::hex : std::chars_format::general);
        if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
        return number{value, false};
    }
    int base = hex ? 16 : 10;
    if (!hex && text.size() > 1 && text[0] == '0') {
        base = text[1] == 'b' || text[1] == 'B' ? 2 : 8;
        text.remove_prefix(base == 2 ? 2 : 1);
    }
    std::uint64_t value = 0;
    auto const read = std::from_chars(text.data(), end, value, base);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return number{static_cast<double>(value), true};
}

std::optional<number> combined(number a, std::string_view op, number b) {
    bool const whole = a.whole && b.whole;
    auto const made = [&](double value) -> std::optional<number> {
        if (!std::isfinite(value)) return std::nullopt;
        return number{whole ? std::trunc(value) : value, whole};
    };
    if (op == "+") return made(a.value + b.value);
    if (op == "-") return made(a.value - b.value);
    if (op == "*") return made(a.value * b.value);
    if (op == "/" && b.value != 0) return made(a.value / b.value);
    if (op == "%" && whole && b.value != 0) return made(std::fmod(a.value, b.value));
    if (op == "<<" && whole && b.value < 64)
        return made(std::ldexp(a.value, static_cast<int>(b.value)));
    if (op == ">>" && whole && b.value < 64)
        return made(std::ldexp(a.value, -static_cast<int>(b.value)));
    return std::nullopt;
}

/// Reads expressions of literals, and keeps the value of every part of them.
class folder {
public:
    folder(std::vector<expanded_token> const& tokens, std::vector<double>& found)
        : tokens_(tokens), found_(found) {}

    void read_all() {
        while (at_ < tokens_.size()) {
            std::size_t const from = at_;
            (void)sum(0);
            if (at_ != from) continue;
            if (is(">>")) keep_shift(false);
            if (is("<<")) keep_shift(true);
            ++at_;
        }
    }

private:
    static constexpr int max_depth = 32;

    [[nodiscard]] bool is(std::string_view text) const {
        return at_ < tokens_.size() && tokens_[at_].is(text);
    }
    /// `x >> 14` is another number from 2^14 on; `x << 14` may lose bits from 2^18 on.
    void keep_shift(bool left) {
        if (at_ + 1 >= tokens_.size()) return;
        expanded_token const& t = tokens_[at_ + 1];
        if (t.mark != expanded_token::edge::none || t.tok.kind != token_kind::number) return;
        auto const by = number_of(t.tok.text);
        if (!by || !by->whole || by->value >= 48 || (left && by->value > 24)) return;
        int const power = static_cast<int>(by->value);
        found_.push_back(std::ldexp(1.0, left ? 32 - power : power));
    }
    std::optional<number> keep(std::optional<number> n) {
        if (n) found_.push_back(n->value);
        return n;
    }
    std::optional<number> single(int depth) {
        if (at_ >= tokens_.size() || depth > max_depth) return std::nullopt;
        std::size_t const from = at_;
        if (is("(")) {
            ++at_;
            auto inner = sum(depth + 1);
            if (inner && is(")")) {
                ++at_;
                return inner;
            }
            at_ = from;
            return std::nullopt;
        }
        expanded_token const& t = tokens_[at_];
        if (t.mark != expanded_token::edge::none || t.tok.kind != token_kind::number)
            return std::nullopt;
        ++at_;
        return keep(number_of(t.tok.text));
    }
    template <class Next>
    std::optional<number> chain(std::initializer_list<std::string_view> operators,
                                Next const& next) {
        auto left = next();
        while (left) {
            auto const op = std::find_if(
                operators.begin(), operators.end(), [&](std::string_view o) { return is(o); });
            if (op == operators.end()) break;
            std::size_t const before = at_++;
            auto const right = next();
            auto const both = right ? combined(*left, *op, *right) : std::nullopt;
            if (!right) {
                at_ = before;
                break;
            }
            if (!both) return std::nullopt;
            left = keep(both);
        }
        return left;
    }
    std::optional<number> product(int depth) {
        return chain({"*", "/", "%"}, [&] { return single(depth); });
    }
    std::optional<number> shift_operand(int depth) {
        return chain({"+", "-"}, [&] { return product(depth); });
    }
    std::optional<number> sum(int depth) {
        return chain({"<<", ">>"}, [&] { return shift_operand(depth); });
    }

    std::vector<expanded_token> const& tokens_;
    std::vector<double>& found_;
    std::size_t at_ = 0;
};

std::vector<double> numbers_in(kernel_source const& source) {
    std::vector<double> found;
    auto const text = expand_text(source);
    if (!text) return found;
    folder(text->seen, found).read_all();
    return found;
}

/// What an input without a domain may have: a square of it is finite.
double large_number(scalar_type t) {
    if (t == scalar_type::float32) return 1e18;
    return t == scalar_type::float64 ? 1e150 : large_value(t);
}

/// The number and what lies next to it, among the values of a type.
void add_values(std::vector<double>& values, scalar_type t, double number, value_bounds fair) {
    auto const add = [&](double v) {
        bool const has = is_floating(t)
                             ? std::isfinite(rounded_to(t, v))
                             : v == std::trunc(v) && v >= static_cast<double>(limits_of(t).low) &&
                                   v <= static_cast<double>(limits_of(t).high) &&
                                   std::fabs(v) < 0x1p53;
        if (!has) return;
        if (is_floating(t)) v = rounded_to(t, v);
        if (fair.holds(v) && std::find(values.begin(), values.end(), v) == values.end())
            values.push_back(v);
    };
    for (double const v : {number, -number}) {
        add(v);
        add(neighbour(t, v, 1));
        add(neighbour(t, v, -1));
    }
}

/// Magnitudes whose products are about as large as the number: what a kernel compares need not be
/// an input, but a square or a product of two.
void add_scales(std::vector<double>& scales, scalar_type t, double number, value_bounds fair) {
    double const scale = std::sqrt(std::fabs(number));
    bool const far = scale > 0x1p10 || (scale > 0 && scale < 0x1p-5);
    if (is_floating(t) && far && std::isnormal(rounded_to(t, scale)) && fair.holds(2 * scale) &&
        std::isfinite(rounded_to(t, 2 * scale)))
        scales.push_back(scale);
}

/// How the values are spread over an input.
enum class spread : unsigned char {
    strewn, ///< over half of its lanes
    runs,   ///< the first ones have the first value, the next ones the second, ...
    scaled  ///< all have one of the values times 0.5 to 2, of either sign if that is fair
};

/// Whether anything was written.
bool put_values(argument_data& data,
                std::vector<double> const& values,
                spread how,
                value_bounds fair,
                random_stream const& stream) {
    std::size_t const lanes = data.lanes();
    if (values.empty() || lanes == 0) return false;
    std::size_t const run = std::max<std::size_t>(1, lanes / values.size());
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        auto const bits = stream.bits(lane);
        if (how == spread::runs) {
            store_number(data, lane, values[std::min(lane / run, values.size() - 1)]);
        } else if (how == spread::scaled) {
            double const value = values[below(values.size(), bits)] *
                                 std::exp2(static_cast<double>(bits >> 40) * 0x1p-23 - 1);
            store_number(data, lane, (bits & 1) != 0 && fair.holds(-value) ? -value : value);
        } else if ((bits & 1) != 0) {
            store_number(data, lane, values[below(values.size(), bits)]);
        }
    }
    return true;
}

/// Fair sizes with an extent that is one of the numbers, or next to it.
std::vector<problem_size>
sizes_at(problem const& task, problem_size const& base, threshold_tests const& how) {
    std::vector<problem_size> found;
    if (task.size_constraints.empty()) return found;
    auto const wanted = [&](problem_size const& size) {
        if (size == task.size || std::find(found.begin(), found.end(), size) != found.end() ||
            std::find(task.further_sizes.begin(), task.further_sizes.end(), size) !=
                task.further_sizes.end())
            return false;
        auto const elements = elements_at(task, size);
        return elements &&
               static_cast<double>(*elements) <= 2.5 * static_cast<double>(how.max_elements) &&
               fair_size(task, size);
    };
    // Where that is too large, with less in the other directions.
    auto const add = [&](std::size_t which, std::int64_t extent) {
        for (std::int64_t const most :
             {std::int64_t{1} << 32, std::int64_t{3}, std::int64_t{2}, std::int64_t{1}}) {
            problem_size size = base;
            for (auto& [name, others] : size) others = std::min(others, most);
            size[which].second = extent;
            if (!wanted(size)) continue;
            found.push_back(std::move(size));
            return;
        }
    };
    // Twice as large, since of an extent that is a little larger few elements lie beyond.
    auto const large = [](double n) { return 2 * n; };
    auto const above = [](double n) { return n + 1; };
    auto const equal = [](double n) { return n; };
    auto const under = [](double n) { return n - 1; };
    for (double (*const beside)(double) : {+equal, +large, +above, +under})
        for (double const number : how.numbers) {
            if (number != std::trunc(number) || number < 2 || number > 0x1p31) continue;
            auto const extent = static_cast<std::int64_t>(beside(number));
            for (std::size_t d = 0; d < base.size(); ++d) {
                if (found.size() >= static_cast<std::size_t>(std::max(0, how.sizes))) return found;
                add(d, extent);
            }
        }
    return found;
}

} // namespace detail::threshold_parts

std::vector<double> own_numbers(kernel_source const& text, kernel_source const& original) {
    using namespace detail::threshold_parts;
    auto const known = numbers_in(original);
    std::vector<double> own;
    auto const add = [&](double n) {
        if (own.size() >= most_numbers || !std::isfinite(n) || n == 0 || n == 1 || n == 2) return;
        if (std::find(known.begin(), known.end(), n) == known.end() &&
            std::find(own.begin(), own.end(), n) == own.end())
            own.push_back(n);
    };
    for (double const n : numbers_in(text)) {
        add(n);
        bool const like_bits = n == std::trunc(n) && n >= 0x1p23 && n < 0x1p32;
        if (like_bits)
            add(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(n))));
    }
    return own;
}

result<std::vector<test_case>> threshold_tests::generate(problem const& task,
                                                         call_context const& context) const {
    using namespace detail::threshold_parts;
    std::vector<test_case> tests;
    if (numbers.empty()) return tests;
    auto const at = detail::small_size(task, seed, 5, max_elements);
    std::uint32_t number = detail::first_threshold_test;
    auto const make = [&](problem_size const& size, std::optional<spread> how) -> result<void> {
        std::uint32_t const own = number++;
        auto test = detail::inputs_at(task, size, {seed, own, limit, {}}, context);
        if (!test) return test.error();
        bool any = !how;
        for (std::size_t k = 0; how && k < task.arguments.size(); ++k) {
            argument const& declared = task.signature.arguments[k];
            if (!declared.pointer || task.flow(k) == direction::out) continue;
            auto fair = fair_values(declared, task.arguments[k], scope_of(size, {}));
            if (!fair) continue;
            double const large = large_number(declared.type.scalar);
            if (!std::isfinite(fair->min)) fair->min = -large;
            if (!std::isfinite(fair->max)) fair->max = large;
            std::vector<double> values;
            for (double const n : numbers)
                if (*how == spread::scaled)
                    add_scales(values, declared.type.scalar, n, *fair);
                else
                    add_values(values, declared.type.scalar, n, *fair);
            any |= put_values(test->arguments[k],
                              values,
                              *how,
                              *fair,
                              {seed ^ 0x9b05688c2b3e6c1f, own, static_cast<std::uint32_t>(k)});
        }
        if (!any) return {};
        // The model is not told which numbers they were, or it would hide them better.
        test->name = how ? "hidden inputs " + std::to_string(tests.size() + 1)
                         : "hidden size " + std::to_string(tests.size() + 1);
        test->origin = how ? test_origin::menu : test_origin::hidden_size;
        tests.push_back(std::move(*test));
        return {};
    };
    bool const small = detail::elements_at(task, at.size).value_or(0) <= 16 * max_elements;
    for (spread const how : {spread::strewn, spread::runs, spread::scaled})
        if (auto ok = small ? make(at.size, how) : result<void>(); !ok) return ok.error();
    for (problem_size const& size : sizes_at(task, at.size, *this))
        if (auto ok = make(size, {}); !ok) return ok.error();
    return tests;
}

} // namespace lkt
