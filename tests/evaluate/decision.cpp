// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/decision.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <vector>

using namespace lkt_test;

namespace {

lkt::measurement around(double milliseconds) {
    lkt::measurement m;
    for (int k = 0; k < 9; ++k) m.samples.emplace_back(1e-3 * milliseconds * (1 + 1e-3 * (k % 3)));
    return m;
}

/// The shortest time decides, and half of it is what a gain must be.
struct bold {
    int asked = 0;
    lkt::comparison compare(lkt::measurement const& one, lkt::measurement const& other) {
        ++asked;
        return one.minimum() < other.minimum()   ? lkt::comparison::faster
               : other.minimum() < one.minimum() ? lkt::comparison::slower
                                                 : lkt::comparison::undecided;
    }
    bool is_gain(lkt::measurement const& one,
                 lkt::measurement const& other,
                 lkt::evaluation_options const&) const {
        return one.minimum() <= other.minimum() / 2;
    }
};
struct no_gain {
    lkt::comparison compare(lkt::measurement const&, lkt::measurement const&);
};

} // namespace

TEST_CASE("intervals that do not meet decide, and a gain has its least") {
    lkt::disjoint_intervals const standard;
    lkt::evaluation_options options;
    for (auto const& d : {lkt::decision_ref(), lkt::decision_ref(standard)}) {
        CHECK(d.compare(around(1), around(2)) == lkt::comparison::faster);
        CHECK(d.compare(around(2), around(1)) == lkt::comparison::slower);
        CHECK(d.compare(around(1), around(1)) == lkt::comparison::undecided);
        options.min_gain = 0.01;
        CHECK(d.is_gain(around(0.98), around(1), options));
        CHECK_FALSE(d.is_gain(around(0.995), around(1), options));
        options.min_gain = 0.1;
        CHECK_FALSE(d.is_gain(around(0.98), around(1), options));
    }
}

TEST_CASE("a decision of the user's says who takes whose place") {
    CHECK(lkt::timing_decision<bold>);
    CHECK_FALSE(lkt::timing_decision<no_gain>);
    evaluation_scene c([](auto const& text, auto const&) {
        behaviour b;
        b.time = lkt::seconds(text == original_text ? 1e-3 : 0.7e-3);
        return b;
    });
    bold mine;
    auto const verdict = [&](lkt::evaluation& in) {
        auto original = c.trial();
        c.kernel.source.text = changed_text("candidate");
        auto faster = c.trial();
        c.kernel.source.text = original_text;
        faster.time = around(0.7);
        original.time = around(1);
        return in.timing.beats(faster, original, [](int, int) {}).value();
    };
    lkt::evaluation bold_one(c.setup({.decision = lkt::decision_ref(mine)}));
    CHECK(verdict(c.in) == lkt::comparison::faster);
    CHECK(verdict(bold_one) == lkt::comparison::undecided); // faster, but not twice as fast
    CHECK(mine.asked > 0);
}
