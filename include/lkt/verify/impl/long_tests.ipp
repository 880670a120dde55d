// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/long_tests.hpp>

#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/row_patterns.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/random.hpp>
#include <lkt/verify/timed_size.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lkt {

namespace detail::long_parts {

/// Which patterns the inputs get.
struct inputs_of_rows {
    row_pattern first; ///< of one input, the one with number `turn` of those it suits
    std::optional<row_pattern> others; ///< nothing: they are filled as the problem says
    std::size_t turn = 0;
    std::int64_t rows = 4;   ///< the other extents, where constraints allow for it
    std::uint64_t times = 1; ///< `long_tests::elements`
};

/// By what is worth most.
constexpr inputs_of_rows kinds[] = {
    {row_pattern::cancel, row_pattern::low, 0, 4, 2},
    {row_pattern::cancel, row_pattern::high, 0, 4, 2},
    {row_pattern::peak, {}, 0, 4, 4},
    {row_pattern::ends, row_pattern::ends, 0, 2, 4},
    {row_pattern::cancel, row_pattern::ones, 0, 4, 2},
    {row_pattern::crowd, {}, 0},
    {row_pattern::ranks, {}, 0},
    {row_pattern::sparse, {}, 1},
    {row_pattern::steps, {}, 0},
    {row_pattern::cancel, row_pattern::high, 1},
    {row_pattern::sparse, {}, 0},
};

/// As much of extent `d` as constraints and elements allow, with little in the other directions,
/// times `share`, and rounded to what constraints ask for.
std::optional<problem_size> long_size(
    problem const& task, std::size_t d, std::int64_t rows, std::uint64_t elements, double share) {
    auto const fits = [&](problem_size const& size) {
        auto const n = elements_at(task, size);
        return n && *n <= elements && fair_size(task, size);
    };
    std::int64_t const longest =
        std::min<std::int64_t>(largest_extent(task), std::int64_t{1} << 22);
    for (std::int64_t const others :
         {rows, 2 * rows, 4 * rows, 8 * rows, 16 * rows, std::int64_t{1}}) {
        problem_size size = task.size;
        for (auto& [name, other] : size) other = std::min(other, others);
        for (std::int64_t whole = std::int64_t{1} << 22; whole >= 64; whole /= 2)
            for (std::int64_t part = 15; part >= 0; --part) {
                size[d].second = whole + whole / 16 * part;
                if (size[d].second > longest || !fits(size)) continue;
                auto const wanted =
                    static_cast<std::int64_t>(static_cast<double>(size[d].second) * share);
                for (std::int64_t const of : {1, 2, 8, 16, 32, 64, 128}) {
                    problem_size other = size;
                    other[d].second = std::max<std::int64_t>(wanted / of * of, of);
                    if (fits(other)) return other;
                }
                return size;
            }
    }
    return std::nullopt;
}

/// Bounds of what rows have, where the type has more; nothing where they cannot be told.
std::optional<value_bounds>
bounds_of_rows(problem const& task, std::size_t k, problem_size const& size) {
    argument const& declared = task.signature.arguments[k];
    scalar_type const t = declared.type.scalar;
    if (!declared.pointer || task.flow(k) == direction::out || is_half_byte(t)) return {};
    auto fair = fair_values(declared, task.arguments[k], scope_of(size, {}));
    if (!fair) return {};
    double const far = large_value(t);
    if (!std::isfinite(fair->min)) fair->min = std::min(-far, fair->max - far);
    if (!std::isfinite(fair->max)) fair->max = std::max(far, fair->min + far);
    if (!is_floating(t)) {
        fair->min = std::max(std::ceil(fair->min), static_cast<double>(limits_of(t).low));
        fair->max = std::min(std::floor(fair->max), static_cast<double>(limits_of(t).high));
    }
    bool const known =
        fair->min < fair->max && std::fabs(fair->min) < 0x1p53 && std::fabs(fair->max) < 0x1p53;
    return known ? fair : std::nullopt;
}

/// Whether an input has rows of that length, and such values.
bool has_rows(argument_data const& data,
              row_pattern what,
              value_bounds fair,
              std::uint64_t length) {
    return data.lanes() >= length && data.lanes() % length == 0 &&
           patterned_row::suits(what, is_floating(data.type.scalar), fair);
}

/// Fills an input by rows of `length`: stretches, or columns if they are `apart`.
void fill_rows(argument_data& data,
               row_pattern what,
               value_bounds fair,
               std::uint64_t length,
               bool apart,
               random_stream const& stream) {
    scalar_type const t = data.type.scalar;
    std::uint64_t const rows = data.lanes() / length;
    for (std::uint64_t row = 0; row < rows; ++row) {
        patterned_row const value(what, is_floating(t), fair, row, length, stream);
        for (std::uint64_t at = 0; at < length; ++at) {
            auto const lane = static_cast<std::size_t>(apart ? at * rows + row : row * length + at);
            double const number = std::clamp(value(at), fair.min, fair.max);
            store_number(data, lane, is_floating(t) ? rounded_to(t, number) : std::trunc(number));
        }
    }
}

/// Fills the inputs of a test; whether any has such rows.
bool fill_rows(problem const& task,
               test_case& test,
               inputs_of_rows const& kind,
               std::uint64_t length,
               random_stream const& stream) {
    bool any = false;
    std::size_t suited = 0;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        auto const fair = bounds_of_rows(task, k, test.size);
        if (!fair) continue;
        argument_data& data = test.arguments[k];
        bool const first = has_rows(data, kind.first, *fair, length) && suited++ == kind.turn;
        auto const what = first ? std::optional(kind.first) : kind.others;
        if (!what || !has_rows(data, *what, *fair, length)) continue;
        // A second factor may have the long extent outside.
        bool const apart = first && kind.turn > 0 && stream.bits(~std::uint64_t{0}) % 2 == 0;
        fill_rows(data,
                  *what,
                  *fair,
                  length,
                  apart,
                  {stream.seed, stream.test, static_cast<std::uint32_t>(k)});
        any = any || first;
    }
    return any;
}

} // namespace detail::long_parts

