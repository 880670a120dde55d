// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/run.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

#include "machines.hpp"

using namespace machines;

// ------------------------------------------------------------------------- allocations are counted
// Replaced for the whole test program; everything else behaves as before.
namespace {
std::atomic<long> allocations = 0;

void* counted(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size > 0 ? size : 1)) return p;
    throw std::bad_alloc();
}
} // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

TEST_CASE("a graph without fallible nodes gives its plain outcome, in constant expressions too") {
    state s;
    auto const end = lkt::run<refine>(s);
    CHECK(std::is_same_v<decltype(end), std::variant<gave_up, tuned, broke> const>);
    CHECK(std::holds_alternative<tuned>(end));
    constexpr auto at_compile_time = [] {
        state inside;
        return lkt::run<refine>(inside).index();
    }();
    CHECK(at_compile_time == 1);
}

TEST_CASE("a fallible node or a stop token makes it a result") {
    state s;
    script tools;
    CHECK(
        std::is_same_v<decltype(lkt::run<asking>(s, tools)), lkt::result<lkt::outcome_of<asking>>>);
    CHECK(std::is_same_v<decltype(lkt::run<refine>(s, std::stop_token{})),
                         lkt::result<lkt::outcome_of<refine>>>);
}

TEST_CASE("a run allocates nothing of its own") {
    campaign_state c;
    script tools;
    lkt::cursor<campaign> at;
    std::stop_source source;
    auto const token = source.get_token();
    struct {
        int count = 0;
        void on_transition(lkt::node_event const&, lkt::transition_event const&) { ++count; }
    } observer;
    long const before = allocations;
    auto const end = lkt::run<campaign>(c, tools, at, observer, token);
    long const after = allocations;
    CHECK(end.has_value());
    CHECK(observer.count > 10);
    CHECK(after == before);
    auto* probe = new int(3); // the counter does count
    CHECK(allocations > after);
    delete probe;
}

// ------------------------------------------------------------------------------------------ limits

namespace {

inline constexpr auto never_enough = [](state& s) -> built {
    ++s.rounds;
    return built::rejected;
};
template <auto Limit>
struct bounded {
    static constexpr auto graph =
        lkt::graph<state>(node<never_enough>(limit<Limit>(stop<gave_up>),
                                             on<built::ok>(stop<tuned>),
                                             on<built::rejected>(never_enough)));
};
template <class G>
int rounds_of(state s = {}) {
    lkt::run<G>(s);
    return s.rounds;
}

struct entered_twice {
    static constexpr auto inner = focus<&campaign_state::tile>(bounded<3>{});
    static constexpr auto graph = lkt::graph<campaign_state>(
        node<next_kernel>(
            limit<9>(stop<finished>), on<queue::more>(inner), on<queue::empty>(stop<finished>)),
        node<inner>(on<gave_up>(next_kernel), on<tuned>(next_kernel)));
};

} // namespace

TEST_CASE("the visit after the last allowed one goes to the limit's target") {
    CHECK(rounds_of<bounded<8>>() == 8);
    CHECK(rounds_of<bounded<0>>() == 0);
    CHECK(rounds_of<bounded<-3>>() == 0);
    CHECK(rounds_of<bounded<&state::max_fixes>>() == 3);
    CHECK(rounds_of<bounded<&state::max_fixes>>({.max_fixes = 5}) == 5);
    CHECK(rounds_of<bounded<&state::max_rounds>>() == 8);
}

TEST_CASE("limits count within one entry of their graph") {
    campaign_state c{.left = 4};
    lkt::run<entered_twice>(c);
    CHECK(c.tile.rounds == 4 * 3);
}

// ---------------------------------------------------------------------------- failures and
// resuming

TEST_CASE("a failure leaves state and cursor; running again goes on there") {
    state s;
    script tools{{nullptr, &unavailable}};
    lkt::cursor<asking> at;
    auto const failed = lkt::run<asking>(s, tools, at);
    REQUIRE(failed.has_error());
    CHECK(failed.error().kind == lkt::condition::unavailable);
    CHECK(s.rounds == 1);
    CHECK(at.at == 0);
    CHECK(at.visits[0] == 1); // the failed visit is not counted
    auto const end = lkt::run<asking>(s, tools, at);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<tuned>(*end));
    CHECK(s.rounds == 3);
    CHECK(at.visits[0] == 3);
    CHECK(tools.calls == 4);
}

