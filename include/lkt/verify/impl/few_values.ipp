// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/few_values.hpp>

#include <lkt/core/units.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/detail/scalars.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace lkt {

namespace detail::counting_values {

/// The values that the argument had, in their order, until there are more than `most`.
std::vector<double> values_of(test_suite const& suite, std::size_t argument, std::size_t most) {
    std::vector<double> found;
    for (prepared_test const& t : suite.tests) {
        argument_data const& data = t.test.arguments[argument];
        for (std::size_t lane = 0; lane < data.lanes() && found.size() <= most; ++lane) {
            double const value = lane_as_double(data, lane);
            if (std::find(found.begin(), found.end(), value) == found.end() && !std::isnan(value))
                found.push_back(value);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace detail::counting_values

void note_few_values(problem const& task, test_suite& suite) {
    using namespace detail::counting_values;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& declared = task.signature.arguments[k];
        argument_spec const& spec = task.arguments[k];
        bool const whole = !is_floating(declared.type.scalar);
        if (!declared.pointer || suite.directions[k] != direction::in || spec.scratch ||
            declared.type.scalar == scalar_type::boolean)
            continue;
        auto const values = values_of(suite, k, whole ? 2 : 1);
        if (values.empty() || values.size() > (whole ? 2U : 1U)) continue;
        bool const all =
            spec.min && spec.max && *spec.max - *spec.min < static_cast<double>(values.size());
        if (all) continue;
        std::string held;
        for (double const value : values)
            held += (held.empty() ? "" : " and ") + significant(value);
        suite.notes.push_back("the input `" + declared.name + "` held only " + held +
                              " in every test, so nothing is known of other values; a problem says "
                              "by `lkt.domain` what it may hold");
    }
}

} // namespace lkt
