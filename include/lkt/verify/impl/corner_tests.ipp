// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/corner_tests.hpp>

#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace lkt {

namespace detail::corner_parts {

/// A scalar that may vary, and the bounds that it may reach.
struct bounded_scalar {
    std::size_t argument = 0;
    double low = 0, high = 0;
};

std::vector<bounded_scalar> bounded_scalars(problem const& task) {
    std::vector<bounded_scalar> found;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        auto const fair = fair_scalar(task, k);
        if (!fair || (!std::isfinite(fair->min) && !std::isfinite(fair->max))) continue;
        scalar_type const t = task.signature.arguments[k].type.scalar;
        double low = fair->min, high = fair->max;
        // Where there is no end, as far as products bear.
        if (!std::isfinite(low)) low = std::min(-large_value(t), 2 * high);
        if (!std::isfinite(high)) high = std::max(large_value(t), 2 * low);
        if (!is_floating(t)) low = std::ceil(low), high = std::floor(high);
        if (low < high) found.push_back({k, low, high});
    }
    return found;
}

input_fill always(std::size_t argument, double value) {
    return {argument, {constant{value}, {}, 0}, {value, value}};
}

/// Small sizes with two extents that have to do with each other, in an order that the seed draws.
std::vector<problem_size> related_sizes(problem const& task, std::uint64_t seed, int most) {
    std::vector<problem_size> found;
    std::size_t const extents = task.size.size();
    if (task.size_constraints.empty() || extents < 2) return found;
    random_stream const chance{seed ^ 0x510e527fade682d1, first_corner_test, 0};
    // Multiples of what tiles are made of come last: most constraints allow any extent.
    std::int64_t const drawn = 17 + static_cast<std::int64_t>(below(48, chance.bits(0)));
    std::int64_t const candidates[] = {drawn, 2 * drawn, 32, 64, 128, 16, 8, 4};
    auto const is_new = [&](problem_size const& size) {
        return size != task.size && std::find(found.begin(), found.end(), size) == found.end() &&
               std::find(task.further_sizes.begin(), task.further_sizes.end(), size) ==
                   task.further_sizes.end();
    };
    using relation = std::int64_t (*)(std::int64_t);
    static constexpr relation relations[] = {[](std::int64_t n) { return n; },
                                             [](std::int64_t n) { return n + 1; },
                                             [](std::int64_t n) { return n - 1; },
                                             [](std::int64_t n) { return 2 * n; },
                                             [](std::int64_t n) { return n / 2; }};
    for (std::size_t a = 0; a < extents; ++a)
        for (std::size_t b = a + 1; b < extents; ++b)
            for (relation const to : relations)
                for (std::int64_t const extent : candidates) {
                    problem_size size = task.size;
                    for (std::size_t d = 0; d < extents; ++d)
                        size[d].second = std::min<std::int64_t>(size[d].second, extent / 2 + 3);
                    size[a].second = extent;
                    size[b].second = to(extent);
                    if (!is_new(size) || !fair_size(task, size)) continue;
                    found.push_back(std::move(size));
                    break;
                }
    for (std::size_t k = found.size(); k > 1; --k)
        std::swap(found[k - 1], found[below(k, chance.bits(k))]);
    found.resize(std::min(found.size(), static_cast<std::size_t>(std::max(0, most))));
    return found;
}

/// Small sizes with one extent that is 1 or 2, numbers that every text has.
std::vector<problem_size> short_sizes(problem const& task, std::uint64_t seed) {
    std::vector<problem_size> found;
    if (task.size_constraints.empty()) return found;
    random_stream const chance{seed ^ 0x1f83d9abfb41bd6b, first_corner_test, 0};
    auto const drawn = 17 + static_cast<std::int64_t>(below(48, chance.bits(0)));
    for (std::size_t d = 0; d < task.size.size(); ++d)
        for (std::int64_t const extent : {1, 2}) {
            problem_size size = task.size;
            for (auto& [name, other] : size) other = std::min(other, drawn);
            size[d].second = extent;
            bool const is_new =
                size != task.size && std::find(found.begin(), found.end(), size) == found.end() &&
                std::find(task.further_sizes.begin(), task.further_sizes.end(), size) ==
                    task.further_sizes.end();
            if (is_new && fair_size(task, size)) found.push_back(std::move(size));
        }
    return found;
}

