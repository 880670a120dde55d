// SPDX-License-Identifier: BSL-1.0
// What the bounds of a test become by what the original moves.
#pragma once

#include <lkt/verify/detail/conditioning.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/expecting.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/rounding_bias.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/exactness.hpp>
#include <lkt/verify/tolerance.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lkt::detail::soundness {

double conditioning::growth_of_sums(prepared_test const& t) const {
    if (plain_copies(t)) return 1;
    std::int64_t terms = 1;
    for (auto const& [name, extent] : t.test.size) terms = std::max(terms, extent);
    auto const all = static_cast<double>(terms);
    bool const alike =
        t.test.origin == test_origin::menu || t.test.origin == test_origin::long_rows;
    double const growth = alike ? all : std::sqrt(all);
    return std::max(1.0, growth / units_of(t));
}

double conditioning::times_of_bound(prepared_test const& t,
                                    std::size_t p,
                                    std::size_t lane,
                                    argument_data const& got) {
    double const e = lane_as_double(t.expected[p], lane), g = lane_as_double(got, lane);
    if (e == g || (std::isnan(e) && std::isnan(g))) return 0;
    if (!std::isfinite(e) && !t.limits[p].nonfinite) return 0;
    double const times =
        margin * std::fabs(g - e) / (t.bounds[p].absolute + t.bounds[p].relative * std::fabs(e));
    return std::isnan(times) ? HUGE_VAL : times;
}

std::string conditioning::widen(prepared_test& t, std::vector<argument_data> const& outputs) const {
    auto const positions = output_positions(suite.directions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
        auto const moved_by = [&](std::size_t lane) {
            return t.exact[p].lane<double>(lane) + lane_as_double(outputs[p], lane) -
                   lane_as_double(t.expected[p], lane);
        };
        allow_one_sided(t, p, moved_by, margin);
        auto const by = wanted(t, p, positions[p], outputs[p]);
        if (by.largest() > options.max_widening) return moving(t, p, positions[p], outputs[p]);
        if (by.largest() <= 1) continue;
        t.bounds[p].relative *= by.element;
        t.bounds[p].absolute *= by.element;
        t.limits[p].rms *= by.rms;
        t.limits[p].bias *= by.bias;
        // What rounding does to a mean, all elements have in common; moves in drawn directions
        // cancel in it.
        if (std::max(by.element, by.rms) > 1)
            t.limits[p].bias = std::max(t.limits[p].bias, t.limits[p].rms);
    }
    for (std::size_t p = 0; p < positions.size(); ++p) allow_rounding_inside(t, p, positions[p]);
    t.magnitudes.resize(positions.size());
    for (std::size_t p = 0; p < positions.size(); ++p) {
        bool const known = p < t.exact.size() && !t.exact[p].bytes.empty();
        scalar_type const type = t.expected[p].type.scalar;
        if (by_default(t, p, positions[p]))
            t.magnitudes[p] = magnitude_limits(t.expected[p],
                                               known ? &t.exact[p] : nullptr,
                                               &outputs[p],
                                               t.bounds[p],
                                               known ? underflow_inside(task, t.test, type)
                                                     : rounding_inside(t, p));
    }
    return {};
}

void conditioning::allow_rounding_inside(prepared_test& t, std::size_t p, std::size_t k) const {
    bool const known = p < t.exact.size() && !t.exact[p].bytes.empty();
    if (known || !by_default(t, p, k)) return;
    double const scale = figures_of(t.expected[p], t.expected[p]).scale;
    if (!(scale > 0)) return;
    double const inside = rounding_inside(t, p) / units_of(t);
    double const share = inside / scale;
    t.bounds[p].absolute = std::max(t.bounds[p].absolute, inside);
    t.limits[p].rms = std::max(t.limits[p].rms, share);
    t.limits[p].bias = std::max(t.limits[p].bias, share);
}

bool conditioning::judged_by_comparator(std::size_t k) const {
    return std::any_of(suite.comparators.begin(),
                       suite.comparators.end(),
                       [&](auto const& comparator) { return comparator.first == k; });
}

bool conditioning::by_default(prepared_test const& t, std::size_t p, std::size_t k) const {
    return is_floating(t.expected[p].type.scalar) && !task.arguments[k].bound &&
           p < t.limits.size() && !judged_by_comparator(k);
}

double conditioning::rounding_inside(prepared_test const& t, std::size_t p) const {
    double largest = largest_magnitude(t.expected[p]);
    for (argument_data const& a : t.test.arguments)
        if (is_floating(a.type.scalar)) largest = std::max(largest, largest_magnitude(a));
    double const unit = moving_type(task) == scalar_type::float64 ? 0x1p-53 : 0x1p-24;
    return 8 * unit * units_of(t) * largest;
}

conditioning::widening conditioning::wanted(prepared_test& t,
                                            std::size_t p,
                                            std::size_t k,
                                            argument_data const& got) const {
    bool const moves = judge_narrowly(t, p, got).has_value();
    if (!by_default(t, p, k)) return moves ? widening{HUGE_VAL} : widening{};
    argument_data const& expected = t.expected[p];
    double element = 0;
    for (std::size_t lane = 0; lane < expected.lanes(); ++lane)
        element = std::max(element, times_of_bound(t, p, lane, got));
    if (element > options.max_widening) return {HUGE_VAL};
    auto const f = figures_of(expected, got);
    double const rms = margin * f.rms / t.limits[p].rms;
    double const shared = std::max(element, rms) > 0.25 ? shared_by(t) : 1;
    if (!moves && shared == 1) return {};
    double const most = moves ? HUGE_VAL : options.max_widening;
    widening by;
    by.element = std::clamp(element * shared, 1.0, most);
    by.rms = std::clamp(rms * shared, 1.0, most);
    by.bias =
        std::max(1.0, margin * std::max(std::fabs(f.mean), std::fabs(f.factor)) / t.limits[p].bias);
    return by;
}

std::optional<mismatch>
conditioning::judge_narrowly(prepared_test& t, std::size_t p, argument_data const& got) const {
    auto const bounds = t.bounds;
    auto const limits = t.limits;
    for (tolerance& b : t.bounds) b.relative /= margin, b.absolute /= margin;
    for (error_limits& l : t.limits) l.rms /= margin, l.bias /= margin;
    auto m = judge_output(task, suite, t, p, got);
    t.bounds = bounds;
    t.limits = limits;
    return m;
}

std::string conditioning::moving(prepared_test& t,
                                 std::size_t p,
                                 std::size_t k,
                                 argument_data const& got) const {
    std::string const name = "`" + task.signature.arguments[k].name + "`";
    auto const m = judge_narrowly(t, p, got);
    if (!m || !m->whole.empty()) return name + " moves by more than a quarter of its bound";
    return std::to_string(m->count) + " of " + std::to_string(got.count()) + " elements of " +
           name + " move by more than a quarter of their bound";
}

} // namespace lkt::detail::soundness
