// SPDX-License-Identifier: BSL-1.0
// Compile, check and time: what the nodes that judge kernels have in common.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/secret_stream.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/verify/floor.hpp>
#include <lkt/verify/hidden_state.hpp>
#include <lkt/verify/properties.hpp>
#include <lkt/verify/suite.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// A kernel in one configuration, compiled, and the times of its launches so far.
struct contestant {
    candidate const* kernel = nullptr;
    lkt::signature const* declared = nullptr; ///< as its own text declares it
    configuration config;
    launch_dimensions dimensions;
    compiled_kernel compiled;
    measurement time;
    std::optional<failure> failed;
    double occupancy = 0; ///< as in `run_report`
};

using build_outcome = std::variant<contestant, failure>;

/// What a report should say of a run in checked mode; no text: nothing.
struct check_remark {
    std::string text;
    bool in_part = false; ///< it ran, and left something out
};

/// The back end together with what every call to it needs. Nothing here changes the state.
class bench {
public:
    bench(gpu_ref gpu, tools_ref const& tools, state_ref const& s)
        : options(tools.options), context(tools.context), gpu_(gpu), task_(s.task),
          device_(s.device), suite_(s.tests), pattern_(drawn(secret_of(options.seed), "launches")),
          timed_on_(tests_like_the_timed(suite_, most_of_a_ring(s.device))) {
        for (std::size_t k = 0; k < suite_.tests.size(); ++k) {
            test_case const& test = suite_.tests[k].test;
            bool const large =
                races() && k > 0 && bytes_of(test) >= bytes_of(suite_.tests.front().test);
            (large || test.for_finalists ? tests_of_finalists_ : tests_of_all_).push_back(k);
        }
    }

    /// Geometry within the device's limits, or why not.
    [[nodiscard]] std::variant<launch_dimensions, failure>
    dimensions_of(candidate const& k, configuration const& config) const {
        auto const d = k.launch.evaluate(scope_of(task_.size, config));
        if (!d) return failure(launch_failed{d.error().message});
        if (std::string why = limit_exceeded(device_, *d); !why.empty())
            return failure(launch_failed{std::move(why)});
        return *d;
    }

    /// Begins to compile what `build` will be asked for.
    void prefetch(candidate const& k, lkt::signature const& declared, configuration const& config) {
        if (std::holds_alternative<launch_dimensions>(dimensions_of(k, config)))
            gpu_.prefetch(request_for(k, declared, config));
    }

    [[nodiscard]] result<build_outcome> build(candidate const& k,
                                              lkt::signature const& declared,
                                              configuration const& config,
                                              bool checked = false) {
        auto const d = dimensions_of(k, config);
        if (auto const* why = std::get_if<failure>(&d)) return build_outcome(*why);
        auto request = request_for(k, declared, config);
        request.checked = checked;
        auto made = gpu_.compile(request, context);
        if (!made) return made.error();
        if (auto* why = std::get_if<failure>(&*made)) return build_outcome(std::move(*why));
        contestant c;
        c.kernel = &k;
        c.declared = &declared;
        c.config = config;
        c.dimensions = std::get<launch_dimensions>(d);
        c.compiled = std::get<compiled_kernel>(std::move(*made));
        return build_outcome(std::move(c));
    }

    /// Whether a candidate's binary has variables that the original's has not; see `hidden_state`.
    [[nodiscard]] result<std::optional<failure>> keeps_state(contestant const& c) {
        if (!options.verify || c.compiled.writable_bytes.value_or(0) == 0)
            return std::optional<failure>();
        auto const declared = find_kernel(task_.reference, task_.signature.name);
        if (!declared) return declared.error();
        candidate original;
        original.source = task_.reference;
        original.launch = task_.launch;
        auto const built = build(original, *declared, suite_.reference_configuration);
        if (!built) return built.error();
        auto const* const made = std::get_if<contestant>(&*built);
        if (made == nullptr) return std::optional<failure>();
        return hidden_state(made->compiled, c.compiled, options.static_checks);
    }

