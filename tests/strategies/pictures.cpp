// SPDX-License-Identifier: BSL-1.0
// The pictures in docs/strategies are what to_mermaid draws. LKT_REFRESH_GOLDEN=1 renews them.
#include <lkt/graph/mermaid.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/checkpointer.hpp>
#include <lkt/strategies/attack.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/strategies/beam.hpp>
#include <lkt/strategies/escalate.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/explicit_steps.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/repeated.hpp>
#include <lkt/strategies/sample_n.hpp>
#include <lkt/strategies/sweep.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

void check_picture(std::string const& page, std::string const& picture) {
    std::string const path = std::string(LKT_TEST_SOURCE_DIR) + "/../docs/strategies/" + page;
    std::ifstream file(path);
    REQUIRE_MESSAGE(file.good(), path << " is missing");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::string const open = "```mermaid\n";
    auto const begin = text.find(open);
    REQUIRE_MESSAGE(begin != std::string::npos, path << " has no mermaid block");
    auto const from = begin + open.size();
    auto const to = text.find("```", from);
    REQUIRE(to != std::string::npos);
    if (char const* refresh = std::getenv("LKT_REFRESH_GOLDEN"); refresh && *refresh == '1') {
        text.replace(from, to - from, picture);
        std::ofstream(path) << text;
        MESSAGE("wrote " << path);
        return;
    }
    CHECK_MESSAGE(text.substr(from, to - from) == picture,
                  path << " shows another graph; LKT_REFRESH_GOLDEN=1 renews it");
}

} // namespace

TEST_CASE("The page of each strategy shows its graph") {
    check_picture("explicit_steps.md", lkt::to_mermaid<lkt::explicit_steps<>>());
    check_picture("attack.md", lkt::to_mermaid<lkt::attack<>>());
    check_picture("one_prompt.md", lkt::to_mermaid<lkt::one_prompt<>>());
    using knobs = lkt::autonomous_knobs;
    check_picture("autonomous.md", lkt::to_mermaid<lkt::autonomous<knobs{.breakdown = true}>>());
    check_picture("sweep.md", lkt::to_mermaid<lkt::sweep<>>());
    check_picture("sample_n.md", lkt::to_mermaid<lkt::sample_n<>>());
    check_picture("beam.md", lkt::to_mermaid<lkt::beam<>>());
    check_picture("evolve.md", lkt::to_mermaid<lkt::evolve<>>());
    check_picture("escalate.md", lkt::to_mermaid<lkt::escalate<>>());
    check_picture("refine.md", lkt::to_mermaid<lkt::refine<>>());
    check_picture("repeated.md", lkt::to_mermaid<lkt::repeated<lkt::one_prompt<>>>());
}

// A saved run goes on only if its graph is the same. However a graph is written down, its nodes,
// outcomes and edges are these: a change ends the runs that users have saved.
static_assert(lkt::topology_digest<lkt::one_prompt<>>() == 0x3d570728f3c54906);
static_assert(lkt::topology_digest<lkt::one_prompt<lkt::one_prompt_knobs{
                  .retry_slower = false, .fix_parameters = true, .detect_unchanged = true}>>() ==
              0xcb12cd69b7958490);
static_assert(lkt::topology_digest<lkt::autonomous<>>() == 0x6e7c3275b8d7aa9b);
static_assert(lkt::topology_digest<lkt::autonomous<lkt::autonomous_knobs{.breakdown = true}>>() ==
              0x3337249c2e17761f);
static_assert(lkt::topology_digest<lkt::autonomous<lkt::autonomous_knobs{
                  .validation = false, .replanning = false}>>() == 0x55f52ee1f481bcf8);
static_assert(lkt::topology_digest<lkt::explicit_steps<>>() == 0xddd8a3b59bd0b119);
static_assert(lkt::topology_digest<lkt::sample_n<>>() == 0x9c9028c50121659a);
static_assert(lkt::topology_digest<lkt::refine<>>() == 0xff26978bd8bb7b68);
static_assert(lkt::topology_digest<lkt::beam<>>() == 0x526c3823c3419bf9);
static_assert(lkt::topology_digest<lkt::evolve<>>() == 0xab6bc3130a230655);
static_assert(lkt::topology_digest<lkt::escalate<>>() == 0x10b5452911822b0b);
static_assert(lkt::topology_digest<lkt::sweep<>>() == 0xe2b9538e7d33e9ff);
static_assert(lkt::topology_digest<lkt::repeated<lkt::one_prompt<>>>() == 0x71e67130cd1953ed);
