// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/reply.hpp>

#include <doctest/doctest.h>

#include "../support/fake_gpu.hpp"

#include <string>

using namespace lkt_test;

namespace {

lkt::candidate original() {
    auto const p = tunable_problem();
    lkt::candidate c{p.reference, p.parameters, p.restrictions, p.launch, "the original"};
    return c;
}

lkt::reply_reading read(std::string const& text,
                        lkt::problem const& task = tunable_problem(),
                        lkt::candidate const& before = original()) {
    lkt::chat_reply reply;
    reply.text = text;
    return lkt::read_reply(reply, task, before);
}

template <class Failure>
Failure const& failure_of(lkt::reply_reading const& r) {
    return std::get<Failure>(std::get<lkt::failure>(r.what));
}

std::string const tiled = "__global__ void twice(const float* a, float* b, int count) {\n"
                          "    for (int k = 0; k < TILE; ++k) b[k] = 2 * a[k] + 0 * count;\n"
                          "}\n";

} // namespace

TEST_CASE("Code, parameters, restrictions and launch are read") {
    auto const r = read(reply_with(tiled,
                                   R"j({"description": "tiles",
        "parameters": {"TILE": [16, 32, 16], "BLOCK": 8},
        "restrictions": ["TILE % BLOCK == 0"],
        "launch": {"grid": ["ceil_div(N, TILE)"], "block": ["BLOCK", 2], "shared_bytes": "4 * TILE"}})j"));
    auto const& c = std::get<lkt::candidate>(r.what);
    CHECK(c.source.text == tiled);
    CHECK(c.source.language == lkt::language::cuda);
    CHECK(c.description == "tiles");
    REQUIRE(c.parameters.size() == 2);
    CHECK(c.parameters[0].name == "TILE");
    CHECK(c.parameters[0].values ==
          std::vector<lkt::parameter_value>{std::int64_t{16}, std::int64_t{32}});
    CHECK(c.parameters[1].values == std::vector<lkt::parameter_value>{std::int64_t{8}});
    REQUIRE(c.restrictions.size() == 1);
    CHECK(c.restrictions[0].text() == "TILE % BLOCK == 0");
    CHECK(c.launch.grid[0].text() == "ceil_div(N, TILE)");
    CHECK(c.launch.block[1].text() == "2");
    CHECK(c.launch.grid[2].text() == "1");
    CHECK(c.launch.shared_bytes.text() == "4 * TILE");
    CHECK(r.notes.empty());
}

TEST_CASE("What a reply leaves out is kept as far as it is still used") {
    auto const plain = read(reply_with(original_text));
    auto const& c = std::get<lkt::candidate>(plain.what);
    REQUIRE(c.parameters.size() == 1); // the launch uses it
    CHECK(c.launch == tunable_problem().launch);

    auto const others = read(reply_with(tiled, R"j({"parameters": {"TILE": [4, 8]}})j"));
    auto const& with = std::get<lkt::candidate>(others.what);
    REQUIRE(with.parameters.size() == 2); // that of the launch, which is kept, too
    CHECK(with.parameters[0].name == "TILE");
    CHECK(with.parameters[1] == tunable_problem().parameters[0]);
    CHECK(others.notes.at(0).find("was kept, since the reply keeps the launch") !=
          std::string::npos);

    auto const own = read(reply_with(
        original_text, R"j({"launch": {"grid": ["ceil_div(N, 64)"], "block": [64, 1, 1]}})j"));
    CHECK(std::get<lkt::candidate>(own.what).parameters.empty());

    auto restricted = original();
    restricted.restrictions = {lkt::expression::parse("BLOCK <= N").value()};
    auto const dropped =
        read(reply_with(original_text, R"j({"launch": {"grid": ["N"], "block": [1]}})j"),
             tunable_problem(),
             restricted);
    CHECK(std::get<lkt::candidate>(dropped.what).restrictions.empty());
    REQUIRE(dropped.notes.size() == 1);
    CHECK(dropped.notes[0].find("BLOCK <= N") != std::string::npos);
}

TEST_CASE("A parameter that nothing uses is left out, with a note") {
    auto const r =
        read(reply_with(original_text, R"j({"parameters": {"BLOCK": [32], "UNUSED": [1, 2]}})j"));
    CHECK(std::get<lkt::candidate>(r.what).parameters.size() == 1);
    REQUIRE(r.notes.size() == 1);
    CHECK(r.notes[0].find("UNUSED") != std::string::npos);
}