    /// Before anything is timed: the tests that are not for finalists alone; on a device that races
    /// these are also the ones as large as the timed one. The launch on that one is a sample.
    /// `explained`: what is known of the candidate's other configurations, or null.
    [[nodiscard]] result<std::optional<failure>>
    verify_first(contestant& c, std::vector<explained_output>* explained = nullptr) {
        std::vector<seconds> times;
        auto found = verify_on(c, suite_, options.launch_limit, tests_of_all_, &times, explained);
        if (found && !*found && races() && !times.empty()) c.time.samples = {times.front()};
        return found;
    }

    /// What `verify_first` left.
    [[nodiscard]] result<std::optional<failure>> verify_rest(contestant const& c) {
        if (tests_of_finalists_.empty()) return std::optional<failure>();
        return verify_on(c, suite_, options.launch_limit, tests_of_finalists_);
    }

    /// All of them.
    [[nodiscard]] result<std::optional<failure>> verify_all(contestant const& c) {
        return verify_on(c, suite_, options.launch_limit);
    }

    /// The first timed launches of a configuration that was just verified. One that cannot win any
    /// more, `fastest` being the shortest median so far, gets no further launch.
    [[nodiscard]] result<void> screen(contestant& c, std::optional<seconds> fastest) {
        int const launches = std::max(1, options.screening_launches);
        if (!races()) return time(c, launches);
        // What a first launch costs besides does not show in a long one: the one that was verified
        // is as good as any other.
        constexpr seconds long_launch{0.5e-3};
        bool const long_one = !c.time.empty() && c.time.minimum() > long_launch;
        series s{long_one ? std::max(1, launches - 1) : launches, 0, {}};
        if (fastest) {
            bool const at_once = *fastest > long_launch;
            double const range = std::max(1.0, options.race_range);
            seconds const hopeless = *fastest * (at_once ? std::sqrt(range) : range);
            if (at_once && !c.time.empty() && c.time.minimum() > hopeless) return {};
            s.sampling = {.least = at_once ? 1 : s.launches, .give_up_above = hopeless};
        }
        return take(c, s);
    }

    /// Adds `launches` timed launches to the contestant's samples, or sets what went wrong. The
    /// outputs of one in ten of these launches, picked by the pattern, are checked as well.
    [[nodiscard]] result<void> time(contestant& c, int launches) {
        if (!races()) return take(c, {launches, options.warmups, {}});
        // Caches are emptied before each launch anyway: a warm-up would tell nothing.
        series s{launches, 0, {}};
        s.sampling = {.least = std::min(launches, 6), .precision = 0.005};
        return take(c, s);
    }
    /// What a kernel that passed its tests must be besides; see `check_properties`.
    [[nodiscard]] result<std::optional<failure>> keeps_promises(contestant const& c,
                                                                std::vector<std::string>& notes) {
        if (!options.verify) return std::optional<failure>();
        property_options how;
        how.seed = next_pattern();
        how.launches = options.repetitions;
        if (races()) how.launching = options.repeating;
        how.time_limit = options.launch_limit;
        how.notes = &notes;
        return check_properties(
            gpu_, c.compiled, task_, c.kernel->launch, c.config, suite_, context, how);
    }

    /// Why the times of a contestant cannot be.
    [[nodiscard]] std::optional<failure> implausible_time(contestant const& c) const {
        return check_time(c.time, device_, task_, suite_);
    }

    /// How many launches of a kernel that takes `one` a launch each round gets.
    [[nodiscard]] int launches_a_round(seconds one) const {
        int const rounds = rounds_of_final();
        int const wanted = std::max(6, options.final_launches);
        double affordable = wanted;
        if (one.count() > 0) affordable = options.final_time.count() / one.count();
        double const total = std::clamp(affordable, 6.0, static_cast<double>(wanted));
        return static_cast<int>(std::ceil(total / rounds));
    }

    /// Measures all of them in turns, so that a drift of the device meets each of them alike.
    /// A contestant that fails drops out.
    [[nodiscard]] result<void> side_by_side(std::span<contestant*> all,
                                            auto const& after_each_round) {
        std::vector<int> launches;
        for (contestant* c : all) {
            launches.push_back(launches_a_round(c->time.median()));
            c->time = {};
        }
        return rounds_of(all, launches, after_each_round);
    }

