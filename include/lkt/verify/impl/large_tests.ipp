// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/large_tests.hpp>

#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/long_tests.hpp>
#include <lkt/verify/random.hpp>
#include <lkt/verify/timed_size.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

namespace large_parts {

/// The fair size that doubling reaches; nothing where there is none that is larger.
result<std::optional<problem_size>> doubled(gpu_ref backend,
                                            problem const& task,
                                            call_context const& context,
                                            large_test_options const& options,
                                            double rate) {
    std::optional<problem_size> none;
    auto const found = timed_size(backend,
                                  task,
                                  context,
                                  {.min_time = options.launch / 3,
                                   .max_time = options.launch,
                                   .memory = options.memory,
                                   .seed = options.seed,
                                   .compile_limit = options.compile_limit,
                                   .launch_limit = options.launch_limit,
                                   .rate = rate});
    if (!found && found.error().kind == condition::cancelled) return found.error();
    // The original does not run, which others say.
    if (!found ||
        elements_at(task, found->size).value_or(0) <= elements_at(task, task.size).value_or(0))
        return none;
    return std::optional(found->size);
}

/// With the largest fair extent from `size` on, up to `most`: constraints end there as a rule.
problem_size at_the_end(problem const& task, problem_size size, std::size_t d, std::int64_t most) {
    std::int64_t low = size[d].second, high = most + 1;
    while (high - low > 1) {
        std::int64_t const middle = low + (high - low) / 2;
        size[d].second = middle;
        (fair_size(task, size) ? low : high) = middle;
    }
    size[d].second = low;
    return size;
}

/// The problem with one extent that may grow, while the others are at most `few`; nothing where
/// that is not fair.
std::optional<problem> growing_alone(problem task, std::size_t extent, std::int64_t few) {
    for (std::size_t d = 0; d < task.size.size(); ++d) {
        if (d == extent) continue;
        std::int64_t const most = std::min(task.size[d].second, few);
        task.size[d].second = most;
        task.size_constraints.push_back(
            expression::parse("ProblemSize[" + std::to_string(d) + "] <= " + std::to_string(most))
                .value());
    }
    if (!fair_size(task, task.size)) return std::nullopt;
    return task;
}

/// Whether floats decide integers, and there are no more of these where that extent is longer: it
/// counts what is chosen from.
bool chooses(problem const& task, problem_size const& size, std::size_t extent) {
    bool all = decides(task);
    for (std::size_t k = 0; all && k < task.arguments.size(); ++k) {
        if (!task.signature.arguments[k].pointer || task.flow(k) == direction::in) continue;
        auto const count = task.arguments[k].count.evaluate_integer(scope_of(size, {}));
        all = count && *count < size[extent].second;
    }
    return all;
}

/// How a size becomes a test.
struct placing {
    bool alone = false; ///< one extent has grown
    bool exact = false; ///< the size is not moved
    std::vector<input_fill> fills{};
};

} // namespace large_parts

