// SPDX-License-Identifier: BSL-1.0
// Branches, timeouts and caches of a run that is saved and resumed.
#include <lkt/store/checkpoint.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/graph/visit_cache.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/store/journalled.hpp>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace lkt::dsl;

struct sample {
    int seed = 0;
    std::vector<std::string> replies;
    friend bool operator==(sample const&, sample const&) = default;
};
struct search_state {
    std::vector<sample> samples{{1, {}}, {2, {}}, {3, {}}};
    std::vector<lkt::branch_failure> lost;
    lkt::visit_cache<int, std::vector<sample>> seen{.capacity = 4};
    int rounds = 0;

    using state_fields = lkt::fields<&search_state::samples,
                                     &search_state::lost,
                                     &search_state::seen,
                                     &search_state::rounds>;
};

/// Answers with the request's text, and counts.
struct echo {
    std::atomic<int> calls = 0;
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        ++calls;
        lkt::chat_reply reply;
        reply.text = "re: " + r.messages.back().text;
        return reply;
    }
};
struct tools_of_branches {
    lkt::journalled<echo&>& llm;
    int fails_at_seed = 0; ///< before its second question
    lkt::call_context context = {};
};

enum class more { yes, no };
struct done {};

inline constexpr auto ask = [](sample& s, auto& tools) -> lkt::result<more> {
    if (s.seed == tools.fails_at_seed && s.replies.size() == 1)
        return lkt::error{lkt::condition::unavailable, "lkt.test.killed", "killed", {}};
    lkt::chat_request request;
    request.messages.push_back(
        {lkt::role::user, std::to_string(s.seed) + "." + std::to_string(s.replies.size())});
    auto reply = tools.llm.complete(request, tools.context);
    if (!reply) return reply.error();
    s.replies.push_back(reply->text);
    return s.replies.size() % 2 == 0 ? more::no : more::yes;
};
struct asking {
    static constexpr auto graph = lkt::graph<sample>(node<ask>(
        limit<9>(stop<done>), timeout_ms<60'000>(), on<more::yes>(ask), on<more::no>(stop<done>)));
};
inline constexpr auto again = [](search_state& s) -> more {
    return ++s.rounds < 2 ? more::yes : more::no;
};
inline constexpr auto always = [](search_state const&) { return 7; };

struct search {
    static constexpr auto each = fan_out_over<&search_state::samples, 2>(asking{});
    static constexpr auto graph = lkt::graph<search_state>(
        node<each>(cached<&search_state::seen, &search_state::samples>(always), to(again)),
        node<again>(limit<5>(stop<done>), on<more::yes>(each), on<more::no>(stop<done>)));
};

/// A run in a process of its own, as far as it comes.
bool one_process(lkt::journal_memory& sink, search_state& s, echo& model, int fails_at_seed) {
    auto journal = lkt::journal::over(sink);
    REQUIRE(journal.has_value());
    lkt::cursor<search> at;
    REQUIRE(lkt::resume<search>(*journal, s, at).has_value());
    lkt::journalled<echo&> llm(model, *journal);
    tools_of_branches tools{llm, fails_at_seed};
    lkt::checkpoint checkpoint(*journal);
    return lkt::run<search>(s, tools, at, checkpoint).has_value();
}

} // namespace

TEST_CASE(
    "branches that a crash interrupts are begun anew, and their replies are not asked again") {
    for (int const fails_at_seed : {1, 2, 3}) {
        CAPTURE(fails_at_seed);
        lkt::journal_memory sink;
        echo model;
        search_state first;
        CHECK_FALSE(one_process(sink, first, model, fails_at_seed));
        CHECK(first.samples == search_state{}.samples);
        CHECK(model.calls > 0);
        search_state second;
        REQUIRE(one_process(sink, second, model, 0));
        CHECK(model.calls == 6); // 3 branches with 2 questions, each asked once
        for (auto const& s : second.samples)
            CHECK(s.replies == std::vector{"re: " + std::to_string(s.seed) + ".0",
                                           "re: " + std::to_string(s.seed) + ".1"});
    }
}

TEST_CASE("what a visit_cache remembers is saved with the state") {
    lkt::journal_memory sink;
    echo model;
    search_state first;
    REQUIRE(one_process(sink, first, model, 0));
    CHECK(first.rounds == 2);
    CHECK(model.calls == 6); // the second round was remembered
    search_state second;
    second.seen = {};
    REQUIRE(one_process(sink, second, model, 0));
    CHECK(second.seen == first.seen);
    CHECK(second.seen.entries.size() == 1);
}
