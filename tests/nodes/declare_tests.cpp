// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/declare_tests.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/search/exhaustive.hpp>
#include <lkt/verify/problem_tests.hpp>

#include <algorithm>

#include "../verify/fake_backend.hpp"
#include "declaration_support.hpp"

using namespace lkt_test;

namespace {

/// A device on which the kernel doubles its input, and crashes where it leaves a buffer.
test::fake_backend device() {
    test::fake_backend gpu;
    gpu.kernels[twice_text] = [](test::fake_launch& l) -> std::optional<lkt::failure> {
        auto const n = static_cast<std::size_t>(l.get<int>(2));
        if (n > l.arguments[0].count() || n > l.arguments[1].count())
            return lkt::crashed{"segmentation fault at address 0x40", {}};
        for (std::size_t i = 0; i < n; ++i) l.set<float>(1, i, 2 * l.get<float>(0, i));
        return std::nullopt;
    };
    return gpu;
}

lkt::chat_reply reply(std::string const& json) {
    lkt::chat_reply r;
    r.text = fenced_json(json);
    r.model = "m1";
    r.usage = {100, 20};
    return r;
}

template <class Gpu, class Llm>
struct two_tools {
    Gpu& gpu;
    Llm& llm;
};

std::string with(std::string text, std::string const& from, std::string const& to) {
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}
bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

/// The complaint that a first reply gets; the second one is right.
std::string complaint(std::string const& first) {
    auto gpu = device();
    lkt::scripted_model llm{reply(first), reply(good_description)};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    auto const made = lkt::declare_tests(open_draft(), log, tools, {.tests = false});
    REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
    CHECK(made->task == described_problem());
    REQUIRE(log.attempts.size() == 2);
    CHECK(log.attempts[0].why.has_value());
    CHECK_FALSE(log.attempts[1].why.has_value());
    auto const requests = llm.requests();
    REQUIRE(requests.size() == 2);
    REQUIRE(requests[1].messages.size() == 4); // the same conversation, with the complaint
    CHECK(requests[1].messages[2].text == reply(first).text);
    return requests[1].messages[3].text;
}

} // namespace

TEST_CASE("A model describes a kernel and declares tests, in one conversation") {
    auto gpu = device();
    lkt::scripted_model llm{reply(good_description), reply(good_tests)};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    auto const made = lkt::declare_tests(open_draft(), log, tools);
    REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
    CHECK(made->task.size[0].second == 96);
    REQUIRE(made->task.tests.size() == 2);
    CHECK(made->task.tests[1].name == "steps");
    CHECK(made->suite.prepared());
    for (char const* name : {"one value", "steps"})
        CHECK(std::any_of(made->suite.tests.begin(), made->suite.tests.end(), [&](auto const& t) {
            return has(t.test.name, name);
        }));
    auto const requests = llm.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].messages.size() == 2);
    CHECK(requests[1].messages.size() == 4);
    REQUIRE(log.attempts.size() == 2);
    CHECK(log.attempts[0].part == lkt::declared_part::description);
    CHECK(log.attempts[1].part == lkt::declared_part::tests);
    CHECK(log.attempts[0].model == "m1");
    CHECK(log.usage.calls == 2);
    CHECK(log.usage.tokens == lkt::token_usage{200, 40});
}

TEST_CASE("Each kind of wrong description is fed back and then accepted") {
    auto const wrong = [](std::string const& from, std::string const& to) {
        return complaint(with(good_description, from, to));
    };
    CHECK(has(wrong("{\"Name\": \"x\"", "{\"Name\": \"w\""), "no argument `w`"));
    CHECK(has(wrong("\"float32\"", "\"int32\""), "not int32"));
    CHECK(has(wrong("\"ProblemSize[0]\"", "\"rows\""), "unknown name `rows`"));
    CHECK(has(wrong("\"WriteOnly\"", "\"ReadOnly\""), "`y` is an output"));
    CHECK(has(complaint("{}"), "ProblemSize` is missing"));
    CHECK(has(complaint("[1, 2"), "not valid JSON"));
    // What can be read, but not run.
    std::string const short_buffer = with(good_description,
                                          "\"WriteOnly\", \"Size\": \"ProblemSize[0]\"",
                                          "\"WriteOnly\", \"Size\": \"ProblemSize[0] // 2\"");
    std::string const crash = complaint(with(short_buffer, "[[7]]", "[[8]]"));
    CHECK(has(crash, "segmentation fault"));
    CHECK(has(crash, "Look at its accesses"));
    CHECK(has(wrong("[96]", "[1000000000000]"), "bytes"));
}

TEST_CASE("A reply that was cut off, and one without a block, are fed back") {
    auto gpu = device();
    auto cut = reply(good_description);
    cut.finish = lkt::finish::length;
    lkt::scripted_model llm{cut, "It takes two buffers.", reply(good_description)};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    CHECK(lkt::declare_tests(open_draft(), log, tools, {.tests = false}).has_value());
    REQUIRE(log.attempts.size() == 3);
    CHECK(has(log.attempts[0].why->message, "cut off"));
    CHECK(has(log.attempts[1].why->message, "no fenced json block"));
}

