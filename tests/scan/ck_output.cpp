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

/// Names and times of a product's instances.
std::string measured(lkt::ck_product const& p) {
    std::string text;
    for (lkt::scanned_instance const& one : p.found.instances)
        text += one.name + " " + std::to_string(one.time.count() * 1e9) + " " +
                std::to_string(one.again.value_or(lkt::seconds()).count() * 1e9) + "\n";
    return text;
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
    auto const whole = stock.substr(0, stock.find_last_not_of('\n') + 1); // a best that is cut off
    auto const short_name = lkt::parse_ck_output(whole.substr(0, whole.size() - 9));
    REQUIRE(short_name.faults.size() == 1);
    CHECK(short_name.faults[0].what.find("name in the line of the best is cut off") !=
          std::string::npos);
    CHECK(short_name.products[0].found.instances.size() == 3);
    auto const cut = lkt::parse_ck_output(stock.substr(0, stock.find("DeviceGemmXdl<64")));
    REQUIRE(cut.products.size() == 1);
    CHECK_FALSE(cut.products[0].complete);
    CHECK(cut.products[0].found.remarks.size() == 2); // no best; 3 of 4 instances
    CHECK(lkt::parse_ck_output("").products.empty());
    CHECK(lkt::parse_ck_output("Warm up 1 time\nStart running 10 times...\n").faults.empty());
    CHECK(lkt::parse_ck_output("Warm up 1 tPerf: 1\n").faults.size() == 1);
}

TEST_CASE(
    "ck_output: lines of JSON from calls side by side are told apart; console lines are not") {
    auto const fork = recorded("fork.jsonl"), stock = recorded("stock.txt");
    auto const alternating = [](std::string const& a, std::string const& b) {
        std::istringstream first(a), second(b);
        std::string all, line;
        while (std::getline(first, line)) {
            all += line + "\n";
            std::getline(second, line);
            all += line + "\n";
        }
        return all;
    };
    std::string other;
    for (char const c : fork) {
        other += c;
        if (other.ends_with("\"M\":128")) other.replace(other.size() - 3, 3, "256");
    }
    REQUIRE(other != fork);
    auto const two = lkt::parse_ck_output(alternating(fork, other));
    CHECK(two.faults.empty());
    REQUIRE(two.products.size() == 2);
    auto const alone = lkt::parse_ck_output(fork);
    for (auto const& p : two.products) {
        CHECK(p.complete);
        CHECK(measured(p) == measured(alone.products[0]));
        CHECK(p.named_best == alone.products[0].named_best);
    }
    // What cannot be told apart is no result.
    std::string larger = stock;
    for (auto at = larger.find("3840"); at != larger.npos; at = larger.find("3840", at + 4))
        larger.replace(at, 4, "5120");
    auto const mixed = lkt::parse_ck_output(alternating(stock, larger));
    REQUIRE(mixed.faults.size() == 1);
    CHECK(mixed.faults[0].what.find("of several calls, which are mixed") != std::string::npos);
    for (auto const& p : mixed.products)
        CHECK((!p.spec().has_value() || p.found.instances.size() < 2)); // the second best alone
}

TEST_CASE("ck_output: encodings, line ends and bytes that are no text") {
    auto const stock = recorded("stock.txt"), fork = recorded("fork.jsonl");
    auto const expected = lkt::parse_ck_output(stock);
    std::string crlf;
    for (char const c : stock) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    for (std::string const& text : {crlf, "\xEF\xBB\xBF" + stock}) {
        auto const out = lkt::parse_ck_output(text);
        CHECK(out.faults.empty());
        REQUIRE(out.products.size() == 1);
        CHECK(measured(out.products[0]) == measured(expected.products[0]));
    }
    for (std::string const& bytes :
         {std::string(1, '\0'), std::string("\x1b[31m"), std::string("\r")}) {
        auto const out =
            lkt::parse_ck_output(with(stock, "DeviceGemmXdl<", "Device" + bytes + "<"));
        REQUIRE(out.faults.size() == 1);
        CHECK(out.faults[0].what.find("control characters") != std::string::npos);
    }
    CHECK(lkt::parse_ck_output(with(fork, "DeviceGemm", "Device\\u0000")).faults.size() == 1);
    // Numbers that are none, or none of a size.
    for (char const* const number : {"128.7", "1e300", "18446744073709551615", "\"128\"", "-128"}) {
        auto const out =
            lkt::parse_ck_output(with(fork, "\"M\":128", "\"M\":" + std::string(number)));
        REQUIRE(out.products.size() == 2); // the others are of 128
        CHECK_FALSE(out.products[0].spec().has_value());
    }
    for (char const* const time : {"1e999", "-1", "0", "null", "1e-400"})
        CHECK(lkt::parse_ck_output(
                  with(fork, "\"time_ms\":", "\"time_ms\":" + std::string(time) + ",\"x\":"))
                  .faults.size() == 1);
}
