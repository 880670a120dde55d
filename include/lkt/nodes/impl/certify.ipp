// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/certify.hpp>

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/search_configurations.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/detail/original.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/search/space.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// A candidate on its way through the checks of a verification.
class certification {
public:
    certification(state_ref const& s,
                  tools_ref const& tools,
                  gpu_ref gpu,
                  candidate const& kernel,
                  certify_options const& options)
        : s_(s), tools_(tools), kernel_(kernel), in_(setup_of(s, tools, gpu)) {
        found_.listed_sizes_only = s.task.size_constraints.empty() && !s.task.size.empty();
        scope_.configurations = options.configurations;
        scope_.launches = options.launches;
        scope_.must_end = [this] { return tools_.must_end(s_.usage); };
        bool reads = true;
        for (std::size_t k = 0; k < checks().size(); ++k) {
            check_description const& about = checks().about(k);
            if (!about.when.contains(moment::verification)) continue;
            ++total_;
            reads = reads && about.cost == check_cost::reading;
            if (reads) last_read_ = k;
        }
    }

    [[nodiscard]] result<verification> run() {
        auto const start = std::chrono::steady_clock::now();
        if (auto ok = run_checks(); !ok) return ok.error();
        found_.configurations += scope_.ran;
        found_.spent = std::chrono::steady_clock::now() - start;
        if (main_) {
            found_.checked = main_->checked;
            found_.branches = std::move(main_->branches);
            found_.time = main_->time;
            found_.errors = std::move(main_->errors);
        }
        return std::move(found_);
    }

private:
    using status = result<void>; // errors of it end the verification, failures of the kernel do not

    [[nodiscard]] checks_ref const& checks() const { return in_.setup.checks; }

    status run_checks() {
        for (std::size_t k = 0; k < checks().size() && !found_.why; ++k) {
            check_description const& about = checks().about(k);
            if (!about.when.contains(moment::verification)) continue;
            if (auto stopped = tools_.must_end(s_.usage)) return *stopped;
            tools_.report_progress(
                s_, activity::verifying, found_.stages.size(), total_, about.name);
            auto const began = std::chrono::steady_clock::now();
            found_.stages.push_back({std::string(about.name), stage_end::passed, {}, {}});
            auto ok = about.cost == check_cost::reading ? read(k)
                      : main_                           ? run_on(k, *main_)
                                                        : run_first(k);
            if (!ok) return ok;
            verification_stage& stage = found_.stages.back();
            stage.spent = std::chrono::steady_clock::now() - began;
            if (found_.why) stage.end = stage_end::failed;
        }
        return {};
    }

    /// A check of the text.
    status read(std::size_t k) {
        auto call = make_call(nullptr);
        auto wrong = checks().run(k, call);
        auto ok = take_outcome(std::move(wrong), call);
        return !ok || found_.why || k != last_read_ ? ok : open_space();
    }

    /// What passed these checks has to be readable, and to have a configuration.
    status open_space() {
        auto declared = find_kernel(kernel_.source, s_.task.signature.name);
        if (!declared) return declared.error();
        declared_ = std::move(*declared);
        auto any = tools_.options;
        any.max_configurations = space_limits{}.configurations; // few of them run
        auto space = space_of(kernel_, s_.task.size, any);
        if (auto const* why = std::get_if<failure>(&space)) return fail(*why);
        space_ = std::get<search_space>(std::move(space));
        scope_.space = &*space_;
        scope_.declared = &declared_;
        return {};
    }

    /// The first check that runs the kernel, in the first configuration that can be launched. A
    /// kernel that is offered in several need not fit the device in all of them.
    status run_first(std::size_t k) {
        if (!space_)
            if (auto ok = open_space(); !ok || found_.why) return ok;
        auto walk = space_->configurations();
        std::optional<failure> first;
        std::size_t tried = 0;
        while (auto config = walk.next()) {
            if (++tried > max_hopeless) break;
            auto built = in_.build({kernel_, declared_, *config});
            if (!built) return built.error();
            found_.config = *config;
            std::optional<failure> why;
            if (auto* f = std::get_if<failure>(&*built)) {
                why = std::move(*f);
            } else {
                main_ = std::get<trial>(std::move(*built));
                auto call = make_call(&*main_);
                auto wrong = checks().run(k, call);
                if (!wrong) return wrong.error();
                why = std::move(*wrong);
                if (!why || !cannot_run(*why)) {
                    if (!why) ++found_.configurations;
                    if (!why)
                        for (std::string& n : own_notes(main_->compiled.notes, s_))
                            note(std::move(n));
                    return take_outcome(std::move(why), call);
                }
                main_.reset();
            }
            if (!cannot_run(*why)) return fail(std::move(*why));
            note("configuration " + configuration_words(*config) + ": " + describe(*why));
            if (!first) first = std::move(why);
        }
        return fail(std::move(*first));
    }

    status run_on(std::size_t k, trial& t) {
        auto call = make_call(&t);
        auto wrong = checks().run(k, call);
        if (auto ok = take_outcome(std::move(wrong), call); !ok) return ok;
        if (scope_.bad && found_.why) {
            found_.config = *scope_.bad;
            found_.verdict = verdict::config_unsafe;
        }
        return {};
    }

    [[nodiscard]] check_call make_call(trial* subject) {
        return {.when = moment::verification,
                .in = in_,
                .kernel = kernel_,
                .subject = subject,
                .scope = &scope_};
    }
    status take_outcome(result<std::optional<failure>> outcome, check_call& call) {
        for (std::string& n : call.notes) note(std::move(n));
        if (call.skipped) found_.stages.back().end = stage_end::skipped;
        if (!outcome) return outcome.error();
        return *outcome ? fail(std::move(**outcome)) : status();
    }
    status fail(failure why) {
        found_.verdict = verdict_of(why);
        if (auto const* late = std::get_if<timed_out>(&why)) found_.size = late->size;
        if (auto const* wrong = std::get_if<wrong_output>(&why))
            for (prepared_test const& t : s_.tests.tests)
                if (t.test.name == wrong->test) found_.size = t.test.size;
        found_.why = std::move(why);
        return {};
    }
    void note(std::string text) { found_.stages.back().notes.push_back(std::move(text)); }

    static constexpr std::size_t max_hopeless = 8;

    state_ref const& s_;
    tools_ref const& tools_;
    candidate const& kernel_;
    evaluation in_;
    std::size_t total_ = 0;                ///< of checks
    std::optional<std::size_t> last_read_; ///< of those that come before anything is compiled
    verification_scope scope_;
    signature declared_;
    std::optional<search_space> space_;
    std::optional<trial> main_;
    verification found_;
};

result<verification> certify(state_ref const& s,
                             tools_ref const& tools,
                             gpu_ref gpu,
                             candidate const& kernel,
                             certify_options const& options) {
    if (!s.tests.prepared() || s.baseline.config != s.tests.reference_configuration)
        return error{condition::rejected,
                     "lkt.nodes.no-baseline",
                     "a kernel cannot be judged before the tests exist",
                     "run make_tests and run_reference first, or verifier::prepare"};
    return certification(s, tools, gpu, kernel, options).run();
}

} // namespace lkt::detail