TEST_CASE("Wrong tests are fed back and then accepted") {
    auto gpu = device();
    lkt::scripted_model llm{reply(with(good_tests, "one_hot", "poisson")),
                            reply(with(good_tests, "{\"x\"", "{\"y\"")),
                            reply(good_tests)};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    lkt::problem_draft const draft{described_problem(), {}, false};
    auto const made = lkt::declare_tests(draft, log, tools);
    REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
    CHECK(made->task.tests.size() == 2);
    REQUIRE(log.attempts.size() == 3);
    CHECK(has(llm.requests()[1].messages[3].text, "`poisson` is not one of"));
    // Only tests were asked for.
    CHECK(has(llm.requests()[0].messages[1].text, "Declare tests"));
}

TEST_CASE("What is settled is not asked") {
    auto gpu = device();
    lkt::scripted_model llm{"never asked"};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    lkt::problem_draft draft{described_problem(), {}, false};
    draft.known.tests = lkt::read_test_declaration(fenced_json(good_tests), draft.known).value();
    auto const made = lkt::declare_tests(draft, log, tools);
    REQUIRE(made.has_value());
    CHECK(made->task == draft.known);
    CHECK_FALSE(made->suite.prepared());
    CHECK(llm.left() == 1);
    CHECK(gpu.compiled == 0);
}

TEST_CASE("A model that never gets it right ends with an error that says what to do") {
    auto gpu = device();
    lkt::scripted_model llm{reply("{}"), reply("[]"), reply("{\"lkt\": 3}"), "not asked for"};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    auto const made = lkt::declare_tests(open_draft(), log, tools);
    REQUIRE(made.has_error());
    CHECK(made.error().kind == lkt::condition::rejected);
    CHECK(made.error().code == "lkt.declaration.attempts");
    CHECK(has(made.error().message, "in 3 replies; the last one: "));
    CHECK(has(made.error().message, "`lkt` is not an object"));
    CHECK_FALSE(made.error().hint.empty());
    CHECK(llm.left() == 1);
    CHECK(log.attempts.size() == 3);
    CHECK(log.usage.calls == 3);
    CHECK(log.usage.tokens == lkt::token_usage{300, 60});
}

TEST_CASE("Tests are asked for up to ten times, and what is open three times") {
    auto gpu = device();
    std::vector<lkt::scripted_turn> turns(12, reply("{}"));
    turns[2] = reply(good_description);
    turns.insert(turns.end(), 2, "not asked for");
    lkt::scripted_model llm(turns);
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    auto const made = lkt::declare_tests(open_draft(), log, tools);
    REQUIRE(made.has_error());
    CHECK(has(made.error().message, "no usable tests in 10 replies"));
    CHECK(llm.requests().size() == 3 + 10);
}

TEST_CASE("Nobody is asked about a kernel that does not compile") {
    test::fake_backend gpu; // knows no text
    lkt::scripted_model llm{"never asked"};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    auto const made = lkt::declare_tests(open_draft(), log, tools);
    REQUIRE(made.has_error());
    CHECK(made.error().code == "lkt.declaration.original");
    CHECK(has(made.error().message, "no such kernel"));
    CHECK(llm.left() == 1);
}

TEST_CASE("The world's failures end the conversation; what it cost is known") {
    auto gpu = device();
    lkt::scripted_model llm{reply("{}"), lkt::error{lkt::condition::transient, "x", "busy", {}}};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    auto const made = lkt::declare_tests(open_draft(), log, tools);
    REQUIRE(made.has_error());
    CHECK(made.error().kind == lkt::condition::transient);
    CHECK(log.usage.calls == 1);

    lkt::scripted_model talker{reply("{}"), reply("{}"), reply("{}")};
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<test::fake_backend, lkt::scripted_model> limited{gpu, talker, tests, all};
    limited.budget.model_calls = 2;
    lkt::declaration_log second;
    auto const ended = lkt::declare_tests(open_draft(), second, limited);
    REQUIRE(ended.has_error());
    CHECK(ended.error().kind == lkt::condition::exhausted);
    CHECK(second.usage.calls == 2);
}

TEST_CASE("Prompts of one's own are sent") {
    struct brief_prompts : lkt::default_test_prompts {
        std::string system(lkt::problem_draft const&) const { return "SAY IT"; }
        std::string again(lkt::error const& why) const { return "NO: " + why.code; }
    };
    auto gpu = device();
    lkt::scripted_model llm{reply("{}"), reply(good_description)};
    two_tools<test::fake_backend, lkt::scripted_model> tools{gpu, llm};
    lkt::declaration_log log;
    CHECK(lkt::declare_tests(open_draft(), log, tools, {.tests = false}, brief_prompts{})
              .has_value());
    CHECK(llm.requests()[0].messages[0].text == "SAY IT");
    CHECK(llm.requests()[1].messages[3].text == "NO: lkt.declaration.field");
}
