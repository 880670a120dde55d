// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/extent_tests.hpp>

#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace lkt {

namespace detail::extent_parts {

/// With that extent, and the others alike.
std::optional<problem_size>
size_with(problem const& task, std::size_t d, std::int64_t extent, std::uint64_t elements) {
    // Multiples come behind what is no multiple of anything.
    for (std::int64_t const most : {129, 128, 65, 64, 33, 32, 17, 16, 9, 8, 5, 4, 3, 2, 1}) {
        problem_size size = task.size;
        for (auto& [name, other] : size) other = most;
        size[d].second = extent;
        auto const n = elements_at(task, size);
        if (n && *n <= elements && fair_size(task, size)) return size;
    }
    return std::nullopt;
}

} // namespace detail::extent_parts

result<std::vector<test_case>> extent_tests::generate(problem const& task,
                                                      call_context const& context) const {
    std::vector<test_case> tests;
    if (task.size_constraints.empty()) return tests;
    std::uint32_t number = detail::first_swept_test;
    for (std::size_t d = 0; d < task.size.size(); ++d)
        for (std::int64_t extent = 1; extent <= through; ++extent) {
            std::uint32_t const own = number++;
            auto const size = detail::extent_parts::size_with(task, d, extent, elements);
            if (!size || *size == task.size ||
                std::ranges::find(task.further_sizes, *size) != task.further_sizes.end())
                continue;
            auto test = detail::inputs_at(task, *size, {seed, own, limit, {}}, context);
            if (!test && detail::lacks_values(test.error())) continue;
            if (!test) return test.error();
            test->name = "hidden size, every extent " + std::to_string(tests.size() + 1);
            test->origin = test_origin::swept_size;
            test->for_finalists = true;
            tests.push_back(std::move(*test));
        }
    return tests;
}

} // namespace lkt
