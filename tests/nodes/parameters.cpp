// SPDX-License-Identifier: BSL-1.0
// The tunable parameters of a reply are held against its text before anything is compiled.
#include <lkt/nodes/reply.hpp>

#include <doctest/doctest.h>

#include "../support/fake_gpu.hpp"

#include <string>
#include <vector>

using namespace lkt_test;

namespace {

lkt::reply_reading
read(std::string const& before, std::string const& body, std::string const& json) {
    auto const p = tunable_problem();
    lkt::candidate const original{p.reference, p.parameters, p.restrictions, p.launch, {}};
    lkt::chat_reply reply;
    reply.text = reply_with(
        before + "__global__ void twice(float const* x, float* y, int n) {\n" + body + "}\n", json);
    return lkt::read_reply(reply, p, original);
}

std::string tiled(std::string const& name, std::string const& more = {}) {
    return "{\"parameters\": {\"" + name + "\": [16, 32]" + more +
           "}, \"launch\": {\"grid\": [\"N // " + name + "\"], \"block\": [\"" + name + "\"]}}";
}

lkt::candidate const& candidate_of(lkt::reply_reading const& r) {
    REQUIRE(std::holds_alternative<lkt::candidate>(r.what));
    return std::get<lkt::candidate>(r.what);
}

std::string why(lkt::reply_reading const& r) {
    REQUIRE(std::holds_alternative<lkt::failure>(r.what));
    return lkt::describe(std::get<lkt::failure>(r.what));
}

bool says(std::string const& text, std::string const& what) {
    return text.find(what) != std::string::npos;
}

std::string const use = "    y[0] = TILE * x[0];\n";

} // namespace

TEST_CASE("A parameter's own definitions leave the text, however they are written") {
    struct {
        char const* written;
        char const* left;
    } const cases[] = {
        {"#define TILE 16\n", "\n"},
        {"# define TILE 16\n", "\n"},
        {"  #\tdefine TILE /* of x */ 16 // threads\n", "   // threads\n"},
        {"#define TILE \\\n    (8 + \\\n     8)\n", "\n\n\n"}, // line by line, its rest would stay
        {"#undef TILE\n#define TILE 16\n", "\n\n"},
        {"#ifndef TILE\n#define TILE 16\n#endif\n", "#ifndef TILE\n\n#endif\n"},
    };
    for (auto const& c : cases) {
        CAPTURE(c.written);
        auto const r = read(c.written, use, tiled("TILE"));
        auto const& text = candidate_of(r).source.text;
        CHECK(text.substr(0, text.find("__global__")) == c.left);
        CHECK(candidate_of(r).parameters.size() == 1);
        REQUIRE(r.notes.size() == 1);
        CHECK(says(r.notes[0], "definition of TILE"));
    }
}

TEST_CASE("Other definitions, comments and texts stay") {
    std::string const others = "#define TILES 4\n#define AREA (TILE * \\\n    TILE)\n"
                               "// #define TILE 16\n/*\n#define TILE 16\n*/\n"
                               "__device__ char const* s = \"\\\n#define TILE 16\\\n\";\n";
    auto const r = read(others, use, tiled("TILE"));
    CHECK(candidate_of(r).source.text.starts_with(others));
    CHECK(r.notes.empty());
}

TEST_CASE("A definition is no use of a parameter") {
    auto const r = read("#define UNUSED 4\n", use, tiled("TILE", ", \"UNUSED\": [4, 8]"));
    CHECK(candidate_of(r).parameters.size() == 1);
    REQUIRE(r.notes.size() == 2);
    CHECK(says(r.notes[1], "UNUSED does not occur"));
}

TEST_CASE("What declares a parameter anew is refused with its line") {
    for (char const* text : {"constexpr int TILE = 16;\n",
                             "const int TILE{16};\n",
                             "static __device__ const unsigned TILE = 16u;\n",
                             "enum { TILE = 16 };\n",
                             "#define TILE(x) (x)\n"}) {
        CAPTURE(text);
        auto const r = read(text, use, tiled("TILE"));
        CHECK(says(why(r), "TILE"));
        CHECK(says(why(r), "line 1"));
        CHECK(r.unsettled);
    }
    auto const inside = read("", "    int TILE = 4;\n" + use, tiled("TILE"));
    CHECK(says(why(inside), "line 2"));
    // A template parameter is given its value, and what is no parameter may be declared.
    CHECK(candidate_of(read("constexpr int OTHER = 16;\n", use, tiled("TILE"))).parameters.size() ==
          1);
}