    /// Which of the two is faster, after `side_by_side`. Where their medians differ by more than
    /// 5 % and the noise still hides it, both are measured longer, twice at most: on a machine
    /// that does other work, too.
    [[nodiscard]] result<comparison>
    decide(contestant& one, contestant& other, auto const& after_each_round) {
        constexpr int extensions = 2;
        for (int extension = 0;; ++extension) {
            if (one.failed || other.failed) return comparison::undecided;
            comparison const verdict = compare(one.time, other.time);
            double const ratio = speedup(one.time, other.time);
            bool const alike = ratio > 1 / 1.05 && ratio < 1.05;
            if (verdict != comparison::undecided || alike || extension == extensions)
                return verdict;
            contestant* both[] = {&one, &other};
            std::vector<int> const launches{launches_a_round(one.time.median()),
                                            launches_a_round(other.time.median())};
            if (auto ok = rounds_of(both, launches, after_each_round); !ok) return ok.error();
        }
    }

    /// Whether `one`, which was `chosen` for its time, is faster than `other` by enough to take its
    /// place. Who is the fastest of several owes it to luck as well: where the two are near, both
    /// are measured anew, and only these samples, which chose nobody, decide.
    [[nodiscard]] result<comparison>
    beats(contestant& one, contestant& other, auto const& after_each_round) {
        auto verdict = decide(one, other, after_each_round);
        if (!verdict || *verdict != comparison::faster) return verdict;
        if (speedup(other.time, one.time) < 1.25) {
            contestant* both[] = {&one, &other};
            if (auto ok = side_by_side(both, after_each_round); !ok) return ok.error();
            verdict = decide(one, other, after_each_round);
            if (!verdict || *verdict != comparison::faster) return verdict;
        }
        bool const enough = one.time.median() <= other.time.median() * (1 - options.least_gain);
        return enough ? comparison::faster : comparison::undecided;
    }

    /// Runs `c`'s kernel in checked mode on small tests. That the back end has no such mode, or
    /// none for this text, says nothing against the kernel: it leaves a remark. Whatever else keeps
    /// the run from its end does: a kernel that does not compile in this mode, a run that cannot be
    /// started or does not come to an end is a failure.
    [[nodiscard]] result<std::optional<failure>> check(contestant const& c, check_remark& remark) {
        auto built = build(*c.kernel, *c.declared, c.config, true);
        if (!built) {
            if (built.error().kind != condition::unavailable) return built.error();
            remark = {not_checked(built.error())};
            return std::optional<failure>();
        }
        if (auto* why = std::get_if<failure>(&*built)) return std::optional(std::move(*why));
        auto const& checked = std::get<contestant>(*built);
        if (!checked.compiled.checked) {
            remark = {"not run in checked mode: this back end has none; the host back end has one"};
            return std::optional<failure>();
        }
        std::string slow;
        auto const tests = tests_to_check();
        for (std::size_t const k : tests) {
            prepared_test const& subject = suite_.tests[k];
            // Instrumented code in three orders of threads takes its time.
            seconds const limit =
                std::max(seconds{60}, 200 * subject.reference_time) * (slow.empty() ? 1 : 3);
            auto found = verify_on(checked, alone(subject), limit);
            if (!found) {
                if (found.error().kind != condition::unavailable) return found.error();
                return std::optional<failure>(launch_failed{not_checked(found.error())});
            }
            if (!*found) continue;
            if (!std::holds_alternative<timed_out>(**found)) return found;
            bool const again = k != tests.back() && slow.empty() && takes_long(c, subject, limit);
            if (!again) return std::optional<failure>(timed_out{limit, "checked run"});
            slow = "run in checked mode on the smallest test alone: a larger one took more than " +
                   to_string(limit);
        }
        remark.text = std::move(slow);
        if (!checked.compiled.unchecked.empty())
            remark.text += (remark.text.empty() ? "" : "; ") + checked.compiled.unchecked;
        remark.in_part = true;
        return std::optional<failure>();
    }