/// Sizes with one extent beyond 2^16 and as little in the other directions as is fair.
std::vector<problem_size> long_sizes(problem const& task) {
    std::vector<problem_size> found;
    auto const one = [&](std::size_t d) -> std::optional<problem_size> {
        for (std::int64_t const extent : {65537, 65538, 65552, 65600, 66560, 73728, 131072})
            for (std::int64_t const others : {3, 4, 8, 16, 32, 64}) {
                problem_size size = task.size;
                for (auto& [name, other] : size) other = std::min(other, others);
                if (size[d].second < others || task.size[d].second >= extent) return std::nullopt;
                size[d].second = extent;
                auto const elements = elements_at(task, size);
                if (elements && *elements <= std::uint64_t{1} << 20 && fair_size(task, size))
                    return size;
            }
        return std::nullopt;
    };
    if (task.size_constraints.empty() || largest_extent(task) <= 0x10000) return found;
    for (std::size_t d = 0; d < task.size.size(); ++d)
        if (auto size = one(d)) found.push_back(*std::move(size));
    return found;
}

} // namespace detail::corner_parts

result<std::vector<test_case>> corner_tests::generate(problem const& task,
                                                      call_context const& context) const {
    using namespace detail::corner_parts;
    std::vector<test_case> tests;
    std::uint32_t number = detail::first_corner_test;
    auto const add = [&](problem_size const& size,
                         std::string name,
                         test_origin origin,
                         std::vector<detail::input_fill> fills) -> result<void> {
        auto test =
            detail::inputs_at(task, size, {seed, number++, limit, std::move(fills), true}, context);
        if (!test && detail::lacks_values(test.error())) return {};
        if (!test) return test.error();
        test->name = std::move(name);
        test->origin = origin;
        tests.push_back(std::move(*test));
        return {};
    };
    auto const scalars = bounded_scalars(task);
    constexpr std::size_t most_scalars = 4;
    auto const at = detail::small_size(task, seed, hidden_sizes, std::uint64_t{1} << 16);
    for (bool const upper : {false, true}) {
        std::string const end = upper ? ", upper end of " : ", lower end of ";
        std::vector<detail::input_fill> all;
        for (bounded_scalar const& s : scalars) {
            all.push_back(always(s.argument, upper ? s.high : s.low));
            if (scalars.size() < 2 || all.size() > most_scalars) continue;
            std::string const& name = task.signature.arguments[s.argument].name;
            if (auto ok =
                    add(at.size, at.name + end + "`" + name + "`", test_origin::menu, {all.back()});
                !ok)
                return ok.error();
        }
        if (all.empty()) break;
        std::string const what =
            all.size() == 1 ? "`" + task.signature.arguments[scalars[0].argument].name + "`"
                            : "all scalars";
        if (auto ok = add(at.size, at.name + end + what, test_origin::menu, std::move(all)); !ok)
            return ok.error();
    }
    int count = 0;
    auto const add_sizes = [&](std::vector<problem_size> const& found,
                               std::string const& what) -> result<void> {
        for (problem_size const& size : found)
            if (auto ok = add(size, what + std::to_string(++count), test_origin::hidden_size, {});
                !ok)
                return ok;
        return {};
    };
    if (auto ok = add_sizes(related_sizes(task, seed, sizes), "hidden size, related extents "); !ok)
        return ok.error();
    if (auto ok = add_sizes(short_sizes(task, seed), "hidden size, short extent "); !ok)
        return ok.error();
    if (auto ok = add_sizes(long_sizes(task), "hidden size, long extent "); !ok) return ok.error();
    return tests;
}

} // namespace lkt
