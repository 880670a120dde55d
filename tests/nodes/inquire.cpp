// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/inquire.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/search/exhaustive.hpp>
#include <lkt/store/codec.hpp>
#include <lkt/verify/problem_tests.hpp>

#include "../strategies/rewrites.hpp"
#include "../support/answering_gpu.hpp"

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

using namespace lkt_test;

namespace {

constexpr char const* none = R"({"questions": []})";

struct members {
    std::string counters = "[]", line = "null", containing = "null", parameters = "[]";
};
/// One question.
std::string wish(std::string const& what, members const& m = {}) {
    return R"({"what": ")" + what + R"(", "counters": )" + m.counters + R"(, "line": )" + m.line +
           R"(, "containing": )" + m.containing + R"(, "parameters": )" + m.parameters + "}";
}
std::string raw(std::string const& questions) { return R"({"questions": [)" + questions + "]}"; }
std::string one(std::string const& what) { return raw(wish(what)); }
members block(std::int64_t value, std::string const& name = "BLOCK") {
    return {.parameters =
                R"([{"key": ")" + name + R"(", "value": )" + std::to_string(value) + "}]"};
}

/// A BLOCK of 128 takes half the time, one of 256 is wrong, more does not compile.
behaviour by_block(std::string const& text, lkt::configuration const& c) {
    behaviour b = by_words(text, c);
    auto const* const value = c.find("BLOCK");
    auto const block = value == nullptr ? 0 : std::get<std::int64_t>(*value);
    if (block == 128) b.time = lkt::seconds(5e-4);
    if (block == 256) b.wrong = true;
    if (block > 256) b.compile = lkt::failure(lkt::compile_failed{"too large", {}});
    return b;
}

struct scene {
    answering_gpu gpu{by_block};
    lkt::scripted_model llm;
    lkt::problem_tests tests;
    lkt::exhaustive search;
    lkt::toolbox<answering_gpu, lkt::scripted_model> tools{gpu, llm, tests, search};
    lkt::tuning_state s{};

