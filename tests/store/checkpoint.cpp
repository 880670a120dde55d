// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/checkpoint.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/graph/suspended.hpp>
#include <lkt/store/journal_memory.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace lkt::dsl;

struct finding {
    std::string text;
    std::optional<int> line;
    std::variant<int, std::string> what;
    friend bool operator==(finding const&, finding const&) = default;
};

struct work {
    int rounds = 0;
    int inner_rounds = 0;
    std::vector<finding> found;
    std::vector<std::string> scratch; ///< not listed

    using state_fields = lkt::fields<&work::rounds, &work::inner_rounds, &work::found>;
};

struct done {};
struct too_many {};
enum class more { yes, no };

/// Calls of nodes, in all processes of a test, and when to fail.
struct counters {
    int calls = 0;
    int fail_at = -1;
    lkt::condition kind = lkt::condition::cancelled;

    lkt::result<void> count() {
        if (calls == fail_at) return lkt::error{kind, "lkt.test.killed", "killed", {}};
        ++calls;
        return {};
    }
};

inline constexpr auto look = [](work& w, auto& tools) -> lkt::result<void> {
    if (auto ok = tools.count(); !ok) return ok;
    ++w.inner_rounds;
    w.found.push_back({"round " + std::to_string(w.rounds), w.inner_rounds, w.rounds});
    return {};
};
inline constexpr auto enough = [](work& w, auto& tools) -> lkt::result<more> {
    if (auto ok = tools.count(); !ok) return ok.error();
    return w.inner_rounds % 3 == 0 ? more::no : more::yes;
};
struct inner {
    static constexpr auto graph =
        lkt::graph<work>(node<look>(limit<5>(stop<too_many>), to(enough)),
                         node<enough>(on<more::yes>(look), on<more::no>(stop<done>)));
};
inline constexpr auto next_round = [](work& w, auto& tools) -> lkt::result<void> {
    if (auto ok = tools.count(); !ok) return ok;
    ++w.rounds;
    return {};
};
struct outer {
    static constexpr auto graph =
        lkt::graph<work>(node<next_round>(limit<4>(stop<done>), to(sub<inner>)),
                         node<sub<inner>>(on<done>(next_round), on<too_many>(stop<too_many>)));
};

/// A run in a process of its own, as far as it comes.
lkt::result<lkt::outcome_of<outer>>
one_process(lkt::journal_memory& sink, work& w, counters& tools) {
    auto journal = lkt::journal::over(sink);
    REQUIRE(journal.has_value());
    lkt::cursor<outer> at;
    auto const resumed = lkt::resume<outer>(*journal, w, at);
    REQUIRE(resumed.has_value());
    lkt::checkpoint checkpoint(*journal);
    return lkt::run<outer>(w, tools, at, checkpoint);
}

} // namespace

TEST_CASE("a run that ends anywhere, inside of nested graphs too, goes on where it ended") {
    work whole;
    counters undisturbed;
    lkt::journal_memory first;
    REQUIRE(one_process(first, whole, undisturbed).has_value());
    CHECK(whole.rounds == 4);
    CHECK(whole.found.size() == 12);

    for (int fail_at = 0; fail_at < undisturbed.calls; ++fail_at) {
        CAPTURE(fail_at);
        lkt::journal_memory sink;
        counters tools;
        tools.fail_at = fail_at;
        work lost;
        REQUIRE_FALSE(one_process(sink, lost, tools).has_value());
        CHECK(tools.calls == fail_at);
        tools.fail_at = -1;
        work w;
        auto const ended = one_process(sink, w, tools);
        REQUIRE(ended.has_value());
        CHECK(std::holds_alternative<done>(*ended));
        CHECK(w.rounds == whole.rounds);
        CHECK(w.found == whole.found);
        CHECK(tools.calls == undisturbed.calls); // no node was run twice
    }
}

TEST_CASE("whatever beginning of the journal is left, the run comes to the same end") {
    work whole;
    counters undisturbed;
    lkt::journal_memory all;
    REQUIRE(one_process(all, whole, undisturbed).has_value());
    for (std::size_t size = 0; size <= all.bytes.size(); ++size) {
        CAPTURE(size);
        lkt::journal_memory sink{all.bytes.substr(0, size)};
        work w;
        counters tools;
        REQUIRE(one_process(sink, w, tools).has_value());
        CHECK(w.found == whole.found);
        CHECK(w.rounds == whole.rounds);
    }
}

