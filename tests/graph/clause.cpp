// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/clause.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>

#include <lkt/graph/graph.hpp>

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

namespace {

enum class built { ok, rejected };
enum class verdict { wrong };

// A graph with one node, `target`, and the terminals `other` and `state`.
using targets = lkt::detail::targets<lkt::detail::pack<target>, lkt::detail::pack<other, state>>;
template <class Clause, class Outcome = void>
constexpr auto described = lkt::detail::describe_clause<Clause, Outcome, state, targets>();

} // namespace

TEST_CASE("types become indices: outcomes") {
    using ok = lkt::clauses::on_value<built::ok, target>;
    using rejected = lkt::clauses::on_value<built::rejected, target>;
    CHECK(described<ok, built>.slot == 0);
    CHECK(described<rejected, built>.slot == 1);
    CHECK(described<ok, verdict>.slot == -1);
    CHECK(described<ok>.slot == -1);
    using tags = std::variant<target, other>;
    CHECK(described<lkt::clauses::on_tag<other, target>, tags>.slot == 1);
    CHECK(described<lkt::clauses::on_tag<state, target>, tags>.slot == -1);
    CHECK(described<lkt::clauses::on_tag<state, target>, built>.slot == -1);
    CHECK(described<lkt::clauses::to<target>, built>.kind ==
          lkt::detail::clause_kind::every_outcome);
    using error = lkt::clauses::on_error<lkt::condition::exhausted, target>;
    CHECK(described<error>.slot == static_cast<int>(lkt::condition::exhausted));
}

TEST_CASE("types become indices: targets") {
    CHECK(described<lkt::clauses::to<target>>.target == 0);
    CHECK(described<lkt::clauses::to<verdict>>.target == lkt::detail::no_target);
    CHECK(described<lkt::clauses::to<lkt::stop_t<other>>>.target == -1);
    CHECK(described<lkt::clauses::to<lkt::stop_t<state>>>.target == -2);
    CHECK(described<lkt::clauses::to<lkt::stop_t<state>>>.tag_has_data);
    CHECK_FALSE(described<lkt::clauses::to<target>>.tag_has_data);
}

TEST_CASE("a type is found at its first place") {
    CHECK(lkt::detail::first_index<int, char, int>() == 1);
    CHECK(lkt::detail::first_index<int, int, char, int>() == 0);
    CHECK(lkt::detail::first_index<int, char, int, int>() == 1);
    CHECK(lkt::detail::first_index<int, char>() == -1);
    CHECK(lkt::detail::first_index<int>() == -1);
}

TEST_CASE("clauses say what kind they are") {
    using lkt::detail::clause_kind;
    CHECK(lkt::absent::kind == clause_kind::absent);
    CHECK(described<lkt::clauses::retrying<lkt::never{}>>.kind == clause_kind::retry);
    CHECK(described<limit<8>>.kind == clause_kind::limit);
    CHECK(described<limit<8>>.readable);
    CHECK_FALSE(described<limit<&state::no_integer>>.readable);
}
