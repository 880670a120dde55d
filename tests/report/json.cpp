// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/json.hpp>

#include <doctest/doctest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <lkt/nodes/prompts.hpp>
#include <lkt/report/text.hpp>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sample_outcome.hpp"

using namespace lkt_test;
namespace json = boost::json;

namespace {

/// Indented, so that a golden file can be read.
void print(json::value const& v, std::string& out, std::string const& indent = "") {
    auto const list = [&](auto const& items, char open, char close, auto const& each) {
        out += open;
        bool first = true;
        for (auto const& item : items) {
            out += first ? "\n" : ",\n";
            first = false;
            out += indent + "  ";
            each(item);
        }
        if (!first) out += "\n" + indent;
        out += close;
    };
    if (auto const* o = v.if_object())
        list(*o, '{', '}', [&](auto const& field) {
            out += json::serialize(json::value(field.key())) + ": ";
            print(field.value(), out, indent + "  ");
        });
    else if (auto const* a = v.if_array(); a && !a->empty() && (*a)[0].is_structured())
        list(*a, '[', ']', [&](json::value const& item) { print(item, out, indent + "  "); });
    else
        out += json::serialize(v);
}

} // namespace

TEST_CASE("The report for programs holds everything") {
    auto const report = lkt::json_report(sample_outcome());
    std::string text;
    print(report, text);
    check_golden("tuned.json", text + "\n");
    // Boost.JSON reads numbers to the last digit but one, so structure is what is compared.
    auto const again = json::parse(json::serialize(report));
    CHECK(again.as_object().size() == report.size());
    CHECK(again.at("history").at(2) == report.at("history").at(2));
}

TEST_CASE("The fields that programs branch on") {
    auto out = sample_outcome();
    auto const report = lkt::json_report(out);
    CHECK(report.at("lkt_report") == 1);
    CHECK(report.at("improved") == true);
    CHECK(report.at("speedup").as_double() == doctest::Approx(4));
    CHECK(report.at("stopped_by").is_null());
    CHECK(report.at("terminal") == "tuned");
    auto const& history = report.at("history").as_array();
    REQUIRE(history.size() == 6);
    std::vector<std::string> verdicts;
    for (auto const& a : history) verdicts.emplace_back(a.at("verdict").as_string());
    CHECK(verdicts == std::vector<std::string>{
                          "failed", "failed", "failed", "rejected", "accepted", "not-evaluated"});
    CHECK(history[2].at("evidence").at("index") == 99);
    CHECK(history[0].at("proposal").is_null());

    out.stopped_by = lkt::error{lkt::condition::exhausted, "lkt.tuner.budget", "used up", {}};
    auto const stopped = lkt::json_report(out);
    CHECK(stopped.at("terminal").is_null());
    CHECK(stopped.at("stopped_by").at("code") == "lkt.tuner.budget");
    CHECK(stopped.at("stopped_by").at("condition") == "exhausted");
}

TEST_CASE("Reports, JSON and what a model is told give every failure the same name") {
    using lkt::verdict;
    // Each alternative, and each verdict that it may carry.
    std::vector<lkt::failure> all{lkt::no_code{"it is empty"},
                                  lkt::wrong_signature{"void k(float*)", "void k(int*)"},
                                  lkt::compile_failed{"2:1: error: no", {2, 1}},
                                  lkt::launch_failed{"too many threads"},
                                  lkt::crashed{"a fault", {}},
                                  lkt::timed_out{lkt::seconds(10), "launch"},
                                  lkt::timed_out{lkt::seconds(60), "compile"},
                                  lkt::implausible{"3 us for what takes 9"},
                                  lkt::no_configuration{"each of 4 failed"}};
    for (std::size_t k = 1; k < lkt::verdict_names.size(); ++k) {
        auto const as = static_cast<verdict>(k);
        all.emplace_back(lkt::refused{"asm", "not here", {3, 5}, as});
        all.emplace_back(lkt::out_of_bounds{"4 bytes after x", {7, 0}, as});
        all.emplace_back(lkt::race{"x[3] is 1 or 2", as});
        all.emplace_back(lkt::wrong_output{"uniform", "y", 3, "1", "2", 5, 64, "a tail", as});
    }
    std::set<std::size_t> alternatives;
    for (lkt::failure const& f : all) {
        alternatives.insert(f.index());
        std::string const name(to_string(lkt::verdict_of(f)));
        CAPTURE(name);
        CHECK(lkt::name_of_failure(f) == name);
        lkt::tuning_outcome tuned;
        tuned.history.resize(1);
        tuned.history[0].outcome = f;
        CHECK(lkt::text_report(tuned).find("failed: " + name + "\n") != std::string::npos);
        auto const record = lkt::json_report(tuned).at("history").at(0);
        CHECK(record.at("failure").as_string() == std::string_view(name));
        lkt::verification verified;
        verified.why = f;
        verified.verdict = lkt::verdict_of(f);
        CHECK(lkt::json_report(verified).at("verdict").as_string() == std::string_view(name));
        CHECK(lkt::text_report(verified).starts_with("rejected: " + name + "\n"));
        auto const told = std::visit(lkt::default_prompts{}, f);
        CHECK(told.starts_with("Verdict: `" + name + "`. "));
        // The same words behind the name, wherever they are said.
        CHECK(record.at("description") == lkt::json_report(verified).at("reason"));
    }
    CHECK(alternatives.size() == std::variant_size_v<lkt::failure>);
}

