// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/profile_shown.hpp>

#include <doctest/doctest.h>

#include <lkt/search/exhaustive.hpp>
#include <lkt/strategies/beam.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/verify/problem_tests.hpp>

#include "../strategies/rewrites.hpp"
#include "../support/profiled_gpu.hpp"
#include "../support/run_strategy.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

struct kept_state : lkt::tuning_state {
    std::vector<lkt::tuned_kernel> kept; ///< the first two are shown
};
struct first_two {
    lkt::kept_kernels operator()(kept_state& s) const {
        lkt::kept_kernels k;
        for (std::size_t i = 0; i < s.kept.size(); ++i)
            (i < 2 ? k.shown : k.others).push_back(&s.kept[i]);
        return k;
    }
};
struct scene {
    profiled_gpu gpu{by_words};
    lkt::no_model nobody;
    lkt::problem_tests tests;
    lkt::exhaustive search;
    lkt::toolbox<profiled_gpu> tools{gpu, nobody, tests, search};
    kept_state s{};

    explicit scene(lkt::profiling when = lkt::profiling::automatic) {
        tools.evaluation.profile = when;
        static_cast<lkt::tuning_state&>(s) = prepared_state(twice_problem(), tools);
        gpu.profiles = 0;
    }
    void keep(std::string const& text) {
        s.kept.push_back(s.best);
        s.kept.back().kernel.source.text = text;
        s.kept.back().profile.reset();
    }
    lkt::result<void> profile() { return lkt::profile_shown_fn<first_two>{}(s, tools); }
};

/// Whether a request says what counters said.
bool profiled(lkt::chat_request const& r) {
    return r.messages[1].text.find("- profiled, ") != std::string::npos;
}
/// The busiest part of the device in a request: each profile of the fake device has its own.
std::string profile_in(lkt::chat_request const& r) {
    std::string const& text = r.messages[1].text;
    auto const at = text.find("compute ");
    return at == std::string::npos ? "" : text.substr(at, text.find(" %", at) - at);
}

/// A state with a profile of the original, as a strategy that reads profiles finds it.
template <class State>
struct profiled_stage : stage<State> {
    profiled_gpu device{by_words};
    bare_tools<profiled_gpu, lkt::scripted_model> with{device, this->llm};
    explicit profiled_stage(std::vector<lkt::scripted_turn> turns)
        : stage<State>(std::move(turns)) {
        static_cast<lkt::tuning_state&>(this->s) = prepared_state(twice_problem(), with);
    }
};

lkt::scripted_turn wide(std::string const& words) {
    return reply_with(kernel_that(words), R"({"launch": {"grid": [1], "block": [128]}})");
}

} // namespace

TEST_CASE("Kernels that are about to be shown are profiled, each once") {
    scene c;
    c.keep(kernel_that("speed 2"));
    c.keep(kernel_that("speed 3"));
    c.keep(kernel_that("speed 4"));
    REQUIRE(c.profile().has_value());
    CHECK(c.gpu.profiles == 2);
    CHECK(c.s.kept[0].profile->compute_percent == 1);
    CHECK(c.s.kept[1].profile->compute_percent == 2);
    CHECK_FALSE(c.s.kept[2].profile.has_value()); // nobody is shown it
    REQUIRE(c.profile().has_value());
    CHECK(c.gpu.profiles == 2);
}

TEST_CASE("What is known of a kernel is not measured again") {
    scene c;
    c.keep(original_text); // the best one is it
    c.keep(kernel_that("speed 3"));
    c.keep(kernel_that("speed 3"));
    c.s.kept[2].profile = lkt::kernel_profile{};
    c.s.kept[2].profile->dram_percent = 33;
    REQUIRE(c.profile().has_value());
    CHECK(c.gpu.profiles == 0);
    CHECK(c.s.kept[0].profile == c.s.best.profile);
    CHECK(c.s.kept[1].profile == c.s.kept[2].profile);

    scene duplicates;
    duplicates.keep(kernel_that("speed 3"));
    duplicates.keep(kernel_that("speed 3"));
    REQUIRE(duplicates.profile().has_value());
    CHECK(duplicates.gpu.profiles == 1);
    duplicates.s.kept[1].profile.reset();
    duplicates.s.kept[1].dimensions.block.x = 16; // of the same formula: another configuration
    duplicates.s.kept[1].config.values.emplace_back("BLOCK", std::int64_t{16});
    REQUIRE(duplicates.profile().has_value());
    CHECK(duplicates.gpu.profiles == 2);
}

