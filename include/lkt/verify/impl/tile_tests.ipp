// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/tile_tests.hpp>

#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/timed_size.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace lkt {

namespace detail::tile_parts {

bool fits(problem const& task,
          problem_size const& size,
          tile_tests const& how,
          std::uint64_t elements) {
    auto const n = elements_at(task, size);
    auto const made =
        (how.launch != nullptr ? *how.launch : task.launch).evaluate(scope_of(size, how.config));
    return n && *n <= elements && made &&
           made->grid.count() <=
               std::max(how.blocks,
                        how.threads / std::max<std::uint64_t>(1, made->block.count())) &&
           fair_size(task, size);
}

/// The extent as long as may be; false: there is no such size.
bool lengthen(problem const& task,
              problem_size& size,
              std::size_t extent,
              tile_tests const& how,
              std::uint64_t elements) {
    std::int64_t const longest = largest_extent(task);
    for (std::int64_t whole = std::int64_t{1} << 18; whole >= 64; whole /= 2)
        for (std::int64_t part = 7; part >= 0; --part)
            for (std::int64_t const less : {5, 0}) { // as a rule a part of a tile is left
                size[extent].second = whole + whole / 8 * part - less;
                if (size[extent].second <= longest && fits(task, size, how, elements)) return true;
            }
    return false;
}

/// The extent as long as may be, and the others small.
std::optional<problem_size>
long_size(problem const& task, std::size_t extent, tile_tests const& how, std::uint64_t elements) {
    for (std::int64_t const others : {2, 1, 4, 16, 64, 128}) {
        problem_size size = task.size;
        for (auto& [name, other] : size) other = others;
        if (lengthen(task, size, extent, how, elements)) return size;
    }
    return std::nullopt;
}

} // namespace detail::tile_parts

result<std::vector<test_case>> tile_tests::generate(problem const& task,
                                                    call_context const& context) const {
    std::vector<test_case> tests;
    if (task.size_constraints.empty()) return tests;
    std::uint32_t number = detail::first_tiled_test;
    for (std::size_t d = 0; d < task.size.size(); ++d)
        for (std::uint64_t most = elements; most >= 1024; most /= 4) {
            auto const size = detail::tile_parts::long_size(task, d, *this, most);
            if (!size) break;
            auto test = detail::inputs_at(task, *size, {seed, number++, limit, {}}, context);
            if (!test && detail::lacks_values(test.error())) break;
            if (!test) return test.error();
            if (counted_work(task, *test) > work) continue;
            bool const known =
                std::ranges::any_of(tests, [&](test_case const& one) { return one.size == *size; });
            if (known) break;
            test->name = "hidden size, many tiles " + std::to_string(tests.size() + 1);
            test->origin = test_origin::hidden_size;
            tests.push_back(std::move(*test));
            break;
        }
    return tests;
}

} // namespace lkt