result<std::vector<test_case>> large_tests(gpu_ref backend,
                                           problem const& task,
                                           call_context const& context,
                                           large_test_options const& options) {
    using namespace large_parts;
    std::vector<test_case> tests;
    if (task.size_constraints.empty() || task.size.empty()) return tests;
    auto const usual = elements_at(task, task.size);
    if (!usual || *usual > std::uint64_t{1} << 24) return tests;
    problem sized = task;
    if (auto const most = largest_extent(task); most < std::int64_t{1} << 40)
        sized.size_constraints.push_back(
            expression::parse("max(ProblemSize) <= " + std::to_string(most)).value());
    auto const device = backend.device(context);
    if (!device) return device.error();
    std::uint32_t number = first_threshold_test - 64;
    auto const add = [&](problem_size const& size,
                         problem const& growing,
                         placing const& how,
                         std::string name) -> result<void> {
        // A narrow float holds many multiples of a power of two, and few other whole numbers. What
        // grew alone stays beyond the power that it has come to, where that is fair.
        random_stream const chance{options.seed, ++number, 0};
        auto const moved = [&](std::int64_t sign) {
            problem_size odd = size;
            for (std::size_t d = 0; d < odd.size(); ++d)
                if (size[d].second > growing.size[d].second)
                    odd[d].second +=
                        sign * (1 + 2 * static_cast<std::int64_t>(below(8, chance.bits(d))));
            return odd;
        };
        auto odd = moved(how.alone ? 1 : -1);
        if (how.alone && !fair_size(growing, odd)) odd = moved(-1);
        if (how.exact || !fair_size(growing, odd)) odd = size;
        auto test = inputs_at(
            task, odd, {options.seed, number, {4 * options.memory.count}, how.fills}, context);
        if (!test) return test.error();
        test->name = "hidden size, " + std::move(name);
        test->origin = how.alone ? test_origin::grown_extent : test_origin::large_size;
        test->for_finalists = true;
        tests.push_back(std::move(*test));
        return {};
    };
    double const rate = device->simulated ? 0x1p30 : 0x1p40;
    auto const all = doubled(backend, sized, context, options, rate);
    if (!all) return all.error();
    if (*all) {
        int times = 0;
        for (std::size_t d = 0; d < task.size.size(); ++d)
            for (std::int64_t n = task.size[d].second; n < (**all)[d].second; n *= 2) ++times;
        // Another kind of device comes to another size.
        auto const name = "extents doubled " + std::to_string(times) + " times";
        if (auto ok = add(**all, sized, {}, name); !ok) return ok.error();
    }
    if (options.launch < seconds{0.1}) return tests; // it would take longer than the rest
    large_test_options part = options, whole = options;
    part.launch /= 4;
    part.memory.count = std::min(part.memory.count, std::uint64_t{15} << 20);
    // Beyond 2^24, which a float and 24 bits count to: with twice the work.
    whole.memory.count *= 2;
    constexpr std::int64_t counted_by_float = std::int64_t{1} << 24;
    bool const there = task.size.size() == 1 && *all && (**all).front().second > counted_by_float;
    for (std::size_t d = 0; !there && d < task.size.size(); ++d) {
        auto const bounded = [&](std::int64_t few) {
            auto made = growing_alone(sized, d, few);
            if (made)
                made->size_constraints.push_back(
                    expression::parse("ProblemSize[" + std::to_string(d) + "] <= 2**25 + 16")
                        .value());
            return made;
        };
        auto const alone = bounded(2);
        if (!alone) continue;
        auto const size = doubled(backend, *alone, context, whole, 2 * rate);
        if (!size) return size.error();
        if (!*size) continue;
        auto const name = "extent " + std::to_string(d + 1) + " grown alone";
        if (auto ok = add(**size, *alone, {.alone = true}, name); !ok) return ok.error();
        std::size_t const usual_values = tests.size() - 1;
        for (std::size_t which = 0; chooses(task, **size, d) && which < matching_kinds; ++which) {
            test_case matching = tests[usual_values];
            matching.name += ", one row matches " + std::to_string(which + 1);
            if (one_matches(task, matching, d, which, options.seed))
                tests.push_back(std::move(matching));
        }
        // What a block computes with its own rows: indices in it, and elements that it counts.
        auto const block = bounded(128);
        bool const more = block && block->size != alone->size;
        auto const rows = more ? doubled(backend, *block, context, whole, 2 * rate) : size;
        if (!rows) return rows.error();
        if (more && *rows && elements_at(task, **rows).value_or(0) >= std::uint64_t{1} << 22)
            if (auto ok = add(**rows, *block, {.alone = true}, name + " beside a block"); !ok)
                return ok.error();
        // Where constraints alone end it, rows as long as they allow, all full.
        constexpr std::int64_t far = std::int64_t{1} << 25;
        if ((**size)[d].second <= far / 2 && elements_at(task, **size).value_or(far) < far / 8)
            for (std::int64_t const before : {2, 1, 0}) {
                problem_size longest = **size;
                std::int64_t const others = before == 0 ? 1 : 2;
                for (auto& [its_name, extent] : longest) extent = std::min(extent, others);
                longest[d] = (**size)[d];
                if (!fair_size(task, longest)) continue;
                longest = at_the_end(sized, longest, d, far);
                if (before == 2) --longest[d].second;
                if (elements_at(task, longest).value_or(far) >= far / 2 ||
                    !fair_size(task, longest))
                    continue;
                auto const what = name + " to its end, " + std::to_string(3 - before);
                placing const exact{true, true, full_inputs(task, longest, before == 0)};
                if (auto ok = add(longest, *alone, exact, what); !ok) return ok.error();
            }
        auto const less = doubled(backend, *alone, context, part, rate);
        if (!less) return less.error();
        if (!*less) continue;
        auto const its = name + ", one value stands out";
        if (auto ok = add(**less, *alone, {.alone = true}, its); !ok) return ok.error();
        if (!stand_out(task, tests.back(), d, options.seed)) tests.pop_back();
    }
    return tests;
}

} // namespace lkt::detail
