// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/ck_output.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string recorded(char const* name) {
    std::ifstream in(std::string(LKT_TEST_SOURCE_DIR) + "/scan/data/" + name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string with(std::string text, std::string const& from, std::string const& to) {
    auto const at = text.find(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("ck_output: a stock console: instances, sizes, verdicts, the second measurement") {
    auto const out = lkt::parse_ck_output(recorded("stock.txt"));
    CHECK(out.faults.empty());
    CHECK(out.lines == 11);
    CHECK(out.understood == out.lines);
    REQUIRE(out.products.size() == 1);
    auto const& p = out.products[0];
    CHECK(to_string(p.spec().value()) == "3840x4096x4096 f16 rcr");
    CHECK(p.found.instances.size() == 3);
    CHECK(p.found.unsupported == 1);
    CHECK(p.complete);
    CHECK(p.found.instances[1].name.starts_with("DeviceGemmXdl<256, 128, 256"));
    CHECK(p.found.instances[1].time.count() == doctest::Approx(1.1933e-3));
    CHECK(p.found.instances[2].verdict == lkt::scan_verdict::wrong);
    CHECK(p.found.instances[0].verdict == lkt::scan_verdict::unchecked);
    CHECK(p.named_best == 1u);
    CHECK(p.found.instances[1].again->count() == doctest::Approx(1.21e-3));
    CHECK_FALSE(p.found.instances[1].differs());
    CHECK(p.found.remarks.empty());
    // Two calls in one file; the old, short line of the best.
    auto const old =
        with(recorded("stock.txt"),
             "Best Perf for datatype = f16 ALayout =  RowMajor BLayout =  ColumnMajor M = "
             "3840 N = 4096 K = 4096 StrideA = 4096 StrideB = 4096 StrideC = 4096 :",
             "Best Perf:");
    auto const two = lkt::parse_ck_output(recorded("stock.txt") + old);
    CHECK(two.faults.empty());
    REQUIRE(two.products.size() == 2);
    CHECK(two.products[1].shape == lkt::gemm_shape{3840, 4096, 4096});
    CHECK(two.products[1].spec().error().code == "lkt.scan.ck-product"); // no type is said
}

TEST_CASE("ck_output: the fork's JSON: the rerun is no instance, and its discrepancy is told") {
    auto const out = lkt::parse_ck_output(recorded("fork.jsonl"));
    CHECK(out.faults.empty());
    CHECK(out.understood == out.lines);
    REQUIRE(out.products.size() == 1);
    auto const& p = out.products[0];
    CHECK(to_string(p.spec().value()) == "128x1024x1024 bf16 rrr");
    CHECK(p.date.starts_with("2025-06-"));
    REQUIRE(p.named_best.has_value());
    auto const& best = p.found.instances[*p.named_best];
    CHECK(best.time.count() == doctest::Approx(0.02e-3));
    CHECK(best.again->count() == doctest::Approx(0.0424e-3));
    CHECK(best.differs());
    REQUIRE(p.found.remarks.size() == 1);
    CHECK(p.found.remarks[0].find("2.12 times as long") != std::string::npos);
}

TEST_CASE("ck_output: what is cut off, mixed or unknown is told with its line") {
    auto const stock = recorded("stock.txt"), fork = recorded("fork.jsonl");
    struct {
        std::string text;
        std::size_t line;
        char const* words;
    } const cases[] = {
        {with(stock, "98.411 TFlops, ", "98.4"), 5, "no TFlops"},
        {with(stock, "1.3093 ms", "nan ms"), 5, "no time"},
        {with(stock, "found 4 instances", "found 4 inst"), 4, "cut off"},
        {with(stock, "PipelineVersion: v1\nPerf:", "PipelinePerf:"), 5, "mixed"},
        {with(stock, "max err: 2", "hipErrorNoDevice"), 9, "not a line that ckProfiler writes"},
        {stock.substr(0, stock.rfind(" : ")), 11, "cut off"},
        {fork.substr(0, fork.find('\n') - 20), 1, "cut off or mixed"},
        {with(fork, "\"time_ms\":", "\"time\":"), 1, "no time_ms"},
        {with(fork, "}}\n{", "}}{"), 1, "cut off or mixed"},
    };
    for (auto const& c : cases) {
        CAPTURE(c.words);
        CAPTURE(c.line);
        auto const out = lkt::parse_ck_output(c.text);
        REQUIRE(out.faults.size() == 1);
        CHECK(out.faults[0].line == c.line);
        CHECK(out.faults[0].what.find(c.words) != std::string::npos);
        CHECK(out.understood + 1 == out.lines);
    }
    auto const cut = lkt::parse_ck_output(stock.substr(0, stock.find("DeviceGemmXdl<64")));
    REQUIRE(cut.products.size() == 1);
    CHECK_FALSE(cut.products[0].complete);
    CHECK(cut.products[0].found.remarks.size() == 2); // no best; 3 of 4 instances
    CHECK(lkt::parse_ck_output("").products.empty());
    CHECK(lkt::parse_ck_output("Warm up 1 time\nStart running 10 times...\n").faults.empty());
    CHECK(lkt::parse_ck_output("Warm up 1 tPerf: 1\n").faults.size() == 1);
}
