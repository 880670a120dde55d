// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/threshold_tests.hpp>

#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace lkt {

namespace detail::threshold_parts {

/// What an input without a domain may have: a square of it is finite.
double large_number(scalar_type t) {
    if (t == scalar_type::float32 || t == scalar_type::bfloat16) return 1e18;
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

/// The largest finite number of a type.
double largest_number(scalar_type t) {
    if (t == scalar_type::float16) return 65504;
    if (t == scalar_type::bfloat16) return 0x1.fep127;
    if (t == scalar_type::float32) return 0x1.fffffep127;
    return t == scalar_type::float64 ? std::numeric_limits<double>::max() : large_value(t);
}

/// Numbers that are blocks, tiles and threads, as a rule.
bool counts_threads(double size) {
    int exponent = 0;
    return size < 64 || std::frexp(size, &exponent) == 0.5 ||
           (size <= 4096 && std::fmod(size, 32) == 0);
}

/// The number with that sign: a kernel may take it for infinity, which shows where all of a row
/// lies beyond it.
void add_extremes(std::vector<double>& values, scalar_type t, double number, int sign) {
    double const value = rounded_to(t, std::copysign(number, sign));
    double const size = std::fabs(value);
    // Hardly anything lies beyond FLT_MAX.
    bool const last = size > largest_number(t) * (1 - 0x1p-12);
    bool const known = std::find(values.begin(), values.end(), value) != values.end();
    if (!last && !known && !counts_threads(std::fabs(number))) values.push_back(value);
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
    strewn,  ///< over half of its lanes
    runs,    ///< the first ones have the first value, the next ones what lies beyond it, ...
    scaled,  ///< all have one of the values times 0.5 to 2, of either sign if that is fair
    highest, ///< as `runs`, but hardly ever the values themselves, of large positive ones alone
    lowest   ///< or negative: of one sign, so that sums that are finite are so in any order
};

/// Between a value and twice that, or the end of what is fair: a row may lie there as a whole. Of
/// about 32 lanes one is in the upper half and the others are in the lower one, so that most rows
/// have one largest value that stands out, and rounding does not decide what follows from it.
double beyond(double value, argument_data const& data, value_bounds fair, std::uint64_t bits) {
    double const end = value < 0 ? std::fmax(2 * value, fair.min) : std::fmin(2 * value, fair.max);
    double const low = std::fmin(value, end), half = std::fabs(end - value) / 2;
    double const within = static_cast<double>(bits >> 11) * 0x1p-53 * half;
    double const far = low + within + ((bits & 31) == 0 ? half : 0);
    scalar_type const t = data.type.scalar;
    double const stored = is_floating(t) ? rounded_to(t, far) : std::trunc(far);
    return fair.holds(stored) && std::isfinite(stored) ? stored : value;
}

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
        if (how == spread::runs || how == spread::highest || how == spread::lowest) {
            double const value = values[std::min(lane / run, values.size() - 1)];
            // Where rows are equal throughout, rounding decides, and large numbers leave no digits.
            bool const itself = how == spread::runs ? 2 * (lane % run) < run : (bits & 255) == 0;
            store_number(data, lane, itself ? value : beyond(value, data, fair, bits));
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

/// The least extent in that direction with so many blocks; nothing where none has exactly these.
std::optional<std::int64_t> extent_of_blocks(problem const& task,
                                             problem_size size,
                                             std::size_t d,
                                             double number,
                                             threshold_tests const& how) {
    auto const blocks = [&](std::int64_t extent) {
        size[d].second = extent;
        auto const made = (how.launch != nullptr ? *how.launch : task.launch)
                              .evaluate(scope_of(size, how.config));
        return made ? static_cast<double>(made->grid.count()) : 0.0;
    };
    std::int64_t low = 0, high = std::int64_t{1} << 22; // fewer, and at least as many
    while (high - low > 1) {
        std::int64_t const middle = low + (high - low) / 2;
        (blocks(middle) < number ? low : high) = middle;
    }
    return blocks(high) == number ? std::optional(high) : std::nullopt;
}

/// Fair sizes with an extent that is one of the numbers, or next to it, then those with two or
/// three extents that are numbers which follow each other in the text.
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
    std::int64_t const longest = detail::largest_extent(task);
    auto const add = [&](std::vector<std::pair<std::size_t, std::int64_t>> const& extents) {
        for (auto const& [which, extent] : extents)
            if (extent > longest) return;
        for (std::int64_t const most : {std::int64_t{1} << (extents.size() > 1 ? 5 : 32),
                                        std::int64_t{100},
                                        std::int64_t{25},
                                        std::int64_t{3},
                                        std::int64_t{2},
                                        std::int64_t{1}}) {
            problem_size size = base;
            for (auto& [name, others] : size) others = std::min(others, most);
            for (auto const& [which, extent] : extents) size[which].second = extent;
            if (!wanted(size)) continue;
            found.push_back(std::move(size));
            return;
        }
    };
    std::vector<double> whole;
    for (double const n : how.numbers)
        if (n == std::trunc(n) && n >= 2 && n <= 0x1p31) whole.push_back(n);
    auto most = static_cast<std::size_t>(std::max(0, how.sizes));
    // Twice as large, since of an extent that is a little larger few elements lie beyond.
    auto const large = [](double n) { return 2 * n; };
    // What is one larger may still be right, and a guard may round up to a whole block.
    auto const more = [](double n) { return n + 5 + std::fmod(n, 59); };
    auto const above = [](double n) { return n + 1; };
    auto const equal = [](double n) { return n; };
    auto const under = [](double n) { return n - 1; };
    auto const beyond = [](double n) { return n + 3; };
    // Every small extent has tests of its own (`extent_tests`).
    auto const worth = [&](auto* beside, double n) {
        return n >= 32 || (beside != +more && beside != +large);
    };
    for (double (*const beside)(double) : {+equal, +large, +more, +above, +under})
        for (double const number : whole)
            for (std::size_t d = 0; d < base.size() && found.size() < most; ++d)
                if (worth(beside, number)) add({{d, static_cast<std::int64_t>(beside(number))}});
    most = found.size() + static_cast<std::size_t>(std::max(0, how.blocks));
    for (double const number : whole)
        for (std::size_t d = 0; d < base.size() && found.size() < most; ++d)
            if (auto const extent = extent_of_blocks(task, base, d, number, how))
                add({{d, *extent}});
    most = found.size() + 24;
    for (double const number : how.alone)
        for (std::size_t d = 0; d < base.size() && found.size() < most; ++d) {
            problem_size size = base;
            for (auto& [name, extent] : size) extent = 1;
            size[d].second = static_cast<std::int64_t>(number);
            if (number == std::trunc(number) && number >= 2 && number <= 0x1p31 &&
                size[d].second <= longest && base.size() > 1 && wanted(size))
                found.push_back(std::move(size));
        }
    most = found.size() + static_cast<std::size_t>(std::max(0, how.pairs));
    auto const add_group = [&](std::vector<double> const& numbers) {
        std::vector<std::pair<std::size_t, std::int64_t>> extents;
        auto const place = [&](auto const& self) -> void {
            if (found.size() >= most) return;
            if (extents.size() == numbers.size()) return add(extents);
            for (std::size_t d = 0; d < base.size(); ++d) {
                if (std::ranges::find(extents, d, &decltype(extents)::value_type::first) !=
                    extents.end())
                    continue;
                extents.emplace_back(d, static_cast<std::int64_t>(numbers[extents.size()]));
                self(self);
                extents.pop_back();
            }
        };
        if (numbers.size() <= base.size()) place(place);
    };
    using number_pair = std::array<double, 2>;
    std::vector<number_pair> neighbours, apart;
    for (std::size_t k = 0; k < whole.size(); ++k)
        for (std::size_t l = k + 1; l < whole.size(); ++l)
            if (l == k + 1)
                neighbours.push_back({whole[k], whole[l]});
            else if (whole[k] >= 32 && whole[l] >= 32)
                apart.push_back({whole[k], whole[l]});
    auto const add_pairs = [&](std::vector<number_pair> pairs) {
        std::ranges::stable_sort(pairs, std::greater(), [](auto const& p) { return p[0] * p[1]; });
        for (auto const& [one, another] : pairs) {
            add_group({one, another});
            add_group({beyond(one), beyond(another)});
        }
    };
    add_pairs(neighbours);
    // A guard may have two large ones far from each other in the text.
    most = found.size() + static_cast<std::size_t>(std::max(0, how.pairs / 2));
    add_pairs(apart);
    for (std::size_t k = 0; k + 3 <= whole.size(); ++k)
        add_group({whole[k], whole[k + 1], whole[k + 2]});
    return found;
}

/// A value of a scalar.
struct scalar_value {
    std::size_t argument = 0;
    double value = 0;
};

/// Fair values of scalars: the numbers, twice as much, one more, one less, the opposite.
std::vector<scalar_value> scalar_values(problem const& task, threshold_tests const& how) {
    std::vector<scalar_value> found;
    auto const add = [&](std::size_t k, double value) {
        scalar_type const t = task.signature.arguments[k].type.scalar;
        auto const fair = *fair_scalar(task, k);
        bool const real = is_floating(t);
        double const stored = real ? rounded_to(t, value) : value;
        bool const has = real ? std::fabs(stored) <= large_value(t) ||
                                    (std::isfinite(fair.min) && std::isfinite(fair.max))
                              : value == std::trunc(value);
        bool const known = std::any_of(found.begin(), found.end(), [&](scalar_value const& s) {
            return s.argument == k && s.value == stored;
        });
        if (has && fair.holds(stored) && !known) found.push_back({k, stored});
    };
    auto const equal = [](double n) { return n; };
    auto const large = [](double n) { return 2 * n; };
    auto const above = [](double n) { return n + 1; };
    auto const under = [](double n) { return n - 1; };
    auto const opposite = [](double n) { return -n; };
    for (double (*const beside)(double) : {+equal, +large, +above, +under, +opposite})
        for (double const number : how.numbers)
            for (std::size_t k = 0; k < task.arguments.size(); ++k)
                if (fair_scalar(task, k)) add(k, beside(number));
    found.resize(std::min(found.size(), static_cast<std::size_t>(std::max(0, how.scalars))));
    return found;
}

} // namespace detail::threshold_parts

result<std::vector<test_case>> threshold_tests::generate(problem const& task,
                                                         call_context const& context) const {
    using namespace detail::threshold_parts;
    std::vector<test_case> tests;
    if (numbers.empty() && alone.empty()) return tests;
    auto const at = detail::small_size(task, seed, 5, max_elements);
    std::uint32_t number = detail::first_threshold_test;
    bool full = false; // every second size: rows of that length
    auto const make = [&](problem_size const& size,
                          std::optional<spread> how,
                          std::vector<detail::input_fill> scalar = {},
                          std::optional<std::size_t> only = {}) -> result<void> {
        std::uint32_t const own = number++;
        bool const inputs = how || !scalar.empty();
        if (full) scalar = detail::full_inputs(task, size);
        auto test = detail::inputs_at(task, size, {seed, own, limit, std::move(scalar)}, context);
        if (!test && detail::lacks_values(test.error())) return {};
        if (!test) return test.error();
        bool any = !how;
        for (std::size_t k = 0; how && k < task.arguments.size(); ++k) {
            argument const& declared = task.signature.arguments[k];
            if (!declared.pointer || task.flow(k) == direction::out || only.value_or(k) != k)
                continue;
            auto fair = fair_values(declared, task.arguments[k], scope_of(size, {}));
            if (!fair) continue;
            bool const extreme = *how == spread::highest || *how == spread::lowest;
            if (extreme && !is_floating(declared.type.scalar)) continue;
            double const large =
                extreme ? largest_number(declared.type.scalar) : large_number(declared.type.scalar);
            if (!std::isfinite(fair->min)) fair->min = -large;
            if (!std::isfinite(fair->max)) fair->max = large;
            std::vector<double> values;
            for (double const n : numbers)
                if (extreme)
                    add_extremes(values, declared.type.scalar, n, *how == spread::lowest ? -1 : 1);
                else if (*how == spread::scaled)
                    add_scales(values, declared.type.scalar, n, *fair);
                else
                    add_values(values, declared.type.scalar, n, *fair);
            std::erase_if(values, [&](double v) { return !fair->holds(v); });
            any |= put_values(test->arguments[k],
                              values,
                              *how,
                              *fair,
                              {seed ^ 0x9b05688c2b3e6c1f, own, static_cast<std::uint32_t>(k)});
        }
        if (!any) return {};
        // The model is not told which numbers they were, or it would hide them better.
        test->name =
            (inputs ? "hidden inputs " : "hidden size ") + std::to_string(tests.size() + 1);
        test->origin = inputs ? test_origin::menu : test_origin::hidden_size;
        tests.push_back(std::move(*test));
        return {};
    };
    bool const small = detail::elements_at(task, at.size).value_or(0) <= 16 * max_elements;
    for (spread const how : {spread::strewn, spread::runs, spread::scaled})
        if (auto ok = small ? make(at.size, how) : result<void>(); !ok) return ok.error();
    // One argument at a time: a sum of two such numbers is infinite.
    for (std::size_t k = 0, made = 0; small && k < task.arguments.size() && made < 3; ++k) {
        std::size_t const before = tests.size();
        for (spread const how : {spread::highest, spread::lowest})
            if (auto ok = make(at.size, how, {}, k); !ok) return ok.error();
        made += tests.size() > before;
    }
    auto const few = detail::small_size(task, seed, 5, std::uint64_t{1} << 12);
    for (auto const& [k, value] : scalar_values(task, *this))
        if (auto ok = make(few.size, {}, {{k, {constant{value}, {}, 0}, {value, value}}}); !ok)
            return ok.error();
    for (problem_size const& size : sizes_at(task, at.size, *this)) {
        std::size_t named = 0; // extents that the text names, or what lies beside them
        for (std::size_t d = 0; d < size.size(); ++d)
            named += size[d].second != at.size[d].second && size[d].second > 3;
        full = named > 1 || number % 2 != 0;
        if (auto ok = make(size, {}); !ok) return ok.error();
    }
    return tests;
}

} // namespace lkt
