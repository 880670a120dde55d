// SPDX-License-Identifier: BSL-1.0
// The first round of an evaluation: every configuration is built, verified and timed briefly.
#pragma once

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/detect_unchanged.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/search/space.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

struct trials {
    std::vector<tried_configuration> tried;
    std::vector<trial> correct; ///< timed ones
    std::vector<std::string> notes;
    std::vector<explained_output> explained; ///< of those that are wrong
};

/// Whether two failures are so alike that trying on is hopeless when nothing has worked yet.
[[nodiscard]] inline bool alike(failure const& a, failure const& b) {
    if (a.index() != b.index()) return false;
    if (auto const* x = std::get_if<compile_failed>(&a))
        return x->where.line == std::get<compile_failed>(b).where.line;
    return true;
}

/// A launch that never ends costs its whole limit each time: two of these are enough.
[[nodiscard]] inline int patience(failure const& f, evaluation_options const& o) {
    return std::holds_alternative<timed_out>(f) ? std::min(2, o.hopeless_after) : o.hopeless_after;
}

/// Nothing of one that failed.
[[nodiscard]] inline std::optional<seconds> median_of(tried_configuration const& t) {
    auto const* time = std::get_if<measurement>(&t.outcome);
    return time ? std::optional(time->median()) : std::nullopt;
}

/// After failures that are all alike: the configuration with the most values that had no chance
/// yet, since one wrong value may be all that the failed ones have in common. A parameter of which
/// `enough` values failed had its chance. Nothing: all of them had.
[[nodiscard]] inline std::optional<configuration> with_new_values(
    search_space const& space, std::vector<tried_configuration> const& tried, std::size_t enough) {
    auto const& parameters = space.parameters();
    std::vector<std::vector<parameter_value>> seen(parameters.size());
    auto const is_new = [&](std::size_t p, parameter_value const& value) {
        return std::find(seen[p].begin(), seen[p].end(), value) == seen[p].end();
    };
    for (tried_configuration const& t : tried)
        for (std::size_t p = 0; p < seen.size(); ++p)
            if (auto const* value = t.config.find(parameters[p].name); value && is_new(p, *value))
                seen[p].push_back(*value);
    std::optional<configuration> best;
    std::size_t most = 0;
    auto walk = space.configurations();
    while (auto config = walk.next()) {
        std::size_t news = 0;
        for (std::size_t p = 0; p < seen.size(); ++p)
            news += seen[p].size() < enough && is_new(p, config->values[p].second) ? 1 : 0;
        if (news > most) most = news, best = std::move(config);
    }
    return best;
}

/// The configurations to try, or why there are none to try.
[[nodiscard]] inline std::variant<search_space, failure>
make_space(candidate const& k, problem_size const& size, evaluation_options const& o) {
    auto space = search_space::make(
        k.parameters, k.restrictions, size, {.configurations = o.max_configurations});
    if (!space) return failure(no_configuration{space.error().message});
    if (auto none = space->unsatisfiable()) return failure(std::move(*none));
    return std::move(*space);
}

/// One configuration: build, check, then time. A wrong one is never timed. Of one that was judged
/// `before` the verdict stays; one that was right and timed is only built again, for the finals.
[[nodiscard]] inline result<tried_configuration> try_one(evaluation& e,
                                                         candidate const& k,
                                                         lkt::signature const& declared,
                                                         configuration const& config,
                                                         tried_configuration const* before,
                                                         std::optional<seconds> fastest,
                                                         trials& into) {
    if (before != nullptr && std::holds_alternative<failure>(before->outcome)) return *before;
    tried_configuration record{.config = config, .dimensions = {}, .outcome = {}};
    auto built = e.builder.build(k, declared, config);
    if (!built) return built.error();
    if (auto* why = std::get_if<failure>(&*built)) {
        record.outcome = std::move(*why);
        return record;
    }
    auto& t = std::get<trial>(*built);
    record.dimensions = t.dimensions;
    if (before != nullptr) {
        t.time = std::get<measurement>(before->outcome);
    } else {
        auto wrong = e.pass(moment::configuration, t, &into.explained);
        if (!wrong) return wrong.error();
        if (*wrong) {
            record.outcome = std::move(**wrong);
            return record;
        }
        if (auto ok = e.timer.screen(t, fastest); !ok) return ok.error();
        if (t.failed) {
            record.outcome = *t.failed;
            return record;
        }
    }
    record.outcome = t.time;
    into.correct.push_back(std::move(t));
    return record;
}

