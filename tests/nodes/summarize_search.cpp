// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/summarize_search.hpp>

#include <doctest/doctest.h>

namespace {

struct state : lkt::tuning_state {
    std::size_t began = 0;
};
static_assert(lkt::search_fields<state>);
static_assert(!lkt::search_fields<lkt::tuning_state>);

lkt::attempt_record with(lkt::attempt_outcome outcome) {
    lkt::attempt_record a;
    a.outcome = std::move(outcome);
    return a;
}

} // namespace

TEST_CASE("A strategy is told by what came since it began") {
    state s;
    s.history.push_back(with(lkt::improvement{}));
    s.attempts.emplace_back();
    lkt::begin_search(s);
    CHECK(s.attempts.empty());
    CHECK(lkt::summarize_search(s) == lkt::ending::nothing);
    s.history.push_back(with(lkt::failure(lkt::no_code{})));
    s.history.push_back(with(lkt::not_evaluated{}));
    CHECK(lkt::summarize_search(s) == lkt::ending::nothing);
    s.history.push_back(with(lkt::no_improvement{}));
    CHECK(lkt::summarize_search(s) == lkt::ending::correct);
    s.history.push_back(with(lkt::improvement{}));
    s.history.push_back(with(lkt::failure(lkt::no_code{})));
    CHECK(lkt::summarize_search(s) == lkt::ending::improved);
}
