// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/error.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

TEST_CASE("every condition has a name of its own") {
    std::set<std::string_view> names;
    for (auto c : {lkt::condition::transient,
                   lkt::condition::rejected,
                   lkt::condition::exhausted,
                   lkt::condition::unavailable,
                   lkt::condition::cancelled,
                   lkt::condition::suspended})
        names.insert(to_string(c));
    CHECK(names.size() == 6);
    CHECK(names.count("unknown") == 0);
    CHECK(to_string(static_cast<lkt::condition>(77)) == "unknown");
}

TEST_CASE("an error prints its message, its code and, on a line of its own, the hint") {
    lkt::error const full{lkt::condition::unavailable, "lkt.x.y", "no compiler", "install one"};
    CHECK(to_string(full) == "no compiler [lkt.x.y]\n  install one");
    lkt::error const bare{lkt::condition::rejected, {}, "wrong", {}};
    CHECK(to_string(bare) == "wrong");
}

TEST_CASE("a cancellation says what was cancelled") {
    auto const e = lkt::cancelled("the run");
    CHECK(e.kind == lkt::condition::cancelled);
    CHECK(e.code == "lkt.cancelled");
    CHECK(e.message == "the run was cancelled");
}

TEST_CASE("errors compare by all of their parts") {
    lkt::error const a{lkt::condition::rejected, "c", "m", "h"};
    lkt::error b = a;
    CHECK(a == b);
    b.hint = "other";
    CHECK_FALSE(a == b);
}
