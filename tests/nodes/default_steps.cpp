// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/default_steps.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

namespace {

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

lkt::optimization_step const& called(std::vector<lkt::optimization_step> const& l,
                                     std::string const& id) {
    auto const at = std::find_if(l.begin(), l.end(), [&](auto const& s) { return s.id == id; });
    REQUIRE(at != l.end());
    return *at;
}

} // namespace

TEST_CASE("There are fifteen, and they pass the check that lists of users pass") {
    auto const steps = lkt::default_steps();
    CHECK(steps.size() == 15);
    CHECK(lkt::check_steps(steps).has_value());
}

TEST_CASE("Steps for x and y differ, and each names its own parameters") {
    auto const steps = lkt::default_steps();
    int pairs = 0, named = 0;
    for (auto const& x : steps) {
        for (auto const& p : x.tune_params) {
            bool const y = p.name.ends_with("_Y");
            // In words of its prompt or in the list of parameters that every request has.
            CHECK(has(lkt::step_request(x), "`" + p.name + "`"));
            std::string other = p.name;
            other.back() = y ? 'X' : 'Y';
            if (y || p.name.ends_with("_X")) {
                CHECK_FALSE(has(lkt::step_request(x), other));
                CHECK(has(x.prompt, y ? "in y" : "in x"));
                CHECK_FALSE(has(x.prompt, y ? " in x " : " in y "));
                ++named;
            }
        }
        if (!x.id.ends_with("_x")) continue;
        auto const& y = called(steps, x.id.substr(0, x.id.size() - 1) + "y");
        CHECK(x.prompt != y.prompt);
        ++pairs;
    }
    CHECK(pairs == 5);
    CHECK(named == 8);
}

TEST_CASE("Every list has its neutral value, first; block sizes get the kernel's own") {
    int with = 0, without = 0;
    for (auto const& s : lkt::default_steps())
        for (auto const& p : s.tune_params) {
            (p.neutral ? with : without) += 1;
            if (p.neutral) CHECK(p.values.front() == *p.neutral);
            if (!p.neutral) CHECK(p.name.starts_with("BLOCK_"));
            // A coarsening of 1, a switch at 0.
            auto const first = std::get<std::int64_t>(p.values.front());
            if (p.neutral) CHECK(first == (p.values.size() == 2 ? 0 : 1));
        }
    CHECK(with == 9);
    CHECK(without == 2);
}

TEST_CASE("What the predecessor's prompts got wrong is right") {
    auto const steps = lkt::default_steps();
    auto const prefetching = called(steps, "prefetching").prompt;
    CHECK_FALSE(has(prefetching, "builtin"));
    CHECK(has(prefetching, "registers"));
    CHECK(has(called(steps, "instruction_level_parallelism").prompt, "Add no barrier"));
    for (auto const* id : {"use_shared_mem", "output_shared_mem"})
        CHECK(has(called(steps, id).prompt, "barrier that every thread") !=
              has(called(steps, id).prompt, "every thread of the block reaches each"));
    for (auto const& s : steps) CHECK_FALSE(has(s.prompt, "{"));
}
