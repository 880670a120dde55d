// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/search_configurations.hpp>

#include <lkt/core/warning.hpp>
#include <lkt/evaluate/detail/final_field.hpp>
#include <lkt/evaluate/detail/hopeless.hpp>
#include <lkt/evaluate/standard_checks.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace lkt {

namespace detail {

/// Nothing of one that failed.
std::optional<seconds> median_of(tried_configuration const& t) {
    auto const* time = std::get_if<measurement>(&t.outcome);
    return time ? std::optional(time->median()) : std::nullopt;
}

/// How many pairs of configurations differ in this parameter alone; nothing where two of them are
/// different programs.
[[nodiscard]] std::optional<std::size_t> pairs_alike(std::deque<trial const*> const& all,
                                                     std::string const& parameter) {
    std::map<std::string, trial const*> by_the_others;
    std::size_t pairs = 0;
    for (trial const* t : all) {
        configuration others = t->config;
        std::erase_if(others.values, [&](auto const& v) { return v.first == parameter; });
        auto const [first, fresh] = by_the_others.emplace(to_string(others), t);
        if (fresh) continue;
        if (!same_binary(*t, *first->second)) return std::nullopt;
        ++pairs;
    }
    return pairs;
}

/// Configurations that are the same program: a parameter without effect, by name if one alone
/// explains them.
void note_equal_binaries(searched_configurations& all, candidate const& k) {
    std::deque<trial const*> known;
    for (trial const& t : all.correct)
        if (t.compiled.digest != 0) known.push_back(&t);
    bool named = false;
    for (tunable_parameter const& p : k.parameters) {
        auto const pairs = pairs_alike(known, p.name);
        if (!pairs || *pairs == 0) continue;
        named = true;
        all.notes.push_back(warning("the parameter `" + p.name +
                                    "` has no effect here: configurations that differ in it alone "
                                    "have the same binary and the same launch"));
    }
    if (named) return;
    std::size_t more = 0;
    std::string first;
    for (std::size_t n = 1; n < known.size(); ++n) {
        auto const end = known.begin() + static_cast<std::ptrdiff_t>(n);
        auto const duplicate = std::find_if(
            known.begin(), end, [&](trial const* t) { return same_binary(*known[n], *t); });
        if (duplicate == end) continue;
        if (first.empty())
            first = "the configurations " + to_string((*duplicate)->config) + " and " +
                    to_string(known[n]->config) + " compile to the same binary";
        else
            ++more;
    }
    if (first.empty()) return;
    if (more > 0) first += ", as are " + std::to_string(more) + " more";
    all.notes.push_back(std::move(first));
}

class configuration_search {
public:
    configuration_search(evaluation& in,
                         candidate const& k,
                         signature const& declared,
                         search_space const& space,
                         search_scope scope)
        : in_(in), kernel_(k), declared_(declared), space_(space), scope_(std::move(scope)),
          at_once_(in.setup.gpu.runs_at_once()) {}

    [[nodiscard]] result<searched_configurations> run() {
        all_.space = space_.count();
        scope_.policy.start(space_);
        report({});
        std::uint64_t const limit = in_.setup.options.max_configurations;
        for (;;) {
            std::uint64_t const share = scope_.policy.most_of(all_.space);
            std::uint64_t const most = share < all_.space ? share : limit;
            std::size_t const left = most - std::min<std::uint64_t>(most, all_.tried.size());
            bool const hopeless = is_hopeless();
            auto const batch =
                hopeless ? unlike_those() : next_batch(std::clamp<std::size_t>(left, 1, at_once_));
            if (batch.empty()) {
                if (hopeless && all_.tried.size() < space_.count()) note_hopeless();
                break;
            }
            // Some were chosen to be unlike those that failed, beside the policy's.
            if (left == 0 && share < all_.space) break;
            if (left == 0) {
                all_.notes.push_back(warning("only the first " + std::to_string(all_.tried.size()) +
                                             " configurations were tried"));
                break;
            }
            if (auto end = scope_.must_end ? scope_.must_end() : std::nullopt) {
                if (end->kind == condition::cancelled || all_.correct.empty()) return *end;
                all_.notes.push_back(warning("the budget ended the search after " +
                                             std::to_string(all_.tried.size()) + " of " +
                                             std::to_string(space_.count()) + " configurations"));
                break;
            }
            auto judged = judge(batch);
            if (!judged) return judged.error();
            for (entry& one : *judged) take(std::move(one), !hopeless);
        }
        if (judged_before_ > 0)
            all_.notes.push_back(std::to_string(judged_before_) + " of " +
                                 std::to_string(all_.tried.size()) +
                                 " configurations were already judged, with the same text");
        note_equal_binaries(all_, kernel_);
        if (auto ok = look_for_cause(); !ok) return ok.error();
        return std::move(all_);
    }

private:
    struct entry {
        tried_configuration record;
        bool is_new = true; ///< neither known nor resumed
        bool judged_before = false;
        std::optional<trial> built{};
    };

