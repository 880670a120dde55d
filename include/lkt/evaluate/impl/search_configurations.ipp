// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/search_configurations.hpp>

#include <lkt/evaluate/detail/hopeless.hpp>

#include <algorithm>
#include <deque>
#include <utility>

namespace lkt {

namespace detail {

/// Nothing of one that failed.
std::optional<seconds> median_of(tried_configuration const& t) {
    auto const* time = std::get_if<measurement>(&t.outcome);
    return time ? std::optional(time->median()) : std::nullopt;
}

/// Configurations whose binaries and launches are the same differ in a parameter without effect.
void note_equal_binaries(searched_configurations& all) {
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
            first = "the configurations " + to_string(duplicate->config) + " and " +
                    to_string(c.config) + " compile to the same binary";
        else
            ++more;
    }
    if (first.empty()) return;
    if (more > 0) first += ", as are " + std::to_string(more) + " more";
    all.notes.push_back(first + ": a parameter has no effect");
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
        scope_.policy.start(space_);
        report({});
        for (;;) {
            std::size_t const most = in_.setup.options.max_configurations;
            std::size_t const left = most - std::min(most, all_.tried.size());
            bool const hopeless = is_hopeless();
            auto const batch =
                hopeless ? unlike_those() : next_batch(std::clamp<std::size_t>(left, 1, at_once_));
            if (batch.empty()) {
                if (hopeless && all_.tried.size() < space_.count()) note_hopeless();
                break;
            }
            if (left == 0) {
                all_.notes.push_back("only the first " + std::to_string(all_.tried.size()) +
                                     " configurations were tried");
                break;
            }
            if (auto end = scope_.must_end ? scope_.must_end() : std::nullopt) {
                if (end->kind == condition::cancelled || all_.correct.empty()) return *end;
                all_.notes.push_back("the budget ended the search after " +
                                     std::to_string(all_.tried.size()) + " configurations");
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
        note_equal_binaries(all_);
        return std::move(all_);
    }

private:
    struct entry {
        tried_configuration record;
        tried_configuration const* before; ///< null where nothing is known
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

    [[nodiscard]] tried_configuration const* known(configuration const& c) const {
        return scope_.known ? scope_.known(c) : nullptr;
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
                auto const* const before = known(c);
                if (ahead > 0 && !(before && before->failed()))
                    in_.prefetch({kernel_, declared_, c});
                waiting_.push_back(std::move(c));
            }
        }
    }

    [[nodiscard]] result<std::vector<entry>> judge(std::vector<configuration> const& batch) {
        std::vector<entry> all;
        for (configuration const& c : batch) {
            auto const* const before = known(c);
            bool const failed = before && before->failed();
            all.push_back({failed ? *before : tried_configuration{c, {}, {}}, before});
        }
        if (auto ok = build(all); !ok) return ok.error();
        if (auto ok = check(all); !ok) return ok.error();
        if (auto ok = time(all); !ok) return ok.error();
        return all;
    }

    [[nodiscard]] result<void> build(std::vector<entry>& all) const {
        std::vector<build_request> requests;
        std::vector<entry*> whose;
        for (entry& one : all) {
            if (one.before && one.before->failed()) continue;
            requests.push_back({kernel_, declared_, one.record.config});
            whose.push_back(&one);
        }
        auto built = in_.build_all(requests);
        for (std::size_t k = 0; k < whose.size(); ++k) {
            if (!built[k]) return built[k].error();
            if (auto* why = std::get_if<failure>(&*built[k])) {
                whose[k]->record.outcome = std::move(*why);
            } else {
                whose[k]->built = std::get<trial>(std::move(*built[k]));
                whose[k]->record.dimensions = whose[k]->built->dimensions;
            }
        }
        return {};
    }

    [[nodiscard]] result<void> check(std::vector<entry>& all) {
        std::vector<check_call> calls;
        std::vector<entry*> whose;
        for (entry& one : all) {
            if (!one.built || one.before) continue;
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
            if (*found[k]) fail(*whose[k], std::move(**found[k]));
        }
        return {};
    }

    /// Times are compared, so one after the other.
    [[nodiscard]] result<void> time(std::vector<entry>& all) {
        for (entry& one : all) {
            if (!one.built) continue;
            if (one.before)
                one.built->time = std::get<measurement>(one.before->outcome);
            else if (auto ok = in_.timing.screen(*one.built, fastest_); !ok)
                return ok.error();
            if (one.built->failed) {
                fail(one, *one.built->failed);
                continue;
            }
            one.record.outcome = one.built->time;
            auto const median = one.built->time.median();
            if (!fastest_ || median < *fastest_) fastest_ = median;
        }
        return {};
    }

    static void fail(entry& one, failure why) {
        one.record.outcome = std::move(why);
        one.built.reset();
    }

    void take(entry one, bool asked) {
        if (asked) scope_.policy.tell(one.record.config, median_of(one.record));
        auto const* const last = last_failure();
        auto const* const why = one.record.failed();
        if (why) alike_so_far_ = last && alike(*last, *why) ? alike_so_far_ + 1 : 1;
        std::string outcome(why ? name_of_failure(*why) : std::string_view("timed"));
        if (one.before) {
            ++judged_before_;
            outcome = "already judged: " + outcome;
        }
        if (one.built) all_.correct.push_back(*std::move(one.built));
        all_.tried.push_back(std::move(one.record));
        report(outcome);
    }

    void report(std::string_view last) const {
        if (scope_.on_progress) scope_.on_progress(all_.tried.size(), last);
    }

    evaluation& in_;
    candidate const& kernel_;
    signature const& declared_;
    search_space const& space_;
    search_scope scope_;
    std::size_t const at_once_;
    searched_configurations all_;
    std::deque<configuration> waiting_; ///< that the policy asked for
    std::size_t asked_again_ = 0, judged_before_ = 0;
    int alike_so_far_ = 0;
    std::optional<seconds> fastest_;
};

} // namespace detail

std::variant<search_space, failure>
space_of(candidate const& k, problem_size const& size, evaluation_options const& options) {
    auto space = search_space::make(
        k.parameters, k.restrictions, size, {.configurations = options.max_configurations});
    if (!space) return failure(no_configuration{space.error().message});
    if (auto none = space->unsatisfiable()) return failure(std::move(*none));
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
