// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/secret_stream.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/properties.hpp>
#include <lkt/verify/verify.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// Launches of a kernel whose properties are looked at.
struct property_trial {
    gpu_ref backend;
    compiled_kernel const& kernel;
    problem const& task;
    launch_formula const& formula;
    configuration const& config;
    test_suite const& suite;
    call_context const& context;
    property_options const& options;

    using verdict_of_check = result<std::optional<failure>>;
    using outputs = std::vector<argument_data>;

    void note(std::string text) const {
        if (options.notes) options.notes->push_back(std::move(text));
    }
    [[nodiscard]] std::string name(std::size_t argument) const {
        return "`" + task.signature.arguments[argument].name + "`";
    }

    /// The test that is launched often: the largest that is not too large, of those that somebody
    /// asked for where a CPU runs threads in turns, since other sizes may take long there.
    [[nodiscard]] prepared_test const& subject() const {
        auto const bytes = [](prepared_test const& t) {
            std::size_t sum = 0;
            for (argument_data const& a : t.test.arguments) sum += a.bytes.size();
            return sum;
        };
        auto const is_well = [&](prepared_test const& t) {
            return bytes(t) <= options.test_bytes &&
                   (kernel.most_threads == 0 || t.test.origin == test_origin::asked);
        };
        prepared_test const* best = &suite.tests.front();
        for (prepared_test const& t : suite.tests) {
            bool const fits = is_well(t), best_fits = is_well(*best);
            if (fits != best_fits ? fits : fits == (bytes(t) > bytes(*best))) best = &t;
        }
        return *best;
    }

    [[nodiscard]] result<std::variant<run_report, failure>> run(test_case const& inputs,
                                                                prepared_test const& like,
                                                                int launches,
                                                                bool same,
                                                                std::uint64_t batch = 0) const {
        auto const dimensions = formula.evaluate(scope_of(inputs.size, config));
        if (!dimensions)
            return std::variant<run_report, failure>(
                launch_failed{to_string(inputs.size) + ": " + dimensions.error().message});
        seconds const limit =
            options.time_limit > seconds{} ? options.time_limit : launch_limit(like);
        auto request =
            request_on(inputs, suite.directions, *dimensions, launches, options.seed, limit);
        if (batch != 0) request.poison_seed = drawn(secret_of(options.seed), "batch", batch);
        if (same) {
            request.contents = like.arguments_id;
            // Whatever is as expected need not come back; but then its bits are not known.
            if (!task.properties.deterministic) request.expected = like.expectation();
        }
        return launch(backend, kernel, request, inputs, suite.directions, context);
    }

    [[nodiscard]] std::optional<wrong_output>
    judge(prepared_test const& as, outputs const& got, std::string const& test) const {
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p) {
            auto const m = judge_output(task, suite, as, p, got[p]);
            if (!m) continue;
            auto w = describe_mismatch(*m, as.expected[p], got[p], as.bounds[p], as.test.size);
            w.test = test;
            w.argument = task.signature.arguments[positions[p]].name;
            return w;
        }
        return std::nullopt;
    }

    /// The first output whose bits are not the first launch's, as a sentence.
    [[nodiscard]] std::string other_bits(outputs const& first, outputs const& now) const {
        auto const positions = output_positions(suite.directions);
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (task.arguments[positions[p]].scratch || first[p].bytes == now[p].bytes) continue;
            std::size_t at = 0;
            while (first[p].bytes[at] == now[p].bytes[at]) ++at;
            std::size_t const k = at / first[p].type.bytes();
            return "element " + std::to_string(k) + " of " + name(positions[p]) + " is " +
                   value_text(first[p], k) + " in one launch and " + value_text(now[p], k) +
                   " in another";
        }
        return {};
    }

    /// Launches once on `inputs` and compares with `as`.
    [[nodiscard]] verdict_of_check
    relation(test_case const& inputs, prepared_test const& as, std::string const& how) const {
        auto ran = run(inputs, as, 1, false);
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        auto w = judge(as, std::get<run_report>(*ran).kept.front().outputs, inputs.name);
        if (!w) return std::optional<failure>();
        w->pattern = how + "; " + w->pattern;
        return std::optional<failure>(std::move(*w));
    }
};

} // namespace lkt::detail