TEST_CASE("a failure in a nested graph resumes inside of it, and no visit counts twice") {
    // Without failures: what the run comes to.
    campaign_state smooth;
    script none;
    lkt::cursor<campaign> smooth_at;
    REQUIRE(lkt::run<campaign>(smooth, none, smooth_at).has_value());

    for (std::size_t broken = 0; broken < none.calls; ++broken) {
        CAPTURE(broken);
        campaign_state c;
        script tools{std::vector<lkt::condition const*>(broken, nullptr)};
        tools.failures.push_back(&unavailable);
        lkt::cursor<campaign> at;
        REQUIRE(lkt::run<campaign>(c, tools, at).has_error());
        CHECK(at.at == 1);
        CHECK(std::get<0>(at.inner).entered);
        CHECK(std::get<0>(at.inner).visits[0] == static_cast<std::int64_t>(broken % 3));
        auto const left = c.left;
        REQUIRE(lkt::run<campaign>(c, tools, at).has_value());
        CHECK(c.left == left - (broken < 3 ? 2 : 1));
        CHECK(c.tile.rounds == smooth.tile.rounds);
        CHECK(at == smooth_at);
        CHECK(tools.calls == none.calls + 1);
    }
}

TEST_CASE("a cursor at a terminal gives the terminal again and visits nothing") {
    state s;
    script tools;
    lkt::cursor<asking> at;
    REQUIRE(lkt::run<asking>(s, tools, at).has_value());
    CHECK(at.finished());
    CHECK_FALSE(at.entered);
    auto const calls = tools.calls;
    auto const again = lkt::run<asking>(s, tools, at);
    REQUIRE(again.has_value());
    CHECK(std::holds_alternative<tuned>(*again));
    CHECK(tools.calls == calls);
}

namespace {

struct handled {
    static constexpr auto graph = lkt::graph<state>(node<ask>(limit<5>(stop<broke>),
                                                              on_error<exhausted>(stop<gave_up>),
                                                              on_error<unavailable>(repair),
                                                              to(stop<tuned>)),
                                                    node<repair>(to(ask)));
};
struct around {
    static constexpr auto graph =
        lkt::graph<campaign_state>(node<campaign::tune>(limit<4>(stop<broke>),
                                                        on<tuned>(stop<tuned>),
                                                        on<gave_up>(stop<gave_up>),
                                                        on_error<exhausted>(campaign::tune)));
};

} // namespace

TEST_CASE("on_error takes the edge for its condition, the others leave the run") {
    state s;
    script out_of_budget{{&exhausted}};
    auto end = lkt::run<handled>(s, out_of_budget);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<gave_up>(*end));

    script repaired{{&unavailable, &unavailable}};
    end = lkt::run<handled>(s, repaired);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<tuned>(*end));
    CHECK(s.fixes == 2);

    script fails{{&transient}};
    end = lkt::run<handled>(s, fails);
    REQUIRE(end.has_error());
    CHECK(end.error().kind == lkt::condition::transient);
}

TEST_CASE("a visit that failed and went by on_error counts for the limit") {
    state s;
    script tools{std::vector<lkt::condition const*>(20, &unavailable)};
    auto const end = lkt::run<handled>(s, tools);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<broke>(*end));
    CHECK(tools.calls == 5);
}

TEST_CASE("on_error of a nested graph begins it anew") {
    campaign_state c;
    script tools{{nullptr, &exhausted}};
    lkt::cursor<around> at;
    REQUIRE(lkt::run<around>(c, tools, at).has_value());
    CHECK(at.visits[0] == 2);
    CHECK(std::get<0>(at.inner) == lkt::cursor<asking>{});
    CHECK(c.tile.rounds == 3);
}

// -------------------------------------------------------------------------------------- retrying

namespace {

template <auto Policy>
struct patient {
    static constexpr auto graph =
        lkt::graph<state>(node<ask>(retrying<Policy>(), limit<3>(stop<gave_up>), to(stop<tuned>)));
};
struct odd_policy {
    lkt::retry_delay next(lkt::condition c, int attempt, lkt::retry_delay) const {
        if (c != lkt::condition::unavailable || attempt > 4) return {};
        return std::chrono::milliseconds(attempt);
    }
};

/// Fails as it is told, with all that an error says.
struct telling {
    std::vector<lkt::error> failures;
    std::size_t calls = 0;
    lkt::result<void> next() {
        auto const at = calls++;
        if (at >= failures.size()) return {};
        return failures[at];
    }
};
lkt::error const busy{lkt::condition::transient, "lkt.test.busy", "busy", {}};

struct with_stop {
    std::stop_token stop;
    script& calls;
    lkt::result<void> next() { return calls.next(); }
};

} // namespace