TEST_CASE("a finished run resumes to its outcome at once") {
    lkt::journal_memory sink;
    work w;
    counters tools;
    REQUIRE(one_process(sink, w, tools).has_value());
    int const calls = tools.calls;
    work again;
    auto const ended = one_process(sink, again, tools);
    REQUIRE(ended.has_value());
    CHECK(std::holds_alternative<done>(*ended));
    CHECK(tools.calls == calls);
    CHECK(again.found == w.found);
}

TEST_CASE("a terminal of a nested graph that was reached but not left is left after resuming") {
    lkt::journal_memory sink;
    auto journal = lkt::journal::over(sink);
    work w;
    lkt::cursor<outer> at;
    at.at = 1;
    at.entered = true;
    at.visits[0] = 1;
    auto& nested = std::get<0>(at.inner);
    nested.at = -2; // too_many or done, in the order of inner's clauses: done
    nested.entered = true;
    {
        lkt::checkpoint checkpoint(*journal);
        REQUIRE(checkpoint.save(w, at).has_value());
    }
    work resumed;
    counters tools;
    REQUIRE(one_process(sink, resumed, tools).has_value());
    CHECK(resumed.inner_rounds == 9); // three entries of the nested graph, not four
}

TEST_CASE("what is not listed keeps the value that it has") {
    lkt::journal_memory sink;
    work w;
    w.scratch = {"a"};
    counters tools;
    REQUIRE(one_process(sink, w, tools).has_value());
    work again;
    again.scratch = {"b"};
    REQUIRE(one_process(sink, again, tools).has_value());
    CHECK(again.scratch == std::vector<std::string>{"b"});
}

namespace {

struct full_disk : lkt::journal_memory {
    std::size_t room = 0;
    lkt::result<void> append(std::string_view more) {
        if (bytes.size() + more.size() > room)
            return lkt::error{lkt::condition::exhausted, "lkt.test.full", "the disk is full", {}};
        return lkt::journal_memory::append(more);
    }
};

inline constexpr auto step = [](work& w) -> lkt::result<void> {
    ++w.rounds;
    return {};
};
inline constexpr auto handle = [](work& w) { w.rounds += 1000; };
/// Tries again whatever the failure is.
struct insistent {
    [[nodiscard]] constexpr lkt::retry_delay
    next(lkt::condition, int attempt, lkt::retry_delay = {}) const {
        return attempt < 5 ? lkt::retry_delay(std::chrono::milliseconds(0)) : lkt::retry_delay();
    }
};
/// Would go on without saving, if anything could make it.
struct stubborn_inner {
    static constexpr auto graph =
        lkt::graph<work>(node<step>(retrying<lkt::fixed{.attempts = 3}>(),
                                    limit<50>(stop<done>),
                                    on_error<lkt::condition::unavailable>(step),
                                    to(step)));
};
struct stubborn {
    static constexpr auto graph =
        lkt::graph<work>(node<sub<stubborn_inner>>(retrying<insistent{}>(),
                                                   on<done>(stop<done>),
                                                   on_error<lkt::condition::unavailable>(handle),
                                                   on_error<lkt::condition::exhausted>(handle)),
                         node<handle>(to(stop<done>)));
};

} // namespace

TEST_CASE("a run that cannot be saved ends, whatever edges and retries there are") {
    full_disk sink;
    sink.room = 600;
    auto journal = lkt::journal::over(sink);
    REQUIRE(journal.has_value());
    lkt::checkpoint checkpoint(*journal);
    work w;
    auto const ended = lkt::run<stubborn>(w, checkpoint);
    REQUIRE_FALSE(ended.has_value());
    CHECK(ended.error().kind == lkt::condition::unavailable);
    CHECK(ended.error().code == "lkt.test.full");
    CHECK(w.rounds > 1);
    CHECK(w.rounds < 50);

    // What was saved is good: the rest follows when there is room.
    sink.room = 1 << 20;
    auto after = lkt::journal::over(sink);
    REQUIRE(after.has_value());
    work resumed;
    lkt::cursor<stubborn> at;
    REQUIRE(lkt::resume<stubborn>(*after, resumed, at).value());
    CHECK(resumed.rounds == w.rounds - 1);
    lkt::checkpoint again(*after);
    REQUIRE(lkt::run<stubborn>(resumed, at, again).has_value());
    CHECK(resumed.rounds == 50);
}

