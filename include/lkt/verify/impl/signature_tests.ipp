// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/signature_tests.hpp>

#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/test_check.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace lkt {

result<std::vector<test_case>> signature_tests::generate(problem const& task,
                                                         call_context const& context) const {
    if (auto ok = check_problem(task); !ok) return ok.error();
    std::vector<test_case> tests;
    auto const add = [&](detail::named_size const& at,
                         std::uint32_t number,
                         std::string const& more) -> result<void> {
        auto test = detail::inputs_at(task, at.size, {seed, number, limit, {}, at.hidden}, context);
        if (!test) return test.error();
        test->name = at.name + more;
        if (at.hidden) test->origin = test_origin::hidden_size;
        tests.push_back(std::move(*test));
        return {};
    };
    auto const sizes = detail::sizes_to_test(task, seed, hidden_sizes);
    std::uint32_t number = 0, hidden = detail::first_hidden_test;
    for (detail::named_size const& at : sizes)
        if (!at.hidden)
            if (auto ok = add(at, number++, ""); !ok) return ok.error();
    if (other_values) {
        if (auto ok = add(sizes.front(), number, ", other values"); !ok) return ok.error();
        // Without anything random it would repeat the first.
        if (tests.back().arguments == tests.front().arguments) tests.pop_back();
    }
    for (detail::named_size const& at : sizes)
        if (at.hidden)
            if (auto ok = add(at, hidden++, ""); !ok) return ok.error();
    return tests;
}

} // namespace lkt
