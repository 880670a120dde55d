// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/near_name.hpp>

#include <doctest/doctest.h>

TEST_CASE("A misspelling finds the name that was meant") {
    std::string_view const known[] = {
        "strategy", "steps", "size", "tune", "grid", "cpu", "also-size"};
    CHECK(lkt::near_name("stratgey", known) == "strategy");
    CHECK(lkt::near_name("Stratagy", known) == "strategy");
    CHECK(lkt::near_name("sise", known) == "size");
    CHECK(lkt::near_name("strat", known) == "strategy"); // its beginning
    CHECK(lkt::near_name("also", known) == "also-size");
    for (char const* const far :
         {"", "st", "cpx", "seize-all", "grab", "magic", "strategies-of-mine"})
        CHECK_MESSAGE(lkt::near_name(far, known).empty(), far);
    CHECK(lkt::near_name("col", std::vector<std::string_view>{"column", "color-map"}).empty());
}

TEST_CASE("The end of a message, or none") {
    CHECK(lkt::did_you_mean("webgup", "host, cuda, webgpu") == "; did you mean webgpu?");
    CHECK(lkt::did_you_mean("abacus", "host, cuda, webgpu").empty());
    CHECK(lkt::did_you_mean("x", "").empty());
    std::string_view const known[] = {"strategy"};
    CHECK(lkt::did_you_mean("strategi", known, "--") == "; did you mean --strategy?");
    CHECK(lkt::edit_distance("abc", "acb") == 1);
    CHECK(lkt::edit_distance(std::string(50, 'a'), "a") == 40);
}