bool detail::stand_out(problem const& task,
                       test_case& test,
                       std::size_t extent,
                       std::uint64_t seed) {
    using namespace long_parts;
    auto const length = static_cast<std::uint64_t>(test.size[extent].second);
    return fill_rows(task, test, {row_pattern::peak, {}}, length, {seed, first_long_test - 1, 0});
}

result<std::vector<test_case>> long_tests::generate(problem const& task,
                                                    call_context const& context) const {
    using namespace detail::long_parts;
    using detail::row_pattern;
    std::vector<test_case> tests;
    if (task.size_constraints.empty()) return tests;
    std::uint32_t number = detail::first_long_test;
    random_stream const chance{seed ^ 0x3c6ef372fe94f82b, number, 0};
    for (inputs_of_rows const& kind : kinds)
        for (std::size_t d = 0; d < task.size.size() && tests.size() < most; ++d) {
            std::uint32_t const own = number++;
            bool const longest =
                kind.others == row_pattern::low || kind.others == row_pattern::ends;
            double const share = longest ? 1 : 0.8 + 0.2 * unit_interval(chance.bits(own));
            std::optional<problem_size> size;
            std::optional<test_case> test;
            for (std::uint64_t all = elements * kind.times; all > 64 && !test; all /= 2) {
                size = long_size(task, d, kind.rows, all, share);
                if (!size) break;
                auto fills = kind.first == row_pattern::ends ? detail::full_inputs(task, *size)
                                                             : std::vector<detail::input_fill>();
                auto made =
                    detail::inputs_at(task, *size, {seed, own, limit, std::move(fills)}, context);
                if (!made && detail::lacks_values(made.error())) break;
                if (!made) return made.error();
                if (counted_work(task, *made) <= work) test = *std::move(made);
            }
            if (!test) continue;
            auto const length = static_cast<std::uint64_t>((*size)[d].second);
            if (!fill_rows(task, *test, kind, length, {seed, own, 0})) continue;
            test->name = "hidden size, long rows " + std::to_string(tests.size() + 1);
            test->origin = test_origin::long_rows;
            test->for_finalists = true;
            tests.push_back(std::move(*test));
        }
    return tests;
}

} // namespace lkt
