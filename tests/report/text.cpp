// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/text.hpp>

#include <doctest/doctest.h>

#include "sample_outcome.hpp"

using namespace lkt_test;

TEST_CASE("The report of a run with an attempt of every kind") {
    check_golden("tuned.txt", lkt::text_report(sample_outcome()));
}

TEST_CASE("The report of a run that was stopped before anything was better") {
    auto out = sample_outcome();
    out.history.resize(2);
    out.best = out.baseline;
    out.confirmed = false;
    out.terminal.clear();
    out.stopped_by = lkt::error{
        lkt::condition::unavailable, "lkt.replay.used-up", "no reply is left", "record more"};
    out.device.simulated = false;
    out.model.remark = {};
    out.notes.clear();
    lkt::text_report_options o;
    o.wall_times = false;
    check_golden("stopped.txt", lkt::text_report(out, o));
}

TEST_CASE("A CPU is never taken for a GPU, and replies by hand never for a model's") {
    auto out = sample_outcome();
    CHECK(lkt::text_report(out).find("WARNING: this is not a GPU") != std::string::npos);
    out.device.simulated = false;
    CHECK(lkt::text_report(out).find("WARNING: this is not a GPU") == std::string::npos);
    out.model.remark = "replies written by hand";
    CHECK(lkt::text_report(out).find("written by hand") != std::string::npos);
}

TEST_CASE("Long lists and long logs are shortened, and say so") {
    auto out = sample_outcome();
    std::string log;
    for (int i = 0; i < 100; ++i) log += "line " + std::to_string(i) + "\n";
    out.history[1].outcome = lkt::failure(lkt::compile_failed{log, {}});
    out.history[4].configurations.clear();
    for (int i = 1; i <= 20; ++i) out.history[4].configurations.push_back(timed(i, 1e-3 * i));
    auto const text = lkt::text_report(out);
    CHECK(text.find("line 3\n") != std::string::npos);
    CHECK(text.find("line 50") == std::string::npos);
    CHECK(text.find("more lines") != std::string::npos);
    CHECK(text.find("... 15 slower ones") != std::string::npos);
}

TEST_CASE("No line ends in blanks") {
    auto const text = lkt::text_report(sample_outcome());
    CHECK(text.find(" \n") == std::string::npos);
}

TEST_CASE("What bounds a kernel is told where it was profiled") {
    auto out = sample_outcome();
    CHECK(lkt::text_report(out).find("bound by") == std::string::npos);
    out.baseline.profile = lkt::kernel_profile{};
    CHECK(lkt::text_report(out).find("bound by") == std::string::npos);
    out.baseline.profile->dram_percent = 85;
    CHECK(lkt::text_report(out).find(
              "            bound by: device memory, at 85 % of the peak\n") != std::string::npos);
}

TEST_CASE("The roof is told where it is known, and doubted where a kernel exceeds it") {
    auto out = sample_outcome();
    out.device.simulated = false;
    CHECK(lkt::text_report(out).find("allows") == std::string::npos);
    out.device.l2 = lkt::bytes{1 << 30};
    CHECK(lkt::text_report(out).find("no roof is known: the cache may hold its data, and how many "
                                     "operations it has is not known (lkt.work)\n") !=
          std::string::npos);
    out.device.l2 = {};
    out.device.peaks.on_paper.fp32 = 60e12;
    double const best = out.best.time.median().count();
    out.task.work.operations = lkt::expression(static_cast<std::int64_t>(30e12 * best));
    out.task.work.type = lkt::arithmetic::float32;
    CHECK(lkt::text_report(out).find("            30 TFLOP/s, 50 % of what arithmetic allows (60 "
                                     "TFLOP/s in float32 on paper)\n") != std::string::npos);
    out.device.peaks.measured.fp32 = 20e12;
    auto const text = lkt::text_report(out);
    CHECK(text.find(
              "30 TFLOP/s, 150 % of what arithmetic allows (20 TFLOP/s in float32, measured)\n") !=
          std::string::npos);
    CHECK(text.find("WARNING: the best kernel is faster than its roof") != std::string::npos);
    out.stopped_by =
        lkt::error{lkt::condition::exhausted, "lkt.tuner.roof", "the best kernel is there", {}};
    CHECK(lkt::text_report(out).find("ended at the roof: the best kernel is there\n") !=
          std::string::npos);
}

TEST_CASE("Warnings come first, by name, and are not repeated below") {
    auto const text = lkt::text_report(sample_outcome());
    CHECK(text.starts_with("WARNING: nothing reads the parameter `UNROLL`"));
    auto const budget = text.find("WARNING: attempt 5: the budget ended the search after 4 of 40");
    CHECK(budget < text.find("kernel      matmul"));
    CHECK(text.find("UNROLL") == text.rfind("UNROLL"));
    CHECK(text.find("note: warning") == std::string::npos);
}

TEST_CASE("A kernel that stands for itself is not compared with itself") {
    auto out = sample_outcome();
    out.history.back().outcome =
        lkt::no_improvement{lkt::comparison::undecided, around(48e-3), around(48e-3)};
    auto const text = lkt::text_report(out);
    CHECK(text.find("6   rejected: no other kernel than one that was measured before\n") !=
          std::string::npos);
}

TEST_CASE("What is said of the best where the original stays depends on what was tried") {
    auto out = sample_outcome();
    out.best = out.baseline;
    auto const best = [&] {
        auto const text = lkt::text_report(out);
        auto const at = text.find("  best      ") + 12;
        return text.substr(at, text.find('\n', at) - at);
    };
    CHECK(best() == "the original: no correct kernel was faster");
    out.history.resize(2); // both failed
    CHECK(best() == "the original: no other kernel was correct");
    out.history.clear();
    CHECK(best() == "the original: nothing else was tried");
    auto& own = out.history.emplace_back(); // a sweep of one configuration
    own.proposal.source = out.baseline.kernel.source;
    own.configurations = {{out.baseline.config, {}, around(48e-3)}};
    own.outcome = lkt::no_improvement{lkt::comparison::undecided, around(48e-3), around(48e-3)};
    CHECK(best() == "the original: nothing else was tried");
    own.configurations.push_back(timed(8, 1e-3));
    CHECK(best() == "the original: no correct kernel was faster");
    own.outcome = lkt::not_evaluated{};
    CHECK(best() == "not decided: the run ended before the fastest configurations were verified in "
                    "full");
}