TEST_CASE("Two spellings of one name become one, in text, launch and restrictions") {
    auto const r = read("// block_size\n",
                        "    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x % blockSize;\n"
                        "    y[i] = 2 * x[i] + sizeof \"block_size\" * block_size;\n",
                        R"j({"parameters": {"BLOCK_SIZE": [16], "block_size": [32, 16],
                            "blockSize": [64]},
        "restrictions": ["block_size != 'block_size' or blockSize == BLOCK_SIZE"],
        "launch": {"grid": ["N // blockSize"], "block": ["block_size"],
                   "shared_bytes": "4 * blockSize"}})j");
    auto const& c = candidate_of(r);
    REQUIRE(c.parameters.size() == 1);
    CHECK(c.parameters[0].name == "BLOCK_SIZE");
    CHECK(c.parameters[0].values ==
          std::vector<lkt::parameter_value>{std::int64_t{16}, std::int64_t{32}, std::int64_t{64}});
    CHECK(says(c.source.text, "// block_size\n"));
    CHECK(says(c.source.text, "sizeof \"block_size\" * BLOCK_SIZE;"));
    CHECK(says(c.source.text, "threadIdx.x % BLOCK_SIZE;"));
    CHECK(c.launch.grid[0].text() == "N // BLOCK_SIZE");
    CHECK(c.launch.block[0].text() == "BLOCK_SIZE");
    CHECK(c.launch.shared_bytes.text() == "4 * BLOCK_SIZE");
    CHECK(c.restrictions[0].text() == "BLOCK_SIZE != 'block_size' or BLOCK_SIZE == BLOCK_SIZE");
    CHECK(r.notes.size() == 2);
}

TEST_CASE("Names that may be one or two are refused, those that are two are left alone") {
    std::string const both = "    y[0] = block_size * BLOCK_SIZE_X;\n";
    auto const r =
        read("", both, R"j({"parameters": {"block_size": [16], "BLOCK_SIZE_X": [16]}})j");
    CHECK(says(why(r), "block_size and BLOCK_SIZE_X"));
    CHECK(r.unsettled);

    auto const two = read("",
                          "    y[0] = BLOCK_SIZE_X * BLOCK_SIZE_Y * TILE * TILES * ROW * ROWS;\n",
                          R"j({"parameters": {"BLOCK_SIZE_X": [16], "BLOCK_SIZE_Y": [16],
                            "TILE": [1], "TILES": [2], "ROW": [1], "ROWS": [2]},
                            "launch": {"grid": ["N"], "block": [32]}})j");
    CHECK(candidate_of(two).parameters.size() == 6);
    CHECK(two.notes.empty());

    // One of them that nothing uses is no second name.
    auto const one = read("",
                          "    y[0] = block_size;\n",
                          R"j({"parameters": {"block_size": [16], "BLOCK_SIZE_X": [16]},
                              "launch": {"grid": ["N"], "block": ["block_size"]}})j");
    CHECK(candidate_of(one).parameters.size() == 1);
}

TEST_CASE("Values are bounded, in range, and each there once") {
    auto const r = read("", use, R"j({"parameters": {"TILE": [16, 16.0, 32, 16]},
        "launch": {"grid": ["N"], "block": ["TILE"]}})j");
    CHECK(candidate_of(r).parameters[0].values.size() == 3);
    for (char const* value : {"18446744073709551615", "1e300", "-1e19"}) {
        CAPTURE(value);
        auto const out =
            read("", use, "{\"parameters\": {\"TILE\": [" + std::string(value) + "]}}");
        CHECK(says(why(out), "out of range"));
        CHECK_FALSE(out.unsettled);
    }
    std::string many = "1";
    for (int i = 2; i <= 257; ++i) many += ", " + std::to_string(i);
    CHECK(says(why(read("", use, "{\"parameters\": {\"TILE\": [" + many + "]}}")), "257 values"));
    auto const none = read("", use, R"j({"parameters": {"TILE": []}})j");
    CHECK(says(why(none), "TILE has 0 values"));
    CHECK(none.unsettled);
}

TEST_CASE("A correction takes the place of kernel and parameters, and of nothing else") {
    auto const p = tunable_problem();
    lkt::candidate const original{p.reference, p.parameters, p.restrictions, p.launch, {}};
    lkt::chat_reply reply;
    reply.text = reply_with("not a kernel\n", R"j({"description": "tiles", "parameters": {"A": []},
        "restrictions": ["TILE > 8"], "launch": {"grid": ["N"], "block": ["TILE"]}})j");
    std::string const text =
        "__global__ void twice(float const* x, float* y, int n) {\n" + use + "}\n";
    auto const r = lkt::read_corrected(reply, {text, {{"TILE", {std::int64_t{16}}}}}, p, original);
    auto const& c = candidate_of(r);
    CHECK(c.source.text == text);
    CHECK(c.parameters[0].name == "TILE");
    CHECK(c.restrictions.size() == 1);
    CHECK(c.launch.block[0].text() == "TILE");
    CHECK(c.description == "tiles");
    CHECK(lkt::read_corrected(
              reply, {"constexpr int TILE = 1;\n" + text, {{"TILE", {}}}}, p, original)
              .unsettled);
}