    evaluation_options const options;
    std::string timing; ///< how the back end took the last times, where a report should say it
    call_context const context;

    [[nodiscard]] int rounds_of_final() const { return std::clamp(options.final_rounds, 1, 1000); }
    /// A simulated device is too noisy to judge by single launches, and starts anew for each run.
    [[nodiscard]] bool races() const { return !device_.simulated; }
    /// Whether a kernel that takes `slower` is beyond the reach of any drift from one of `faster`.
    [[nodiscard]] bool far_apart(measurement const& faster, measurement const& slower) const {
        return races() && std::isfinite(slower.noise().count()) &&
               slower.median() > faster.median() * 1.25;
    }

private:
    /// The largest of the small tests, since on a few elements threads have nothing to race for,
    /// and the smallest, since a wild access near the end of large memory hits other arguments. The
    /// smallest alone, where all are large.
    [[nodiscard]] std::vector<std::size_t> tests_to_check() const {
        constexpr std::size_t small = std::size_t{256} << 10; // bytes
        std::size_t least = 0, most = 0;
        for (std::size_t k = 1; k < suite_.tests.size(); ++k) {
            std::size_t const now = bytes_of(suite_.tests[k].test);
            if (now < bytes_of(suite_.tests[least].test)) least = k;
            std::size_t const before = bytes_of(suite_.tests[most].test);
            if (now <= small ? before > small || now > before : now < before) most = k;
        }
        return least == most ? std::vector{most} : std::vector{most, least};
    }
    [[nodiscard]] static std::string not_checked(error const& why) {
        return "not run in checked mode: " + why.message +
               (why.hint.empty() ? "" : "; " + why.hint);
    }
    [[nodiscard]] test_suite alone(prepared_test const& subject) const {
        return {
            suite_.directions, {subject}, suite_.reference_configuration, {}, suite_.comparators};
    }
    /// Whether `limit` is what a checked run of this test may well take, going by an ordinary one:
    /// some ten to a thousand times as long. Elsewhere a kernel that does not come to an end in
    /// checked mode does something else there.
    [[nodiscard]] bool
    takes_long(contestant const& c, prepared_test const& subject, seconds limit) {
        constexpr double most = 4000;
        std::vector<seconds> times;
        auto const found = verify_on(c, alone(subject), options.launch_limit, {}, &times);
        return found && !*found && !times.empty() && times.front() * most > limit;
    }

    /// How launches of a contestant are taken.
    struct series {
        int launches = 1, warmups = 0;
        lkt::sampling sampling{};
    };

    [[nodiscard]] compile_request request_for(candidate const& k,
                                              lkt::signature const& declared,
                                              configuration const& config) const {
        compile_request request;
        request.source = k.source;
        request.signature = declared;
        request.definitions = config;
        request.options = task_.compiler_options;
        request.time_limit = options.compile_limit;
        return request;
    }

    [[nodiscard]] result<void> take(contestant& c, series const& s) {
        if (c.failed) return {};
        std::uint64_t const pattern = next_pattern();
        prepared_test const& test = suite_.tests.front();
        run_request request;
        request.dimensions = c.dimensions;
        request.arguments = test.test.arguments;
        request.directions = suite_.directions;
        request.warmups = s.warmups;
        request.launches = s.launches;
        request.sampling = s.sampling;
        request.keep = options.verify
                           ? launches_to_keep(pattern, certain_launches(request), s.launches)
                           : std::vector<int>{};
        request.poison_seed = pattern;
        for (std::size_t k = 1; options.verify && k < timed_on_.size(); ++k) {
            prepared_test const& other = suite_.tests[timed_on_[k]];
            request.ring.push_back({other.test.arguments, other.arguments_id, other.expectation()});
        }
        // What a kernel kept of the launches that verified it is gone when it is timed, and now and
        // then between two series. Without variables there is nothing that it could keep.
        bool const state = c.compiled.writable_bytes.value_or(1) != 0;
        request.fresh = (state && c.time.samples.size() < 2) || pattern >> 62 == 0;
        request.contents = test.arguments_id;
        if (options.verify) request.expected = test.expectation();
        request.time_limit =
            options.launch_limit.count() > 0 ? options.launch_limit : launch_limit(test);
        auto ran = gpu_.run(c.compiled, request, context);
        if (!ran) return ran.error();
        if (auto* why = std::get_if<failure>(&*ran)) {
            c.failed = std::move(*why);
            return {};
        }
        auto& report = std::get<run_report>(*ran);
        auto wrong = check_outputs(task_, suite_, timed_on_, request.keep, report);
        if (!wrong) return wrong.error();
        if (*wrong) {
            c.failed = std::move(**wrong);
            return {};
        }
        c.time.samples.insert(c.time.samples.end(), report.samples.begin(), report.samples.end());
        if (!report.timing.empty()) timing = report.timing;
        if (report.occupancy > 0) c.occupancy = report.occupancy;
        return {};
    }

