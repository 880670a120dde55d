// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/evaluation.hpp>

#include <lkt/nodes/certify.hpp>
#include <lkt/nodes/confirm.hpp>
#include <lkt/nodes/evaluate.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <string>
#include <variant>
#include <vector>

using namespace lkt_test;

namespace {

/// Finds fault with one text at one moment, and writes down when it was asked.
struct planted {
    static constexpr lkt::verdict gives[] = {lkt::verdict::crashed};
    static constexpr lkt::check_description about{
        "planted",
        lkt::check_cost::launches,
        lkt::moment::proposal | lkt::moment::configuration | lkt::moment::finalist |
            lkt::moment::confirmation | lkt::moment::verification,
        gives};
    lkt::moment bad;
    std::vector<lkt::moment>* asked;

    lkt::result<std::optional<lkt::failure>> run(lkt::check_call& call) const {
        asked->push_back(call.when);
        CHECK((call.subject == nullptr) == (call.when == lkt::moment::proposal));
        if (call.when != bad || call.kernel.source.text == original_text)
            return std::optional<lkt::failure>();
        return std::optional<lkt::failure>(lkt::crashed{"planted", {}});
    }
};

using every_check = decltype(lkt::standard_checks{} + planted{});

struct scene {
    explicit scene(lkt::moment bad) : list(lkt::standard_checks{} + planted{bad, &asked}) {}

    std::vector<lkt::moment> asked{};
    every_check list;
    lkt::no_model nobody{};
    fake_gpu gpu{[](std::string const& text, lkt::configuration const&) {
        behaviour b;
        b.time = lkt::seconds(text == original_text ? 1e-3 : 0.5e-3);
        return b;
    }};
    struct {
        fake_gpu& gpu;
        lkt::no_model& llm;
        every_check const& checks;
    } tools{gpu, nobody, list};
    lkt::tuning_state s = prepared_state(tunable_problem(), tools);
    lkt::candidate kernel = [this] {
        auto k = s.baseline.kernel;
        k.source.text = changed_text("candidate");
        return k;
    }();

    [[nodiscard]] bool was_asked(lkt::moment when) const {
        return std::find(asked.begin(), asked.end(), when) != asked.end();
    }
    [[nodiscard]] lkt::evaluated evaluate() {
        s.proposal = kernel;
        return lkt::evaluate(s, tools).value();
    }
};

bool is_planted(lkt::failure const& f) {
    auto const* const crash = std::get_if<lkt::crashed>(&f);
    return crash != nullptr && crash->what == "planted";
}

} // namespace

TEST_CASE("a check of the user's refuses a text before it is compiled") {
    scene c(lkt::moment::proposal);
    c.gpu.log.clear();
    CHECK(c.evaluate() == lkt::evaluated::failed);
    CHECK(is_planted(std::get<lkt::failure>(c.s.history.back().outcome)));
    CHECK(c.gpu.log.empty());
}

TEST_CASE("... a configuration before it is timed") {
    scene c(lkt::moment::configuration);
    CHECK(c.evaluate() == lkt::evaluated::failed);
    REQUIRE(c.s.history.back().configurations.size() == 3);
    for (auto const& t : c.s.history.back().configurations)
        CHECK(is_planted(std::get<lkt::failure>(t.outcome)));
    CHECK_FALSE(c.was_asked(lkt::moment::finalist));
}

TEST_CASE("... a finalist before it wins") {
    scene c(lkt::moment::finalist);
    CHECK(c.evaluate() == lkt::evaluated::failed);
    CHECK(is_planted(std::get<lkt::failure>(c.s.history.back().outcome)));
    CHECK(c.s.best.kernel.source.text == original_text);
}

TEST_CASE("... the winner at the end") {
    scene c(lkt::moment::confirmation);
    CHECK(c.evaluate() == lkt::evaluated::faster);
    CHECK(lkt::confirm(c.s, c.tools).value() == lkt::confirmed::same);
    CHECK(c.s.best.kernel.source.text == original_text);
    CHECK(c.s.notes.back().find("planted") != std::string::npos);
}

TEST_CASE("... and a kernel that is judged alone") {
    scene c(lkt::moment::verification);
    auto const found = lkt::certify(c.s, c.tools, c.kernel).value();
    CHECK(found.verdict == lkt::verdict::crashed);
    CHECK(found.stages.back().name == "planted");
    CHECK(found.stages.back().end == lkt::stage_end::failed);
    CHECK(is_planted(found.why.value()));
}

TEST_CASE("a kernel that passes is asked at each moment") {
    scene c(lkt::moment{}); // at none
    CHECK(c.evaluate() == lkt::evaluated::faster);
    CHECK(lkt::confirm(c.s, c.tools).value() == lkt::confirmed::faster);
    CHECK(lkt::certify(c.s, c.tools, c.kernel).value().accepted());
    for (auto const when : lkt::every_moment) CHECK(c.was_asked(when));
}
