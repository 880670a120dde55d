// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/fan_out.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "machines.hpp"

using namespace machines;

namespace {

/// What branches of a test share: each enters a room and leaves it again.
struct room {
    std::mutex mutex;
    std::condition_variable changed;
    int inside = 0, most = 0, entered = 0;
    std::set<std::thread::id> threads;

    /// Waits until so many are inside at once, or a second has passed.
    void meet(int expected) {
        std::unique_lock lock(mutex);
        ++entered;
        most = std::max(most, ++inside);
        threads.insert(std::this_thread::get_id());
        changed.notify_all();
        changed.wait_for(lock, std::chrono::seconds(1), [&] { return most >= expected; });
        --inside;
    }
};

struct item {
    int value = 0;
    int expected = 1; ///< how many should be in the room at once
    lkt::condition const* fails = nullptr;
    bool throws = false;
    bool waits = false; ///< until it is stopped
    friend bool operator==(item const&, item const&) = default;
};
struct work {
    item left, right;
    std::vector<item> items;
    std::vector<lkt::branch_failure> lost;
    int threads = 2;
    friend bool operator==(work const&, work const&) = default;
};
struct bench {
    room& shared;
    std::stop_token stop = {};
    int own = 0; ///< a branch works on a copy of these tools
};

constexpr auto rejected = lkt::condition::rejected;
constexpr auto suspended = lkt::condition::suspended;
constexpr auto cancelled = lkt::condition::cancelled;

/// Changes its item first and fails then, which a fan_out makes good.
inline constexpr auto toil = [](item& i, auto& tools) -> lkt::result<built> {
    i.value += 10;
    ++tools.own;
    tools.shared.meet(i.expected);
    if (i.throws) throw std::runtime_error("a bug");
    if (i.waits) {
        auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!tools.stop.stop_requested() && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return lkt::cancelled("the toil");
    }
    if (i.fails != nullptr) return lkt::error{*i.fails, "lkt.test.branch", "broken", "mend"};
    return built::ok;
};
inline constexpr auto polish = [](item& i) -> void { ++i.value; };
struct improve {
    static constexpr auto graph =
        lkt::graph<item>(node<toil>(on<built::ok>(polish), on<built::rejected>(stop<gave_up>)),
                         node<polish>(to(stop<tuned>)));
};

struct pair_of {
    static constexpr auto both = fan_out(focus<&work::left>(toil), focus<&work::right>(improve{}));
    static constexpr auto graph = lkt::graph<work>(node<both>(to(stop<tuned>)));
};
struct each_of {
    static constexpr auto each = fan_out_over<&work::items, &work::threads>(improve{});
    static constexpr auto graph = lkt::graph<work>(node<each>(to(stop<tuned>)));
};
struct each_that_works {
    static constexpr auto each =
        fan_out_over<&work::items, &work::threads>(improve{}, failures<&work::lost>());
    static constexpr auto graph =
        lkt::graph<work>(node<each>(on<lkt::joined::all>(stop<tuned>),
                                    on<lkt::joined::some>(stop<broke>),
                                    on<lkt::joined::none>(stop<gave_up>)));
};

template <class G>
std::string end_of(work& w, bench& tools) {
    auto const end = lkt::run<G>(w, tools);
    return end ? std::string(lkt::outcome_name(*end)) : end.error().code;
}

} // namespace

TEST_CASE("branches run side by side on their parts, which come back together") {
    room shared;
    bench tools{shared};
    work w;
    w.left.expected = w.right.expected = 2;
    CHECK(end_of<pair_of>(w, tools) == "tuned");
    CHECK(shared.most == 2);
    CHECK(w.left.value == 10);
    CHECK(w.right.value == 11);
}

