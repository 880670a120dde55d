// SPDX-License-Identifier: BSL-1.0
// Literals that are the timed problem's size.
#pragma once

#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expanded_text.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail::statics {

/// The whole number that a literal stands for, in either language; `4096.0f` is one too.
[[nodiscard]] inline std::optional<std::int64_t> whole_number(std::string_view literal) {
    std::string digits;
    for (char const c : literal)
        if (c != '\'') digits += c;
    int base = 10;
    std::size_t begin = 0;
    if (digits.size() > 1 && digits[0] == '0') {
        char const mark = digits[1];
        base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
        begin = base == 8 ? 1 : 2;
    }
    char const* const end = digits.data() + digits.size();
    std::int64_t n = 0;
    auto const read = std::from_chars(digits.data() + begin, end, n, base);
    constexpr std::string_view suffixes = "uUlLzZiIfFhH";
    auto const only_suffix = [&](char const* from) {
        return std::all_of(from, end, [&](char c) { return suffixes.find(c) != suffixes.npos; });
    };
    if (read.ec == std::errc() && read.ptr > digits.data() && only_suffix(read.ptr)) return n;
    if (base == 16 || base == 2) return {};
    double value = 0;
    auto const real = std::from_chars(digits.data(), end, value);
    if (real.ec != std::errc() || !only_suffix(real.ptr)) return {};
    if (!(value >= 0 && value < 9e15) ||
        value != static_cast<double>(static_cast<std::int64_t>(value)))
        return {};
    return static_cast<std::int64_t>(value);
}

/// Numbers that say how large the timed problem is: its extents, their products by twos and the
/// product of all. Small ones, and powers of two that are sizes of blocks, say nothing.
[[nodiscard]] inline std::set<std::int64_t> telling_numbers(problem_size const& size) {
    std::set<std::int64_t> found;
    auto const tell = [&](std::int64_t n) {
        bool const block = n <= 1024 && (n & (n - 1)) == 0;
        if (n > 32 && !block) found.insert(n);
    };
    auto const times = [](std::int64_t a, std::int64_t b) {
        std::int64_t product = 0;
        return __builtin_mul_overflow(a, b, &product) ? 0 : product;
    };
    std::int64_t all = 1;
    for (std::size_t k = 0; k < std::min<std::size_t>(size.size(), 16); ++k) {
        tell(size[k].second);
        all = times(all, size[k].second);
        for (std::size_t j = 0; j < k; ++j) tell(times(size[j].second, size[k].second));
    }
    tell(all);
    return found;
}

/// A literal, or a product or shift of neighbouring ones: `64 * 64`, `1 << 12`.
struct literal_value {
    std::size_t token = 0;
    std::int64_t value = 0;
};
[[nodiscard]] inline std::vector<literal_value>
literal_values(std::vector<expanded_token> const& tokens) {
    std::vector<literal_value> found;
    auto const number = [&](std::size_t i) -> std::optional<std::int64_t> {
        if (i >= tokens.size() || tokens[i].mark != expanded_token::edge::none ||
            tokens[i].tok.kind != token_kind::number)
            return {};
        return whole_number(tokens[i].tok.text);
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        auto n = number(i);
        if (!n) continue;
        found.push_back({i, *n});
        std::size_t const first = i;
        while (i + 2 < tokens.size() && (tokens[i + 1].is("*") || tokens[i + 1].is("<<"))) {
            auto const next = number(i + 2);
            if (!next) break;
            std::int64_t r = 0;
            bool const shift = tokens[i + 1].is("<<");
            if (shift ? *n < 0 || *next < 0 || *next > 40 || *n >= (std::int64_t{1} << 20)
                      : __builtin_mul_overflow(*n, *next, &r))
                break;
            n = shift ? *n << *next : r;
            i += 2;
            found.push_back({i, *next});
            found.push_back({first, *n});
        }
    }
    return found;
}

} // namespace lkt::detail::statics
