// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/checked_run.hpp>

#include <cstddef>
#include <optional>
#include <stop_token>
#include <utility>
#include <variant>

namespace lkt::cuda_detail {

std::string also(std::string text, std::string const& more) {
    return text.empty() || more.empty() ? std::move(text) + more : std::move(text) + "; " + more;
}

bool go_together(kernel_run const& first, kernel_run const& second) {
    return first.kernel.checked && !first.kernel.stands_in && first.kernel.handle != nullptr &&
           first.kernel.handle == second.kernel.handle;
}

namespace checked_parts {

/// Whether nothing that the sanitizer says can change it.
bool is_final(result<run_outcome> const& on_cpu) {
    return on_cpu ? std::holds_alternative<failure>(*on_cpu)
                  : on_cpu.error().kind != condition::unavailable;
}

/// `on_cpu`: null, where the text does not compile for it.
result<run_outcome>
outcome_of_both(result<run_outcome>* on_cpu, result<run_outcome> watched, run_request const& of) {
    if (on_cpu != nullptr && is_final(*on_cpu)) return std::move(*on_cpu);
    bool const passed = on_cpu != nullptr && on_cpu->has_value();
    std::string const unchecked = on_cpu == nullptr ? ""
                                  : passed          ? std::get<run_report>(**on_cpu).unchecked
                                                    : on_cpu->error().message;
    if (!watched && watched.error().kind == condition::unavailable) {
        if (!passed)
            return error{condition::unavailable,
                         watched.error().code,
                         also(unchecked, watched.error().message),
                         watched.error().hint};
        run_report report;
        report.unchecked = also(watched.error().message, unchecked);
        // The CPU rounds differently: its outputs are not for comparison.
        for (int const launch : of.keep) report.kept.push_back({launch, true, {}});
        return run_outcome(std::move(report));
    }
    if (watched)
        if (auto* const report = std::get_if<run_report>(&*watched))
            report->unchecked = also(std::move(report->unchecked), unchecked);
    return watched;
}

} // namespace checked_parts

std::vector<result<run_outcome>> run_checked(sanitizer_settings how,
                                             device_detail::stand_in& checker,
                                             compiled_kernel const& kernel,
                                             std::span<run_request const> requests,
                                             call_context const& context) {
    using namespace checked_parts;
    auto const& program = *static_cast<checked_program const*>(kernel.handle.get());
    how.own_barriers = program.own_barriers;
    std::stop_source ending; // where the CPU has found something in each
    std::stop_callback const forward(context.stop, [&] { ending.request_stop(); });
    auto sanitized = started(side_by_side(requests), [&, stop = ending.get_token()] {
        return run_sanitized(how, kernel, requests, {stop, {}});
    });
    std::vector<result<run_outcome>> on_cpu;
    std::size_t over = 0;
    if (program.on_cpu)
        for (run_request const& request : requests) {
            on_cpu.push_back(checker.run(*program.on_cpu, request, context));
            over += is_final(on_cpu.back());
        }
    if (over == requests.size()) {
        ending.request_stop(); // the future waits for its end
        return on_cpu;
    }
    auto watched = sanitized.get();
    std::vector<result<run_outcome>> all;
    for (std::size_t k = 0; k < requests.size(); ++k)
        all.push_back(outcome_of_both(
            on_cpu.empty() ? nullptr : &on_cpu[k], std::move(watched[k]), requests[k]));
    return all;
}

} // namespace lkt::cuda_detail
