// SPDX-License-Identifier: BSL-1.0
// The runs that a run in checked mode is made of.
#pragma once

#include <lkt/gpu/detail/host/agreement.hpp>
#include <lkt/gpu/detail/host/compile.hpp>
#include <lkt/gpu/detail/host/job.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace lkt::host_detail {

/// How one of them goes.
struct run_kind {
    run_order order = run_order::forward;
    bool races = false;          ///< look for data races
    std::uint32_t subgroup = 32; ///< invocations of one, in WGSL
};

/// Three orders of blocks and threads, whose outputs have to agree; one in which data races are
/// looked for; and for WGSL with subgroups both once more with small ones.
class checked_runs {
public:
    using one_run = std::function<result<run_outcome>(
        compiled_module const&, run_request const&, run_kind const&)>;

    checked_runs(compiled_module const& module, signature const& s, one_run one)
        : module_(module), signature_(s), one_(std::move(one)) {}

    [[nodiscard]] result<run_outcome> run(run_request request) {
        request.warmups = 0;
        if (request.keep.empty()) request.keep = {0};
        std::optional<run_report> first;
        for (auto const order : {run_order::forward, run_order::reverse, run_order::shuffled}) {
            auto outcome = one_(module_, request, {order});
            if (!outcome) return outcome.error();
            auto* const report = std::get_if<run_report>(&*outcome);
            if (report == nullptr) return outcome;
            auto const with = std::string{"between two orders (forward, "} + to_string(order) +
                              "); is a " + (module_.wgsl ? "workgroupBarrier" : "__syncthreads") +
                              " or an atomic missing?";
            if (!first)
                first = std::move(*report);
            else if (auto what = differs(*first, *report, request, module_.atomics, with))
                return disagreed(std::move(*what), request);
        }
        if (auto outcome = race_run(request)) return std::move(*outcome);
        if (module_.subgroups)
            if (auto outcome = small_subgroups(request, *first)) return std::move(*outcome);
        return run_outcome{std::move(*first)};
    }

private:
    using perhaps = std::optional<result<run_outcome>>; ///< a failure, an error, or nothing
    static constexpr std::uint32_t small_subgroup = 8;

    [[nodiscard]] std::optional<std::string> differs(run_report const& a,
                                                     run_report const& b,
                                                     run_request const& request,
                                                     bool atomics,
                                                     std::string const& with) const {
        return disagreement(a, b, request, signature_, atomics, module_.wgsl, with);
    }

    /// With the accesses that are to blame, if they can be found.
    [[nodiscard]] result<run_outcome> disagreed(std::string what, run_request const& request) {
        auto outcome = race_run(request);
        if (outcome && !*outcome) return outcome->error();
        auto const* const no = outcome ? &std::get<failure>(**outcome) : nullptr;
        if (no != nullptr && std::holds_alternative<race>(*no))
            what += "; " + std::get<race>(*no).what;
        return run_outcome{failure{race{std::move(what)}}};
    }

    /// Looks for data races. What keeps it from its end is an answer as well: a kernel that ends as
    /// it should in three runs and not in this one has not been checked.
    [[nodiscard]] perhaps race_run(run_request const& request, std::uint32_t subgroup = 32) {
        if (!module_.races) return {};
        auto outcome = one_(*module_.races, request, {run_order::forward, true, subgroup});
        if (outcome && std::holds_alternative<run_report>(*outcome)) return {};
        return outcome;
    }

    /// How many invocations make a subgroup is the device's choice, and no kernel's: with fewer of
    /// them it has to compute the same, but for the order of sums, and without a race.
    [[nodiscard]] perhaps small_subgroups(run_request const& request, run_report const& first) {
        auto outcome = one_(module_, request, {run_order::forward, false, small_subgroup});
        if (!outcome) return outcome;
        auto const size = std::to_string(small_subgroup) + " invocations";
        std::optional<std::string> what;
        if (auto const* const report = std::get_if<run_report>(&*outcome))
            what = differs(first,
                           *report,
                           request,
                           true,
                           "between subgroups of 32 and of " + size +
                               "; take their number from @builtin(subgroup_size)");
        else if (auto const& no = std::get<failure>(*outcome);
                 std::holds_alternative<timed_out>(no))
            return outcome;
        else
            what = "with subgroups of " + size + ": " + describe(no);
        if (!what) return race_run(request, small_subgroup);
        return result<run_outcome>{
            run_outcome{failure{race{std::move(*what), verdict::portability}}}};
    }

    compiled_module const& module_;
    signature const& signature_;
    one_run one_;
};

} // namespace lkt::host_detail
