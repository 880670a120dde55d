// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/suspended.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

#include <variant>

namespace {

using namespace lkt::dsl;

struct desk {
    int asked = 0, done = 0;
    bool approved = false;
};
struct finished {};

/// A policy that never gives up on anything.
struct relentless {
    [[nodiscard]] constexpr lkt::retry_delay
    next(lkt::condition, int attempt, lkt::retry_delay = {}) const {
        return attempt < 100 ? lkt::retry_delay(std::chrono::milliseconds(0)) : lkt::retry_delay();
    }
};

inline constexpr auto approve = [](desk& d) -> lkt::result<void> {
    ++d.asked;
    if (!d.approved) return lkt::suspended("approval", "somebody approves", "set approved");
    return {};
};
inline constexpr auto work = [](desk& d) { ++d.done; };

struct waiting {
    static constexpr auto graph = lkt::graph<desk>(
        node<approve>(retrying<relentless{}>(), to(work)), node<work>(to(stop<finished>)));
};
struct outside {
    static constexpr auto graph = lkt::graph<desk>(
        node<sub<waiting>>(retrying<relentless{}>(), on<finished>(stop<finished>)));
};
struct in_the_meantime {
    static constexpr auto graph =
        lkt::graph<desk>(node<approve>(on_error<lkt::condition::suspended>(work), to(work)),
                         node<work>(to(stop<finished>)));
};

} // namespace

TEST_CASE("a waiting state has a name, and what is awaited") {
    auto const e = lkt::suspended("approval", "somebody approves", "set approved");
    CHECK(e.kind == lkt::condition::suspended);
    CHECK(e.code == "lkt.suspended.approval");
    CHECK(e.message == "the run waits until somebody approves");
    CHECK(lkt::waiting_state(e) == "approval");
    CHECK(lkt::waiting_state(lkt::cancelled("it")).empty());
}

TEST_CASE("a suspended run stands before the node, is not retried and goes on there") {
    desk d;
    lkt::cursor<outside> at;
    auto const first = lkt::run<outside>(d, at);
    REQUIRE_FALSE(first.has_value());
    CHECK(lkt::waiting_state(first.error()) == "approval");
    CHECK(d.asked == 1);
    CHECK(std::get<0>(at.inner).at == 0);
    CHECK(at.entered);
    d.approved = true;
    REQUIRE(lkt::run<outside>(d, at).has_value());
    CHECK(d.asked == 2);
    CHECK(d.done == 1);
}

TEST_CASE("an edge may say what is done while it waits") {
    desk d;
    REQUIRE(lkt::run<in_the_meantime>(d).has_value());
    CHECK(d.asked == 1);
    CHECK(d.done == 1);
}
