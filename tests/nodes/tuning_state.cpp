// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/tuning_state.hpp>

#include <doctest/doctest.h>

#include <lkt/problems/problem_file.hpp>
#include <lkt/store/checkpoint.hpp>

#include <string>

namespace {

struct derived : lkt::tuning_state {
    int plan = 0;
};
/// Has the documented names without the base.
struct own_fields {
    lkt::problem task;
    lkt::device_description device;
    lkt::test_suite tests;
    lkt::tuned_kernel baseline, best;
    lkt::candidate proposal;
    std::string step;
    std::vector<lkt::rejected_attempt> attempts;
    std::vector<lkt::attempt_record> history;
    lkt::model_usage usage;
    std::vector<std::string> notes;
    bool checked_mode = true;
};
struct without_history {
    lkt::problem task;
    lkt::device_description device;
    lkt::test_suite tests;
    lkt::tuned_kernel baseline, best;
    lkt::candidate proposal;
    std::string step;
    std::vector<lkt::rejected_attempt> attempts;
    lkt::model_usage usage;
    std::vector<std::string> notes;
    bool checked_mode = true;
};
struct other_type : lkt::tuning_state {
    std::string best; // hides the base's
};

static_assert(lkt::tuning_fields<lkt::tuning_state>);
static_assert(lkt::tuning_fields<derived>);
static_assert(lkt::tuning_fields<own_fields>);
static_assert(!lkt::tuning_fields<without_history>);
static_assert(!lkt::tuning_fields<other_type>);
static_assert(!lkt::tuning_fields<int>);

} // namespace

TEST_CASE("The speed-up is the ratio of the medians, and 0 where one is unknown") {
    lkt::measurement slow, fast;
    slow.samples.assign(7, lkt::seconds(3e-3));
    fast.samples.assign(7, lkt::seconds(1e-3));
    CHECK(lkt::speedup(slow, fast) == doctest::Approx(3));
    CHECK(lkt::speedup(fast, slow) == doctest::Approx(1.0 / 3));
    CHECK(lkt::speedup({}, fast) == 0);
    CHECK(lkt::speedup(slow, {}) == 0);
}

TEST_CASE("A new record says that nothing was judged yet") {
    lkt::attempt_record const record;
    CHECK(std::holds_alternative<lkt::not_evaluated>(record.outcome));
}

namespace {

struct planning : lkt::tuning_state {
    std::vector<std::string> plan;
    using state_fields = lkt::fields_of<lkt::tuning_state, &planning::plan>;
};

/// With something in each member.
lkt::tuning_state lived_in() {
    lkt::tuning_state s;
    s.task = lkt::read_problem(LKT_TEST_SOURCE_DIR "/../examples/kernels/kmeans.json").value();
    s.device.name = "Fake 1";
    s.device.languages = {lkt::language::cuda, lkt::language::wgsl};
    s.baseline.kernel = {.source = s.task.reference,
                         .parameters = {{"BLOCK", {std::int64_t{8}, 0.5, true, std::string("x")}}},
                         .restrictions = {lkt::expression::parse("BLOCK > 4").value()},
                         .launch = s.task.launch,
                         .description = "the original"};
    s.baseline.config.values = {{"BLOCK", std::int64_t{8}}};
    s.baseline.time.samples = {lkt::seconds(1e-3), lkt::seconds(1.1e-3)};
    s.best = s.baseline;
    s.best.resources = lkt::kernel_resources{.registers = 32};
    s.proposal = s.baseline.kernel;
    s.step = "Use shared memory.";
    s.attempts.push_back({"a reply", lkt::no_improvement{}, "BLOCK=8"});
    s.attempts.push_back({"another", lkt::failure(lkt::compile_failed{"log", {3, 4}}), ""});
    lkt::attempt_record r;
    r.reply = "a reply";
    r.outcome = lkt::improvement{s.baseline.time, s.best.time};
    r.configurations.push_back({s.baseline.config, std::nullopt, lkt::failure(lkt::crashed{})});
    r.configurations.push_back({s.baseline.config, s.baseline.dimensions, s.baseline.time});
    r.usage.input = 12;
    s.history = {r, {}};
    s.usage.models = {{"scripted", "", 1, {}}};
    s.notes = {"a note"};
    s.checked_mode = false;
    s.per_step.attempts = 7;
    return s;
}

} // namespace

TEST_CASE("all but the tests is journalled, and comes back") {
    CHECK(lkt::journalable<lkt::tuning_state>);
    auto const s = lived_in();
    auto const bytes = lkt::encoded(s);
    lkt::tuning_state back;
    auto const ok = lkt::decode(bytes, back);
    REQUIRE_MESSAGE(ok.has_value(), (ok ? "" : ok.error().message));
    CHECK(back.task == s.task);
    CHECK(back.baseline.kernel == s.baseline.kernel);
    CHECK(back.best.resources == s.best.resources);
    CHECK(back.history[0].configurations.size() == 2);
    CHECK(std::get<lkt::improvement>(back.history[0].outcome).before.samples ==
          s.baseline.time.samples);
    CHECK(back.per_step.attempts == 7);
    CHECK(lkt::encoded(back) == bytes);
}

TEST_CASE("an attempt that is appended to a long history is all that changes") {
    auto s = lived_in();
    auto const before = lkt::encoded(s.history);
    s.history.push_back({});
    CHECK(lkt::encoded(s.history).starts_with(before.substr(0, before.size() - 1)));
}

TEST_CASE("a state of one's own lists what it adds") {
    CHECK_FALSE(lkt::journalable<derived>);
    CHECK(lkt::journalable<planning>);
    CHECK(lkt::shape_of<planning>() != lkt::shape_of<lkt::tuning_state>());
}
