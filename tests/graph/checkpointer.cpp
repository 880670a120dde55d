// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/checkpointer.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

#include <optional>
#include <type_traits>
#include <vector>

#include "machines.hpp"

using namespace machines;

namespace {

template <class G>
struct snapshots {
    std::vector<lkt::cursor<G>> cursors;
    using state_type = typename std::remove_cvref_t<decltype(G::graph)>::state_type;
    std::vector<state_type> states;
    std::optional<lkt::condition> ended_by;
    int fail_at = -1;
    int finishes = 0;

    lkt::result<void> save(state_type const& s, lkt::cursor<G> const& at) {
        if (fail_at == static_cast<int>(states.size()))
            return lkt::error{lkt::condition::unavailable, "lkt.test.full", "full", {}};
        states.push_back(s);
        cursors.push_back(at);
        return {};
    }
    lkt::result<void> finish(lkt::error const* failure) {
        ++finishes;
        if (failure != nullptr) ended_by = failure->kind;
        return {};
    }
};

struct renamed {
    static constexpr auto graph =
        lkt::graph<state>(node<propose>(limit<8>(stop<gave_up>), to(build)),
                          node<build>(on<built::ok>(propose), on<built::rejected>(propose)));
};
struct other_edge {
    static constexpr auto graph =
        lkt::graph<state>(node<propose>(limit<8>(stop<gave_up>), to(build)),
                          node<build>(on<built::ok>(stop<gave_up>), on<built::rejected>(propose)));
};

} // namespace

TEST_CASE("a run is saved before its first visit and after each transition") {
    static_assert(lkt::checkpointer<snapshots<refine>, refine>);
    static_assert(!lkt::checkpointer<snapshots<refine>, asking>);
    snapshots<refine> kept;
    state s;
    auto const ended = lkt::run<refine>(s, kept);
    static_assert(std::is_same_v<decltype(ended), lkt::result<lkt::outcome_of<refine>> const>);
    REQUIRE(ended.has_value());
    CHECK(kept.cursors.front().at == 0);
    CHECK(kept.cursors.front().entered);
    CHECK(kept.cursors.back().finished());
    CHECK(kept.finishes == 1);
    CHECK_FALSE(kept.ended_by.has_value());

    // From each of them the run comes to the same end.
    for (std::size_t i = 0; i < kept.states.size(); ++i) {
        CAPTURE(i);
        state from = kept.states[i];
        auto at = kept.cursors[i];
        auto const again = lkt::run<refine>(from, at);
        CHECK(again.index() == ended->index());
        CHECK(from.rounds == s.rounds);
        CHECK(from.fixes == s.fixes);
    }
}

TEST_CASE("within nested graphs the outermost cursor is saved, with the nested ones in place") {
    snapshots<campaign> kept;
    campaign_state s;
    script tools;
    auto const ended = lkt::run<campaign>(s, tools, kept);
    REQUIRE(ended.has_value());
    bool inside = false;
    for (std::size_t i = 0; i < kept.states.size(); ++i) {
        CAPTURE(i);
        auto const& nested = std::get<0>(kept.cursors[i].inner);
        inside = inside || (nested.entered && nested.at == 1);
        campaign_state from = kept.states[i];
        auto at = kept.cursors[i];
        script more;
        auto const again = lkt::run<campaign>(from, more, at);
        REQUIRE(again.has_value());
        CHECK(again->index() == ended->index());
        CHECK(from.left == s.left);
        CHECK(from.tile.rounds == s.tile.rounds);
    }
    CHECK(inside);
}

TEST_CASE("a run that cannot be saved ends before its next visit, and says so at the end") {
    for (int fail_at = 0; fail_at < 5; ++fail_at) {
        CAPTURE(fail_at);
        snapshots<refine> kept;
        kept.fail_at = fail_at;
        state s;
        auto const ended = lkt::run<refine>(s, kept);
        REQUIRE_FALSE(ended.has_value());
        CHECK(ended.error().code == "lkt.test.full");
        CHECK(kept.ended_by == lkt::condition::unavailable);
        CHECK(kept.states.size() == static_cast<std::size_t>(fail_at));
        CHECK((fail_at > 0 || s.rounds == 0));
    }
}

TEST_CASE("graphs are told apart by nodes and edges, and named with what is nested in them") {
    static_assert(lkt::topology_digest<refine>() == lkt::topology_digest<refine>());
    static_assert(lkt::topology_digest<refine>() != lkt::topology_digest<asking>());
    static_assert(lkt::topology_digest<renamed>() != lkt::topology_digest<other_edge>());
    CHECK(lkt::graph_names<refine>() == "refine");
    CHECK(lkt::graph_names<campaign>() == "campaign/asking");
}
