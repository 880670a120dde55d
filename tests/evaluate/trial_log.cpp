// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/trial_log.hpp>

#include <lkt/store/journal_memory.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

lkt::tried_configuration tried(std::int64_t block, std::variant<lkt::measurement, lkt::failure> o) {
    return {{{{"BLOCK", block}}}, lkt::launch_dimensions{}, std::move(o), 7};
}
lkt::measurement times() { return {{lkt::seconds(1), lkt::seconds(2)}}; }

} // namespace

TEST_CASE("results are found by search and configuration, also by another process") {
    lkt::journal_memory sink;
    {
        lkt::trial_log log(lkt::journal::over(sink).value());
        REQUIRE(log.keep(1, tried(8, times())));
        REQUIRE(log.keep(1, tried(16, lkt::failure(lkt::race{"there"}))));
        REQUIRE(log.keep(2, tried(8, lkt::failure(lkt::race{"elsewhere"}))));
    }
    lkt::trial_log const log(lkt::journal::over(sink).value());
    auto const* one = log.find(1, tried(8, times()).config);
    REQUIRE(one != nullptr);
    CHECK(std::get<lkt::measurement>(one->outcome).samples == times().samples);
    CHECK(one->binary == 7);
    CHECK(log.find(2, one->config)->failed() != nullptr);
    CHECK(log.find(3, one->config) == nullptr);
    CHECK(log.all(1).size() == 2);
}

TEST_CASE("what a compiler may do another time is no result; without a journal it is memory") {
    lkt::trial_log log;
    lkt::failure const late = lkt::compile_failed{"too long", {}, true};
    REQUIRE(lkt::may_compile_later(late));
    REQUIRE(log.keep(1, tried(8, late)));
    CHECK(log.all(1).empty());
    REQUIRE(log.keep(1, tried(8, times())));
    CHECK(log.all(1).size() == 1);
    log.clear();
    CHECK(log.all(1).empty());
}

TEST_CASE("a transition before the search does not lose its results") {
    lkt::journal_memory sink;
    auto const transition = [&](bool again) {
        auto journal = lkt::journal::over(sink).value();
        lkt::trial_log const log(journal);
        std::vector<std::string> parts{again ? "b" : "a"};
        REQUIRE(journal.save(parts));
        if (again) REQUIRE(log.keep_again());
        return lkt::trial_log(lkt::journal::over(sink).value()).all(1).size();
    };
    REQUIRE(lkt::trial_log(lkt::journal::over(sink).value()).keep(1, tried(8, times())));
    CHECK(transition(true) == 1);
    CHECK(transition(false) == 0);
}
