// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/evolve.hpp>

#include <doctest/doctest.h>

#include "../support/run_strategy.hpp"
#include "rewrites.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using scene = stage<lkt::evolve_state>;

constexpr lkt::evolve<> small{.limits = {.generations = 3,
                                         .patience = 2,
                                         .islands = 2,
                                         .population = 3,
                                         .children = 2,
                                         .migration = 0,
                                         .patches = 0},
                              .calls = {.in_flight = 1}};
constexpr lkt::evolve<> with(auto change) {
    lkt::evolve<> e = small;
    change(e.limits);
    return e;
}

/// A rewrite that is of another kind: all threads in one block of `block`.
lkt::scripted_turn wide(std::string const& words, int block) {
    return reply_with(kernel_that(words),
                      R"({"launch": {"grid": [1], "block": [)" + std::to_string(block) + "]}}");
}
/// One of the original's kind, whatever its parent is.
lkt::scripted_turn narrow(std::string const& words) {
    return reply_with(kernel_that(words), R"({"launch": {"grid": [2], "block": [32]}})");
}
std::string asked(lkt::chat_request const& r) { return r.messages[1].text; }
/// The kernel that is to be rewritten comes before whatever else is shown.
bool rewrites(lkt::chat_request const& r, std::string const& words) {
    std::string const text = asked(r);
    auto const at = text.find(words);
    return at != std::string::npos && at < text.find("Launch\n");
}
bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("Children that pass every check enter the archive of their island, by kind") {
    scene c({narrow("speed 2"),
             wide("speed 1.5", 128),
             narrow("wrong"),
             narrow("racy speed 8"),
             // The first island has two kinds now, the second one the original alone.
             narrow("speed 3"),
             narrow("speed 2.5"),
             narrow("speed 1.2"),
             "no",
             narrow("speed 4"),
             "no",
             "no",
             wide("speed 1.1", 128)});
    CHECK(ended_in<lkt::tuned>(run_strategy(small, c.s, c.tools)));
    CHECK(c.best() == kernel_that("speed 4"));
    CHECK(c.s.generation == 3);
    std::multiset<std::string> first, second;
    for (lkt::elite const& e : c.s.archive)
        (e.island == 0 ? first : second).insert(e.kernel.kernel.source.text);
    CHECK(first == std::multiset<std::string>{kernel_that("speed 4"), kernel_that("speed 1.5")});
    CHECK(second == std::multiset<std::string>{kernel_that("speed 1.2"), kernel_that("speed 1.1")});
    auto const requests = c.llm.requests();
    REQUIRE(requests.size() == 12);
    // Islands do not know of each other.
    for (std::size_t k : {std::size_t{6}, std::size_t{7}})
        CHECK(rewrites(requests[k], "= 2 * x[i]"));
    CHECK_FALSE(rewrites(requests[6], "speed 2"));
    CHECK_FALSE(rewrites(requests[7], "speed 1.5"));
    // A rewrite is shown the island's other kernels, with their times.
    bool const from_first = rewrites(requests[4], "speed 2");
    CHECK((from_first || rewrites(requests[4], "speed 1.5")));
    CHECK(has(asked(requests[4]), "Other kernels for the same problem"));
    CHECK(has(asked(requests[4]), from_first ? "speed 1.5" : "speed 2"));
    CHECK_FALSE(has(asked(requests[0]), "Other kernels"));
}

TEST_CASE("Islands visit each other") {
    constexpr auto k = with([](auto& x) { x.migration = 1, x.generations = 2; });
    scene c({rewrite("speed 2"), "no", "no", "no", rewrite("speed 3"), "no", "no", "no"});
    CHECK(ended_in<lkt::tuned>(run_strategy(k, c.s, c.tools)));
    auto const requests = c.llm.requests();
    REQUIRE(requests.size() == 8);
    CHECK(rewrites(requests[6], "speed 2")); // the second island's child of the first one's best
}

