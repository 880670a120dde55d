// SPDX-License-Identifier: BSL-1.0
// The runs that a run in checked mode is made of.
#pragma once

#include <lkt/gpu/detail/host/agreement.hpp>
#include <lkt/gpu/detail/host/compile.hpp>
#include <lkt/gpu/detail/host/host_job.hpp>
#include <lkt/gpu/detail/host/module.hpp>
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
    std::uint32_t otherwise = 0; ///< `open_choice`s that are made the other way
    bool blocks_forward = false; ///< `order` is that of threads alone
    bool turns = false;          ///< threads take turns at atomics and volatile stores
    bool leftovers = false;      ///< blocks find in shared memory what those before have left
};

/// Three orders of blocks and threads, whose outputs have to agree, and in one of which blocks find
/// in shared memory what those before have left; one in which data races are looked for, and one
/// more in which threads take turns at atomics; for WGSL with subgroups both once more with small
/// ones; and both with the other choices, where one was met of those that WGSL leaves to the
/// implementation.
class checked_runs {
public:
    using one_run = std::function<result<run_outcome>(
        compiled_module const&, run_request const&, run_kind const&, std::uint32_t& met)>;

    checked_runs(compiled_module const& module, signature const& s, one_run one)
        : module_(module), signature_(s), one_(std::move(one)) {}

