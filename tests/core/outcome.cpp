// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/outcome.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <variant>

namespace {

enum class built { ok, rejected };
enum plain { red };
struct tuned {};
struct gave_up {};
struct data {
    int n;
};

} // namespace

TEST_CASE("void, scoped enums and variants of empty tags are outcomes") {
    CHECK(lkt::outcome_type<void>);
    CHECK(lkt::outcome_type<built>);
    CHECK(lkt::outcome_type<std::variant<tuned, gave_up>>);
}

TEST_CASE("whatever carries data is none") {
    CHECK_FALSE(lkt::outcome_type<int>);
    CHECK_FALSE(lkt::outcome_type<bool>);
    CHECK_FALSE(lkt::outcome_type<plain>);
    CHECK_FALSE(lkt::outcome_type<std::string>);
    CHECK_FALSE(lkt::outcome_type<std::variant<tuned, data>>);
    CHECK(lkt::outcome_values<int>::count == 0);
}

TEST_CASE("a result is unwrapped, and makes its node fallible") {
    CHECK(std::is_same_v<lkt::outcome_part<lkt::result<built>>, built>);
    CHECK(std::is_same_v<lkt::outcome_part<lkt::result<void>>, void>);
    CHECK(std::is_same_v<lkt::outcome_part<built>, built>);
    CHECK(lkt::is_fallible<lkt::result<void>>);
    CHECK_FALSE(lkt::is_fallible<built>);
}

TEST_CASE("values are numbered and named") {
    using tags = std::variant<tuned, gave_up>;
    CHECK(lkt::outcome_values<void>::count == 1);
    CHECK(lkt::outcome_values<built>::count == 2);
    CHECK(lkt::outcome_values<tags>::names[1] == "gave_up");
    CHECK(lkt::outcome_name(built::rejected) == "rejected");
    CHECK(lkt::outcome_name(tags(gave_up{})) == "gave_up");
    CHECK(lkt::outcome_name(static_cast<built>(9)) == "unknown");
    static_assert(lkt::outcome_values<built>::index(built::rejected) == 1);
}

TEST_CASE("an unknown value names its node") {
    lkt::unknown_outcome const thrown("build");
    CHECK(std::string(thrown.what()).find("build returned a value") != std::string::npos);
    CHECK(std::string(thrown.what()).find("[lkt.graph.unknown-outcome]") == 0);
}
