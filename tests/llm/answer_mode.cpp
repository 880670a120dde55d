// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/answer_mode.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("Modes are named as the pages name them") {
    CHECK(std::string(to_string(lkt::answer_mode::automatic)) == "automatic");
    CHECK(std::string(to_string(lkt::answer_mode::native_schema)) == "native_schema");
    CHECK(std::string(to_string(lkt::answer_mode::hybrid)) == "hybrid");
}