    [[nodiscard]] failure const* last_failure() const {
        return all_.tried.empty() ? nullptr : all_.tried.back().failed();
    }
    [[nodiscard]] bool is_hopeless() const {
        auto const* const last = last_failure();
        return last && all_.correct.empty() && alike_so_far_ >= patience(*last, in_.setup.options);
    }
    [[nodiscard]] std::vector<configuration> unlike_those() const {
        int const enough = std::max(0, patience(*last_failure(), in_.setup.options));
        auto one = with_new_values(space_, all_.tried, static_cast<std::size_t>(enough));
        return one ? std::vector{*std::move(one)} : std::vector<configuration>();
    }
    void note_hopeless() {
        all_.notes.push_back("the search ended early: " + std::to_string(alike_so_far_) +
                             " configurations in a row failed alike (" +
                             std::string(name_of_failure(*last_failure())) +
                             "), whatever the values of their parameters");
    }

    /// Once for a candidate: configurations that give wrong results mostly do so for one reason.
    [[nodiscard]] result<void> look_for_cause() {
        if (!all_.correct.empty() || (scope_.must_end && scope_.must_end())) return {};
        auto& tried = all_.tried;
        if (judged_before_ == tried.size()) return {}; // it was looked for then
        auto const is_wrong = [](auto const& t) { return has_unknown_cause(*t.failed()); };
        auto const first = std::find_if(tried.begin(), tried.end(), is_wrong);
        bool const alike = std::all_of(tried.begin(), tried.end(), [&](auto const& t) {
            return is_wrong(t) || cannot_run(*t.failed());
        });
        if (first == tried.end() || !alike) return {};
        auto const built = in_.build({kernel_, declared_, first->config});
        if (!built) return built.error();
        auto const* const t = std::get_if<trial>(&*built);
        if (t == nullptr) return {};
        auto cause = in_.tests.cause_of(*t, *first->failed());
        if (!cause) return cause.error();
        if (!*cause) return {};
        all_.notes.push_back("observed as: " + describe(*first->failed()));
        first->outcome = std::move(**cause);
        all_.with_cause = static_cast<std::size_t>(first - tried.begin());
        return {};
    }

    [[nodiscard]] entry entry_of(configuration const& c) const {
        auto const* before = scope_.known ? scope_.known(c) : nullptr;
        entry one{before ? *before : tried_configuration{c, {}, {}},
                  before == nullptr,
                  before != nullptr};
        one.record.in_finals.reset(); // of other ones
        if (one.is_new && scope_.resumed) before = scope_.resumed(c);
        if (before == nullptr) return one;
        one.record = *before;
        one.is_new = false;
        if (before->failed() == nullptr) {
            trial& t = one.built.emplace();
            t.kernel = &kernel_;
            t.declared = &declared_;
            t.config = c;
            t.dimensions = before->dimensions.value_or(launch_dimensions{});
            t.compiled.digest = before->binary;
            t.time = std::get<measurement>(before->outcome);
            t.built = false;
        }
        return one;
    }
    [[nodiscard]] bool is_new(configuration const& c) const {
        return !(scope_.known && scope_.known(c)) && !(scope_.resumed && scope_.resumed(c));
    }

    /// What the policy asks for next, at most `most`. What was tried already (chosen for its values
    /// before the policy asked for it, or asked for twice) it is told at once.
    [[nodiscard]] std::vector<configuration> next_batch(std::size_t most) {
        std::vector<configuration> batch;
        for (look_ahead(); batch.size() < most && !waiting_.empty(); look_ahead()) {
            configuration const& next = waiting_.front();
            auto const tried = std::find_if(
                all_.tried.begin(), all_.tried.end(), [&](auto& t) { return t.config == next; });
            bool const again =
                tried != all_.tried.end() && asked_again_ < in_.setup.options.max_configurations;
            bool const twice = std::find(batch.begin(), batch.end(), next) != batch.end();
            // The policy hears of them in their order.
            if ((again || twice) && !batch.empty()) break;
            if (again) {
                ++asked_again_;
                scope_.policy.tell(next, median_of(*tried));
            } else {
                batch.push_back(next);
            }
            waiting_.pop_front();
        }
        return batch;
    }

    /// Asks for what comes next, and begins to compile it.
    void look_ahead() {
        auto const ahead = static_cast<std::size_t>(std::max(0, in_.setup.options.compile_ahead));
        std::size_t const wanted = std::max(ahead, at_once_);
        while (waiting_.size() < wanted) {
            auto more = scope_.policy.ask(wanted - waiting_.size());
            if (more.empty()) return;
            for (configuration& c : more) {
                if (ahead > 0 && is_new(c)) in_.prefetch({kernel_, declared_, c});
                waiting_.push_back(std::move(c));
            }
        }
    }

    [[nodiscard]] result<std::vector<entry>> judge(std::vector<configuration> const& batch) {
        std::vector<entry> all;
        for (configuration const& c : batch) all.push_back(entry_of(c));
        if (auto ok = build(all); !ok) return ok.error();
        if (auto ok = check(all); !ok) return ok.error();
        if (auto ok = time(all); !ok) return ok.error();
        return all;
    }