TEST_CASE("transient failures are repeated with the policy's delays") {
    state s;
    script tools{{&transient, &transient}};
    noting_waiter waiter;
    auto const end =
        lkt::run<patient<lkt::backoff{.attempts = 3, .first_ms = 10}>>(s, tools, waiter);
    REQUIRE(end.has_value());
    CHECK(tools.calls == 3);
    CHECK(waiter.delays == std::vector<long long>{10, 20});
}

TEST_CASE("a policy that gives up leaves the failure as it is") {
    state s;
    noting_waiter waiter;
    script twice{{&transient, &transient}};
    auto end = lkt::run<patient<lkt::fixed{.attempts = 2}>>(s, twice, waiter);
    REQUIRE(end.has_error());
    CHECK(end.error().code == "lkt.test.scripted");
    CHECK(twice.calls == 2);
    script rejected{{&exhausted}};
    end = lkt::run<patient<lkt::fixed{.attempts = 5}>>(s, rejected, waiter);
    REQUIRE(end.has_error());
    CHECK(rejected.calls == 1);
    CHECK(lkt::run<patient<lkt::never{}>>(s, twice, waiter).has_value());
}

TEST_CASE("a failure that says when is not repeated before") {
    state s;
    lkt::error later = busy;
    later.retry_after = std::chrono::milliseconds(700);
    telling tools{{later, busy}};
    noting_waiter waiter;
    REQUIRE(lkt::run<patient<lkt::backoff{.attempts = 3, .first_ms = 10}>>(s, tools, waiter)
                .has_value());
    CHECK(waiter.delays == std::vector<long long>{700, 20});
    later.retry_after = std::chrono::hours(2); // longer than a policy waits
    telling far{{later}};
    CHECK(lkt::run<patient<lkt::backoff{.attempts = 3}>>(s, far, waiter).has_error());
    CHECK(far.calls == 1);
}

TEST_CASE("what was tried within a node counts as attempts") {
    state s;
    lkt::error tried = busy;
    tried.attempts = 4;
    telling tools{{tried, tried, tried}};
    noting_waiter waiter;
    auto const end = lkt::run<patient<lkt::backoff{.attempts = 3}>>(s, tools, waiter);
    REQUIRE(end.has_error());
    CHECK(end.error().attempts == 4);
    CHECK(tools.calls == 1);
    telling longer{{tried, tried, tried}};
    auto const more =
        lkt::run<patient<lkt::fixed{.attempts = 6, .delay_ms = 1}>>(s, longer, waiter);
    REQUIRE(more.has_error());
    CHECK(more.error().attempts == 8);
    CHECK(longer.calls == 2);
}

TEST_CASE("a user's own policy is one") {
    state s;
    script tools{{&unavailable, &unavailable, &unavailable}};
    noting_waiter waiter;
    CHECK(lkt::run<patient<odd_policy{}>>(s, tools, waiter).has_value());
    CHECK(waiter.delays == std::vector<long long>{1, 2, 3});
}

TEST_CASE("retries are one visit") {
    state s;
    script tools{{&transient, &transient}};
    noting_waiter waiter;
    lkt::cursor<patient<lkt::fixed{.attempts = 3}>> at;
    REQUIRE(lkt::run<patient<lkt::fixed{.attempts = 3}>>(s, tools, waiter, at).has_value());
    CHECK(at.visits[0] == 1);
}

TEST_CASE("a stop request ends the wait at once, and the run stays where it is") {
    state s;
    script calls{{&transient}};
    std::stop_source source;
    with_stop tools{source.get_token(), calls};
    lkt::cursor<patient<lkt::fixed{.attempts = 2, .delay_ms = 60'000}>> at;
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        source.request_stop();
    });
    auto const start = std::chrono::steady_clock::now();
    auto const end = lkt::run<patient<lkt::fixed{.attempts = 2, .delay_ms = 60'000}>>(s, tools, at);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    REQUIRE(end.has_error());
    CHECK(end.error().kind == lkt::condition::cancelled);
    CHECK(calls.calls == 1);
    CHECK(at.at == 0);
    CHECK_FALSE(at.finished());
}

// ------------------------------------------------------------------------------------- stop tokens

namespace {

struct stopper {
    std::stop_source source;
    int after = 0;
    void on_exit(lkt::node_event const&, lkt::node_exit const&) {
        if (--after == 0) source.request_stop();
    }
};
struct catches_all {
    static constexpr auto graph = lkt::graph<campaign_state>(
        node<campaign::tune>(on<tuned>(stop<tuned>),
                             on<gave_up>(stop<gave_up>),
                             on_error<lkt::condition::cancelled>(stop<broke>)));
};

} // namespace

