// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/fit_parameters.hpp>

#include <doctest/doctest.h>

#include <lkt/search/space.hpp>

#include "../support/fake_gpu.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using values = std::vector<lkt::parameter_value>;

values list(std::initializer_list<int> from) {
    values v;
    for (int const i : from) v.emplace_back(std::int64_t{i});
    return v;
}

struct settings {
    lkt::evaluation_options evaluation;
};

/// A state whose step brings `params`, and a proposal that makes use of all names.
lkt::explicit_state scene(std::vector<lkt::step_parameter> params,
                          std::vector<lkt::tunable_parameter> proposed) {
    lkt::explicit_state s;
    s.task = twice_problem();
    s.best.dimensions.block = {48, 2, 1};
    lkt::optimization_step step;
    step.id = "step";
    step.prompt = "Do it.";
    step.tune_params = std::move(params);
    s.ledger.steps = {step};
    s.ledger.current.id = "step";
    s.proposal.source = {lkt::language::cuda, original_text, "reply"};
    for (auto const& p : step.tune_params) s.proposal.source.text += "int u = " + p.name + ";\n";
    s.proposal.parameters = std::move(proposed);
    s.history.emplace_back();
    return s;
}

values const* values_of(lkt::explicit_state const& s, std::string const& name) {
    for (auto const& p : s.proposal.parameters)
        if (p.name == name) return &p.values;
    return nullptr;
}

std::uint64_t configurations(lkt::candidate const& c) {
    return lkt::search_space::make(c.parameters, c.restrictions, {{"N", 64}}).value().count();
}

void fit(lkt::explicit_state& s, int most = 200, settings tools = {}) {
    s.ledger.limits.max_configurations = most;
    lkt::fit_parameters(s, tools);
    CHECK(s.history.back().proposal == s.proposal);
}

} // namespace

TEST_CASE("The step's parameters go into a proposal that makes use of them, neutral value first") {
    auto s = scene({{"WORK", list({1, 2, 4}), std::int64_t{1}}}, {});
    fit(s);
    REQUIRE(values_of(s, "WORK") != nullptr);
    CHECK(*values_of(s, "WORK") == list({1, 2, 4}));
    CHECK(s.history.back().notes.empty());

    // The model's list starts at 2, so that the kernel as it was could not win.
    auto t = scene({{"WORK", list({1, 2, 4}), std::int64_t{1}}}, {{"WORK", list({2, 4})}});
    fit(t);
    CHECK(*values_of(t, "WORK") == list({1, 2, 4}));
    REQUIRE(t.history.back().notes.size() == 1);
    CHECK(t.history.back().notes[0] ==
          "the values of WORK are the step's, 1, 2, 4, not the reply's, 2, 4");

    auto unused = scene({{"WORK", list({1, 2, 4}), std::int64_t{1}}}, {});
    unused.proposal.source.text = original_text + "// WORK is for later\n";
    fit(unused);
    CHECK(values_of(unused, "WORK") == nullptr);
}

TEST_CASE("The value with which the kernel works now is in the list") {
    auto s = scene({{"BLOCK_X", list({32, 64}), {}}, {"BLOCK_Y", list({1, 2}), {}}}, {});
    s.proposal.launch.block[0] = lkt::expression::parse("BLOCK_X").value();
    s.proposal.launch.block[1] = lkt::expression::parse("BLOCK_Y").value();
    fit(s);
    CHECK(*values_of(s, "BLOCK_X") == list({48, 32, 64}));
    CHECK(*values_of(s, "BLOCK_Y") == list({1, 2}));

    auto known = scene({{"TILE", list({1, 16}), std::int64_t{1}}}, {});
    known.best.config.values = {{"TILE", std::int64_t{8}}};
    fit(known);
    CHECK(*values_of(known, "TILE") == list({8, 1, 16}));
}

TEST_CASE("In WGSL a parameter is there if it is declared") {
    auto s = scene({{"TILE", list({1, 16}), std::int64_t{1}}}, {});
    s.proposal.source = {lkt::language::wgsl,
                         "override TILE: u32 = 1;\n@compute @workgroup_size(64)\nfn f() {}\n",
                         "reply"};
    fit(s);
    CHECK(values_of(s, "TILE") != nullptr);
    auto t = scene({{"TILE", list({1, 16}), std::int64_t{1}}}, {});
    t.proposal.source = {
        lkt::language::wgsl, "// TILE\n@compute @workgroup_size(64)\nfn f() {}\n", "reply"};
    fit(t);
    CHECK(values_of(t, "TILE") == nullptr);
}

