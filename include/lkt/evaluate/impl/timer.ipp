// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/timer.hpp>

#include <lkt/evaluate/evaluation_setup.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace detail {

/// What arguments of timed launches may take together: on a device as well as here, where the
/// kernel's own buffers and those for restoring them come on top.
bytes max_ring_bytes(device_description const& device) {
    constexpr std::uint64_t most = std::uint64_t{2} << 30;
    std::uint64_t const memory = device.memory.count;
    return bytes{memory == 0 ? most : std::min(most, memory / 4)};
}

} // namespace detail

result<void>
backend_timer::take(evaluation_setup const& in, trial& t, timed_series const& series) const {
    auto const timed_on = tests_like_the_timed(in.suite, detail::max_ring_bytes(in.device));
    prepared_test const& test = in.suite.tests.front();
    run_request request;
    request.dimensions = t.dimensions;
    request.arguments = test.test.arguments;
    request.directions = in.suite.directions;
    request.warmups = series.warmups;
    request.launches = series.launches;
    request.sampling = series.sampling;
    request.keep =
        in.options.verify
            ? launches_to_keep(series.pattern, certain_launches(request), series.launches)
            : std::vector<int>{};
    request.poison_seed = series.pattern;
    for (std::size_t k = 1; in.options.verify && k < timed_on.size(); ++k) {
        prepared_test const& other = in.suite.tests[timed_on[k]];
        request.ring.push_back({other.test.arguments, other.arguments_id, other.expectation()});
    }
    // What a kernel kept of the launches that verified it is gone when it is timed, and now and
    // then between two series. Without variables there is nothing that it could keep.
    bool const state = t.compiled.writable_bytes.value_or(1) != 0;
    request.fresh = (state && t.time.samples.size() < 2) || series.pattern >> 62 == 0;
    request.contents = test.arguments_id;
    if (in.options.verify) request.expected = test.expectation();
    request.time_limit =
        in.options.launch_limit.count() > 0 ? in.options.launch_limit : launch_limit(test);
    auto ran = in.gpu.run(t.compiled, request, in.context);
    if (!ran) return ran.error();
    if (auto* why = std::get_if<failure>(&*ran)) {
        name_test(*why, test.test);
        t.failed = std::move(*why);
        return {};
    }
    auto& report = std::get<run_report>(*ran);
    auto const fresh = ask_fresh(in.gpu,
                                 t.compiled,
                                 in.task,
                                 in.suite,
                                 t.dimensions,
                                 request.poison_seed,
                                 request.time_limit,
                                 in.context);
    auto wrong = check_outputs(in.task, in.suite, timed_on, request.keep, report, fresh);
    if (!wrong) return wrong.error();
    if (*wrong) {
        t.failed = std::move(**wrong);
        return {};
    }
    t.time.samples.insert(t.time.samples.end(), report.samples.begin(), report.samples.end());
    if (!report.timing.empty()) t.timing = report.timing;
    if (report.occupancy > 0) t.occupancy = report.occupancy;
    return {};
}

timer_ref::timer_ref()
    : take_([](void const* of, evaluation_setup const& in, trial& t, timed_series const& s) {
          return static_cast<backend_timer const*>(of)->take(in, t, s);
      }) {
    static constexpr backend_timer standard{};
    timer_ = &standard;
}

} // namespace lkt
