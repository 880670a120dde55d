// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/vouch.hpp>

#include <lkt/kernel/signature.hpp>
#include <lkt/nodes/detail/bench.hpp>
#include <lkt/nodes/detail/finals.hpp>
#include <lkt/nodes/detail/refused_text.hpp>
#include <lkt/nodes/detail/try_configurations.hpp>
#include <lkt/search/space.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// A candidate on its way through the stages.
class voucher {
public:
    voucher(state_ref const& s,
            tools_ref const& tools,
            gpu_ref gpu,
            candidate const& k,
            vouch_options const& options)
        : s_(s), tools_(tools), kernel_(k), options_(options), bench_(gpu, tools, s) {}

    [[nodiscard]] result<verification> run() {
        static constexpr std::pair<std::string_view, result<void> (voucher::*)()> steps[] = {
            {"text", &voucher::text},
            {"tests", &voucher::tests},
            {"launches", &voucher::launches},
            {"properties", &voucher::properties},
            {"checked", &voucher::checked},
            {"configurations", &voucher::other_configurations},
        };
        auto const start = std::chrono::steady_clock::now();
        for (auto const& [name, run_step] : steps) {
            if (auto stopped = tools_.must_end(s_.usage)) return *stopped;
            tools_.report_progress(
                s_, activity::verifying, found_.stages.size(), std::size(steps), name);
            auto const began = std::chrono::steady_clock::now();
            found_.stages.push_back({std::string(name), stage_end::passed, {}, {}});
            auto ok = (this->*run_step)();
            if (!ok) return ok.error();
            verification_stage& stage = found_.stages.back();
            stage.spent = std::chrono::steady_clock::now() - began;
            if (found_.why) stage.end = stage_end::failed;
            if (found_.why) break;
        }
        found_.spent = std::chrono::steady_clock::now() - start;
        return std::move(found_);
    }

private:
    result<void> fail(failure why) {
        found_.verdict = verdict_of(why);
        if (auto const* wrong = std::get_if<wrong_output>(&why))
            for (prepared_test const& t : s_.tests.tests)
                if (t.test.name == wrong->test) found_.size = t.test.size;
        found_.why = std::move(why);
        return {};
    }
    void note(std::string text) { found_.stages.back().notes.push_back(std::move(text)); }
    void skip(std::string why) {
        found_.stages.back().end = stage_end::skipped;
        note(std::move(why));
    }
    /// A failure of the kernel ends the stage, an error the verification.
    result<void> conclude(result<std::optional<failure>> const& outcome) {
        if (!outcome) return outcome.error();
        return *outcome ? fail(**outcome) : result<void>();
    }

    result<void> text() {
        if (auto differs = check_signature(s_.task.signature, kernel_.source))
            return fail(std::move(*differs));
        std::vector<std::string> warnings;
        auto refused = refused_text(kernel_, s_.task, tools_.options.static_checks, warnings);
        for (std::string& w : warnings) note(std::move(w));
        if (refused) return fail(std::move(*refused));
        auto declared = find_kernel(kernel_.source, s_.task.signature.name);
        if (!declared) return declared.error();
        declared_ = std::move(*declared);
        auto space = make_space(kernel_, s_.task.size, tools_.options);
        if (auto const* why = std::get_if<failure>(&space)) return fail(*why);
        space_ = std::get<search_space>(std::move(space));
        return {};
    }

    /// In the first configuration that can be launched. A kernel that is offered in several need
    /// not fit the device in all of them.
    result<void> tests() {
        auto walk = space_->configurations();
        std::optional<failure> first;
        std::size_t tried = 0;
        while (auto config = walk.next()) {
            if (++tried > most_hopeless) break;
            auto built = bench_.build(kernel_, declared_, *config);
            if (!built) return built.error();
            std::optional<failure> why;
            if (auto* f = std::get_if<failure>(&*built)) {
                why = std::move(*f);
            } else {
                main_ = std::get<contestant>(std::move(*built));
                auto wrong = bench_.keeps_state(*main_);
                if (wrong && !*wrong) wrong = bench_.verify_all(*main_);
                if (!wrong) return wrong.error();
                why = std::move(*wrong);
            }
            found_.config = *config;
            if (!why) {
                ++found_.configurations;
                for (std::string& n : own_notes(*main_, s_)) note(std::move(n));
                return {};
            }
            if (!cannot_run(*why)) return named(std::move(*why));
            main_.reset();
            note("configuration " + configuration_words(*config) + ": " + describe(*why));
            if (!first) first = std::move(why);
        }
        return fail(std::move(*first));
    }

