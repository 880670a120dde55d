// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/test_check.hpp>
#include <lkt/verify/test_generator.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

namespace test {

/// The laws of docs/verification.md for any model of `test_generator`, on a problem for which it
/// has tests.
template <lkt::test_generator G>
void check_test_generator(G generator, lkt::problem const& task) {
    auto const first = generator.generate(task, {});
    REQUIRE(first.has_value());
    REQUIRE(!first->empty());

    // Each test fits the kernel and has a name of its own.
    std::set<std::string> names;
    for (lkt::test_case const& t : *first) {
        CAPTURE(t.name);
        CHECK(lkt::check_test(task, t).has_value());
        CHECK(!t.name.empty());
        names.insert(t.name);
    }
    CHECK(names.size() == first->size());

    // Once more gives the same: nothing but the problem and the generator's knobs decides.
    auto const second = generator.generate(task, {});
    REQUIRE(second.has_value());
    REQUIRE(second->size() == first->size());
    for (std::size_t k = 0; k < first->size(); ++k) {
        CHECK((*second)[k].name == (*first)[k].name);
        CHECK((*second)[k].size == (*first)[k].size);
        for (std::size_t a = 0; a < task.arguments.size(); ++a)
            if (task.flow(a) != lkt::direction::out)
                CHECK(((*second)[k].arguments[a] == (*first)[k].arguments[a]));
    }

    // A token that was triggered before gives `cancelled`, or the tests when none took long.
    std::stop_source stop;
    stop.request_stop();
    auto const stopped = generator.generate(task, {stop.get_token(), {}});
    if (!stopped) CHECK(stopped.error().kind == lkt::condition::cancelled);
}

} // namespace test