    [[nodiscard]] result<void> build(std::vector<entry>& all) {
        std::vector<build_request> requests;
        std::vector<entry*> whose;
        for (entry& one : all) {
            if (!one.is_new) continue;
            requests.push_back({kernel_, declared_, one.record.config});
            whose.push_back(&one);
        }
        auto built = in_.build_all(requests);
        for (std::size_t k = 0; k < whose.size(); ++k) {
            if (!built[k]) return built[k].error();
            if (auto* why = std::get_if<failure>(&*built[k])) {
                if (auto ok = fail(*whose[k], std::move(*why)); !ok) return ok;
            } else {
                whose[k]->built = std::get<trial>(std::move(*built[k]));
                whose[k]->record.dimensions = whose[k]->built->dimensions;
                whose[k]->record.binary = whose[k]->built->compiled.digest;
            }
        }
        return {};
    }

    [[nodiscard]] result<void> check(std::vector<entry>& all) {
        std::vector<check_call> calls;
        std::vector<entry*> whose;
        for (entry& one : all) {
            if (!one.built || !one.is_new) continue;
            calls.push_back({.when = moment::configuration,
                             .in = in_,
                             .kernel = kernel_,
                             .subject = &*one.built,
                             .explained = &all_.explained});
            whose.push_back(&one);
        }
        auto found = in_.pass_all(calls);
        for (std::size_t k = 0; k < whose.size(); ++k) {
            if (!found[k]) return found[k].error();
            if (*found[k])
                if (auto ok = fail(*whose[k], std::move(**found[k])); !ok) return ok;
        }
        return {};
    }

    /// Times are compared, so one after the other.
    [[nodiscard]] result<void> time(std::vector<entry>& all) {
        for (entry& one : all) {
            if (!one.built) continue;
            if (one.is_new)
                if (auto ok = in_.timing.screen(*one.built, fastest_); !ok) return ok.error();
            if (one.built->failed) {
                if (auto ok = fail(one, *one.built->failed); !ok) return ok;
                continue;
            }
            one.record.outcome = one.built->time;
            if (auto ok = keep(one); !ok) return ok;
            auto const median = one.built->time.median();
            if (!fastest_ || median < *fastest_) fastest_ = median;
        }
        return {};
    }

    [[nodiscard]] result<void> keep(entry const& one) const {
        return one.is_new && scope_.keep ? scope_.keep(one.record) : result<void>();
    }
    [[nodiscard]] result<void> fail(entry& one, failure why) const {
        one.record.outcome = std::move(why);
        one.built.reset();
        return keep(one);
    }

    void take(entry one, bool asked) {
        if (asked) scope_.policy.tell(one.record.config, median_of(one.record));
        auto const* const last = last_failure();
        auto const* const why = one.record.failed();
        if (why) alike_so_far_ = last && alike(*last, *why) ? alike_so_far_ + 1 : 1;
        std::string outcome(why ? name_of_failure(*why) : std::string_view("timed"));
        if (!one.is_new) outcome = "already judged: " + outcome;
        if (!one.is_new) ++reused_;
        if (one.judged_before) ++judged_before_;
        if (one.built) all_.correct.push_back(*std::move(one.built));
        all_.tried.push_back(std::move(one.record));
        report(outcome);
    }

    void report(std::string_view last) const {
        if (scope_.on_progress) scope_.on_progress(all_.tried.size(), reused_, last);
    }

    evaluation& in_;
    candidate const& kernel_;
    signature const& declared_;
    search_space const& space_;
    search_scope scope_;
    std::size_t const at_once_;
    searched_configurations all_;
    std::deque<configuration> waiting_; ///< that the policy asked for
    std::size_t asked_again_ = 0, judged_before_ = 0, reused_ = 0;
    int alike_so_far_ = 0;
    std::optional<seconds> fastest_;
};

} // namespace detail

std::variant<search_space, failure> space_of(candidate const& k,
                                             problem_size const& size,
                                             evaluation_options const& options,
                                             search_ref const& policy) {
    std::uint64_t const most = options.max_configurations;
    space_limits limits;
    // A policy that tries all of a space tries none of one that is too large.
    if (policy.most_of(most + 1) > most) limits.configurations = most;
    auto space = search_space::make(k.parameters, k.restrictions, size, limits);
    if (!space) return failure(no_configuration{space.error().message});
    if (auto none = space->unsatisfiable()) return failure(std::move(*none));
    if (auto const tried = policy.most_of(space->count()); tried > most)
        return failure(no_configuration{"the search would try " + std::to_string(tried) +
                                        " configurations, more than " + std::to_string(most)});
    return std::move(*space);
}

result<searched_configurations> search_configurations(evaluation& in,
                                                      candidate const& k,
                                                      signature const& declared,
                                                      search_space const& space,
                                                      search_scope scope) {
    return detail::configuration_search(in, k, declared, space, std::move(scope)).run();
}

} // namespace lkt
