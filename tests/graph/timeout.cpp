// SPDX-License-Identifier: BSL-1.0
// The clause `timeout_ms`.
#include <lkt/graph/run.hpp>

#include <doctest/doctest.h>

#include <lkt/core/context.hpp>
#include <lkt/graph/dsl.hpp>

#include <chrono>
#include <stop_token>
#include <thread>

#include "machines.hpp"

using namespace machines;

namespace {

struct slow_state {
    int calls = 0;
    int slow_calls = 1; ///< so many of the first ones take for ever
    int ms = 20;
    [[nodiscard]] long half() const { return ms / 2; }
    lkt::condition const* fails = nullptr; ///< what a call that was stopped says
};
struct slow_tools {
    lkt::call_context context = {};
};
inline constexpr auto cancelled = lkt::condition::cancelled;

/// True when the token was triggered; gives up after ten seconds.
bool stopped(std::stop_token const& token) {
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!token.stop_requested() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return token.stop_requested();
}

inline constexpr auto call = [](slow_state& s, auto& tools) -> lkt::result<void> {
    if (++s.calls > s.slow_calls) return {};
    if (!stopped(tools.context.stop)) return {};
    return lkt::error{s.fails != nullptr ? *s.fails : cancelled, "lkt.test.stopped", "", {}};
};

template <auto Ms>
struct timed {
    static constexpr auto graph =
        lkt::graph<slow_state>(node<call>(timeout_ms<Ms>(), to(stop<tuned>)));
};
struct retried {
    static constexpr auto graph = lkt::graph<slow_state>(node<call>(
        timeout_ms<&slow_state::ms>(), retrying<lkt::fixed{.attempts = 3}>(), to(stop<tuned>)));
};
struct branching {
    static constexpr auto graph = lkt::graph<slow_state>(
        node<call>(timeout_ms<5>(), on_error<transient>(stop<gave_up>), to(stop<tuned>)));
};
inline constexpr auto stop_late = [](slow_state&, auto& tools) -> lkt::result<void> {
    CHECK(stopped(tools.context.stop));
    tools.source.request_stop();
    return lkt::cancelled("it");
};
struct stopping_late {
    static constexpr auto graph =
        lkt::graph<slow_state>(node<stop_late>(timeout_ms<5>(), to(stop<tuned>)));
};

} // namespace

TEST_CASE("an attempt that takes too long is stopped, and a transient failure") {
    slow_state s;
    slow_tools tools;
    auto const start = std::chrono::steady_clock::now();
    auto const end = lkt::run<timed<20>>(s, tools);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(20));
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().kind == transient);
    CHECK(end.error().code == "lkt.graph.timeout");
    CHECK(end.error().message == "call did not end within 20 ms");
    CHECK_FALSE(tools.context.stop.stop_possible()); // the tools have their token back
}

TEST_CASE("each attempt has the time for itself, and it may be read from the state") {
    slow_state s{.slow_calls = 2};
    slow_tools tools;
    CHECK(lkt::run<retried>(s, tools).has_value());
    CHECK(s.calls == 3);
    slow_state t;
    CHECK(lkt::run<timed<&slow_state::half>>(t, tools).error().message ==
          "call did not end within 10 ms");
}

TEST_CASE("0 is no limit, and an attempt that ends in time is not touched") {
    slow_state s{.slow_calls = 0};
    slow_tools tools;
    CHECK(lkt::run<timed<0>>(s, tools).has_value());
    CHECK(lkt::run<timed<60'000>>(s, tools).has_value());
}

TEST_CASE("a timeout has an edge") {
    slow_state s;
    slow_tools tools;
    CHECK(lkt::outcome_name(lkt::run<branching>(s, tools).value()) == "gave_up");
}

TEST_CASE("what a node says of its own, late or not, stays") {
    slow_state s{.fails = &exhausted};
    slow_tools tools;
    CHECK(lkt::run<timed<5>>(s, tools).error().kind == exhausted);
}

TEST_CASE("a stop request from outside stays one") {
    std::stop_source source;
    slow_state s;
    slow_tools tools{{source.get_token(), {}}};
    std::jthread const stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        source.request_stop();
    });
    auto const end = lkt::run<timed<60'000>>(s, tools);
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().kind == cancelled);
    slow_state again; // a token given to run reaches the node too
    slow_tools without;
    CHECK(lkt::run<timed<60'000>>(again, without, source.get_token()).error().kind == cancelled);
}

TEST_CASE("a stop request that comes when the time is over too goes before it") {
    std::stop_source source;
    struct tools_and_source {
        lkt::call_context context;
        std::stop_source& source;
    } tools{{source.get_token(), {}}, source};
    slow_state s;
    auto const end = lkt::run<stopping_late>(s, tools);
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().kind == cancelled);
}

// -------------------------------------------------------------------------------- graphs, branches

namespace {

inline constexpr auto tick = [](slow_state& s, slow_tools&) -> lkt::result<void> {
    ++s.calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
};
struct ticking {
    static constexpr auto graph =
        lkt::graph<slow_state>(node<tick>(limit<20'000>(stop<gave_up>), to(tick)));
};
struct bounded {
    static constexpr auto graph =
        lkt::graph<slow_state>(node<sub<ticking>>(timeout_ms<10>(), on<gave_up>(stop<gave_up>)));
};
struct two {
    slow_state left, right;
};
struct side_by_side {
    static constexpr auto both = fan_out(focus<&two::left>(call), focus<&two::right>(timed<10>{}));
    static constexpr auto graph = lkt::graph<two>(
        node<both>(timeout_ms<30>(), retrying<lkt::fixed{.attempts = 2}>(), to(stop<tuned>)));
};

} // namespace

TEST_CASE("a nested graph ends between two of its nodes, and goes on there") {
    slow_state s;
    slow_tools tools;
    lkt::cursor<bounded> at;
    auto const end = lkt::run<bounded>(s, tools, at);
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().code == "lkt.graph.timeout");
    CHECK(s.calls < 5'000);
    auto const visits = std::get<0>(at.inner).visits[0];
    CHECK(visits == s.calls);
    CHECK_FALSE(lkt::run<bounded>(s, tools, at).has_value());
    CHECK(std::get<0>(at.inner).visits[0] > visits);
}

TEST_CASE("branches have deadlines of their own and heed the one of the whole") {
    slow_tools tools;
    two right;
    right.left.slow_calls = 0;
    CHECK(lkt::run<side_by_side>(right, tools).error().message == "call did not end within 10 ms");
    two left;
    left.right.slow_calls = 0;
    CHECK(lkt::run<side_by_side>(left, tools).error().message == "both did not end within 30 ms");
    CHECK(left.left.calls == 0); // as before
}

TEST_CASE("a timeout needs a node that can fail, and one clause") {
    constexpr auto twice =
        lkt::report_of<slow_state>(node<call>(timeout_ms<1>(), timeout_ms<2>(), to(stop<tuned>)));
    CHECK(twice.kind == lkt::defect::duplicate_edge);
    constexpr auto idle = lkt::report_of<state>(node<propose>(timeout_ms<1>(), to(stop<tuned>)));
    CHECK(idle.kind == lkt::defect::foreign_outcome);
    constexpr auto other =
        lkt::report_of<state>(node<ask>(timeout_ms<&slow_state::ms>(), to(stop<tuned>)));
    CHECK(other.kind == lkt::defect::wrong_state);
}
