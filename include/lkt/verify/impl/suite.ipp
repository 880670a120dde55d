// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/suite.hpp>

#include <lkt/core/units.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/rounding_bias.hpp>
#include <lkt/verify/exactness.hpp>
#include <lkt/verify/guards.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace lkt {

test_suite::test_suite() = default;
test_suite::test_suite(test_suite const&) = default;
test_suite::test_suite(test_suite&&) noexcept = default;
test_suite& test_suite::operator=(test_suite const&) = default;
test_suite& test_suite::operator=(test_suite&&) noexcept = default;
test_suite::~test_suite() = default;

bool test_suite::prepared() const {
    return !tests.empty() && std::all_of(tests.begin(), tests.end(), [](prepared_test const& t) {
        return !t.expected.empty();
    });
}

namespace detail {

argument_data
without_open(prepared_test const& test, std::size_t position, argument_data const& got) {
    argument_data judged = got;
    argument_data const& expected = test.expected[position];
    element_set const& open = test.open[position];
    std::size_t const each = expected.type.bytes();
    for (std::uint64_t k = open.next(0); k < open.size(); k = open.next(k + 1)) {
        auto const at = static_cast<std::size_t>(k) * each;
        std::memcpy(judged.bytes.data() + at, expected.bytes.data() + at, each);
    }
    return judged;
}

bool has_open(prepared_test const& test, std::size_t position) {
    return position < test.open.size() && test.open[position].count() > 0;
}

/// What is NaN or infinite among the elements that rounding decides, where the original's never is.
std::optional<mismatch>
judge_finite(prepared_test const& test, std::size_t position, argument_data const& got) {
    element_set const& open = test.open[position];
    unsigned const lanes = got.type.lanes;
    mismatch m{element_set(open.size()), 0, 0, 0, HUGE_VAL, {}};
    for (std::uint64_t k = open.next(0); k < open.size(); k = open.next(k + 1)) {
        bool finite = true;
        for (std::size_t lane = k * lanes; lane < (k + 1) * lanes; ++lane)
            finite = finite && std::isfinite(lane_as_double(got, lane));
        if (finite) continue;
        if (m.count == 0) m.first = m.worst = k;
        m.wrong.mark(k);
        ++m.count;
    }
    return m.count == 0 ? std::nullopt : std::optional(std::move(m));
}

/// Whether results were cut off where the original's are rounded; all that differ are marked then.
std::optional<mismatch> judge_rounding(argument_data const& expected,
                                       argument_data const& got,
                                       argument_data const& exact,
                                       double allowed) {
    double const units = cut_off(expected, got, exact, allowed);
    if (units == 0) return std::nullopt;
    auto found = find_mismatch(expected, got, {});
    if (found)
        found->whole = "no element is far off, but what is rounded errs in one direction, by " +
                       significant(units) +
                       " units in the last place on average: results look cut off, not rounded to "
                       "the nearest";
    return found;
}

std::optional<mismatch> judge_closed(problem const& task,
                                     test_suite const& suite,
                                     prepared_test const& test,
                                     std::size_t position,
                                     argument_data const& got) {
    std::size_t const argument = output_positions(suite.directions)[position];
    argument_data const& expected = test.expected[position];
    for (auto const& [judged, comparator] : suite.comparators) {
        if (judged != argument) continue;
        auto said = comparator(test.test, expected, got);
        if (!said) return std::nullopt;
        mismatch m{element_set(expected.count()), 0, 0, 0, 0, std::move(*said)};
        for (std::uint64_t k = m.wrong.size(); k-- > 0;) {
            if (same_element(expected, got, k)) continue;
            m.wrong.mark(k);
            m.first = m.worst = k;
            ++m.count;
        }
        if (m.count == 0 && !m.wrong.empty()) m.wrong.mark(0), m.count = 1; // it says so
        return m;
    }
    tolerance const& bound = test.bounds[position];
    error_limits const limits =
        position < test.limits.size() ? test.limits[position] : error_limits{.nonfinite = true};
    auto found = judge_output(expected, got, bound, limits);
    if (!found && position < test.magnitudes.size())
        found = judge_magnitudes(expected, got, bound, test.magnitudes[position]);
    bool const known = position < test.exact.size() && !test.exact[position].bytes.empty() &&
                       is_floating(expected.type.scalar);
    if (!known) return found;
    if (!found) {
        // Functions that are a few last digits off may be so in one direction.
        bool const judged = limits.any() && !task.properties.fast_math &&
                            has_rounding_bias(expected.type.scalar) && expected.bytes != got.bytes;
        return judged
                   ? judge_rounding(expected,
                                    got,
                                    test.exact[position],
                                    position < test.one_sided.size() ? test.one_sided[position] : 0)
                   : std::nullopt;
    }
    return judge_by_exact(std::move(*found),
                          expected,
                          got,
                          test.exact[position],
                          bound,
                          limits,
                          position < test.magnitudes.size()
                              ? std::span<magnitude_limit const>(test.magnitudes[position])
                              : std::span<magnitude_limit const>());
}

} // namespace detail

std::optional<mismatch> judge_output(problem const& task,
                                     test_suite const& suite,
                                     prepared_test const& test,
                                     std::size_t position,
                                     argument_data const& got) {
    if (task.arguments[output_positions(suite.directions)[position]].scratch) return std::nullopt;
    if (!detail::has_open(test, position))
        return detail::judge_closed(task, suite, test, position, got);
    if (position < test.finite.size() && test.finite[position])
        if (auto found = detail::judge_finite(test, position, got)) return found;
    return detail::judge_closed(
        task, suite, test, position, detail::without_open(test, position, got));
}

std::vector<std::size_t> output_positions(std::vector<direction> const& directions) {
    std::vector<std::size_t> positions;
    for (std::size_t k = 0; k < directions.size(); ++k)
        if (directions[k] != direction::in) positions.push_back(k);
    return positions;
}

std::vector<std::size_t> tests_like_the_timed(test_suite const& suite, bytes most) {
    std::vector<std::size_t> alike;
    if (suite.tests.empty()) return alike;
    prepared_test const& timed = suite.tests.front();
    auto const same_shape = [](argument_data const& a, argument_data const& b) {
        return a.buffer == b.buffer && a.type == b.type && a.bytes.size() == b.bytes.size();
    };
    std::uint64_t of_one = 0;
    for (auto const* const list : {&timed.test.arguments, &timed.expected})
        for (argument_data const& a : *list) of_one += a.bytes.size();
    for (std::size_t k = 0; k < suite.tests.size(); ++k) {
        test_case const& test = suite.tests[k].test;
        if (k > 0 && (test.size != timed.test.size || (alike.size() + 1) * of_one > most.count ||
                      !std::equal(test.arguments.begin(),
                                  test.arguments.end(),
                                  timed.test.arguments.begin(),
                                  timed.test.arguments.end(),
                                  same_shape)))
            continue;
        alike.push_back(k);
    }
    return alike;
}

void name_test(failure& f, test_case const& test) {
    if (auto* const access = std::get_if<out_of_bounds>(&f)) access->test = test.name;
    if (auto* const late = std::get_if<timed_out>(&f)) {
        late->test = test.name;
        late->size = test.size;
    }
}

} // namespace lkt