    [[nodiscard]] result<run_outcome> run(run_request request) {
        request.warmups = 0;
        if (request.keep.empty()) request.keep = {0};
        std::optional<run_report> first;
        for (auto const order : {run_order::forward, run_order::reverse, run_order::shuffled}) {
            run_kind kind{order};
            kind.leftovers = order == run_order::reverse && !module_.wgsl;
            auto outcome = first ? in_order(request, kind, *first) : one(module_, request, kind);
            if (!outcome) return outcome.error();
            auto* const report = std::get_if<run_report>(&*outcome);
            if (report == nullptr) return outcome;
            if (!first) {
                first = std::move(*report);
                if (!first->unchecked.empty()) leave_out(first->unchecked);
            } else if (differs(*first, *report, request, module_.atomics, ""))
                return disagreed(*first, *report, request, kind);
        }
        if (auto outcome = race_run(request, {}, &*first)) return std::move(*outcome);
        if (auto outcome = turns_run(request)) return std::move(*outcome);
        if (module_.subgroups)
            if (auto outcome = small_subgroups(request, *first)) return std::move(*outcome);
        if (auto outcome = other_choices(request, *first)) return std::move(*outcome);
        first->unchecked = std::move(unchecked_);
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

    void leave_out(std::string why) {
        unchecked_ += (unchecked_.empty() ? "" : "; ") + std::move(why);
    }

    /// Long enough, where a run of another kind took so long, to tell that this one does not end.
    [[nodiscard]] static seconds much_longer(run_request const& request, run_report const& other) {
        seconds const limit = request.time_limit;
        seconds const usual = other.samples.empty() ? limit : other.samples.front();
        return std::min(limit, std::max(seconds{2}, 20 * usual));
    }

    /// A kernel whose blocks wait for those before them ends in forward order alone, as on a GPU,
    /// which begins blocks in that order. What takes much longer than forward may be one: then only
    /// threads have another order.
    [[nodiscard]] result<run_outcome>
    in_order(run_request request, run_kind kind, run_report const& first) {
        auto const limit = request.time_limit;
        if (module_.polls) request.time_limit = much_longer(request, first);
        auto outcome = one(module_, request, kind);
        auto const* const no = outcome ? std::get_if<failure>(&*outcome) : nullptr;
        if (!module_.polls || no == nullptr || !std::holds_alternative<timed_out>(*no))
            return outcome;
        request.time_limit = limit;
        kind.blocks_forward = true;
        outcome = one(module_, request, kind);
        if (outcome && std::holds_alternative<run_report>(*outcome))
            leave_out("its blocks were run in forward order only: in another one they wait for "
                      "ever");
        return outcome;
    }

    /// With the accesses that are to blame, if they can be found.
    [[nodiscard]] result<run_outcome> disagreed(run_report const& first,
                                                run_report const& other,
                                                run_request const& request,
                                                run_kind kind) {
        auto const how = [&](run_report const& report, std::string const& with) {
            return differs(first, report, request, module_.atomics, with);
        };
        if (std::exchange(kind.leftovers, false)) {
            auto const filled = in_order(request, kind, first);
            auto const* const report = filled ? std::get_if<run_report>(&*filled) : nullptr;
            if (report != nullptr && !how(*report, ""))
                return run_outcome{failure{
                    race{*how(other,
                              "where a block finds in shared memory what another one has left; is "
                              "something read that was not written?"),
                         verdict::nondeterminism}}};
        }
        std::string what = *how(
            other,
            std::string{"between two orders (forward, "} + to_string(kind.order) + "); is a " +
                (module_.wgsl ? "workgroupBarrier" : "__syncthreads") + " or an atomic missing?");
        auto outcome = race_run(request, {});
        if (outcome && !*outcome) return outcome->error();
        auto const* const no = outcome ? &std::get<failure>(**outcome) : nullptr;
        if (no != nullptr && std::holds_alternative<race>(*no))
            what += "; " + std::get<race>(*no).what;
        return run_outcome{failure{race{std::move(what)}}};
    }

    /// Looks for data races. What keeps it from its end is an answer as well: a kernel that ends as
    /// it should in three runs and not in this one has not been checked.
    [[nodiscard]] perhaps
    race_run(run_request const& request, run_kind kind, run_report const* first = nullptr) {
        if (!module_.races) return {};
        kind.races = true;
        auto outcome = one(*module_.races, request, kind);
        auto* const report = outcome ? std::get_if<run_report>(&*outcome) : nullptr;
        if (report == nullptr) return outcome;
        if (!report->unchecked.empty()) leave_out(std::move(report->unchecked));
        if (first == nullptr || module_.wgsl) return {};
        // Another build, so that fast mathematics may round otherwise.
        auto what = differs(*first,
                            *report,
                            request,
                            true,
                            "where shared memory and local variables hold something else before "
                            "they are written: is something read that was not written?");
        watched_ = std::move(*report);
        if (!what) return {};
        return result<run_outcome>{
            run_outcome{failure{race{std::move(*what), verdict::nondeterminism}}}};
    }

    /// A thread that reads what others change by atomics, and then changes it by an atomic of what
    /// it read, loses what they did meanwhile. In every order of threads that run one after the
    /// other it loses nothing.
    [[nodiscard]] perhaps turns_run(run_request request) {
        if (!module_.races || !module_.polls || module_.wgsl || !watched_) return {};
        request.time_limit = much_longer(request, *watched_);
        run_kind kind;
        kind.races = kind.turns = true;
        auto outcome = one(*module_.races, request, kind);
        auto* const report = outcome ? std::get_if<run_report>(&*outcome) : nullptr;
        if (report == nullptr) {
            if (outcome && std::holds_alternative<timed_out>(std::get<failure>(*outcome))) {
                leave_out("not run with threads in turns, which takes too long");
                return {};
            }
            return outcome;
        }
        auto what = differs(*watched_,
                            *report,
                            request,
                            true,
                            "where threads take turns before atomics and volatile stores; is "
                            "something read that another thread changes before it is used?");
        if (!what) return {};
        return result<run_outcome>{run_outcome{failure{race{std::move(*what)}}}};
    }

    /// How many invocations make a subgroup is the device's choice, and no kernel's: with fewer of
    /// them it has to compute the same, but for the order of sums, and without a race.
    [[nodiscard]] perhaps small_subgroups(run_request const& request, run_report const& first) {
        run_kind const kind{run_order::forward, false, small_subgroup};
        auto const size = std::to_string(small_subgroup) + " invocations";
        auto outcome = as_first(request,
                                first,
                                kind,
                                "between subgroups of 32 and of " + size +
                                    "; take their number from @builtin(subgroup_size)",
                                "with subgroups of " + size);
        return outcome ? outcome : race_run(request, kind);
    }

    /// What an implementation may choose, it may choose otherwise than the translation does: also
    /// then the kernel has to compute the same, and without a race. Of fma alone only the latter,
    /// since its result is rounded otherwise. All combinations of what was met, so that one choice
    /// does not undo what another one does.
    [[nodiscard]] perhaps other_choices(run_request const& request, run_report const& first) {
        for (std::uint32_t choices = 1; choices <= every_open_choice; ++choices) {
            if ((choices & met_) != choices) continue;
            run_kind kind{run_order::forward, false, 32, choices};
            auto const where =
                "where " + in_words(choices) + ", which WGSL leaves to the implementation";
            if ((choices & fma_rounds) == 0)
                if (auto outcome = as_first(request, first, kind, where, where);
                    outcome && !shows_noise(request, first))
                    return outcome;
            for (auto const size : {kind.subgroup, small_subgroup}) {
                kind.subgroup = size;
                auto outcome = race_run(request, kind);
                if (outcome) return explained(std::move(*outcome), "; it is there " + where);
                if (!module_.subgroups) break;
            }
        }
        return {};
    }
    /// Whether outputs show what lay in them before the launch, some of which is a NaN. That is
    /// what is wrong with the kernel then, and others see it.
    [[nodiscard]] bool shows_noise(run_request request, run_report const& first) {
        ++request.poison_seed;
        auto const outcome = one(module_, request, {});
        auto const* const report = outcome ? std::get_if<run_report>(&*outcome) : nullptr;
        return report != nullptr && differs(first, *report, request, true, "");
    }
    [[nodiscard]] static std::string in_words(std::uint32_t choices) {
        std::string text;
        auto const add = [&](open_choice one, char const* words) {
            if ((choices & one) != 0) text += (text.empty() ? "" : ", and ") + std::string{words};
        };
        add(outside_reads, "an index outside of an array means the last element instead of none");
        add(fma_rounds, "fma rounds twice");
        add(nan_comparisons, "comparisons assume that there are no NaNs");
        add(nan_results, "min, max and conversions treat NaNs differently");
        return text;
    }
    [[nodiscard]] static result<run_outcome> explained(result<run_outcome> outcome,
                                                       std::string const& how) {
        if (outcome)
            if (auto* const no = std::get_if<failure>(&*outcome))
                if (auto* const found = std::get_if<race>(no)) found->what += how;
        return outcome;
    }

    /// Nothing if it computes the same as at first, but for the order of sums; else a failure.
    [[nodiscard]] perhaps as_first(run_request const& request,
                                   run_report const& first,
                                   run_kind const& kind,
                                   std::string const& between,
                                   std::string const& where) {
        auto outcome = one(module_, request, kind);
        if (!outcome) return outcome;
        std::optional<std::string> what;
        if (auto const* const report = std::get_if<run_report>(&*outcome))
            what = differs(first, *report, request, true, between);
        else if (auto const& no = std::get<failure>(*outcome);
                 std::holds_alternative<timed_out>(no))
            return outcome;
        else
            what = where + ": " + describe(no);
        if (!what) return {};
        return result<run_outcome>{
            run_outcome{failure{race{std::move(*what), verdict::portability}}}};
    }

    [[nodiscard]] result<run_outcome>
    one(compiled_module const& module, run_request const& request, run_kind const& kind) {
        std::uint32_t met = 0;
        auto outcome = one_(module, request, kind, met);
        met_ |= met;
        return outcome;
    }

    compiled_module const& module_;
    signature const& signature_;
    one_run one_;
    std::optional<run_report> watched_; ///< of the look for races
    std::string unchecked_;             ///< what was left out
    std::uint32_t met_ = 0;             ///< `open_choice`s, in any run so far
};

} // namespace lkt::host_detail