TEST_CASE("a journal of another graph or of another form of state is refused") {
    lkt::journal_memory sink;
    work w;
    counters tools;
    REQUIRE(one_process(sink, w, tools).has_value());
    auto journal = lkt::journal::over(sink);
    lkt::cursor<inner> at;
    auto const resumed = lkt::resume<inner>(*journal, w, at);
    REQUIRE_FALSE(resumed.has_value());
    CHECK(resumed.error().code == "lkt.journal.other");
    CHECK(resumed.error().message.find("outer/inner") != std::string::npos);
    CHECK(lkt::shape_of<work>() != lkt::shape_of<finding>());
}

TEST_CASE("a journal with a run is not begun anew") {
    lkt::journal_memory sink;
    work w;
    counters tools;
    REQUIRE(one_process(sink, w, tools).has_value());
    auto const before = sink.bytes;
    auto journal = lkt::journal::over(sink);
    lkt::checkpoint checkpoint(*journal);
    work fresh;
    auto const ended = lkt::run<outer>(fresh, tools, checkpoint);
    REQUIRE_FALSE(ended.has_value());
    CHECK(ended.error().code == "lkt.journal.not-resumed");
    CHECK(fresh.rounds == 0);
    CHECK(sink.bytes == before);
}

namespace {

struct base_state {
    int a = 0;
    using state_fields = lkt::fields<&base_state::a>;
};
struct forgetful : base_state {
    double b = 0;
};
struct careful : base_state {
    double b = 0;
    using state_fields = lkt::fields_of<base_state, &careful::b>;
};
struct same_again : base_state {};
struct padded_base {
    padded_base() = default; // then its padding may be used
    padded_base(int) {}
    std::int64_t wide = 0;
    int a = 0;
    using state_fields = lkt::fields<&padded_base::a>;
};
struct within_padding : padded_base {
    int b = 0;
};

} // namespace

TEST_CASE("members of a derived state are not lost in silence") {
    CHECK_FALSE(lkt::journalable<forgetful>);
    CHECK(lkt::journalable<careful>);
    CHECK(lkt::journalable<same_again>);
    static_assert(sizeof(within_padding) == sizeof(padded_base));
    CHECK_FALSE(lkt::journalable<within_padding>);
    CHECK_FALSE(lkt::journalable<finding>); // lists nothing
}

namespace {

struct approval {
    bool given = false;
    int asked = 0;
};
inline constexpr auto approve = [](work& w, approval& outside) -> lkt::result<void> {
    ++outside.asked;
    if (!outside.given) return lkt::suspended("approval", "somebody approves round 1");
    ++w.rounds;
    return {};
};
struct with_approval {
    static constexpr auto graph =
        lkt::graph<work>(node<step>(to(approve)),
                         node<approve>(retrying<lkt::fixed{.attempts = 5}>(), to(stop<done>)));
};

} // namespace

TEST_CASE("a suspended run waits in its journal") {
    lkt::journal_memory sink;
    approval outside;
    for (int process = 0; process < 3; ++process) {
        CAPTURE(process);
        auto journal = lkt::journal::over(sink);
        work w;
        lkt::cursor<with_approval> at;
        REQUIRE(lkt::resume<with_approval>(*journal, w, at).has_value());
        lkt::checkpoint checkpoint(*journal);
        outside.given = process == 2;
        auto const ended = lkt::run<with_approval>(w, outside, at, checkpoint);
        CHECK(outside.asked == process + 1); // no retry
        if (process < 2) {
            REQUIRE_FALSE(ended.has_value());
            CHECK(lkt::waiting_state(ended.error()) == "approval");
            CHECK(w.rounds == 1);
        } else {
            REQUIRE(ended.has_value());
            CHECK(w.rounds == 2);
        }
    }
}
