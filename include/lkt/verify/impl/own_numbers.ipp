// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/own_numbers.hpp>

#include <lkt/lang/definitions.hpp>
#include <lkt/lang/expanded_text.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lkt {

namespace detail::number_parts {

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
    constexpr double most = 0x1p53;
    if (whole && a.value >= 0 && b.value >= 0 && a.value < most && b.value < most) {
        auto const x = static_cast<std::uint64_t>(a.value), y = static_cast<std::uint64_t>(b.value);
        if (op == "&") return made(static_cast<double>(x & y));
        if (op == "^") return made(static_cast<double>(x ^ y));
        if (op == "|") return made(static_cast<double>(x | y));
    }
    return std::nullopt;
}

/// What a function makes of a literal: `sqrtf(2.0f)`.
std::optional<number> applied(std::string_view name, number n) {
    if (name.starts_with("__")) name.remove_prefix(2);
    if (name.ends_with('f')) name.remove_suffix(1);
    static constexpr std::pair<std::string_view, double (*)(double)> functions[] = {
        {"sqrt", [](double v) { return std::sqrt(v); }},
        {"rsqrt", [](double v) { return 1 / std::sqrt(v); }},
        {"exp", [](double v) { return std::exp(v); }},
        {"exp2", [](double v) { return std::exp2(v); }},
        {"log", [](double v) { return std::log(v); }},
        {"log2", [](double v) { return std::log2(v); }},
        {"sin", [](double v) { return std::sin(v); }},
        {"cos", [](double v) { return std::cos(v); }},
        {"tanh", [](double v) { return std::tanh(v); }}};
    for (auto const& [known, f] : functions)
        if (name == known && std::isfinite(f(n.value))) return number{f(n.value), false};
    return std::nullopt;
}

/// Reads expressions of literals, and keeps the value of every part of them.
class folder {
public:
    /// `named`: constants that the text does not define.
    folder(std::vector<expanded_token> const& tokens,
           std::vector<std::pair<std::string, number>> named,
           std::vector<double>& found)
        : tokens_(tokens), named_(std::move(named)), found_(found) {}