TEST_CASE("A launch that took too long names its test and its size to people, no size to a model") {
    lkt::verification late;
    late.why = lkt::timed_out{lkt::seconds(5), "launch", "hidden size 3", {{"m", 3}, {"k", 65537}}};
    late.size = {{"m", 3}, {"k", 65537}};
    auto const evidence = lkt::json_report(late).at("evidence");
    CHECK(evidence.at("test") == "hidden size 3");
    CHECK(evidence.at("size").at("k") == 65537);
    CHECK(evidence.at("limit_s") == 5.0);
    CHECK(lkt::text_report(late).find("hidden size 3") != std::string::npos);
    CHECK(lkt::text_report(late).find("at size m=3, k=65537\n") != std::string::npos);
    auto const told = std::visit(lkt::default_prompts{}, *late.why);
    CHECK(told.find("hidden size 3") != std::string::npos);
    CHECK(told.find("65537") == std::string::npos);
}

TEST_CASE("How much of the best kernel was checked is a field, and a line") {
    auto out = sample_outcome();
    auto report = lkt::json_report(out);
    CHECK(report.at("checked") == "partial");
    CHECK(report.at("unchecked") == "checked on the CPU only: no sanitizer");
    out.best.checked = {lkt::checked_extent::full, ""};
    CHECK(lkt::json_report(out).at("checked") == "full");
    CHECK(lkt::text_report(out).find("  checked   full\n") != std::string::npos);

    lkt::verification one;
    one.checked = {lkt::checked_extent::none, "no compiler"};
    CHECK(lkt::json_report(one).at("checked") == "none");
    CHECK(lkt::text_report(one).find("accepted, not checked for races and accesses out of bounds\n "
                                     " left out: no compiler\n") == 0);
    one.checked = {lkt::checked_extent::full, ""};
    CHECK(lkt::json_report(one).at("unchecked") == "");
    CHECK(lkt::text_report(one).find("checked in") == std::string::npos);
}

TEST_CASE("What no test reached is a field, and a line") {
    lkt::verification one;
    CHECK(lkt::json_report(one).at("branches").at("total").is_null());
    CHECK(lkt::json_report(one).at("branches").at("unknown") == "the branches were not watched");
    one.branches = {57, {{12, "if (h == 7) y = 0;", false}, {31, "if (i < n)", true}}, ""};
    auto const seen = lkt::json_report(one).at("branches");
    CHECK(seen.at("total") == 57);
    CHECK(seen.at("unreached").at(0).at("line") == 12);
    CHECK(seen.at("unreached").at(0).at("text") == "if (h == 7) y = 0;");
    CHECK(seen.at("unreached").at(1).at("in_original") == true);
    CHECK(lkt::text_report(one).find("\n  branches: 2 of 57 were reached by no test: line 12, "
                                     "line 31 (as the original has it)\n") != std::string::npos);
    one.verdict = lkt::verdict::race;
    CHECK(lkt::text_report(one).find("branches") == std::string::npos);
}

TEST_CASE("What is not a number in JSON is null") {
    lkt::tuning_outcome const empty;
    auto const report = lkt::json_report(empty);
    CHECK(report.at("baseline").at("time").at("median_s").is_null());
    CHECK(report.at("baseline").at("time").at("noise_s").is_null());
    CHECK(json::parse(json::serialize(report)).is_object());
}

TEST_CASE("A profile is in the report where there is one, with what is known") {
    auto out = sample_outcome();
    CHECK(!lkt::json_report(out).at("best").as_object().contains("profile"));
    out.best.profile = lkt::kernel_profile{};
    out.best.profile->dram_percent = 80.5;
    out.best.profile->bank_conflicts = 0;
    out.best.profile->stalls = {{"barrier", 12}};
    auto const report = lkt::json_report(out);
    auto const& profile = report.at("best").at("profile").as_object();
    CHECK(profile.size() == 3);
    CHECK(profile.at("dram_percent") == 80.5);
    CHECK(profile.at("bank_conflicts") == 0.0);
    CHECK(profile.at("stalls_percent").at("barrier") == 12.0);
}

TEST_CASE("JSON: the roof of a kernel, null where none is known") {
    auto out = lkt_test::sample_outcome();
    out.device.simulated = false;
    CHECK(lkt::json_report(out).at("best").at("roofline").is_null());
    out.device.peaks.measured.fp32 = 20e12;
    double const best = out.best.time.median().count();
    out.task.work.operations = lkt::expression(static_cast<std::int64_t>(10e12 * best));
    out.task.work.type = lkt::arithmetic::float32;
    auto const roof = lkt::json_report(out).at("best").at("roofline");
    CHECK(roof.at("share").as_double() == doctest::Approx(0.5).epsilon(0.001));
    CHECK(roof.at("limit") == "arithmetic");
    CHECK(roof.at("measured") == true);
    CHECK(roof.at("type") == "float32");
    CHECK(roof.at("bytes_per_s").is_null());
    CHECK(roof.at("reached_flops_per_s").as_double() == doctest::Approx(10e12).epsilon(0.001));
}
