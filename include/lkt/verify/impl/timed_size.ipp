// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/timed_size.hpp>

#include <lkt/verify/detail/launching.hpp>

#include <lkt/core/secret_stream.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/test_check.hpp>
#include <lkt/verify/tolerance.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace detail {

/// What the problem says of it; 0 where that is nothing.
double stated_work(problem const& task, problem_size const& size) {
    if (!task.work.operations) return 0;
    auto const stated = task.work.operations->evaluate_integer(scope_of(size, {}));
    return stated ? static_cast<double>(*stated) : 0;
}

} // namespace detail

double counted_work(problem const& task, test_case const& test) {
    if (double const stated = detail::stated_work(task, test.size); stated > 0) return stated;
    double terms = 0;
    for (std::size_t k = 0; k < test.arguments.size(); ++k) {
        if (!test.arguments[k].buffer || task.flow(k) == direction::in) continue;
        auto const lanes = static_cast<double>(test.arguments[k].lanes());
        terms += lanes * reduction_length(task, test, lanes);
    }
    return terms;
}

} // namespace lkt

namespace lkt::detail {

namespace timing_parts {

error original_failed(problem const& task, std::string const& what, failure const& why) {
    return {condition::rejected,
            "lkt.verify.reference",
            "the original kernel " + task.signature.name + " " + what + ": " + describe(why),
            "No size can be chosen before the original runs: correct it, or the problem."};
}

/// What a kernel takes at a size: the fastest of three launches, since a busy machine only adds. If
/// operations are counted, one launch is enough that does not take much longer than they do.
class stopwatch {
public:
    stopwatch(gpu_ref backend,
              problem const& task,
              call_context const& context,
              timed_size_options const& options,
              configuration config)
        : backend_(backend), task_(task), context_(context), options_(options),
          config_(std::move(config)) {}

    [[nodiscard]] result<void> compile() {
        auto compiled = backend_.compile(
            request_for_original(task_, config_, options_.compile_limit), context_);
        if (!compiled) return compiled.error();
        if (auto const* f = std::get_if<failure>(&*compiled))
            return original_failed(task_, "does not compile", *f);
        kernel_ = std::get<compiled_kernel>(std::move(*compiled));
        return {};
    }

    using time_or_failure = std::variant<seconds, failure>;
    [[nodiscard]] result<time_or_failure> operator()(problem_size const& size) const {
        auto const test = inputs_at(task_, size, {options_.seed, 0, options_.memory, {}}, context_);
        if (!test) return test.error();
        auto const dimensions = task_.launch.evaluate(scope_of(size, config_));
        if (!dimensions) return dimensions.error();
        std::vector<direction> directions;
        for (std::size_t k = 0; k < task_.arguments.size(); ++k)
            directions.push_back(task_.flow(k));
        run_request request;
        request.dimensions = *dimensions;
        request.arguments = test->arguments;
        request.directions = directions;
        request.launches = options_.rate > 0 ? 1 : 3;
        request.keep.clear();
        request.poison_seed = drawn(secret_of(options_.seed), "timed size");
        request.time_limit = options_.launch_limit;
        auto const took = fastest(request, size);
        if (!took || std::holds_alternative<failure>(*took) || !(options_.rate > 0)) return took;
        seconds const counted{counted_work(task_, *test) / options_.rate};
        if (std::get<seconds>(*took) / 2 <= counted) return time_or_failure(counted);
        request.launches = 3;
        auto const again = fastest(request, size);
        if (!again || std::holds_alternative<failure>(*again)) return again;
        return time_or_failure(std::max(counted, std::get<seconds>(*again) / 2));
    }

private:
    [[nodiscard]] result<time_or_failure> fastest(run_request const& request,
                                                  problem_size const& size) const {
        auto outcome = backend_.run(kernel_, request, context_);
        if (!outcome) return outcome.error();
        if (auto* f = std::get_if<failure>(&*outcome)) return time_or_failure(std::move(*f));
        auto const& samples = std::get<run_report>(*outcome).samples;
        if (samples.empty())
            return error{condition::unavailable,
                         "lkt.verify.report",
                         "the back end returned no times for the size " + to_string(size),
                         "This is a defect of the back end: please report it."};
        return time_or_failure(*std::min_element(samples.begin(), samples.end()));
    }

