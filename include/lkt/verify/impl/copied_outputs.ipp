// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/detail/copied_outputs.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/detail/value_regime.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace lkt::detail {

namespace copied {

// Of one test. Of more values of 16 bits, almost all that a sum can have are inputs.
constexpr std::size_t most_lanes = std::size_t{1} << 16;
constexpr std::size_t least_values = 64; // that could be there by chance

/// Finite values other than 0, each once, in order.
void add_values(std::vector<double>& values, argument_data const& data) {
    for (std::size_t lane = 0; lane < data.lanes(); ++lane)
        if (double const v = lane_as_double(data, lane); std::isfinite(v) && v != 0)
            values.push_back(v);
}
void sort(std::vector<double>& values) {
    std::ranges::sort(values);
    auto const rest = std::ranges::unique(values);
    values.erase(rest.begin(), rest.end());
}

bool is_copied(test_suite const& suite, std::size_t position) {
    std::vector<prepared_test const*> tests;
    for (prepared_test const& t : suite.tests) {
        std::size_t lanes = t.expected[position].lanes();
        for (argument_data const& a : t.test.arguments) lanes += a.lanes();
        if (lanes <= most_lanes) tests.push_back(&t);
    }
    // The first value that is not there ends it, so small tests come first.
    std::ranges::stable_sort(
        tests, {}, [&](prepared_test const* t) { return t->expected[position].lanes(); });
    std::size_t most_values = 0;
    for (prepared_test const* const t : tests) {
        std::vector<double> in, out;
        for (std::size_t k = 0; k < t->test.arguments.size(); ++k)
            if (suite.directions[k] != direction::out) add_values(in, t->test.arguments[k]);
        add_values(out, t->expected[position]);
        sort(in);
        sort(out);
        if (!std::ranges::includes(in, out)) return false;
        most_values = std::max(most_values, out.size());
    }
    return most_values >= least_values;
}

} // namespace copied

bool only_copies(problem const& task, test_suite const& suite) {
    std::size_t inputs = 0, copies = 0, position = 0;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        bool const floating = is_floating(task.signature.arguments[k].type.scalar);
        if (floating && suite.directions[k] != direction::out) ++inputs;
        if (suite.directions[k] == direction::in) continue;
        std::size_t const p = position++;
        if (!floating || task.arguments[k].scratch) continue;
        if (!copied::is_copied(suite, p)) return false;
        ++copies;
    }
    return inputs == 1 && copies > 0;
}

void expect_copies(problem const& task, test_suite& suite) {
    auto const positions = output_positions(suite.directions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
        std::size_t const k = positions[p];
        scalar_type const type = task.signature.arguments[k].type.scalar;
        bool const compared_by_others =
            std::ranges::any_of(suite.comparators, [&](auto const& c) { return c.first == k; });
        if (task.arguments[k].scratch || task.arguments[k].bound || compared_by_others ||
            !is_floating(type) || is_float8(type) || !copied::is_copied(suite, p))
            continue;
        double const flushed = keeps_denormals(task) ? 0 : smallest_normal(type);
        for (prepared_test& t : suite.tests) {
            t.bounds[p] = {0, flushed};
            if (t.limits.size() > p) t.limits[p] = {};
            if (t.magnitudes.size() > p) t.magnitudes[p].clear();
        }
        suite.notes.push_back("the original copies values into `" +
                              task.signature.arguments[k].name + "`, so they are compared exactly");
    }
}

} // namespace lkt::detail