TEST_CASE("the token is polled before each visit, inside of nested graphs too") {
    for (int after = 1; after < 6; ++after) {
        CAPTURE(after);
        campaign_state c;
        script tools;
        lkt::cursor<campaign> at;
        stopper s{.source = {}, .after = after};
        auto const end = lkt::run<campaign>(c, tools, at, s, s.source.get_token());
        REQUIRE(end.has_error());
        CHECK(end.error().kind == lkt::condition::cancelled);
        CHECK(s.after <= 0);
        CHECK(lkt::run<campaign>(c, tools, at).has_value()); // nothing is lost
        CHECK(c.tile.rounds == 6);
    }
}

TEST_CASE("a member `stop` of the tools is polled as well; a token given to run goes before it") {
    std::stop_source stopped;
    stopped.request_stop();
    script calls;
    with_stop tools{stopped.get_token(), calls};
    state s;
    auto const end = lkt::run<asking>(s, tools);
    REQUIRE(end.has_error());
    CHECK(end.error().kind == lkt::condition::cancelled);
    CHECK(calls.calls == 0);
    CHECK(lkt::run<asking>(s, tools, std::stop_token{}).has_value());
}

TEST_CASE("a stop request is not caught by on_error, so that resuming finds the place") {
    campaign_state c;
    script tools;
    lkt::cursor<catches_all> at;
    stopper s{.source = {}, .after = 1};
    auto const end = lkt::run<catches_all>(c, tools, at, s, s.source.get_token());
    REQUIRE(end.has_error());
    CHECK(at.at == 0);
    CHECK(std::get<0>(at.inner).at == 1);
}

// ------------------------------------------------------------------------------------ other things

namespace {

inline constexpr auto lies = [](state&) -> built { return static_cast<built>(40); };
struct lying {
    static constexpr auto graph = lkt::graph<state>(
        node<lies>(on<built::ok>(stop<tuned>), on<built::rejected>(stop<gave_up>)));
};
inline constexpr auto chooses = [](state& s) -> std::variant<tuned, gave_up> {
    if (s.rounds > 0) return tuned{};
    return gave_up{};
};
struct choosing {
    static constexpr auto graph =
        lkt::graph<state>(node<chooses>(on<tuned>(stop<tuned>), on<gave_up>(stop<gave_up>)));
};
struct own_tools {
    int calls = 0;
};
inline constexpr auto names_its_tools = [](state&, own_tools& t) -> void { ++t.calls; };
inline constexpr auto reads_its_tools = [](state&, own_tools const& t) -> built {
    return t.calls > 0 ? built::ok : built::rejected;
};
struct with_own_tools {
    static constexpr auto graph = lkt::graph<state>(
        node<names_its_tools>(to(reads_its_tools)),
        node<reads_its_tools>(on<built::ok>(stop<tuned>), on<built::rejected>(stop<gave_up>)));
};
struct derived_state : state {
    int more = 1;
};

} // namespace

TEST_CASE("a value that no enumerator has is a bug, and thrown") {
    state s;
    CHECK_THROWS_AS(lkt::run<lying>(s), lkt::unknown_outcome);
    try {
        lkt::run<lying>(s);
    } catch (lkt::unknown_outcome const& e) {
        CHECK(std::string(e.what()).find("lies") != std::string::npos);
    }
}

TEST_CASE("variants of tags are outcomes of nodes too") {
    state s;
    CHECK(std::holds_alternative<gave_up>(lkt::run<choosing>(s)));
    s.rounds = 1;
    CHECK(std::holds_alternative<tuned>(lkt::run<choosing>(s)));
}

TEST_CASE("nodes may name the type of their tools") {
    state s;
    own_tools tools;
    CHECK(std::holds_alternative<tuned>(lkt::run<with_own_tools>(s, tools)));
    CHECK(tools.calls == 1);
}

TEST_CASE("a state derived from the graph's state is one") {
    derived_state s;
    CHECK(std::holds_alternative<tuned>(lkt::run<refine>(s)));
    CHECK(s.rounds > 0);
}

TEST_CASE("options come in any order, with and without tools") {
    state s;
    lkt::cursor<refine> at;
    noting_waiter waiter;
    stopper quiet{.source = {}, .after = 1000};
    CHECK(lkt::run<refine>(s, std::stop_token{}, quiet, waiter, at).has_value());
    CHECK(at.finished());
    state t;
    script tools;
    lkt::cursor<asking> where;
    CHECK(lkt::run<asking>(t, tools, waiter, where, quiet, std::stop_token{}).has_value());
    CHECK(where.finished());
}
