// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/draft.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>

#include "../support/fake_gpu.hpp"
#include "declaration_support.hpp"

#include <string>

using namespace lkt_test;

namespace {

struct whole_state : lkt::draft_state {
    lkt::tuning_state tuning;
};
static_assert(lkt::drafting_fields<whole_state>);
static_assert(!lkt::drafting_fields<lkt::draft_state>);

struct two_tools {
    fake_gpu& gpu;
    lkt::scripted_model& llm;
};

behaviour right(std::string const&, lkt::configuration const&) { return {}; }

lkt::chat_reply reply(std::string const& text) {
    lkt::chat_reply r;
    r.text = text;
    r.model = "m1";
    r.usage = {100, 20, 40, 5};
    return r;
}

/// The kernel of a fake device, of which nobody said anything.
whole_state open_state() {
    whole_state s;
    s.draft = open_draft();
    return s;
}

} // namespace

TEST_CASE("What the user has said is not asked") {
    whole_state s = open_state();
    CHECK(lkt::is_described(s) == lkt::settled::yes); // nobody wants a description
    s.describe = true;
    CHECK(lkt::is_described(s) == lkt::settled::no);
    s.draft.known.notes = "doubles";
    CHECK(lkt::is_described(s) == lkt::settled::yes);

    CHECK(lkt::is_declared(s) == lkt::settled::no);
    s.draft.known = described_problem();
    CHECK(lkt::is_declared(s) == lkt::settled::no); // arguments are open
    s.draft.open.clear();
    CHECK(lkt::is_declared(s) == lkt::settled::yes);
    s.asking.tests = true;
    CHECK(lkt::is_declared(s) == lkt::settled::no);
}

TEST_CASE("A description becomes the problem's notes, and says whose it is") {
    fake_gpu gpu(right);
    lkt::scripted_model llm{reply("It doubles every element.")};
    two_tools tools{gpu, llm};
    whole_state s = open_state();
    REQUIRE(lkt::describe_kernel(s, tools).has_value());
    CHECK(s.draft.known.notes == "As m1 describes this kernel: It doubles every element.");
    CHECK(s.tuning.usage.calls == 1);
    CHECK(s.tuning.usage.tokens == lkt::token_usage{100, 20, 40, 5});
    REQUIRE(llm.requests().size() == 1);
    CHECK(llm.requests()[0].messages.back().text.find(twice_text) != std::string::npos);
}

TEST_CASE("An empty description is none, and a failed call changes nothing") {
    fake_gpu gpu(right);
    lkt::error const gone{lkt::condition::unavailable, "x.gone", "the model went away", {}};
    lkt::scripted_model llm{reply(" \n"), gone};
    two_tools tools{gpu, llm};
    whole_state s = open_state();
    REQUIRE(lkt::describe_kernel(s, tools).has_value());
    CHECK(s.draft.known.notes.empty());
    CHECK(s.tuning.notes.size() == 1);
    auto const failed = lkt::describe_kernel(s, tools);
    REQUIRE(failed.has_error());
    CHECK(failed.error().code == "x.gone");
    CHECK(s.tuning.usage.calls == 1);
}

TEST_CASE("What is open is filled in by the model, with the tests that the original ran on") {
    fake_gpu gpu(right);
    lkt::scripted_model llm{reply(fenced_json("{}")), reply(fenced_json(good_description))};
    two_tools tools{gpu, llm};
    whole_state s = open_state();
    auto const filled = lkt::declare_problem(s, tools);
    REQUIRE(filled.has_value());
    CHECK(*filled == lkt::supplied::sizes);
    CHECK(s.draft.complete());
    CHECK(s.draft.known.size[0].second == 96);
    CHECK(s.declared.attempts.size() == 2);
    CHECK(s.declared.attempts[0].why.has_value());
    CHECK(s.tuning.tests.prepared());
    CHECK(s.tuning.usage.calls == 2);
    lkt::take_problem(s);
    CHECK(s.tuning.task == s.draft.known);
}

TEST_CASE("A guessed size grows until a launch can be timed, and the old one is verified too") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) {
        behaviour b;
        b.time = lkt::seconds(1e-5);
        return b;
    });
    lkt::scripted_model llm{reply(fenced_json(good_description))};
    two_tools tools{gpu, llm};
    whole_state s = open_state();
    REQUIRE(lkt::declare_problem(s, tools).has_value());
    REQUIRE(lkt::fit_timed_size(s, tools).has_value());
    CHECK(s.draft.known.size[0].second > 96);
    CHECK(s.draft.known.further_sizes.back()[0].second == 96);
    CHECK_FALSE(s.tuning.tests.prepared()); // they are of another size
    CHECK(s.tuning.notes.size() == 1);      // this device takes as long at any size
}
