// SPDX-License-Identifier: BSL-1.0
// What an evaluation makes of a back end's guards: launches on other arguments, kernels loaded
// anew, binaries with a state, times that cannot be.
#include <lkt/nodes/evaluate.hpp>

#include <doctest/doctest.h>

#include "../support/prepared_state.hpp"

#include <algorithm>
#include <string>

using namespace lkt_test;

namespace {

lkt::no_model nobody;

/// The original takes 1 ms, a rewritten kernel half of it; `adjust` says what else it is.
struct judged {
    fake_gpu gpu;
    lkt::tuning_state s;
    lkt::evaluated outcome = lkt::evaluated::failed;

    explicit judged(std::function<void(behaviour&, bool original)> adjust,
                    std::vector<std::int64_t> const& unused = {})
        : gpu([adjust = std::move(adjust)](std::string const& text, lkt::configuration const&) {
              behaviour b;
              bool const original = text == original_text;
              if (!original) b.time = lkt::seconds(0.5e-3);
              adjust(b, original);
              return b;
          }) {
        bare_tools tools{gpu, nobody};
        s = prepared_state(twice_problem(), tools);
        gpu.timed.clear();
        s.proposal.source = {lkt::language::cuda, variant_text("rewritten"), "test"};
        s.proposal.launch = s.task.launch;
        if (!unused.empty()) {
            lkt::tunable_parameter p{"UNUSED", {}};
            for (auto v : unused) p.values.emplace_back(v);
            s.proposal.parameters = {p};
        }
        outcome = lkt::evaluate(s, tools).value();
    }
    [[nodiscard]] lkt::verdict verdict() const {
        return lkt::verdict_of(std::get<lkt::failure>(s.history.back().outcome));
    }
    [[nodiscard]] bool noted(std::string const& part) const {
        auto const& notes = s.history.back().notes;
        return std::any_of(notes.begin(), notes.end(), [&](std::string const& n) {
            return n.find(part) != n.npos;
        });
    }
};

} // namespace

TEST_CASE("Timed launches get further arguments, and one in ten is kept") {
    judged const j([](behaviour&, bool) {});
    CHECK(j.outcome == lkt::evaluated::faster);
    auto const alike = lkt::tests_like_the_timed(j.s.tests, lkt::bytes{1 << 20});
    REQUIRE(!j.gpu.timed.empty());
    bool fresh = false;
    for (lkt::run_request const& r : j.gpu.timed) {
        CHECK(r.ring.size() + 1 == alike.size());
        CHECK(r.keep.size() * 10 >= static_cast<std::size_t>(r.launches));
        CHECK(r.keep == lkt::launches_to_keep(r.poison_seed, r.launches, r.launches));
        fresh = fresh || r.fresh;
    }
    CHECK(fresh); // whether it has variables is unknown
}

TEST_CASE(
    "What keeps no variables is loaded anew now and then, what keeps some before it is timed") {
    auto const fresh_of = [](std::uint64_t bytes) {
        judged const j([=](behaviour& b, bool) { b.writable_bytes = bytes; });
        return j.gpu.timed.front().fresh;
    };
    CHECK(fresh_of(8));
    judged const none([](behaviour& b, bool) { b.writable_bytes = 0; });
    auto const& timed = none.gpu.timed;
    auto const n = std::count_if(timed.begin(), timed.end(), [](auto& r) { return r.fresh; });
    CHECK(n < static_cast<std::ptrdiff_t>(timed.size()));
}

TEST_CASE("A binary with variables is refused, unless the original has some as well") {
    judged const hidden([](behaviour& b, bool original) { b.writable_bytes = original ? 0 : 8; });
    CHECK(hidden.outcome == lkt::evaluated::failed);
    CHECK(hidden.verdict() == lkt::verdict::stateful);
    CHECK(hidden.gpu.timed.empty());
    judged const both([](behaviour& b, bool) { b.writable_bytes = 8; });
    CHECK(both.outcome == lkt::evaluated::faster);
}

TEST_CASE("A kernel that takes no time wins nothing") {
    judged const j([](behaviour& b, bool original) {
        if (!original) b.time = {};
    });
    CHECK(j.outcome == lkt::evaluated::failed);
    CHECK(j.verdict() == lkt::verdict::timing_invalid);
    CHECK(j.s.best.kernel.source.text == original_text);
}

TEST_CASE("Configurations with one binary and one launch are noted") {
    judged const same([](behaviour& b, bool original) { b.digest = original ? 1 : 2; }, {1, 2, 3});
    CHECK(same.outcome == lkt::evaluated::faster);
    CHECK(same.noted("the parameter `UNUSED` has no effect here"));
    judged const unknown([](behaviour&, bool) {}, {1, 2, 3});
    CHECK(!unknown.noted("same binary"));
}
