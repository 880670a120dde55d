// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/certify.hpp>

#include <doctest/doctest.h>

#include "../support/prepared_state.hpp"

#include <string>
#include <vector>

using namespace lkt_test;

namespace {

lkt::no_model nobody;

lkt::candidate tunable(std::string const& text) {
    lkt::problem const task = tunable_problem();
    return {.source = {lkt::language::cuda, text, "test"},
            .parameters = task.parameters,
            .restrictions = {},
            .launch = task.launch,
            .description = {}};
}

lkt::verification judged(fake_gpu::behave_fn behave,
                         std::string const& text,
                         std::vector<lkt::problem_size> further_sizes = {}) {
    fake_gpu gpu(std::move(behave));
    struct {
        fake_gpu& gpu;
        lkt::no_model& llm;
        lkt::evaluation_options evaluation{};
    } tools{gpu, nobody};
    // A tuner's limit is none of a kernel that is judged: it has three.
    tools.evaluation.max_configurations = 2;
    lkt::tuning_state s;
    s.task = tunable_problem();
    s.task.further_sizes = std::move(further_sizes);
    lkt::make_tests(s, tools).value();
    lkt::run_reference(s, tools).value();
    return lkt::certify(s, tools, tunable(text)).value();
}

behaviour only(std::string const& text, behaviour b) {
    return text == original_text ? behaviour{} : b;
}

std::vector<std::string> names(lkt::verification const& v) {
    std::vector<std::string> all;
    for (auto const& s : v.stages) all.push_back(s.name);
    return all;
}

} // namespace

TEST_CASE("An honest kernel passes all stages, in all configurations") {
    auto const v = judged([](auto const&, auto const&) { return behaviour{}; }, variant_text("v"));
    CHECK(v.accepted());
    CHECK_FALSE(v.why);
    CHECK(v.configurations == 3);
    CHECK(names(v) == std::vector<std::string>{"text",
                                               "tests",
                                               "launches",
                                               "properties",
                                               "thresholds",
                                               "checked",
                                               "coverage",
                                               "configurations"});
    for (auto const& s : v.stages) CHECK(s.end != lkt::stage_end::failed);
    CHECK(v.checked.extent == lkt::checked_extent::full);
}

TEST_CASE("A checked mode that lacks a part is run, and says so") {
    behaviour b;
    b.unchecked = "checked on the CPU alone";
    auto const v = judged([&](auto const&, auto const&) { return b; }, variant_text("v"));
    CHECK(v.accepted());
    REQUIRE(v.stages.size() == 8);
    CHECK(v.stages[5].name == "checked");
    CHECK(v.stages[5].end == lkt::stage_end::passed);
    CHECK(v.stages[5].notes == std::vector<std::string>{"checked on the CPU alone"});
    CHECK(v.checked.extent == lkt::checked_extent::partial);
    CHECK(v.checked.left_out == "checked on the CPU alone");
}

TEST_CASE("The stage at which a kernel fails is the last, and says what kind of wrong it is") {
    auto v = judged([](auto const&, auto const&) { return behaviour{}; },
                    "__device__ int calls;\n" + original_text + "void f() { calls = 1; }\n");
    CHECK(v.verdict == lkt::verdict::stateful);
    CHECK(names(v) == std::vector<std::string>{"text"});

    v = judged([](auto const&, auto const&) { return behaviour{}; }, "void other() {}\n");
    CHECK(v.verdict == lkt::verdict::wrong_signature);

    behaviour b;
    b.wrong = true;
    v = judged([b](auto const& text, auto const&) { return only(text, b); }, variant_text("v"));
    CHECK_FALSE(v.accepted());
    CHECK(v.stages.back().name == "tests");
    CHECK(v.stages.back().end == lkt::stage_end::failed);
    REQUIRE(v.why);
    CHECK(std::holds_alternative<lkt::wrong_output>(*v.why));
    CHECK(v.size == lkt::problem_size{{"N", 64}});

    b = {};
    b.wrong_when_timed = true;
    v = judged([b](auto const& text, auto const&) { return only(text, b); }, variant_text("v"));
    CHECK_FALSE(v.accepted());
    CHECK(v.stages.back().name == "launches");

    b = {};
    b.checked = lkt::race{"two threads"};
    v = judged([b](auto const& text, auto const&) { return only(text, b); }, variant_text("v"));
    CHECK(v.verdict == lkt::verdict::race);
    CHECK(v.stages.back().name == "checked");
}

