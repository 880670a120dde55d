// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/observe.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "machines.hpp"

using namespace machines;

namespace {

struct recorder {
    std::vector<std::string> lines;

    void on_enter(lkt::node_event const& e) {
        lines.push_back("> " + std::to_string(e.depth) + " " + path_of(e));
    }
    void on_exit(lkt::node_event const& e, lkt::node_exit const& x) {
        lines.push_back(
            "< " + std::string(e.node) + " " + std::string(x.outcome) +
            (x.failure != nullptr ? "!" + std::string(to_string(x.failure->kind)) : ""));
    }
    void on_retry(lkt::node_event const& e, lkt::retry_event const& r) {
        lines.push_back("~ " + std::string(e.node) + " " + std::to_string(r.attempt) + " " +
                        std::to_string(r.delay.count()) + " " + r.why.code);
    }
    void on_transition(lkt::node_event const& e, lkt::transition_event const& t) {
        lines.push_back("- " + std::string(e.node) + " " + std::string(t.label) + " " +
                        std::string(t.target) + (t.stops ? "." : ""));
    }
};

struct counter {
    int entered = 0;
    constexpr void on_enter(lkt::node_event const&) { ++entered; }
};
struct wrong_hook {
    void on_enter(int) {}
};

inline constexpr auto twice = [](state& s) -> built {
    return s.rounds > 0 ? built::ok : built::rejected;
};
struct small {
    static constexpr auto graph = lkt::graph<state>(
        node<ask>(retrying<lkt::fixed{.attempts = 2, .delay_ms = 5}>(),
                  on_error<exhausted>(twice),
                  to(twice)),
        node<twice>(
            limit<1>(stop<gave_up>), on<built::ok>(stop<tuned>), on<built::rejected>(twice)));
};
inline constexpr auto throws = [](state&) -> void { throw std::runtime_error("a bug"); };
struct throwing {
    static constexpr auto graph = lkt::graph<state>(node<throws>(to(stop<tuned>)));
};
struct outer_throwing {
    static constexpr auto graph = lkt::graph<state>(node<sub<throwing>>(on<tuned>(stop<tuned>)));
};

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("any hook makes an observer") {
    CHECK(lkt::observer<recorder>);
    CHECK(lkt::observer<counter>);
    CHECK_FALSE(lkt::observer<wrong_hook>);
    CHECK_FALSE(lkt::observer<script>);
}

TEST_CASE("hooks come in order: retries, exits, transitions, limits") {
    state s;
    script tools{{&transient, &exhausted}};
    recorder seen;
    noting_waiter waiter;
    REQUIRE(lkt::run<small>(s, tools, seen, waiter).has_value());
    CHECK(seen.lines == strings{"> 0 ask",
                                "~ ask 1 5 lkt.test.scripted",
                                "< ask !exhausted",
                                "- ask exhausted twice",
                                "> 0 twice",
                                "< twice rejected",
                                "- twice rejected twice",
                                "- twice limit gave_up."});
}

TEST_CASE("nested graphs are deeper, and paths lead from the outside in") {
    campaign_state c{.left = 1};
    script tools;
    recorder seen;
    REQUIRE(lkt::run<campaign>(c, tools, seen).has_value());
    CHECK(seen.lines[0] == "> 0 next_kernel");
    CHECK(seen.lines[3] == "> 0 tune");
    CHECK(seen.lines[4] == "> 1 tune/ask");
    CHECK(seen.lines.back() == "- next_kernel empty finished.");
}

TEST_CASE("several observers see the same; a constant expression may be observed") {
    state s;
    counter first, second;
    lkt::run<refine>(s, first, second);
    CHECK(first.entered > 0);
    CHECK(first.entered == second.entered);
    constexpr int entered = [] {
        state inside;
        counter c;
        lkt::run<refine>(inside, c);
        return c.entered;
    }();
    CHECK(entered == first.entered);
}

TEST_CASE("an exception ends each visit that was entered, the inner one first") {
    state s;
    recorder seen;
    CHECK_THROWS_AS(lkt::run<outer_throwing>(s, seen), std::runtime_error);
    CHECK(seen.lines == strings{"> 0 throwing", "> 1 throwing/throws", "< throws ", "< throwing "});
}

TEST_CASE("a transition finds the cursor moved, in nested graphs too, so a copy of it resumes") {
    campaign_state c{.left = 1};
    script tools;
    lkt::cursor<campaign> at;
    std::vector<std::pair<lkt::cursor<campaign>, campaign_state>> journal;
    struct keeper {
        decltype(journal)& kept;
        lkt::cursor<campaign>& at;
        campaign_state& state;
        void on_transition(lkt::node_event const&, lkt::transition_event const&) {
            kept.emplace_back(at, state);
        }
    } keep{journal, at, c};
    REQUIRE(lkt::run<campaign>(c, tools, at, keep).has_value());
    auto const calls = tools.calls;
    REQUIRE(journal.size() > 5);
    for (std::size_t i = 0; i < journal.size(); ++i) {
        CAPTURE(i);
        auto [resumed, copy] = journal[i];
        script more;
        REQUIRE(lkt::run<campaign>(copy, more, resumed).has_value());
        CHECK(resumed == at);
        CHECK(copy.tile.rounds == c.tile.rounds);
        CHECK(more.calls <= calls);
    }
}
