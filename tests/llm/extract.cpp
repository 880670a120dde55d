// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/extract.hpp>

#include <doctest/doctest.h>

#include <boost/json/value.hpp>
#include <string>
#include <variant>

TEST_CASE("kernel and parameters of one reply, its reasoning left out") {
    std::string const reply = "<think>\n```cuda\n__global__ void draft() {}\n```\n</think>\n"
                              "I use tiles.\n```cuda\n__global__ void f() {}\n```\n"
                              "```json\n{\"parameters\": {\"TILE\": [8, 16]}}\n```\n";
    auto const code = lkt::extract_code(reply, lkt::language::cuda);
    REQUIRE(std::holds_alternative<std::string>(code));
    CHECK(std::get<std::string>(code) == "__global__ void f() {}\n");
    auto const json = lkt::extract_json(reply);
    REQUIRE(json.has_value());
    CHECK(json->at("parameters").at("TILE").at(1).as_int64() == 16);
    CHECK(lkt::fenced_blocks(lkt::strip_thinking(reply)).size() == 2);
}
