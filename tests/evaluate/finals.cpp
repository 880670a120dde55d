// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/finals.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

/// Two candidates that were searched, and their finals against the original.
struct finals_scene : evaluation_scene {
    using evaluation_scene::evaluation_scene;

    lkt::candidate one = changed("one"), two = changed("two");

    [[nodiscard]] lkt::candidate changed(std::string const& remark) const {
        auto k = kernel;
        k.source.text = changed_text(remark);
        return k;
    }
    [[nodiscard]] lkt::searched_configurations searched(lkt::candidate const& k) {
        auto const space = lkt::space_of(k, s.task.size, in.setup.options);
        return lkt::search_configurations(in, k, declared, std::get<lkt::search_space>(space))
            .value();
    }
    [[nodiscard]] std::vector<lkt::final_result> hold(lkt::finals_scope const& scope) {
        std::vector<lkt::searched_configurations> both;
        both.push_back(searched(one));
        both.push_back(searched(two));
        return lkt::hold_finals(in, std::move(both), scope).value();
    }
};

bool says(std::string const& text, char const* remark) {
    return text.starts_with("// " + std::string(remark));
}

behaviour faster_both(std::string const& text, lkt::configuration const& c) {
    behaviour b;
    if (text == original_text) return b;
    b.time = lkt::seconds(says(text, "one") ? 0.5e-3 : 0.6e-3);
    if (integer(c, "BLOCK") == 16) b.time *= 0.9;
    return b;
}

} // namespace

TEST_CASE("of two candidates the fastest configuration wins, and the other met it") {
    finals_scene c(faster_both);
    int rounds = 0;
    auto const results = c.hold(
        {.best = c.s.best, .on_progress = [&](int, int of) { rounds = std::max(rounds, of); }});
    REQUIRE(results.size() == 2);
    REQUIRE(std::holds_alternative<lkt::improvement>(results[0].outcome));
    CHECK(integer(results[0].winner->config, "BLOCK") == 16);
    CHECK(results[0].winner->time.median().count() == doctest::Approx(0.45e-3).epsilon(0.01));
    CHECK(results[0].seen_in == results[0].winner->config);
    CHECK(results[0].configurations.size() == 3);
    REQUIRE(std::holds_alternative<lkt::no_improvement>(results[1].outcome));
    CHECK_FALSE(results[1].winner);
    CHECK_FALSE(results[1].correct);
    CHECK(results[1].notes.back() == "measured side by side with the new best kernel");
    CHECK(rounds == 7);
}

TEST_CASE("so many as are to be kept pass every check, and known kernels are measured as well") {
    finals_scene c(faster_both);
    lkt::tuned_kernel known = c.s.best;
    known.kernel = c.changed("known");
    known.time.samples.assign(3, lkt::seconds(1));
    std::vector<lkt::tuned_kernel> all{known};
    auto const results = c.hold({.best = c.s.best, .known = all, .min_verified = 2});
    REQUIRE(results[1].correct);
    CHECK_FALSE(results[1].winner);
    CHECK(all[0].time.median().count() == doctest::Approx(0.6e-3).epsilon(0.01));
}

TEST_CASE("a candidate whose configurations fail in the finals has that failure") {
    finals_scene c([](std::string const& text, lkt::configuration const& config) {
        auto b = faster_both(text, config);
        if (says(text, "one")) b.checked = lkt::race{"two threads"};
        return b;
    });
    auto const results = c.hold({.best = c.s.best});
    REQUIRE(std::holds_alternative<lkt::failure>(results[0].outcome));
    CHECK(std::holds_alternative<lkt::race>(std::get<lkt::failure>(results[0].outcome)));
    CHECK(results[0].seen_in);
    for (auto const& t : results[0].configurations) CHECK(t.failed() != nullptr);
    CHECK(std::holds_alternative<lkt::improvement>(results[1].outcome));
}

TEST_CASE("a winner is tried at the numbers of its code and where it has many tiles") {
    for (bool const by_number : {false, true}) {
        CAPTURE(by_number);
        finals_scene c([&](std::string const& text, lkt::configuration const& config) {
            auto b = faster_both(text, config);
            if (!says(text, "one")) return b;
            if (by_number)
                b.constants = {777}, b.wrong_at = 777;
            else
                b.races_beyond = 4096;
            return b;
        });
        c.s.task.size_constraints = {lkt::expression::parse("N >= 1").value()};
        auto const results = c.hold({.best = c.s.best});
        REQUIRE(std::holds_alternative<lkt::failure>(results[0].outcome));
        CHECK(std::holds_alternative<lkt::race>(std::get<lkt::failure>(results[0].outcome)) ==
              !by_number);
        CHECK_FALSE(results[0].winner);
        CHECK(std::holds_alternative<lkt::improvement>(results[1].outcome));
    }
}

TEST_CASE("the kernel to beat has the time that it took in the finals") {
    double factor = 5;
    finals_scene c([&](std::string const& text, lkt::configuration const& config) {
        auto b = faster_both(text, config);
        if (text == original_text) b.time *= factor;
        return b;
    });
    CHECK(c.s.best.time.median().count() == doctest::Approx(5e-3).epsilon(0.01));
    factor = 1;
    auto const results = c.hold({.best = c.s.best});
    auto const& won = std::get<lkt::improvement>(results[0].outcome);
    CHECK(won.before.median().count() == doctest::Approx(1e-3).epsilon(0.01));
    CHECK(c.s.best.time.samples == won.before.samples);
}

TEST_CASE("a kernel to beat that does not work any more ends the finals with an error") {
    bool lost = false;
    finals_scene c([&](std::string const& text, lkt::configuration const& config) {
        auto b = faster_both(text, config);
        if (lost && text == original_text) b.compile = lkt::compile_failed{"no", {}};
        return b;
    });
    std::vector<lkt::searched_configurations> one;
    one.push_back(c.searched(c.one));
    lost = true;
    auto const ended = lkt::hold_finals(c.in, std::move(one), {.best = c.s.best});
    REQUIRE(ended.has_error());
    CHECK(ended.error().code == "lkt.evaluate.lost-kernel");
}