    gpu_ref backend_;
    problem const& task_;
    call_context const& context_;
    timed_size_options const& options_;
    configuration config_;
    compiled_kernel kernel_;
};

/// Twice or half an extent; nothing where that is no extent.
std::optional<std::int64_t> scaled(std::int64_t extent, bool up) {
    if (up)
        return extent > std::int64_t{1} << 40 ? std::nullopt
                                              : std::optional<std::int64_t>(2 * extent);
    return extent < 2 ? std::nullopt : std::optional<std::int64_t>(extent / 2);
}

/// The next sizes to try, the preferred one first: all extents scaled, then each alone, the largest
/// last, since a matrix should not become a vector.
std::vector<problem_size> next_sizes(problem_size const& size, bool up) {
    std::vector<problem_size> next;
    problem_size all = size;
    bool possible = true;
    for (auto& [name, extent] : all) {
        auto const s = scaled(extent, up);
        possible = possible && s.has_value();
        extent = s.value_or(extent);
    }
    if (possible) next.push_back(all);
    if (size.size() < 2) return next;
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < size.size(); ++d) order.push_back(d);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        auto const x = size[a].second, y = size[b].second;
        return x == y ? a < b : up ? x < y : x > y;
    });
    for (std::size_t const d : order)
        if (auto const s = scaled(size[d].second, up)) {
            next.push_back(size);
            next.back()[d].second = *s;
        }
    return next;
}

bool fits(problem const& task, problem_size const& size, bytes memory) {
    auto const scope = scope_of(size, {});
    double sum = 0;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& a = task.signature.arguments[k];
        if (!a.pointer) continue;
        auto const count = task.arguments[k].count.evaluate_integer(scope);
        if (!count) return false;
        sum += static_cast<double>(*count) * static_cast<double>(a.type.bytes());
    }
    return sum <= static_cast<double>(memory.count);
}

/// Where steps up come to by what the problem says of its work, without a launch: where a launch
/// takes long enough, or has 64 times as much to do as one at `size`, or before there is no further
/// step.
problem_size leap(problem const& task, problem_size size, timed_size_options const& options) {
    double const most = 64 * stated_work(task, size);
    for (double work = 0; work < most && work / options.rate < options.min_time.count();) {
        auto const next = next_sizes(size, true);
        auto const found = std::ranges::find_if(next, [&](problem_size const& one) {
            return fair_size(task, one) && fits(task, one, options.memory);
        });
        if (found == next.end()) break;
        size = *found;
        work = stated_work(task, size);
        if (work <= 0) break;
    }
    return size;
}

} // namespace timing_parts

result<sized_launch> timed_size(gpu_ref backend,
                                problem const& task,
                                call_context const& context,
                                timed_size_options const& options) {
    using namespace timing_parts;
    if (auto ok = check_problem(task); !ok) return ok.error();
    configuration config;
    if (options.configuration) {
        config = *options.configuration;
    } else {
        auto usual = default_configuration(task);
        if (!usual) return usual.error();
        config = std::move(*usual);
    }
    stopwatch timer(backend, task, context, options, std::move(config));
    if (auto ok = timer.compile(); !ok) return ok.error();
    auto const first = timer(task.size);
    if (!first) return first.error();
    if (auto const* f = std::get_if<failure>(&*first))
        return original_failed(task, "fails at " + to_string(task.size), *f);

    sized_launch now{task.size, std::get<seconds>(*first), false, {}};
    auto const inside = [&] {
        return now.time >= options.min_time && now.time <= options.max_time;
    };
    bool const up = now.time < options.min_time;
    // As long as launches take what they are said to.
    bool leaps = up && options.rate > 0;
    for (int step = 1; !inside(); ++step) {
        if (up && now.time > options.max_time) {
            now.why = "one step more takes longer than the window";
            return now;
        }
        if (!up && now.time < options.min_time) {
            now.why = "one step less takes shorter than the window";
            return now;
        }
        if (step >= options.steps) {
            now.why = "no more sizes were to be tried";
            return now;
        }
        bool moved = false;
        auto const far = leaps ? leap(task, now.size, options) : now.size;
        if (far != now.size) {
            auto const time = timer(far);
            if (!time && time.error().kind == condition::cancelled) return time.error();
            auto const* const took = time ? std::get_if<seconds>(&*time) : nullptr;
            leaps =
                took != nullptr && took->count() * options.rate <= 1.01 * stated_work(task, far);
            if (leaps) {
                now.size = far;
                now.time = *took;
                continue;
            }
        }
        for (problem_size const& size : next_sizes(now.size, up)) {
            if (!fair_size(task, size) || !fits(task, size, options.memory)) continue;
            auto const time = timer(size);
            if (!time && time.error().kind == condition::cancelled) return time.error();
            // What is impossible there (memory, a launch) is no reason to give up what works.
            if (!time || std::holds_alternative<failure>(*time)) continue;
            now.size = size;
            now.time = std::get<seconds>(*time);
            moved = true;
            break;
        }
        if (!moved) {
            now.why = up ? "no larger size is valid, fits into memory and runs"
                         : "no smaller size is valid and runs";
            return now;
        }
    }
    now.inside = true;
    return now;
}

} // namespace lkt::detail
