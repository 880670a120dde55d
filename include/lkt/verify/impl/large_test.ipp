// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/large_test.hpp>

#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/random.hpp>
#include <lkt/verify/timed_size.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace lkt::detail {

result<std::optional<test_case>> large_test(gpu_ref backend,
                                            problem const& task,
                                            call_context const& context,
                                            large_test_options const& options) {
    std::optional<test_case> none;
    if (task.size_constraints.empty() || task.size.empty()) return none;
    auto const usual = elements_at(task, task.size);
    if (!usual || *usual > std::uint64_t{1} << 24) return none;
    problem sized = task;
    if (auto const most = largest_extent(task); most < std::int64_t{1} << 40)
        sized.size_constraints.push_back(
            expression::parse("max(ProblemSize) <= " + std::to_string(most)).value());
    auto const device = backend.device(context);
    if (!device) return device.error();
    auto const found = timed_size(backend,
                                  sized,
                                  context,
                                  {.min_time = options.launch / 3,
                                   .max_time = options.launch,
                                   .memory = options.memory,
                                   .seed = options.seed,
                                   .compile_limit = options.compile_limit,
                                   .launch_limit = options.launch_limit,
                                   .rate = device->simulated ? 0x1p30 : 0x1p40});
    if (!found && found.error().kind == condition::cancelled) return found.error();
    // The original does not run, which others say.
    if (!found || elements_at(task, found->size).value_or(0) <= *usual) return none;
    int doubled = 0;
    for (std::size_t d = 0; d < task.size.size(); ++d)
        for (std::int64_t n = task.size[d].second; n < found->size[d].second; n *= 2) ++doubled;
    // A narrow float holds many multiples of a power of two, and few other whole numbers.
    constexpr std::uint32_t number = first_corner_test - 1;
    random_stream const chance{options.seed, number, 0};
    problem_size odd = found->size;
    for (std::size_t d = 0; d < odd.size(); ++d)
        odd[d].second -= std::min<std::int64_t>(
            odd[d].second - 1, 1 + 2 * static_cast<std::int64_t>(below(8, chance.bits(d))));
    auto test = inputs_at(task,
                          fair_size(task, odd) ? odd : found->size,
                          {options.seed, number, options.memory, {}},
                          context);
    if (!test) return test.error();
    // Another kind of device comes to another size.
    test->name = "hidden size, extents doubled " + std::to_string(doubled) + " times";
    test->origin = test_origin::large_size;
    test->for_finalists = true;
    return std::optional(std::move(*test));
}

} // namespace lkt::detail
