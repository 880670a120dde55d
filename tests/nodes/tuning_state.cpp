// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/tuning_state.hpp>

#include <doctest/doctest.h>

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
    std::vector<lkt::setback> attempts;
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
    std::vector<lkt::setback> attempts;
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

TEST_CASE("Replies are added up, and each model is named once") {
    lkt::model_usage usage;
    lkt::chat_reply reply;
    reply.model = "m1";
    reply.usage = {100, 20};
    lkt::count_usage(usage, reply, lkt::seconds(2));
    lkt::count_usage(usage, reply, lkt::seconds(3));
    reply.model = "m2";
    lkt::count_usage(usage, reply);
    CHECK(usage.calls == 3);
    CHECK(usage.tokens == lkt::token_usage{300, 60});
    CHECK(usage.time.count() == doctest::Approx(5));
    CHECK(usage.models == std::vector<std::string>{"m1", "m2"});
}