    explicit scene(std::vector<lkt::scripted_turn> turns) : llm(std::move(turns)) {
        s = prepared_state(twice_problem(), tools);
        gpu.log.clear();
    }
    void tune_block() {
        s.best.kernel.parameters = {{"BLOCK", {std::int64_t{64}, std::int64_t{128}}}};
        s.best.config.values = {{"BLOCK", std::int64_t{64}}};
    }
    lkt::result<void> inquire() { return lkt::inquire(s, tools); }
    [[nodiscard]] std::string task(std::size_t request) const {
        return llm.requests().at(request).messages.at(1).text;
    }
};
bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("What the model asks is answered, kept, paid for, and shown with the kernel") {
    scene c({raw(wish("compiler") + "," + wish("counters", {.counters = R"(["reads"])"}))});
    REQUIRE(c.inquire().has_value());
    REQUIRE(c.s.inquiries.size() == 1);
    lkt::inquiry const& made = c.s.inquiries[0];
    CHECK(made.attempt == 0);
    CHECK(made.faults.empty());
    REQUIRE(made.answers.size() == 2);
    CHECK(made.answers[0].question == "what the compiler did (compiler)");
    CHECK(made.answers[0].answered);
    // The line that the answer names is there, too.
    CHECK(made.answers[0].text == "line 2: a fact\nanother\ntwice with 3 arguments\nthese lines of "
                                  "the text:\n2\tint i = blockIdx.x * blockDim.x + threadIdx.x;");
    CHECK(made.answers[1].question == "counters reads");
    CHECK(c.s.usage.calls == 1);
    CHECK(c.s.history.empty());
    REQUIRE(c.gpu.asked.size() == 2);
    CHECK(c.gpu.asked[1].counters == std::vector<std::string>{"reads"});

    auto const task = lkt::default_prompts{}.task(lkt::brief_of(c.s));
    CHECK(has(task, "asked for what the compiler did (compiler):\n```\nline 2: a fact"));
    auto const judged =
        lkt::default_prompts{}.task(lkt::recalled(lkt::brief_of(c.s), lkt::recall::latest));
    CHECK_FALSE(has(judged, "asked for")); // where a request would be too long
    c.s.best.kernel.source.text += "// other\n";
    CHECK_FALSE(has(lkt::default_prompts{}.task(lkt::brief_of(c.s)), "asked for"));
}

TEST_CASE("A back end without evidence, and a run without questions, cost nothing") {
    scene c({one("compiler")});
    c.gpu.offer = {};
    CHECK(c.inquire().has_value());
    c.gpu.offer.code = "SASS";
    c.tools.evaluation.evidence = lkt::asking_for::nothing;
    CHECK(c.inquire().has_value());
    CHECK(c.llm.requests().empty());
    CHECK(c.s.inquiries.empty());

    fake_gpu plain{by_words};
    bare_tools<fake_gpu, lkt::scripted_model> const bare{plain, c.llm};
    CHECK(lkt::inquire(c.s, bare).has_value());
    CHECK(c.llm.requests().empty());
}

TEST_CASE("A kernel is asked about twice at most, and never again after no question") {
    scene c({one("compiler"), one("code"), one("stalls")});
    for (int k = 0; k < 4; ++k) CHECK(c.inquire().has_value());
    CHECK(c.llm.requests().size() == 2);
    CHECK(has(c.task(1), "asked for what the compiler did")); // the second time knows the first
    scene d({none, one("code")});
    for (int k = 0; k < 3; ++k) CHECK(d.inquire().has_value());
    CHECK(d.llm.requests().size() == 1);
    CHECK(d.s.inquiries.size() == 1);
    // Another kernel is another matter.
    d.s.best.kernel.source.text = kernel_that("speed 2");
    CHECK(d.inquire().has_value());
    CHECK(d.llm.requests().size() == 2);
}

TEST_CASE("What cannot be answered is told to the model, with what can be") {
    struct wrong {
        std::string question, told;
    };
    std::vector<wrong> const all{
        {wish("roofline"),
         R"(questions[0]: what is "roofline"; what can be asked for: compiler, code, stalls, counters, timing)"},
        {wish("counters", {.counters = R"(["raeds"])"}),
         R"(there is no counter "raeds"; did you mean reads?; there are: reads, writes)"},
        {wish("counters", {.counters = R"(["reads --set full; rm -rf /"])"}),
         "there is no counter"},
        {wish("counters"), "counters is empty; name some of: reads, writes"},
        {wish("code", {.line = "99999"}),
         "line 99999 does not exist: the kernel's text has lines 1 to "},
        {wish("code", {.line = "-1"}), "line -1 does not exist"},
        {wish("code", {.containing = R"("a\nb")"}), "containing is \"a?b\""},
        {wish("code", {.containing = R"("0123456789012345678901234567890123456789x")"}),
         "at most 40 printable"},
        {wish("timing"), "parameters is empty; give another value to some of: BLOCK"},
        {wish("timing", block(4, "TILE")),
         "there is no parameter \"TILE\" whose value can be asked for; there are: BLOCK"},
        {wish("timing", block(1000000000, "BLOCK")),
         "BLOCK = 1000000000 is out of range: 0 to 65536"},
        {wish("timing", block(-5, "BLOCK")), "out of range"}};
    for (wrong const& w : all) {
        CAPTURE(w.question);
        scene c({raw(w.question), none});
        c.tune_block();
        REQUIRE(c.inquire().has_value());
        REQUIRE(c.llm.requests().size() == 2);
        CHECK_MESSAGE(has(c.llm.requests()[1].messages.back().text, w.told),
                      c.llm.requests()[1].messages.back().text);
        CHECK(c.gpu.asked.empty());
        CHECK(c.s.usage.calls == 2);
    }
}

TEST_CASE("After a second answer, what can be answered is, and the rest is told to be none") {
    auto const mixed = raw(wish("roofline") + "," + wish("code"));
    scene c({mixed, mixed});
    REQUIRE(c.inquire().has_value());
    REQUIRE(c.s.inquiries.size() == 1);
    auto const& answers = c.s.inquiries[0].answers;
    REQUIRE(answers.size() == 2);
    CHECK_FALSE(answers[0].answered);
    CHECK(has(answers[0].text, "what can be asked for"));
    CHECK(answers[1].answered);
    // Nonsense is no question: the run goes on, and the report says what came.
    scene d({"no", "no"});
    REQUIRE(d.inquire().has_value());
    REQUIRE(d.s.inquiries.size() == 1);
    CHECK(d.s.inquiries[0].faults.size() == 1);
    CHECK(d.s.usage.calls == 2);
}

TEST_CASE("A variant is timed beside the kernel, by the normal evaluation") {
    auto const ask = [](std::int64_t value) { return raw(wish("timing", block(value))); };
    scene c({ask(128)});
    c.tune_block();
    REQUIRE(c.inquire().has_value());
    REQUIRE(c.s.inquiries.size() == 1);
    auto const& a = c.s.inquiries[0].answers.at(0);
    CHECK(a.question == "timing with BLOCK=128");
    CHECK(a.answered);
    // The fake's launches take a little longer each, so the digits depend on how many there were.
    CHECK_MESSAGE(a.text.starts_with("50"), a.text);
    CHECK_MESSAGE(has(a.text, " us a launch (median of 3), grid 2, block 32"), a.text);
    CHECK_MESSAGE(has(a.text, "as it is (BLOCK=64), tried likewise: 1.00"), a.text);
    CHECK(c.s.best.config.values[0].second == lkt::parameter_value(std::int64_t{64}));
    CHECK(c.s.history.empty());

    // A wrong variant is not timed, and one beyond what is listed is tried all the same.
    for (auto const& [value, word] :
         {std::pair(256, "wrong-output"), std::pair(512, "compile-error")}) {
        scene d({ask(value)});
        d.tune_block();
        REQUIRE(d.inquire().has_value());
        auto const& answer = d.s.inquiries[0].answers.at(0);
        CHECK_MESSAGE(has(answer.text, std::string("it fails (") + word), answer.text);
    }
    // Restrictions hold.
    scene e({ask(96)});
    e.tune_block();
    e.s.best.kernel.restrictions = {lkt::expression::parse("BLOCK % 64 == 0").value()};
    REQUIRE(e.inquire().has_value());
    CHECK_MESSAGE(has(e.s.inquiries[0].answers.at(0).text, "it fails (no-configuration"),
                  e.s.inquiries[0].answers.at(0).text);
}

TEST_CASE("A tool that fails is an answer; who stops the run, or a model that is gone, is not") {
    scene c({one("stalls")});
    c.gpu.fails = lkt::error{lkt::condition::unavailable, "x", "no counters here", "ask for them"};
    REQUIRE(c.inquire().has_value());
    CHECK_FALSE(c.s.inquiries[0].answers.at(0).answered);
    CHECK(c.s.inquiries[0].answers.at(0).text == "no counters here; ask for them");
    CHECK(has(lkt::default_prompts{}.task(lkt::brief_of(c.s)),
              "asked for what threads wait for, by line (stalls), not answered: no counters here"));

    scene stopped({one("stalls")});
    stopped.gpu.fails = lkt::cancelled("an answer");
    CHECK(stopped.inquire().error().kind == lkt::condition::cancelled);
    CHECK(stopped.s.inquiries.empty());
    CHECK(stopped.s.usage.calls == 0);

    scene gone({lkt::error{lkt::condition::unavailable, "x", "no such model", {}}});
    CHECK(gone.inquire().error().message == "no such model");
    CHECK(gone.s.inquiries.empty());

    scene over({one("stalls")});
    over.tools.budget.model_calls = 1;
    over.s.usage.calls = 1;
    CHECK(over.inquire().error().kind == lkt::condition::exhausted);
    CHECK(over.llm.requests().empty());
}

TEST_CASE("Long answers are cut") {
    scene c({one("code")});
    c.gpu.answer = std::vector<std::string>(200, std::string(300, 'x'));
    REQUIRE(c.inquire().has_value());
    CHECK(c.s.inquiries[0].answers.at(0).text.size() < 8'100);
}

TEST_CASE("The prompt offers what is answered, and nothing else") {
    scene c({none});
    c.tune_block();
    REQUIRE(c.inquire().has_value());
    for (char const* kind : {"- `compiler`: what the fake compiler did",
                             "- `code`: the machine code (fake code)",
                             "- `stalls`: where the fake threads wait",
                             "reads (bytes: from memory); writes (bytes)",
                             "- `timing`: "})
        CHECK_MESSAGE(has(c.task(0), kind), kind);
    // Each kind that a prompt names can be asked for, and no other.
    std::vector<lkt::evidence_offer> offers(4);
    offers[0].compiler = offers[1].code = offers[2].stalls = "words";
    offers[3].counters = {{"reads", "bytes", ""}};
    for (lkt::evidence_offer const& offer : offers)
        for (std::string const kind : {"compiler", "code", "stalls", "counters", "timing"}) {
            lkt::evidence_wish w;
            w.what = kind;
            if (kind == "counters") w.counters = {"reads"};
            if (kind == "timing") w.parameters = {{"BLOCK", 32}};
            bool named = false;
            for (std::string const& text : lkt::detail::offers_of(offer, c.s.best))
                named = named || text.starts_with("`" + kind + "`");
            CHECK(named == lkt::detail::fault_in(w, offer, c.s.best).empty());
        }
    // A kernel without parameters has no variants.
    c.s.best.kernel.parameters.clear();
    c.s.best.config.values.clear();
    for (std::string const& text : lkt::detail::offers_of(offers[0], c.s.best))
        CHECK_FALSE(text.starts_with("`timing`"));
}

TEST_CASE("What was asked is journalled") {
    scene c({one("compiler")});
    REQUIRE(c.inquire().has_value());
    auto const bytes = lkt::encoded(c.s);
    lkt::tuning_state back;
    REQUIRE(lkt::decode(bytes, back).has_value());
    REQUIRE(back.inquiries.size() == 1);
    CHECK(back.inquiries[0].kernel == c.s.inquiries[0].kernel);
    CHECK(back.inquiries[0].answers.at(0).text == c.s.inquiries[0].answers.at(0).text);
    CHECK(lkt::encoded(back) == bytes);
}
