// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/certificate.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

lkt::certificate sample() {
    lkt::certificate c;
    c.lkt_version = "0.1.0";
    c.date = "2026-11-25T14:53:08Z";
    c.kernel_name = "twice";
    c.kernel = {lkt::language::cuda, "__global__ void twice() { /* \u2192 \x01 */ }\n", "twice.cu"};
    c.files = {{"problem", "a/p.json", std::string(64, '1')},
               {"expected outputs", "a/1.npy", std::string(64, '2')},
               {"expected outputs", "a/2.npy", std::string(64, '3')}};
    c.settings.seed = ~std::uint64_t{0};
    c.settings.test_memory = {std::uint64_t{1} << 40};
    c.settings.repeating = lkt::seconds(0.1);
    c.settings.static_checks.clock = lkt::static_severity::warning;
    c.device = "Fake 1", c.backend = "fake", c.driver = "1.0";
    c.checks = {{"text", "passed"}, {"checked", "skipped"}};
    c.checked = "none", c.unchecked = "not asked for";
    c.configurations = 2;
    c.tests = {{"N=4", "aa", "bb"}, {"N=5", "cc", "dd"}};
    c.time =
        lkt::certificate::times{lkt::seconds(2e-3), lkt::seconds(1e-3), lkt::seconds(3e-3), 20};
    return c;
}

std::string replaced(std::string text, std::string const& what, std::string const& by) {
    REQUIRE(text.find(what) != text.npos);
    return text.replace(text.find(what), what.size(), by);
}

std::string refusal(std::string const& text) {
    auto const read = lkt::read_certificate(text, "c.json");
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().message.starts_with("c.json: "));
    return read.error().code;
}

} // namespace

TEST_CASE("A certificate reads back as it was written") {
    auto const text = certificate_text(sample());
    auto const read = lkt::read_certificate(text);
    REQUIRE(read.has_value());
    CHECK(certificate_text(*read) == text);
    CHECK(read->kernel == sample().kernel);
    CHECK(read->files == sample().files);
    CHECK(read->tests == sample().tests);
    CHECK(read->settings.seed == ~std::uint64_t{0});
    CHECK(read->settings.evaluation().static_checks.clock == lkt::static_severity::warning);
    CHECK(holds(compare_certificates(*read, sample())));
}

TEST_CASE("What a verification was spared is said by name") {
    lkt::certified_settings usual, used;
    CHECK(weaker_settings(used, usual).empty());
    used.certify.launches = 2;
    used.repetitions = 1000; // more is not weaker
    used.checked = false;
    used.static_checks.clock = lkt::static_severity::off;
    used.static_checks.heap = lkt::static_severity::warning;
    auto const all = weaker_settings(used, usual);
    REQUIRE(all.size() == 3);
    CHECK(all[0].starts_with("2 timed launches instead of "));
    CHECK(all[1] == "no checked mode");
    CHECK(all[2] == "rules for the text that are weaker: heap, clock");
}

TEST_CASE("What was changed, cut off or written by others is refused by name") {
    auto const text = certificate_text(sample());
    CHECK(refusal(replaced(text, "twice.cu", "twicf.cu")) == "lkt.certificate.changed");
    CHECK(refusal(replaced(text, "\n}\n", "}\n")) == "lkt.certificate.changed");
    CHECK(refusal(replaced(text, "\"lkt_certificate\": 1", "\"lkt_certificate\": 2")) ==
          "lkt.certificate.version");
    CHECK(refusal(text.substr(0, text.size() / 2)) == "lkt.certificate.json");
    CHECK(refusal("") == "lkt.certificate.json");
    CHECK(refusal("[]") == "lkt.certificate.field");
    CHECK(refusal("{}") == "lkt.certificate.field");
    auto rejected = sample();
    rejected.verdict = "race";
    CHECK(refusal(certificate_text(rejected)) == "lkt.certificate.verdict");
    auto bytes = sample();
    bytes.kernel.text += "\xff";
    CHECK(refusal(certificate_text(bytes)) == "lkt.certificate.kernel");
}

TEST_CASE("A file that is another one is named") {
    auto const c = sample();
    CHECK_FALSE(changed_file(c, c.files));
    auto files = c.files;
    files[1].path = "elsewhere/1.npy";
    CHECK_FALSE(changed_file(c, files));
    files[0].sha256[0] = '9';
    auto const other = changed_file(c, files);
    REQUIRE(other);
    CHECK(other->message.starts_with("a/p.json (problem) is not the file"));
    files = c.files;
    files.erase(files.begin());
    CHECK(changed_file(c, files)->message.find("needs a file") != std::string::npos);
    files = c.files;
    files.push_back({"script", "s.py", {}});
    CHECK(changed_file(c, files)->message.find("knows no such file: script s.py") !=
          std::string::npos);
}

TEST_CASE("Another device is a remark, other inputs and another verdict are not") {
    auto now = sample();
    now.device = "Fake 2", now.driver = "2.0";
    now.tests[0].expected = "other bits";
    now.tests.pop_back();
    now.time.reset();
    auto lines = compare_certificates(sample(), now);
    CHECK(holds(lines));
    int remarks = 0;
    for (auto const& line : lines) remarks += line.remark;
    CHECK(remarks == 4);
    now.tests[0].inputs = "others";
    CHECK_FALSE(holds(compare_certificates(sample(), now)));
    // More time may have checked more; less is a difference.
    auto before = sample();
    now = before;
    before.checked = "partial", now.checked = "full";
    CHECK(holds(compare_certificates(before, now)));
    CHECK_FALSE(holds(compare_certificates(now, before)));
    now = sample();
    now.verdict = "race";
    CHECK_FALSE(holds(compare_certificates(sample(), now)));
    now = sample();
    now.tests.clear();
    CHECK_FALSE(holds(compare_certificates(sample(), now)));
}

TEST_CASE("White space and order of members make no other problem, values do") {
    auto const digest = [](char const* text) { return lkt::problem_digest(text).value(); };
    CHECK(digest(R"({"a": [1, 2.50], "b": "x y"})") == digest(R"({"b":"x y","a":[1,2.5]})"));
    CHECK(digest(R"({"a": [1, 2]})") != digest(R"({"a": [2, 1]})"));
    CHECK(digest(R"({"b": "x y"})") != digest(R"({"b": "xy"})"));
    CHECK_FALSE(lkt::problem_digest("{").has_value());
}
