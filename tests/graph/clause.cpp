// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/clause.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace {

struct state {
    int small = 3;
    std::size_t unbounded = std::numeric_limits<std::size_t>::max();
    double no_integer = 1;
    short function() const { return 7; }
    int not_const() { return 1; }
};
struct other {
    int small = 0;
};
struct target {};
template <auto Source>
using limit = lkt::clauses::limit<Source, target>;

} // namespace

TEST_CASE("a limit is a constant or read from the state") {
    state const s;
    CHECK(limit<8>::allowed(s) == 8);
    CHECK(limit<8u>::allowed(s) == 8);
    CHECK(limit<-1>::allowed(s) == -1);
    CHECK(limit<&state::small>::allowed(s) == 3);
    CHECK(limit<&state::function>::allowed(s) == 7);
}

TEST_CASE("a limit beyond the counter's range is its largest value") {
    auto const largest = std::numeric_limits<std::int64_t>::max();
    CHECK(limit<&state::unbounded>::allowed(state{}) == largest);
    CHECK(limit<std::numeric_limits<std::uint64_t>::max()>::allowed(state{}) == largest);
}

TEST_CASE("a limit knows from which state it can be read") {
    CHECK(limit<8>::readable<other>);
    CHECK(limit<&state::small>::readable<state>);
    CHECK(limit<&state::function>::readable<state>);
    CHECK_FALSE(limit<&state::small>::readable<other>);
    CHECK_FALSE(limit<&state::no_integer>::readable<state>);
    CHECK_FALSE(limit<&state::not_const>::readable<state>);
}

TEST_CASE("clauses say in data what they do") {
    using lkt::detail::clause_kind;
    using to = lkt::clauses::to<lkt::stop_t<target>>;
    CHECK(to::info.kind == clause_kind::outcome);
    CHECK(to::info.stops);
    CHECK_FALSE(to::info.tag_has_data);
    CHECK(lkt::clauses::to<lkt::stop_t<other>>::info.tag_has_data);
    using error = lkt::clauses::on_error<lkt::condition::exhausted, target>;
    CHECK(error::info.kind == clause_kind::error);
    CHECK(error::info.value == static_cast<long long>(lkt::condition::exhausted));
    CHECK(lkt::absent::info.kind == clause_kind::absent);
    CHECK(lkt::clauses::retrying<lkt::never{}>::info.kind == clause_kind::retry);
}