TEST_CASE("Names that are neither sizes nor parameters are failures that name them") {
    auto const launch = read(
        reply_with(original_text, R"j({"launch": {"grid": ["ceil_div(M, 32)"], "block": [32]}})j"));
    CHECK(failure_of<lkt::launch_failed>(launch).why.find("`M`") != std::string::npos);
    CHECK(failure_of<lkt::launch_failed>(launch).why.find("N=64") != std::string::npos);
    auto const shared = read(reply_with(
        original_text, R"j({"launch": {"grid": [1], "block": [32], "shared_bytes": "W * 4"}})j"));
    CHECK(failure_of<lkt::launch_failed>(shared).why.find("`W`") != std::string::npos);
    auto const restriction =
        read(reply_with(original_text, R"j({"restrictions": ["BLOCK < LIMIT"]})j"));
    CHECK(failure_of<lkt::no_configuration>(restriction).why.find("`LIMIT`") != std::string::npos);
}

TEST_CASE("A json block that cannot be used says where and why") {
    struct {
        char const* json;
        char const* part;
    } const cases[] = {
        {"[1, 2]", "give an object"},
        {"{\"parameters\": 3}", "\"parameters\""},
        {"{\"parameters\": {\"A B\": [1]}}", "`A B`"},
        {"{\"parameters\": {\"BLOCK\": []}}", "0 values"},
        {"{\"parameters\": {\"BLOCK\": [[1]]}}", "BLOCK"},
        {"{\"restrictions\": [\"BLOCK <\"]}", "restrictions[0]"},
        {"{\"launch\": \"wide\"}", "\"launch\""},
        {"{\"launch\": {\"grid\": [1]}}", "both"},
        {"{\"launch\": {\"grid\": [1, 1, 1, 1], \"block\": [1]}}", "4 extents"},
        {"{\"launch\": {\"grid\": [1.5], \"block\": [1]}}", "launch.grid[0]"},
        {"{\"launch\": {\"grid\": [1], \"block\": [1], \"streams\": 2}}", "`streams`"},
        {"{\"lanch\": {\"grid\": [1], \"block\": [1]}}", "`lanch`"},
        {"{\"Parameters\": {\"BLOCK\": [1]}}", "`Parameters`"},
        {"{\"description\": 4}", "description"},
        {"{\"parameters\": {\"BLOCK\": [1,, 2]}}", "line 1"},
    };
    for (auto const& c : cases) {
        CAPTURE(c.json);
        auto const r = read(reply_with(original_text, c.json));
        REQUIRE(std::holds_alternative<lkt::failure>(r.what));
        CHECK(failure_of<lkt::no_code>(r).why.find(c.part) != std::string::npos);
    }
    auto const other = read(reply_with(original_text, R"j({"confidence": 1, "launch": null})j"));
    CHECK(std::holds_alternative<lkt::candidate>(other.what));
    CHECK(other.notes.size() == 1);
}

TEST_CASE("Replies without a kernel, cut off, held back, or with another signature") {
    CHECK_FALSE(failure_of<lkt::no_code>(read("I cannot help with that.")).why.empty());
    CHECK_FALSE(failure_of<lkt::no_code>(read("")).why.empty());
    auto const other = read(reply_with("__global__ void thrice(float* x) { x[0] = 3; }\n"));
    CHECK(std::holds_alternative<lkt::wrong_signature>(std::get<lkt::failure>(other.what)));
    auto const fewer = read(reply_with("__global__ void twice(float* x) { x[0] = 3; }\n"));
    CHECK(failure_of<lkt::wrong_signature>(fewer).expected.find("int n") != std::string::npos);
    lkt::chat_reply reply;
    reply.text = reply_with(original_text);
    reply.finish = lkt::finish::length;
    CHECK(failure_of<lkt::no_code>(lkt::read_reply(reply, tunable_problem(), original()))
              .why.find("cut off") != std::string::npos);
    reply.finish = lkt::finish::filtered;
    CHECK(failure_of<lkt::no_code>(lkt::read_reply(reply, tunable_problem(), original()))
              .why.find("filter") != std::string::npos);
}

TEST_CASE("No mutation of a reply gets past the reader as anything but a candidate or a failure") {
    std::string const good = reply_with(
        tiled, R"j({"parameters": {"TILE": [16]}, "launch": {"grid": ["N"], "block": ["TILE"]}})j");
    std::uint32_t state = 12345;
    auto const next = [&] { return state = state * 1664525u + 1013904223u; };
    std::size_t candidates = 0, failures = 0;
    for (int i = 0; i < 400; ++i) {
        std::string text = good;
        for (std::uint32_t k = next() % 8 + 1; k > 0; --k) {
            std::size_t const at = next() % text.size();
            switch (next() % 3) {
            case 0:
                text[at] = static_cast<char>(next() % 256);
                break;
            case 1:
                text.erase(at, next() % 20);
                break;
            default:
                text.insert(at, 1, "{}[]\"`,:"[next() % 8]);
            }
            if (text.empty()) text = "x";
        }
        auto const r = read(text);
        (std::holds_alternative<lkt::candidate>(r.what) ? candidates : failures) += 1;
    }
    CHECK(candidates > 0);
    CHECK(failures > 0);
    CHECK(candidates + failures == 400);
}