TEST_CASE("A profiler that fails, or is none, costs one try and a note; a run may do without") {
    scene c;
    c.gpu.fails = lkt::error{lkt::condition::unavailable, "x", "no counters", "ask for permission"};
    c.keep(kernel_that("speed 2"));
    c.keep(kernel_that("speed 3"));
    REQUIRE(c.profile().has_value());
    REQUIRE(c.profile().has_value());
    CHECK(c.gpu.profiles == 1);
    CHECK(c.s.notes ==
          std::vector<std::string>{"kernels are not profiled: no counters; ask for permission"});

    // Whoever stops the run says nothing about the profiler.
    scene stopped;
    stopped.gpu.fails = lkt::cancelled("a profile");
    stopped.keep(kernel_that("speed 2"));
    REQUIRE(stopped.profile().has_value());
    CHECK(stopped.s.notes.empty());

    scene never(lkt::profiling::never);
    never.keep(kernel_that("speed 2"));
    REQUIRE(never.profile().has_value());
    CHECK(never.gpu.profiles == 0);
}

TEST_CASE("A run that goes on gets its device before it profiles, and only if it has to") {
    scene c;
    int asked = 0;
    c.tools.before_launches = [&](lkt::detail::state_ref const&) -> lkt::result<void> {
        ++asked;
        return lkt::error{lkt::condition::unavailable, "x", "the device is gone", {}};
    };
    c.keep(original_text);
    REQUIRE(c.profile().has_value());
    CHECK(asked == 0);
    c.keep(kernel_that("speed 2"));
    CHECK(c.profile().has_error());
    CHECK(asked == 1);
    CHECK_FALSE(c.s.kept[1].profile.has_value());
    CHECK(c.s.notes.empty());
}

TEST_CASE("evolve shows each parent with its own profile") {
    constexpr lkt::evolve<> strategy{.limits = {.generations = 4,
                                                .islands = 1,
                                                .children = 4,
                                                .migration = 0,
                                                .patches = 0,
                                                .inspirations = 0},
                                     .calls = {.in_flight = 1}};
    std::vector<lkt::scripted_turn> turns{rewrite("speed 4"), wide("speed 2"), wide("wrong"), "no"};
    for (lkt::scripted_turn const& no : only_nonsense(12)) turns.push_back(no);
    profiled_stage<lkt::evolve_state> c(turns);
    REQUIRE(c.device.profiles == 1);
    CHECK(ended_in<lkt::tuned>(run_strategy(strategy, c.s, c.with)));
    bool second = false;
    for (lkt::chat_request const& r : c.llm.requests()) {
        CHECK(profiled(r));
        std::string const& text = r.messages[1].text;
        bool const of_second = text.find("\"speed 2\"") != std::string::npos;
        bool const of_first = text.find("\"speed 4\"") != std::string::npos;
        CHECK(profile_in(r) == (of_second ? "compute 3" : of_first ? "compute 2" : "compute 1"));
        second = second || of_second;
    }
    REQUIRE(second); // a parent that never was the best kernel
    CHECK(c.device.profiles == 3);
}

TEST_CASE("beam shows each kernel of the beam with its own profile") {
    constexpr lkt::beam<> search{.limits = {.width = 2, .depth = 2, .branches = 1},
                                 .calls = {.in_flight = 1}};
    profiled_stage<lkt::beam_state> c({rewrite("speed 4"), rewrite("speed 2"), "no", "no"});
    CHECK(ended_in<lkt::tuned>(run_strategy(search, c.s, c.with)));
    auto const requests = c.llm.requests();
    REQUIRE(requests.size() == 4);
    CHECK(profile_in(requests[0]) == "compute 1");
    CHECK(profile_in(requests[2]) == "compute 2"); // the best one
    CHECK(profile_in(requests[3]) == "compute 3"); // the other one
    CHECK(c.device.profiles == 3);
}
