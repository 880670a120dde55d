// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/test_runner.hpp>

#include <doctest/doctest.h>

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

TEST_CASE("a run in checked mode that cannot be made leaves a remark") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    auto const t = c.trial();
    lkt::check_remark remark;
    CHECK_FALSE(c.in.tests.run_checked(t, remark).value());
    CHECK(remark.in_part);
    c.gpu.has_checked_mode = false;
    remark = {};
    CHECK_FALSE(c.in.tests.run_checked(t, remark).value());
    CHECK_FALSE(remark.in_part);
    CHECK(remark.text.starts_with("not run in checked mode: "));
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
