// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/region_tests.hpp>

#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/random.hpp>
#include <lkt/verify/timed_size.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace lkt {

namespace detail::region_parts {

struct region_shape {
    std::uint64_t width = 1, height = 1;
};

constexpr region_shape shapes[] = {{32, 8}, {16, 16}, {64, 32}};

/// Lengths of rows that an input may have.
std::vector<std::uint64_t> row_lengths(problem_size const& size, std::uint64_t lanes) {
    std::vector<std::uint64_t> found;
    for (auto const& [name, extent] : size) {
        auto const length = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0));
        if (length > 1 && length < lanes && lanes % length == 0 &&
            std::ranges::find(found, length) == found.end())
            found.push_back(length);
    }
    if (found.empty()) found.push_back(lanes);
    return found;
}

/// Whether an element of a region is what was drawn.
bool lives(std::uint64_t form, std::uint64_t at, std::uint64_t elements) {
    switch (form & 7) {
    case 0:
    case 1:
    case 2:
        return false;
    case 3:
    case 4:
        return true;
    case 5:
        return at == below(elements, form);
    case 6:
        return (at * 0x9e3779b97f4a7c15 >> 32 & 15) == 0;
    default:
        return at != below(elements, form);
    }
}

/// Whether the input may have regions.
bool divide(problem const& task,
            test_case& test,
            std::size_t k,
            region_shape shape,
            std::uint64_t layout,
            random_stream const& stream) {
    argument const& declared = task.signature.arguments[k];
    scalar_type const t = declared.type.scalar;
    if (!declared.pointer || task.flow(k) == direction::out || is_half_byte(t)) return false;
    auto const fair = fair_values(declared, task.arguments[k], scope_of(test.size, {}));
    if (!fair || !fair->holds(0) || (fair->min >= 0 && fair->max <= 0)) return false;
    double const least = fair->holds(1) ? 1 : fair->max > 0 ? fair->max : fair->min;
    argument_data& data = test.arguments[k];
    std::uint64_t const lanes = data.lanes();
    auto const lengths = row_lengths(test.size, lanes);
    std::uint64_t length = lengths[layout % lengths.size()];
    // Of a single row, stretches.
    if (length == lanes) shape = {shape.width * shape.height, 1};
    std::uint64_t const across = (length + shape.width - 1) / shape.width;
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        std::uint64_t const row = lane / length, column = lane % length;
        std::uint64_t const region = row / shape.height * across + column / shape.width;
        std::uint64_t const at = row % shape.height * shape.width + column % shape.width;
        bool const alive = lives(stream.bits(region), at, shape.width * shape.height);
        if (!alive)
            store_number(data, lane, 0);
        else if (lane_as_double(data, lane) == 0)
            store_number(data, lane, is_floating(t) ? rounded_to(t, least) : std::trunc(least));
    }
    return true;
}

} // namespace detail::region_parts

result<std::vector<test_case>> region_tests::generate(problem const& task,
                                                      call_context const& context) const {
    using namespace detail::region_parts;
    std::vector<test_case> tests;
    std::uint32_t number = detail::first_region_test;
    random_stream const chance{seed, number, ~std::uint32_t{0}};
    for (std::uint64_t layout = 0; layout < 2; ++layout)
        for (region_shape const& shape : shapes) {
            std::uint32_t const own = number++;
            if (!all && (own + chance.bits(0)) % 2 != 0) continue;
            for (std::uint64_t most = elements; most >= 1024; most /= 4) {
                auto const at = detail::small_size(task, seed, hidden_sizes, most);
                auto test = detail::inputs_at(task, at.size, {seed, own, limit, {}}, context);
                if (!test && detail::lacks_values(test.error())) break;
                if (!test) return test.error();
                if (counted_work(task, *test) > work) continue;
                bool any = false;
                for (std::size_t k = 0; k < task.arguments.size(); ++k) {
                    auto const which = own % 2 == 0 ? static_cast<std::uint32_t>(k) : 0;
                    any |= divide(task, *test, k, shape, layout, {seed, own, which});
                }
                if (!any) return tests;
                test->name = at.name + ", regions " + std::to_string(tests.size() + 1);
                test->origin = test_origin::menu;
                tests.push_back(std::move(*test));
                break;
            }
        }
    return tests;
}

} // namespace lkt