    /// A wrong output is what one sees; the checked mode may know why.
    result<void> named(failure why) {
        bool const open = std::holds_alternative<wrong_output>(why) && tools_.options.checked &&
                          s_.checked_mode && main_.has_value();
        if (!open) return fail(std::move(why));
        check_remark remark;
        auto const outcome = bench_.check(*main_, remark);
        if (!outcome) return outcome.error();
        bool const cause = *outcome && says_why(**outcome);
        if (cause) note("seen as: " + describe(why));
        return fail(cause ? **outcome : std::move(why));
    }

    /// Timed launches, some of which are compared: a kernel that is right when it is tested may be
    /// another one when it is timed.
    result<void> launches() {
        for (int series = 0; series < 2; ++series) {
            if (auto ok = bench_.time(*main_, std::max(1, options_.launches / 2)); !ok)
                return ok.error();
            if (main_->failed) return named(*main_->failed);
        }
        if (auto why = bench_.implausible_time(*main_)) return fail(std::move(*why));
        return {};
    }

    result<void> properties() {
        std::vector<std::string> notes;
        auto const outcome = bench_.keeps_promises(*main_, notes);
        for (std::string& n : notes) note(std::move(n));
        return conclude(outcome);
    }

    result<void> checked() {
        if (!tools_.options.checked || !s_.checked_mode) {
            skip(s_.checked_mode ? "not asked for" : "the original itself fails in checked mode");
            return {};
        }
        check_remark remark;
        auto const outcome = bench_.check(*main_, remark);
        if (!remark.text.empty() && remark.in_part)
            note(std::move(remark.text));
        else if (!remark.text.empty())
            skip(std::move(remark.text));
        return conclude(outcome);
    }

    /// Whatever is offered may be what a tuner returns.
    result<void> other_configurations() {
        std::uint64_t const count = space_->count();
        if (count < 2) {
            skip("there is one configuration");
            return {};
        }
        std::uint64_t const most = std::max<std::size_t>(1, options_.configurations);
        std::uint64_t const step = (count + most - 1) / most;
        std::uint64_t number = 0, unfit = 0;
        auto walk = space_->configurations();
        while (auto config = walk.next()) {
            if (number++ % step != 0 || *config == main_->config) continue;
            if (auto stopped = tools_.must_end(s_.usage)) return *stopped;
            auto built = bench_.build(kernel_, declared_, *config);
            if (!built) return built.error();
            std::optional<failure> why;
            if (auto* f = std::get_if<failure>(&*built)) {
                why = std::move(*f);
            } else {
                auto wrong = bench_.verify_all(std::get<contestant>(*built));
                if (!wrong) return wrong.error();
                why = std::move(*wrong);
            }
            if (!why) {
                ++found_.configurations;
            } else if (cannot_run(*why)) {
                ++unfit;
            } else {
                found_.config = *config;
                auto ok = fail(std::move(*why));
                found_.verdict = verdict::config_unsafe;
                return ok;
            }
        }
        if (unfit > 0)
            note(std::to_string(unfit) + " configurations do not compile or cannot be launched");
        if (step > 1)
            note("every " + std::to_string(step) + "th of " + std::to_string(count) +
                 " configurations was run");
        return {};
    }

    /// Whether what was found in checked mode explains a wrong output: not if the run did not come
    /// to its end.
    [[nodiscard]] static bool says_why(failure const& f) {
        return std::holds_alternative<out_of_bounds>(f) || std::holds_alternative<race>(f) ||
               std::holds_alternative<crashed>(f);
    }

    /// A tuner drops such a configuration, and nobody gets wrong results from it.
    [[nodiscard]] static bool cannot_run(failure const& f) {
        verdict const v = verdict_of(f);
        return v == verdict::compile_error || v == verdict::launch_error;
    }

    static constexpr std::size_t most_hopeless = 8;

    state_ref const& s_;
    tools_ref const& tools_;
    candidate const& kernel_;
    vouch_options const& options_;
    bench bench_;
    signature declared_;
    std::optional<search_space> space_;
    std::optional<contestant> main_;
    verification found_;
};

result<verification> vouch(state_ref const& s,
                           tools_ref const& tools,
                           gpu_ref gpu,
                           candidate const& kernel,
                           vouch_options const& options) {
    if (!s.tests.prepared() || s.baseline.config != s.tests.reference_configuration)
        return error{condition::rejected,
                     "lkt.nodes.no-baseline",
                     "there is nothing to judge a kernel by: the tests come first",
                     "run make_tests and run_reference before, or verifier::prepare"};
    return voucher(s, tools, gpu, kernel, options).run();
}

} // namespace lkt::detail