TEST_CASE("no more branches run at a time than there are threads, one of which is the caller's") {
    for (int threads : {1, 2, 3, -1}) {
        CAPTURE(threads);
        room shared;
        bench tools{shared};
        work w;
        w.threads = threads;
        w.items.assign(7, item{.expected = std::max(threads, 1)});
        for (std::size_t i = 0; i < w.items.size(); ++i) w.items[i].value = static_cast<int>(i);
        CHECK(end_of<each_of>(w, tools) == "tuned");
        CHECK(shared.most == std::max(threads, 1));
        CHECK(shared.entered == 7);
        if (threads <= 1) CHECK(shared.threads == std::set{std::this_thread::get_id()});
        for (std::size_t i = 0; i < w.items.size(); ++i)
            CHECK(w.items[i].value == static_cast<int>(i) + 11);
    }
}

TEST_CASE("without elements there is nothing to do") {
    room shared;
    bench tools{shared};
    work w;
    CHECK(end_of<each_of>(w, tools) == "tuned");
    CHECK(end_of<each_that_works>(w, tools) == "tuned");
}

TEST_CASE("the first branch to fail stops the others, and the state is as before") {
    room shared;
    bench tools{shared};
    work w;
    w.items.assign(5, item{.expected = 2});
    w.items[0].waits = true; // fails with `cancelled`, as a consequence
    w.items[1].fails = &rejected;
    auto const before = w;
    lkt::cursor<each_of> at;
    auto const end = lkt::run<each_of>(w, tools, at);
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().code == "lkt.test.branch");
    CHECK(shared.entered == 2); // the others were not begun
    CHECK(w == before);
    CHECK(at.at == 0);
    w.items[0].waits = false;
    w.items[1].fails = nullptr;
    CHECK(lkt::run<each_of>(w, tools, at).has_value());
}

TEST_CASE("a branch that fails is no failure of the whole where the state keeps failures") {
    room shared;
    bench tools{shared};
    work w;
    w.items.assign(3, item{});
    w.items[1].fails = &rejected;
    CHECK(end_of<each_that_works>(w, tools) == "broke");
    CHECK(w.items[0].value == 11);
    CHECK(w.items[1].value == 0); // as before
    CHECK(w.items[2].value == 11);
    CHECK(w.lost ==
          std::vector<lkt::branch_failure>{{1, rejected, "lkt.test.branch", "broken", "mend"}});
    w.items[0].fails = w.items[2].fails = &rejected;
    CHECK(end_of<each_that_works>(w, tools) == "gave_up");
    CHECK(w.lost.size() == 3);
    for (auto& i : w.items) i.fails = nullptr;
    CHECK(end_of<each_that_works>(w, tools) == "tuned");
    CHECK(w.lost.empty());
}

TEST_CASE("a suspension is never kept: the run ends, to be resumed") {
    room shared;
    bench tools{shared};
    work w;
    w.threads = 1;
    w.items.assign(3, item{});
    w.items[1].fails = &suspended;
    auto const before = w;
    auto const end = lkt::run<each_that_works>(w, tools);
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().kind == suspended);
    CHECK(shared.entered == 2);
    CHECK(w == before);
}

TEST_CASE("a stop request reaches the branches, and the state is as before") {
    std::stop_source source;
    room shared;
    bench tools{shared, source.get_token()};
    work w;
    w.items.assign(2, item{.expected = 2, .waits = true});
    auto const before = w;
    lkt::cursor<each_that_works> at;
    std::jthread const stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        source.request_stop();
    });
    auto const start = std::chrono::steady_clock::now();
    auto const end = lkt::run<each_that_works>(w, tools, at);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    REQUIRE_FALSE(end.has_value());
    CHECK(end.error().kind == cancelled);
    CHECK(w == before);
    CHECK(at.at == 0);
}

TEST_CASE("an exception passes through once all branches have ended") {
    room shared;
    bench tools{shared};
    work w;
    w.left.throws = true;
    w.left.expected = w.right.expected = 2;
    w.right.waits = true;
    auto const before = w;
    CHECK_THROWS_WITH_AS((void)lkt::run<pair_of>(w, tools), "a bug", std::runtime_error);
    CHECK(shared.inside == 0);
    CHECK(w == before);
}

