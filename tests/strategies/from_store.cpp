// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/from_store.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>

#include "../support/prepared_state.hpp"

using namespace lkt_test;

TEST_CASE("A kernel that is there already is judged like one that a model wrote") {
    for (auto const& [time, wrong, terminal] :
         {std::tuple(0.5e-3, false, 0), std::tuple(1e-3, false, 1), std::tuple(0.5e-3, true, 2)}) {
        fake_gpu gpu(
            [&, fast = time, bad = wrong](std::string const& text, lkt::configuration const&) {
                behaviour b;
                bool const stored = text.find("stored") != std::string::npos;
                b.time = lkt::seconds(stored ? fast : 1e-3);
                b.wrong = stored && bad;
                return b;
            });
        lkt::no_model nobody;
        bare_tools tools{gpu, nobody};
        auto s = prepared_state(twice_problem(), tools);
        lkt::from_store<> const strategy{[&] {
            lkt::candidate kernel = s.baseline.kernel;
            kernel.source.text += "\n// stored\n";
            return kernel;
        }()};
        strategy.prepare(s);
        auto const end = lkt::run<lkt::from_store<>>(s, tools);
        REQUIRE(end.has_value());
        CHECK(std::holds_alternative<lkt::tuned>(*end) == (terminal == 0));
        CHECK(std::holds_alternative<lkt::unchanged>(*end) == (terminal == 1));
        CHECK(std::holds_alternative<lkt::gave_up>(*end) == (terminal == 2));
        CHECK(s.usage.calls == 0);
        CHECK(s.history.size() == 1);
    }
}
