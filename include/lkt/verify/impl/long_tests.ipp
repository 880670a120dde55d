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
#include <cstring>
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

/// Which rows there are, of what is long: `along` says that it counts them, else it is their
/// length.
struct matching {
    std::size_t turn = 0; ///< which of the inputs that have such rows
    bool along = true;
    bool varied = false; ///< a row has different values, and the match is the second row, not the
                         ///< last with an odd number
    std::int64_t rows = 4;
};

constexpr matching matches[] = {
    {0, true}, {1, true}, {0, false}, {1, false}, {0, true, true, 128}, {1, true, true, 128}};

/// A value and the one that it is told from, at place `at` of a row; the second is nearer to 0 if
/// that is where values are fair.
struct told_apart {
    value_bounds fair{};
    scalar_type type{};
    double share = 0; ///< how far apart
    bool varied = false;
    random_stream const& stream;

    /// `part` of the way from the match (0) to all others (1).
    [[nodiscard]] double operator()(std::uint64_t at, double part) const {
        double const wide = fair.max - fair.min;
        double value = std::clamp(0.9472135, fair.min + wide / 4, fair.max - wide / 4);
        if (varied) {
            auto const bits = stream.bits(at);
            value *= 0.5 + unit_interval(bits) / 2;
            if ((bits & 1) != 0 && -value >= fair.min) value = -value;
        }
        return rounded_to(type, std::clamp(value * (1 + share * part), fair.min, fair.max));
    }
};

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

/// Of an input's rows one is what the other inputs have, and the others are a little off: what
/// looks for the nearest finds that one, however it rounds. Of other inputs half are the same, a
/// quarter are between the two, and a quarter match all but that row. Whether there are such rows.
bool fill_match(problem const& task,
                test_case& test,
                std::size_t extent,
                matching const& how,
                random_stream const& stream) {
    auto const length = static_cast<std::uint64_t>(test.size[extent].second);
    std::vector<std::optional<value_bounds>> fair(task.arguments.size());
    std::optional<std::size_t> among;
    std::size_t suited = 0, real = 0;
    for (std::size_t k = 0; k < fair.size(); ++k) {
        if (!is_floating(task.signature.arguments[k].type.scalar)) continue;
        fair[k] = bounds_of_rows(task, k, test.size);
        if (!fair[k]) continue;
        ++real;
        std::size_t const lanes = test.arguments[k].lanes();
        if (lanes >= length && lanes % length == 0 && suited++ == how.turn) among = k;
    }
    // What counts the rows of one input is not in the others, and their length is in all.
    if (!among || real < 2 || how.along != (suited < real)) return false;
    std::uint64_t const others = test.arguments[*among].lanes() / length;
    std::uint64_t const rows = how.along ? length : others, row = how.along ? others : length;
    if (rows < 2) return false;
    std::uint64_t const match = how.varied ? 1 : (rows - 2) | 1;
    double const share = std::exp2(-3 - static_cast<double>(below(4, stream.bits(1))));
    for (std::size_t k = 0; k < fair.size(); ++k) {
        if (!fair[k]) continue;
        argument_data& data = test.arguments[k];
        told_apart const value{*fair[k], data.type.scalar, share, how.varied, stream};
        std::size_t const lanes = data.lanes(), size = size_of(data.type.scalar);
        for (std::size_t lane = 0; lane < lanes; lane += row) {
            std::uint64_t const which = lane / row;
            double part = which == match ? 0 : 1;
            if (k != *among) part = which % 4 == 2 ? 0.5 - 1.0 / 16 : which % 4 == 3 ? 1 : 0;
            std::size_t const end = std::min<std::size_t>(lanes, lane + row);
            for (std::size_t at = lane; at < (how.varied ? end : lane + 1); ++at)
                store_number(data, at, value(at - lane, part));
            if (how.varied) continue;
            for (std::size_t at = lane + 1; at < end; ++at)
                std::memcpy(&data.bytes[at * size], &data.bytes[lane * size], size);
        }
    }
    return true;
}

} // namespace detail::long_parts

bool detail::one_matches(problem const& task,
                         test_case& test,
                         std::size_t extent,
                         std::size_t which,
                         std::uint64_t seed) {
    using namespace long_parts;
    return fill_match(task, test, extent, matches[which], {seed, first_long_test - 2, 0});
}

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
    struct row_request {
        std::size_t extent = 0;
        std::int64_t rows = 0;
        std::uint64_t times = 1; ///< `elements`
        double share = 1;        ///< of the longest
        bool full = false;
    };
    // The largest test of that kind whose work is not too much.
    auto const add = [&](row_request const& r, auto const& fill) -> result<void> {
        std::uint32_t const own = number++;
        std::optional<problem_size> size;
        std::optional<test_case> test;
        for (std::uint64_t all = elements * r.times; all > 64 && !test; all /= 2) {
            size = long_size(task, r.extent, r.rows, all, r.share);
            if (!size) break;
            auto fills =
                r.full ? detail::full_inputs(task, *size) : std::vector<detail::input_fill>();
            auto made =
                detail::inputs_at(task, *size, {seed, own, limit, std::move(fills)}, context);
            if (!made && detail::lacks_values(made.error())) break;
            if (!made) return made.error();
            if (counted_work(task, *made) <= work) test = *std::move(made);
        }
        if (!test || !fill(*test, random_stream{seed, own, 0})) return {};
        test->name = "hidden size, long rows " + std::to_string(tests.size() + 1);
        test->origin = test_origin::long_rows;
        test->for_finalists = true;
        tests.push_back(std::move(*test));
        return {};
    };
    for (inputs_of_rows const& kind : kinds)
        for (std::size_t d = 0; d < task.size.size() && tests.size() < most; ++d) {
            bool const longest =
                kind.others == row_pattern::low || kind.others == row_pattern::ends;
            double const share = longest ? 1 : 0.8 + 0.2 * unit_interval(chance.bits(number));
            bool const full = kind.first == row_pattern::ends;
            auto const made = add({d, kind.rows, kind.times, share, full},
                                  [&](test_case& test, random_stream const& stream) {
                                      auto const length =
                                          static_cast<std::uint64_t>(test.size[d].second);
                                      return fill_rows(task, test, kind, length, stream);
                                  });
            if (!made) return made.error();
        }
    if (!detail::decides(task)) return tests;
    for (matching const& how : matches)
        for (std::size_t d = 0; d < task.size.size(); ++d) {
            auto const made =
                add({d, how.rows, 4, 1, false}, [&](test_case& test, random_stream const& stream) {
                    return fill_match(task, test, d, how, stream);
                });
            if (!made) return made.error();
        }
    return tests;
}

} // namespace lkt