/// Configurations whose binaries and launches are the same differ in a parameter without effect.
inline void note_equal_binaries(trials& all) {
    std::size_t more = 0;
    std::string first;
    for (std::size_t k = 1; k < all.correct.size(); ++k) {
        trial const& c = all.correct[k];
        auto const same = [&](trial const& other) {
            return c.compiled.digest != 0 && c.compiled.digest == other.compiled.digest &&
                   c.dimensions == other.dimensions;
        };
        auto const end = all.correct.begin() + static_cast<std::ptrdiff_t>(k);
        auto const duplicate = std::find_if(all.correct.begin(), end, same);
        if (duplicate == end) continue;
        if (first.empty())
            first = "the configurations " + configuration_words(duplicate->config) + " and " +
                    configuration_words(c.config) + " are one and the same binary";
        else
            ++more;
    }
    if (first.empty()) return;
    if (more > 0) first += ", as are " + std::to_string(more) + " more";
    all.notes.push_back(first + ": a parameter has no effect");
}

/// Goes through the space as the search policy says; where failures are alike and nothing has
/// worked yet, values that had no chance come first, and the search ends when there are none. A
/// budget that is used up ends the search when something has worked, and is the error otherwise.
[[nodiscard]] inline result<trials> try_configurations(state_ref const& s,
                                                       tools_ref const& tools,
                                                       evaluation& e,
                                                       search_ref policy,
                                                       candidate const& k,
                                                       judged_configurations const& known,
                                                       lkt::signature const& declared,
                                                       search_space const& space) {
    trials all;
    for (std::string const& text : space.useless_restrictions())
        all.notes.push_back("the restriction " + ticked(text) + " excludes nothing");
    auto const total = static_cast<std::size_t>(space.count());
    policy.start(space);
    tools.report_progress(s, activity::trying_configurations, 0, total);
    int alike_so_far = 0;
    std::size_t asked_again = 0, judged_before = 0;
    std::optional<seconds> fastest;
    auto const failed_before = [](tried_configuration const* before) {
        return before != nullptr && std::holds_alternative<failure>(before->outcome);
    };
    auto const compile_ahead = [&] {
        auto const config = policy.next_known();
        if (config && !failed_before(known.find(*config))) e.builder.prefetch(k, declared, *config);
        return config.has_value();
    };
    for (int ahead = 0; ahead < e.setup.options.compile_ahead && compile_ahead();) ++ahead;
    for (;;) {
        auto const* const last =
            all.tried.empty() ? nullptr : std::get_if<failure>(&all.tried.back().outcome);
        int const enough = last ? patience(*last, e.setup.options) : 0;
        bool const hopeless = last && all.correct.empty() && alike_so_far >= enough;
        auto const config =
            hopeless
                ? with_new_values(space, all.tried, static_cast<std::size_t>(std::max(0, enough)))
                : policy.ask();
        if (!config) {
            if (hopeless && all.tried.size() < total)
                all.notes.push_back("the search ended early: " + std::to_string(alike_so_far) +
                                    " configurations in a row failed alike (" +
                                    std::string(name_of_failure(*last)) +
                                    "), whatever the values of their parameters");
            break;
        }
        if (!hopeless) {
            (void)compile_ahead();
            // Chosen for its values before the policy asked for it, or asked for twice.
            auto const tried = std::find_if(
                all.tried.begin(), all.tried.end(), [&](auto& t) { return t.config == *config; });
            if (tried != all.tried.end() && asked_again < e.setup.options.max_configurations) {
                ++asked_again;
                policy.tell(*config, median_of(*tried));
                continue;
            }
        }
        if (all.tried.size() >= e.setup.options.max_configurations) {
            all.notes.push_back("only the first " + std::to_string(all.tried.size()) +
                                " configurations were tried");
            break;
        }
        if (auto end = tools.must_end()) {
            if (end->kind == condition::cancelled || all.correct.empty()) return *end;
            all.notes.push_back("the budget ended the search after " +
                                std::to_string(all.tried.size()) + " configurations");
            break;
        }
        auto const* const before = known.find(*config);
        auto record = try_one(e, k, declared, *config, before, fastest, all);
        if (!record) return record.error();
        auto const time = median_of(*record);
        if (time && (!fastest || *time < *fastest)) fastest = time;
        if (!hopeless) policy.tell(*config, time);
        auto const* why = std::get_if<failure>(&record->outcome);
        if (why) alike_so_far = last && alike(*last, *why) ? alike_so_far + 1 : 1;
        std::string outcome(why ? name_of_failure(*why) : std::string_view("timed"));
        if (before != nullptr) {
            ++judged_before;
            outcome = "judged before: " + outcome;
        }
        all.tried.push_back(std::move(*record));
        tools.report_progress(s, activity::trying_configurations, all.tried.size(), total, outcome);
    }
    if (judged_before > 0)
        all.notes.push_back(std::to_string(judged_before) + " of " +
                            std::to_string(all.tried.size()) +
                            " configurations were judged before, with the same text");
    note_equal_binaries(all);
    return all;
}

} // namespace lkt::detail
