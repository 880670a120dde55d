// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/test_runner.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include "../support/fake_batch_gpu.hpp"
#include "support.hpp"

using namespace lkt_test;

TEST_CASE("the tests of finalists come last, and all of them are all") {
    behaviour now;
    evaluation_scene c([&](auto const&, auto const&) { return now; });
    std::size_t late = 0;
    for (auto const& t : c.s.tests.tests) late += t.test.for_finalists ? 1 : 0;
    auto t = c.trial();
    auto const runs = [&](auto run) {
        c.gpu.log.clear();
        CHECK_FALSE(run().value());
        return c.gpu.count("run ");
    };
    auto const first = runs([&] { return c.in.tests.run_first(t); });
    auto const rest = runs([&] { return c.in.tests.run_rest(t); });
    auto const all = runs([&] { return c.in.tests.run_all(t); });
    CHECK(rest == late);
    CHECK(first + rest == all);
    CHECK(all == c.s.tests.tests.size());

    now.wrong = true;
    auto wrong = c.trial();
    CHECK(c.in.tests.run_first(wrong).value());
}

TEST_CASE("a run in checked mode says how much of a kernel it saw") {
    behaviour now;
    evaluation_scene c([&](auto const&, auto const&) { return now; });
    auto const t = c.trial();
    lkt::checked_part part;
    auto const run = [&] {
        part = {};
        CHECK_FALSE(c.in.tests.run_checked(t, part, lkt::seconds{0}).value());
        return part.extent;
    };
    CHECK(run() == lkt::checked_extent::full);
    CHECK(part.left_out.empty());
    now.unchecked = "checked on the CPU alone";
    now.run_unchecked = "a tool did not work";
    CHECK(run() == lkt::checked_extent::partial);
    CHECK(part.left_out == "checked on the CPU alone; a tool did not work");
    now = {};
    now.checked_world = lkt::error{lkt::condition::unavailable, "fake.tool", "it is too old", {}};
    CHECK(run() == lkt::checked_extent::none);
    CHECK(part.left_out == "not run in checked mode: it is too old");
    now = {};
    c.gpu.has_checked_mode = false;
    CHECK(run() == lkt::checked_extent::none);
    CHECK(part.left_out.starts_with("not run in checked mode: "));
    c.gpu.has_checked_mode = true;
    auto setup = c.setup();
    setup.options.verify = false;
    lkt::evaluation unverified(std::move(setup));
    part.extent = lkt::checked_extent::full;
    CHECK_FALSE(unverified.tests.run_checked(t, part, lkt::seconds{0}).value());
    CHECK(part.extent == lkt::checked_extent::none);
}

TEST_CASE("in checked mode every size is run, as long as there is time") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour(); });
    c.s.tests.tests.back().test.size.emplace_back("other", 7);
    auto const t = c.trial();
    auto const runs = [&](lkt::seconds further, lkt::checked_part& part) {
        c.gpu.log.clear();
        CHECK_FALSE(c.in.tests.run_checked(t, part, further).value());
        return c.gpu.count("run ");
    };
    lkt::checked_part part;
    auto const few = runs(lkt::seconds{0}, part);
    CHECK(few < c.s.tests.tests.size());
    CHECK(runs(lkt::seconds{1000}, part) == c.s.tests.tests.size());
    CHECK(part.extent == lkt::checked_extent::full);
    CHECK(runs(lkt::seconds{1e-9}, part) == few);
    CHECK(part.extent == lkt::checked_extent::partial);
    CHECK(part.left_out.find("1 size not run in checked mode") != std::string::npos);
}

TEST_CASE("in checked mode the tests of a kernel come in batches") {
    fake_batch_gpu gpu([](auto const&, auto const&) { return behaviour(); }, 1);
    evaluation_scene c([](auto const&, auto const&) { return behaviour(); });
    for (int k = 0; k < 4; ++k) {
        c.s.tests.tests.push_back(c.s.tests.tests.back());
        c.s.tests.tests.back().test.size.emplace_back("other", k);
    }
    auto setup = c.setup();
    setup.gpu = lkt::gpu_ref(gpu);
    lkt::evaluation all(std::move(setup));
    auto const built = all.build({c.kernel, c.declared, {{{"BLOCK", 32}}}}).value();
    lkt::checked_part part;
    gpu.runs.clear();
    gpu.log.clear();
    CHECK_FALSE(
        all.tests.run_checked(std::get<lkt::trial>(built), part, lkt::seconds{1000}).value());
    CHECK(part.extent == lkt::checked_extent::full);
    CHECK(gpu.count("run ") == c.s.tests.tests.size());
    // The small ones, one of each size, those of the same sizes.
    CHECK(gpu.runs.size() <= 3);
    CHECK(*std::max_element(gpu.runs.begin(), gpu.runs.end()) >= 3);
}

TEST_CASE("variables that the original has not are a kernel's own state") {
    behaviour now, before;
    before.writable_bytes = now.writable_bytes = 0;
    evaluation_scene c(
        [&](auto const& text, auto const&) { return text == original_text ? before : now; });
    c.kernel.source.text = changed_text("own variables");
    CHECK_FALSE(c.in.tests.keeps_state(c.trial()).value());
    now.writable_bytes = 4;
    CHECK(c.in.tests.keeps_state(c.trial()).value());
}