    /// In turns; the last one is the kernel to beat. On a device that races, whoever is slower than
    /// the leader beyond doubt takes no further part, and the rounds end when nothing is open.
    [[nodiscard]] result<void> rounds_of(std::span<contestant*> all,
                                         std::vector<int> const& launches,
                                         auto const& after_each_round) {
        int const rounds = rounds_of_final();
        std::vector<bool> out(all.size(), false);
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                // Every other round runs backwards: who follows whom differs too.
                std::size_t const k = round % 2 == 0 ? i : all.size() - 1 - i;
                if (out[k]) continue;
                if (auto ok = time(*all[k], launches[k]); !ok) return ok.error();
            }
            after_each_round(round + 1, rounds);
            if (races() && settled(all, out)) break;
        }
        return {};
    }

    /// Marks those that cannot lead any more; true when the leader is known, and whether it is
    /// faster than the last one.
    [[nodiscard]] static bool settled(std::span<contestant*> all, std::vector<bool>& out) {
        contestant const* leader = nullptr;
        for (contestant const* c : all)
            if (!c->failed && (!leader || c->time.median() < leader->time.median())) leader = c;
        if (!leader) return true;
        bool open = !std::isfinite(leader->time.noise().count());
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (all[k] == leader || all[k]->failed) continue;
            out[k] = out[k] || compare(all[k]->time, leader->time) == comparison::slower;
            open = open || !out[k];
        }
        return !open;
    }

    [[nodiscard]] result<std::optional<failure>>
    verify_on(contestant const& c,
              test_suite const& suite,
              seconds limit,
              std::vector<std::size_t> tests = {},
              std::vector<seconds>* times = nullptr,
              std::vector<explained_output>* explained = nullptr) {
        if (!options.verify) return std::optional<failure>();
        verify_options how;
        how.seed = next_pattern();
        how.time_limit = limit;
        how.tests = std::move(tests);
        how.times = times;
        how.source = &c.kernel->source;
        how.explained = explained;
        return verify_kernel(
            gpu_, c.compiled, task_, c.kernel->launch, c.config, suite, context, how);
    }
    [[nodiscard]] std::uint64_t next_pattern() {
        // Weyl sequence: every run gets a pattern of its own.
        return pattern_ += 0x9e3779b97f4a7c15u;
    }
    /// What arguments of timed launches may take together: on a device as well as here, where the
    /// kernel's own buffers and those for restoring them come on top.
    [[nodiscard]] static bytes most_of_a_ring(device_description const& device) {
        constexpr std::uint64_t most = std::uint64_t{2} << 30;
        std::uint64_t const memory = device.memory.count;
        return bytes{memory == 0 ? most : std::min(most, memory / 4)};
    }
    [[nodiscard]] static std::size_t bytes_of(test_case const& test) {
        std::size_t sum = 0;
        for (argument_data const& a : test.arguments) sum += a.bytes.size();
        return sum;
    }

    gpu_ref gpu_;
    problem const& task_;
    device_description const& device_;
    test_suite const& suite_;
    std::uint64_t pattern_;
    std::vector<std::size_t> timed_on_; ///< the timed test, and those whose arguments it can have
    std::vector<std::size_t> tests_of_all_, tests_of_finalists_;
};

} // namespace lkt::detail