    void read_all() {
        bool constant = false;
        while (at_ < tokens_.size()) {
            std::size_t const from = at_;
            if (is("const") || is("constexpr") || is("enum") || is("template")) constant = true;
            if (is(";")) constant = false;
            if (constant && at_ + 1 < tokens_.size() && tokens_[at_].names() &&
                (tokens_[at_ + 1].is("=") || tokens_[at_ + 1].is("{"))) {
                std::string name(tokens_[at_].tok.text);
                at_ += 2;
                if (auto const n = whole_expression(0); n && value_of(name) == nullptr)
                    named_.emplace_back(std::move(name), *n);
                continue;
            }
            (void)whole_expression(0);
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
    [[nodiscard]] number const* value_of(std::string_view name) const {
        auto const at =
            std::ranges::find_if(named_, [&](auto const& one) { return one.first == name; });
        return at == named_.end() ? nullptr : &at->second;
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
            auto inner = whole_expression(depth + 1);
            if (inner && is(")")) {
                ++at_;
                return inner;
            }
            at_ = from;
            return std::nullopt;
        }
        expanded_token const& t = tokens_[at_];
        if (t.mark != expanded_token::edge::none) return std::nullopt;
        if (t.tok.kind == token_kind::identifier && at_ + 1 < tokens_.size() &&
            tokens_[at_ + 1].is("(")) {
            ++at_;
            auto const inner = single(depth + 1);
            auto const value = inner ? applied(t.tok.text, *inner) : std::nullopt;
            if (!value) at_ = from;
            return value ? keep(value) : std::nullopt;
        }
        if (auto const* const n = t.names() ? value_of(t.tok.text) : nullptr) {
            ++at_;
            return keep(*n);
        }
        if (t.tok.kind != token_kind::number) return std::nullopt;
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
    std::optional<number> bit_operand(int depth) {
        return chain({"<<", ">>"}, [&] { return shift_operand(depth); });
    }
    std::optional<number> whole_expression(int depth) {
        auto const both = [&] { return chain({"&"}, [&] { return bit_operand(depth); }); };
        return chain({"|"}, [&] { return chain({"^"}, both); });
    }

    std::vector<expanded_token> const& tokens_;
    std::vector<std::pair<std::string, number>> named_;
    std::vector<double>& found_;
    std::size_t at_ = 0;
};

/// A narrow type is a number, too: from there on it does not hold every whole one.
void add_types(std::vector<expanded_token> const& tokens, std::vector<double>& found) {
    static constexpr std::pair<std::string_view, double> types[] = {
        {"char", 0x1p7},      {"int8_t", 0x1p7},        {"uchar", 0x1p8},
        {"uint8_t", 0x1p8},   {"short", 0x1p15},        {"int16_t", 0x1p15},
        {"ushort", 0x1p16},   {"uint16_t", 0x1p16},     {"__mul24", 0x1p23},
        {"__umul24", 0x1p24}, {"float", 0x1p24},        {"f32", 0x1p24},
        {"half", 0x1p11},     {"__half", 0x1p11},       {"half2", 0x1p11},
        {"__half2", 0x1p11},  {"f16", 0x1p11},          {"__nv_bfloat16", 0x1p8},
        {"bfloat16", 0x1p8},  {"__nv_bfloat162", 0x1p8}};
    for (std::size_t k = 0; k < tokens.size(); ++k)
        for (auto const& [name, limit] : types)
            if (tokens[k].is(name)) {
                bool const wide = k > 0 && tokens[k - 1].is("unsigned");
                found.push_back(wide ? 2 * limit : limit);
            }
}

/// `n * (1.0f / n)` is below 1 for these extents, and the second times 2 to 8 as well: an index by
/// a rounded reciprocal is one too small there.
void add_reciprocals(std::vector<expanded_token> const& tokens, std::vector<double>& found) {
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
        expanded_token const& t = tokens[k];
        if (t.mark != expanded_token::edge::none) continue;
        auto const n = t.tok.kind == token_kind::number ? number_of(t.tok.text) : std::nullopt;
        if (t.tok.text.starts_with("__frcp") || (n && n->value == 1 && tokens[k + 1].is("/")))
            return found.insert(found.end(), {41, 61}), void();
    }
}

/// Where bits are counted, a number is how many there are: `countOneBits(x) == 7` holds for 127,
/// and the highest or lowest bit is a power of two.
void add_counted_bits(std::vector<expanded_token> const& tokens, std::vector<double>& found) {
    static constexpr std::string_view ones[] = {"countOneBits", "__popc", "__popcll"};
    static constexpr std::string_view places[] = {"firstLeadingBit",
                                                  "firstTrailingBit",
                                                  "countTrailingZeros",
                                                  "countLeadingZeros",
                                                  "__ffs",
                                                  "__ffsll",
                                                  "__clz"};
    auto const has = [&](auto const& words) {
        return std::ranges::any_of(tokens, [&](expanded_token const& t) {
            return std::ranges::any_of(words, [&](std::string_view w) { return t.is(w); });
        });
    };
    bool const counts = has(ones), places_it = has(places);
    if (!counts && !places_it) return;
    for (expanded_token const& t : tokens) {
        if (t.mark != expanded_token::edge::none || t.tok.kind != token_kind::number) continue;
        auto const n = number_of(t.tok.text);
        if (!n || !n->whole || n->value < 2 || n->value > 31) continue;
        int const bits = static_cast<int>(n->value);
        if (counts && bits < 24) found.push_back(std::ldexp(1.0, bits) - 1);
        if (places_it)
            for (int const place : {bits, bits - 1, 31 - bits})
                if (place > 1 && place < 24) found.push_back(std::ldexp(1.0, place));
    }
}

/// `x / 256 > 1023` holds from their product on.
void add_products(std::vector<expanded_token> const& tokens, std::vector<double>& found) {
    double before = 0;
    for (expanded_token const& t : tokens) {
        if (t.is(";") || t.is("{") || t.is("}")) before = 0;
        if (t.mark != expanded_token::edge::none || t.tok.kind != token_kind::number) continue;
        auto const n = number_of(t.tok.text);
        double const now = n && n->whole && n->value > 2 ? n->value : 0;
        if (before * now > 0 && before * now < 0x1p31) found.push_back(before * now);
        before = now;
    }
}

struct text_numbers {
    std::vector<double> implied; ///< by types and functions
    std::vector<double> written;
};

text_numbers numbers_in(configured_text const& of) {
    text_numbers found;
    kernel_source source = of.source;
    auto const defined = with_definitions(source, of.config);
    if (auto const* const all = defined ? std::get_if<std::string>(&*defined) : nullptr)
        source.text = *all;
    auto const text = expand_text(source);
    if (!text) return found;
    // Of a template or an override: no macro has their values.
    std::vector<std::pair<std::string, number>> named;
    for (auto const& [name, value] : of.config.values)
        if (auto const* const whole = std::get_if<std::int64_t>(&value))
            named.emplace_back(name, number{static_cast<double>(*whole), true});
    add_types(text->seen, found.implied);
    add_reciprocals(text->seen, found.implied);
    add_counted_bits(text->seen, found.implied);
    folder(text->seen, std::move(named), found.written).read_all();
    add_products(text->seen, found.written);
    return found;
}

} // namespace detail::number_parts