TEST_CASE("tools with a stop token are copied for a branch; other tools are shared") {
    room shared;
    bench tools{shared};
    work w;
    CHECK(end_of<pair_of>(w, tools) == "tuned");
    CHECK(tools.own == 0);
    CHECK_FALSE(tools.stop.stop_possible());
    struct {
        room& shared;
        std::atomic<int> own = 0; // not copyable
        struct {
            static bool stop_requested() { return false; }
        } stop = {};
    } plain{shared};
    CHECK(lkt::run<pair_of>(w, plain).has_value());
    CHECK(plain.own == 2);
}

// ------------------------------------------------------------------------------------ reductions

namespace {

struct contest {
    item best{.value = 5};
    int tries = 0;
    std::vector<lkt::branch_failure> lost = {};
};
template <int Gain>
struct gain_fn {
    lkt::result<void> operator()(item& i) const {
        if (Gain < 0) return lkt::error{rejected, "lkt.test.loss", "a loss", {}};
        i.value += Gain;
        return {};
    }
};
template <int Gain>
inline constexpr gain_fn<Gain> gain{};
inline constexpr auto largest = [](item& best, std::vector<item> const& ends) {
    for (item const& end : ends)
        best.value = std::max(best.value * 100 + end.value, best.value); // tells the order
};
inline constexpr auto count_try = [](int& tries) -> void { ++tries; };
struct compete {
    static constexpr auto all = fan_out<2>(focus<&contest::best>(gain<1>),
                                           focus<&contest::best>(gain<-1>),
                                           focus<&contest::best>(gain<3>),
                                           focus<&contest::tries>(count_try),
                                           reduce<&contest::best>(largest),
                                           failures<&contest::lost>());
    static constexpr auto graph =
        lkt::graph<contest>(node<all>(on<lkt::joined::all>(stop<tuned>),
                                      on<lkt::joined::some>(stop<broke>),
                                      on<lkt::joined::none>(stop<gave_up>)));
};
inline constexpr auto refuse = [](item&, std::vector<item>&) { throw std::runtime_error("no"); };
struct refusing {
    static constexpr auto all = fan_out<1>(focus<&contest::tries>(count_try),
                                           focus<&contest::best>(gain<1>),
                                           focus<&contest::best>(gain<2>),
                                           reduce<&contest::best>(refuse));
    static constexpr auto graph = lkt::graph<contest>(node<all>(to(stop<tuned>)));
};
struct infallible {
    static constexpr auto all = fan_out(focus<&contest::tries>(count_try));
    static constexpr auto graph = lkt::graph<contest>(node<all>(to(stop<tuned>)));
};

} // namespace

TEST_CASE("a reduction joins the branches on one part that succeeded, in their order") {
    contest c;
    auto const end = lkt::run<compete>(c);
    REQUIRE(end.has_value());
    CHECK(lkt::outcome_name(*end) == "broke");
    CHECK(c.best.value == 50608); // 5 before, then 6, then 8
    CHECK(c.tries == 1);
    REQUIRE(c.lost.size() == 1);
    CHECK(c.lost[0].branch == 1);
}

TEST_CASE("a reduction that throws leaves the state as it was") {
    contest c;
    CHECK_THROWS_AS((void)lkt::run<refusing>(c), std::runtime_error);
    CHECK(c.tries == 0);
    CHECK(c.best.value == 5);
}

TEST_CASE("branches that cannot fail make no fallible node") {
    contest c;
    CHECK(std::is_same_v<decltype(lkt::run<infallible>(c)), std::variant<tuned>>);
    lkt::run<infallible>(c);
    CHECK(c.tries == 1);
}

// ----------------------------------------------------------------- retries, observers, fans in
// fans

namespace {

struct patient {
    static constexpr auto each = fan_out_over<&work::items, 2>(toil);
    static constexpr auto graph = lkt::graph<work>(node<each>(
        retrying<lkt::fixed{.attempts = 3}>(), on_error<rejected>(stop<gave_up>), to(stop<tuned>)));
};

struct nest {
    std::vector<work> works;
};
struct nested {
    static constexpr auto each = fan_out_over<&nest::works, 2>(each_of{});
    static constexpr auto graph = lkt::graph<nest>(node<each>(to(stop<tuned>)));
};

/// Not safe for several threads: the run has to tell it one thing at a time.
struct recorder {
    std::vector<std::string> lines;
    std::set<std::thread::id> threads;
    bool telling = false;