TEST_CASE("A patch is asked for in its form, and applied to its parent") {
    constexpr auto k = with([](auto& x) { x.patches = 100, x.islands = 1, x.generations = 2; });
    std::string const one = "<<<<<<< SEARCH\n    if (i < n) y[i] = 2 * x[i];\n=======\n"
                            "    if (i < n) y[i] = x[i] + x[i]; // speed 2\n>>>>>>> REPLACE\n";
    std::string const two = "<<<<<<< SEARCH\n    if (i < n) y[i] = x[i] + x[i]; // speed 2\n"
                            "=======\n    if (i < n) y[i] = x[i] * 2.0f; // speed 3\n"
                            ">>>>>>> REPLACE\n";
    scene c({one, "<<<<<<< SEARCH\nint z;\n=======\n>>>>>>> REPLACE\n", two, two});
    CHECK(ended_in<lkt::tuned>(run_strategy(k, c.s, c.tools)));
    CHECK(has(c.best(), "x[i] * 2.0f; // speed 3"));
    CHECK(has(asked(c.llm.requests()[0]), "<<<<<<< SEARCH"));
    CHECK(std::holds_alternative<lkt::failure>(c.s.history[1].outcome));
    // The same patch of the same parent is the same kernel.
    CHECK(has(c.s.history[3].notes.back(), "the same kernel as proposal 3"));
}

TEST_CASE("What is drawn follows from the seed, and from nothing else") {
    constexpr auto one = with([](auto& x) { x.patches = 50, x.seed = 1, x.children = 8; });
    constexpr auto other = with([](auto& x) { x.patches = 50, x.seed = 2, x.children = 8; });
    auto const forms = [](auto strategy) {
        scene c(only_nonsense(100));
        CHECK(ended_in<lkt::gave_up>(run_strategy(strategy, c.s, c.tools)));
        std::string all;
        for (auto const& r : c.llm.requests()) all += has(asked(r), "SEARCH") ? 'p' : 'r';
        return all;
    };
    std::string const first = forms(one);
    CHECK(first == forms(one));
    CHECK(first != forms(other));
    CHECK(has(first, "p"));
    CHECK(has(first, "r"));
}

TEST_CASE("A model that answers only nonsense ends in bounded calls") {
    scene c(only_nonsense(100));
    CHECK(ended_in<lkt::gave_up>(run_strategy(small, c.s, c.tools)));
    CHECK(c.llm.requests().size() ==
          8); // two stagnant generations of two islands with two children
    CHECK(c.best() == original_text);

    // Correct but slower kernels of kinds that are taken are stagnant too.
    constexpr auto k = with([](auto& x) { x.islands = 1, x.generations = 9; });
    scene slow({rewrite("speed 0.9"),
                rewrite("speed 0.8"),
                rewrite("speed 0.7"),
                rewrite("speed 0.6"),
                rewrite("speed 9")});
    CHECK(ended_in<lkt::unchanged>(run_strategy(k, slow.s, slow.tools)));
    CHECK(slow.llm.left() == 1);
}

TEST_CASE("The kernel itself is never an improvement, and is evaluated once") {
    scene c(std::vector<lkt::scripted_turn>(100, reply_with(original_text)));
    CHECK(ended_in<lkt::unchanged>(run_strategy(small, c.s, c.tools)));
    CHECK(c.best() == original_text);
    CHECK(c.llm.requests().size() == 8);
    CHECK(c.gpu.count("run ") > 0);
    CHECK(c.gpu.count("time ") == 1); // one screening
}

TEST_CASE("Its numbers are those of the state") {
    scene c({narrow("speed 2"), "no", "no", narrow("speed 3"), "no", "no", "x"});
    c.s.limits = {.generations = 2, .islands = 1, .children = 3, .patches = 0};
    CHECK(ended_in<lkt::tuned>(lkt::run<lkt::evolve<>>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);
    for (auto const& r : c.llm.requests()) CHECK_FALSE(has(asked(r), "SEARCH"));

    // Numbers that a tuner refuses ask nobody, and end.
    scene none(only_nonsense(9));
    none.s.limits = {.islands = 0, .population = -1, .children = -1, .patches = -1};
    CHECK(lkt::run<lkt::evolve<>>(none.s, none.tools).has_value());
    CHECK(none.llm.left() == 9);
}

TEST_CASE("A run that failed goes on where it stood") {
    lkt::error const gone{lkt::condition::unavailable, "x", "no such model", {}};
    constexpr auto k = with([](auto& x) { x.islands = 1, x.children = 1, x.generations = 2; });
    scene c({rewrite("speed 2"), gone, rewrite("speed 3")});
    lkt::cursor<lkt::evolve<>> at;
    REQUIRE(run_strategy(k, c.s, c.tools, at).has_error());
    CHECK(ended_in<lkt::tuned>(run_strategy(k, c.s, c.tools, at)));
    CHECK(c.best() == kernel_that("speed 3"));
    CHECK(c.s.generation == 2);
}