TEST_CASE("The predecessor's space of 139,968 configurations stays inside of the budget") {
    std::vector<lkt::tunable_parameter> const old{{"BLOCK_X", list({32, 64, 128, 256, 512, 1024})},
                                                  {"BLOCK_Y", list({1, 2, 4, 8, 16, 32})},
                                                  {"WORK_X", list({2, 4, 8})},
                                                  {"STRIDE_X", list({0, 1})},
                                                  {"WORK_Y", list({2, 4, 8})},
                                                  {"STRIDE_Y", list({0, 1})},
                                                  {"SHARED", list({0, 1})},
                                                  {"OUTPUT", list({0, 1})},
                                                  {"TILE_X", list({16, 32, 64})},
                                                  {"TILE_Y", list({16, 32, 64})},
                                                  {"UNROLL", list({2, 4, 8})}};
    auto s = scene({{"UNROLL", list({2, 4, 8}), std::int64_t{2}}}, old);
    CHECK(configurations(s.proposal) == 139'968);
    for (auto const& p : old) s.best.config.values.emplace_back(p.name, p.values.back());
    s.best.config.values[0].second = std::int64_t{256};
    fit(s);
    CHECK(configurations(s.proposal) <= 200);
    CHECK(configurations(s.proposal) > 30);            // and is not thrown away
    CHECK(*values_of(s, "UNROLL") == list({2, 4, 8})); // all of the new one's
    // Each keeps the best value; the oldest is frozen at it, after its neighbours were not enough.
    for (std::size_t i = 0; i + 1 < old.size(); ++i)
        CHECK(values_of(s, old[i].name)->front() == s.best.config.values[i].second);
    CHECK(*values_of(s, "BLOCK_X") == list({256}));
    REQUIRE(s.history.back().notes.size() == 1);
    CHECK(s.history.back().notes[0].starts_with("narrowed, to keep the configurations to 200: "
                                                "BLOCK_X from 6 values to 256; "));

    // The evaluation's own limit counts as well.
    auto t = scene({{"UNROLL", list({2, 4, 8}), std::int64_t{2}}}, old);
    settings strict;
    strict.evaluation.max_configurations = 10;
    fit(t, 200, strict);
    CHECK(configurations(t.proposal) <= 10);
}

TEST_CASE("Only as much is narrowed as needed: first to the best value and the two beside it") {
    auto s = scene({{"NEW", list({1, 2, 4}), std::int64_t{1}}},
                   {{"A", list({32, 8, 16, 64, 128})}, {"B", list({1, 2, 4, 8, 16})}});
    s.best.config.values = {{"A", std::int64_t{32}}};
    fit(s, 60);
    CHECK(*values_of(s, "A") == list({32, 16, 64}));
    CHECK(*values_of(s, "B") == list({1, 2, 4, 8, 16}));
    CHECK(*values_of(s, "NEW") == list({1, 2, 4}));
}

TEST_CASE("A budget that the step's own values exceed takes the last of them") {
    auto s = scene({{"NEW", list({1, 2, 4, 8, 16}), std::int64_t{1}}}, {});
    fit(s, 3);
    CHECK(*values_of(s, "NEW") == list({1, 2, 4}));
}

TEST_CASE("Nothing is narrowed to where the restrictions leave no configuration") {
    auto s = scene({}, {{"A", list({1, 2, 3, 4})}, {"B", list({1, 2, 3, 4, 5, 6, 7, 8})}});
    s.proposal.restrictions = {lkt::expression::parse("A * B > 8").value()};
    s.best.config.values = {{"A", std::int64_t{1}}, {"B", std::int64_t{1}}};
    fit(s, 3);
    CHECK(*values_of(s, "A") == list({1, 2}));
    CHECK(*values_of(s, "B") == list({1, 2, 3, 4, 5, 6, 7})); // 1 and 2 alone meet nothing
    CHECK(configurations(s.proposal) == 3);

    auto last = scene({}, {{"A", list({1, 2, 3, 4})}, {"B", list({1, 2, 3})}});
    last.proposal.restrictions = {lkt::expression::parse("A > 3").value()};
    fit(last, 2);
    CHECK(values_of(last, "A")->size() == 4); // only its last value meets the restriction
    CHECK(configurations(last.proposal) == 2);
    // What meets few restrictions is within the budget, however long the lists.
    auto t = scene({}, {{"A", list({1, 2, 3, 4, 5, 6, 7, 8})}, {"B", list({1, 2, 3, 4, 5, 6, 7})}});
    t.proposal.restrictions = {lkt::expression::parse("A == B").value()};
    fit(t, 10);
    CHECK(values_of(t, "A")->size() == 8);
    CHECK(t.history.back().notes.empty());
}