TEST_CASE("A configuration that is offered must not be wrong; one that cannot run is left") {
    auto v = judged(
        [](auto const& text, auto const& config) {
            behaviour b;
            b.wrong = text != original_text && integer(config, "BLOCK") == 64;
            return b;
        },
        variant_text("v"));
    CHECK(v.verdict == lkt::verdict::config_unsafe);
    CHECK(integer(v.config, "BLOCK") == 64);

    v = judged(
        [](auto const& text, auto const& config) {
            behaviour b;
            if (text != original_text && integer(config, "BLOCK") != 16)
                b.compile = lkt::launch_failed{"too much shared memory"};
            return b;
        },
        variant_text("v"));
    CHECK(v.accepted());
    CHECK(v.configurations == 1);
    CHECK(integer(v.config, "BLOCK") == 16);

    v = judged(
        [](auto const& text, auto const&) {
            behaviour b;
            if (text != original_text) b.compile = lkt::compile_failed{"error: no", {}};
            return b;
        },
        variant_text("v"));
    CHECK(v.verdict == lkt::verdict::compile_error);
}

TEST_CASE("Without tests there is no verdict") {
    fake_gpu gpu([](auto const&, auto const&) { return behaviour{}; });
    bare_tools tools{gpu, nobody};
    lkt::tuning_state s;
    s.task = tunable_problem();
    auto const v = lkt::certify(s, tools, tunable(original_text));
    REQUIRE_FALSE(v.has_value());
    CHECK(v.error().code == "lkt.nodes.no-baseline");
}

TEST_CASE("A run in checked mode that does not finish is no acceptance") {
    struct end {
        behaviour how;
        lkt::verdict as;
    };
    behaviour late, unbuilt;
    late.checked = lkt::timed_out{lkt::seconds(60), "launch"};
    unbuilt.checked_compile = lkt::compile_failed{"internal compiler error", {}};
    for (end const& e :
         {end{late, lkt::verdict::timeout}, end{unbuilt, lkt::verdict::compile_error}}) {
        auto const v = judged([&](auto const& text, auto const&) { return only(text, e.how); },
                              variant_text("v"));
        CHECK_FALSE(v.accepted());
        CHECK(v.verdict == e.as);
        CHECK(v.stages.back().name == "checked");
        CHECK(v.stages.back().end == lkt::stage_end::failed);
    }
}

TEST_CASE("A checker that cannot work is not held against the kernel, and said") {
    behaviour lost;
    lost.checked_world = lkt::error{
        lkt::condition::unavailable, "fake.sanitizer", "the sanitizer does not start", {}};
    auto const v =
        judged([&](auto const& text, auto const&) { return only(text, lost); }, variant_text("v"));
    CHECK(v.accepted());
    CHECK(v.stages[5].end == lkt::stage_end::skipped);
    CHECK(v.checked.extent == lkt::checked_extent::none);
    CHECK(v.checked.left_out.find("does not start") != std::string::npos);
}

TEST_CASE("A slow kernel is run in checked mode on a smaller test before it is given up") {
    behaviour slow; // a minute is no more than what a checked run of it may take
    slow.time = lkt::seconds(0.5);
    slow.checked_beyond = 16 * sizeof(float);
    auto const v =
        judged([&](auto const&, auto const&) { return slow; }, variant_text("v"), {{{"N", 16}}});
    CHECK(v.accepted());
    REQUIRE(v.stages.size() == 8);
    CHECK(v.stages[5].end == lkt::stage_end::passed);
    REQUIRE(v.stages[5].notes.size() == 1);
    CHECK(v.stages[5].notes[0].find("smallest test only") != std::string::npos);

    behaviour stalls = slow; // and of this one it is far more
    stalls.time = lkt::seconds(1e-4);
    auto const no = judged([&](auto const& text, auto const&) { return only(text, stalls); },
                           variant_text("v"),
                           {{{"N", 16}}});
    CHECK(no.verdict == lkt::verdict::timeout);
}
