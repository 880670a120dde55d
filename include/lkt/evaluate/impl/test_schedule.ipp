// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/test_schedule.hpp>

#include <lkt/lang/find_kernel.hpp>
#include <lkt/verify/hidden_state.hpp>
#include <lkt/verify/properties.hpp>

#include <algorithm>
#include <lkt/evaluate/evaluation_setup.hpp>
#include <utility>
#include <variant>

namespace lkt {

std::vector<std::size_t> cheap_tests_first::before_timing(evaluation_setup const& in) const {
    std::vector<std::size_t> first;
    auto const& tests = in.suite.tests;
    for (std::size_t k = 0; k < tests.size(); ++k) {
        test_case const& test = tests[k].test;
        bool const large = in.drops_slow_ones() && k > 0 &&
                           detail::bytes_of(test) >= detail::bytes_of(tests.front().test);
        if (!large && !test.for_finalists) first.push_back(k);
    }
    return first;
}

schedule_ref::schedule_ref()
    : before_timing_([](void const* s, evaluation_setup const& in) {
          return static_cast<cheap_tests_first const*>(s)->before_timing(in);
      }) {
    static constexpr cheap_tests_first standard{};
    schedule_ = &standard;
}

} // namespace lkt