    void note(std::string line) {
        CHECK_FALSE(std::exchange(telling, true));
        lines.push_back(std::move(line));
        threads.insert(std::this_thread::get_id());
        telling = false;
    }
    void on_enter(lkt::node_event const& e) {
        note("> " + std::to_string(e.branch) + " " + std::to_string(e.depth) + " " + path_of(e));
    }
    void on_exit(lkt::node_event const& e, lkt::node_exit const& x) {
        note("< " + std::to_string(e.branch) + " " + std::to_string(e.depth) + " " +
             std::string(x.failure != nullptr ? x.failure->code : x.outcome));
    }
    void on_transition(lkt::node_event const& e, lkt::transition_event const& t) {
        note("- " + std::to_string(e.branch) + " " + std::to_string(e.depth) + " " +
             std::string(t.target));
    }
};

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("a fan_out is retried as a whole, and its errors have edges") {
    room shared;
    bench tools{shared};
    work w;
    w.items.assign(1, item{.fails = &transient});
    noting_waiter waiter;
    auto const end = lkt::run<patient>(w, tools, waiter);
    CHECK_FALSE(end.has_value());
    CHECK(shared.entered == 3);
    CHECK(w.items[0].value == 0);
    w.items[0].fails = &rejected;
    CHECK(lkt::outcome_name(lkt::run<patient>(w, tools).value()) == "gave_up");
}

TEST_CASE("observers see each branch with its number, as a visit one level deeper") {
    room shared;
    bench tools{shared};
    work w;
    w.threads = 1;
    w.items.assign(2, item{});
    w.items[1].fails = &rejected;
    recorder seen;
    CHECK_FALSE(lkt::run<each_of>(w, tools, seen).has_value());
    CHECK(seen.lines == strings{"> -1 0 each",
                                "> 0 1 each/items",
                                "> 0 2 each/items/toil",
                                "< 0 2 ok",
                                "- 0 2 polish",
                                "> 0 2 each/items/polish",
                                "< 0 2 ",
                                "- 0 2 tuned",
                                "< 0 1 tuned",
                                "> 1 1 each/items",
                                "> 1 2 each/items/toil",
                                "< 1 2 lkt.test.branch",
                                "< 1 1 lkt.test.branch",
                                "< -1 0 lkt.test.branch"});
}

TEST_CASE("fan_outs in branches: observers are told one event at a time of all of them") {
    room shared;
    bench tools{shared};
    nest n;
    n.works.resize(8);
    for (auto& w : n.works) w.items.assign(8, item{});
    recorder seen;
    CHECK(lkt::run<nested>(n, tools, seen).has_value());
    auto const starts = [&](char c) {
        return std::count_if(
            seen.lines.begin(), seen.lines.end(), [c](auto const& l) { return l[0] == c; });
    };
    CHECK(starts('>') == 1 + 8 + 8 + 8 * 8 * 3);
    CHECK(starts('<') == starts('>'));
    CHECK(seen.threads.size() > 1);
    for (auto const& w : n.works)
        for (auto const& i : w.items) CHECK(i.value == 11);
}

TEST_CASE(
    "while branches run, state and cursor stand as they were, for an observer that keeps them") {
    room shared;
    bench tools{shared};
    work w;
    w.items.assign(4, item{});
    lkt::cursor<each_of> at;
    struct keeper {
        work const& state;
        lkt::cursor<each_of> const& at;
        int looked = 0;
        void on_transition(lkt::node_event const& e, lkt::transition_event const&) {
            if (e.branch < 0) return;
            ++looked;
            CHECK(state.items[0].value == 0);
            CHECK(at.at == 0);
        }
    } keep{w, at};
    CHECK(lkt::run<each_of>(w, tools, at, keep).has_value());
    CHECK(keep.looked == 8);
    CHECK(at.finished());
}