std::vector<double> own_numbers(configured_text const& text, configured_text const& original) {
    using namespace detail::number_parts;
    auto const known = numbers_in(original), all = numbers_in(text);
    auto const has = [](std::vector<double> const& numbers, double n) {
        return std::ranges::find(numbers, n) != numbers.end();
    };
    auto const worth = [](double n) { return std::isfinite(n) && n != 0 && n != 1 && n != 2; };
    std::vector<double> implied, own;
    for (double const n : all.implied)
        if (worth(n) && !has(known.implied, n) && !has(known.written, n) && !has(implied, n))
            implied.push_back(n);
    auto const add = [&](double n) {
        if (own.size() + implied.size() >= most_numbers) return;
        if (worth(n) && !has(known.written, n) && !has(own, n)) own.push_back(n);
    };
    // What a type of the original implies may still be a limit where it is written.
    for (double const n : all.written) {
        if (has(known.written, n)) continue;
        add(n);
        bool const like_bits = n == std::trunc(n) && n >= 0x1p23 && n < 0x1p32;
        if (like_bits)
            add(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(n))));
    }
    for (double const n : implied)
        if (!has(own, n)) own.push_back(n);
    return own;
}

std::vector<double> own_constants(std::vector<double> const& code,
                                  std::vector<double> const& of_original,
                                  std::vector<double> const& known) {
    constexpr std::size_t most = 24;
    constexpr double small = 16;
    std::vector<double> own;
    auto const has = [](std::vector<double> const& numbers, double n) {
        // Of a float32 what it was rounded from is the same.
        return std::ranges::any_of(numbers, [n](double one) {
            return one == n ||
                   (n == std::trunc(n) ? std::fabs(one - n) == 1 : static_cast<float>(one) == n);
        });
    };
    for (double const n : code) {
        bool const whole = n == std::trunc(n);
        if (own.size() == most || !std::isfinite(n) || (whole && std::fabs(n) <= small)) continue;
        // The same number, or its opposite, where one is subtracted.
        if (has(of_original, n) || has(known, n) || has(known, -n) || has(own, n)) continue;
        own.push_back(n);
    }
    return own;
}

} // namespace lkt
