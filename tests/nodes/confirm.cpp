// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/confirm.hpp>

#include <doctest/doctest.h>

#include "../support/prepared_state.hpp"

using namespace lkt_test;

namespace {

lkt::no_model nobody;

struct scene {
    behaviour winner;
    fake_gpu gpu{[this](std::string const& text, lkt::configuration const&) {
        return text == original_text ? behaviour{} : winner;
    }};
    bare_tools<fake_gpu, lkt::no_model> tools{gpu, nobody};
    lkt::tuning_state s = prepared_state(twice_problem(), tools);

    scene() {
        s.best.kernel.source.text = variant_text("winner");
        s.best.time.samples.assign(7, lkt::seconds(0.25e-3));
    }
};

} // namespace

TEST_CASE("A winner that is still faster keeps its place, with times taken side by side") {
    scene c;
    c.winner.time = lkt::seconds(0.5e-3);
    CHECK(lkt::confirm(c.s, c.tools).value() == lkt::confirmed::faster);
    CHECK(c.s.best.kernel.source.text == variant_text("winner"));
    CHECK(c.s.best.time.median().count() == doctest::Approx(0.5e-3).epsilon(0.01));
    CHECK(c.s.notes.empty());
}

TEST_CASE("A winner that is wrong or no longer faster gives way to the original") {
    scene wrong;
    wrong.winner.time = lkt::seconds(0.5e-3);
    wrong.winner.wrong = true;
    CHECK(lkt::confirm(wrong.s, wrong.tools).value() == lkt::confirmed::same);
    CHECK(wrong.s.best.kernel.source.text == original_text);
    REQUIRE(wrong.s.notes.size() == 1);
    CHECK(wrong.s.notes[0].find("failed") != std::string::npos);

    scene slow;
    slow.winner.time = lkt::seconds(1e-3);
    CHECK(lkt::confirm(slow.s, slow.tools).value() == lkt::confirmed::same);
    CHECK(slow.s.best.kernel.source.text == original_text);
    REQUIRE(slow.s.notes.size() == 1);
    CHECK(slow.s.notes[0].find("no longer faster") != std::string::npos);
}

TEST_CASE("The original needs no confirmation") {
    scene c;
    c.s.best = c.s.baseline;
    c.gpu.log.clear();
    CHECK(lkt::confirm(c.s, c.tools).value() == lkt::confirmed::same);
    CHECK(c.gpu.log.empty());
}
