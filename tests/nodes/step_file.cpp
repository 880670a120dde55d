// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/step_file.hpp>

#include <doctest/doctest.h>

#include <lkt/nodes/default_steps.hpp>

#include <string>

namespace {

std::string why_not(std::string const& json) {
    auto const steps = lkt::read_steps(json, "mine.json");
    REQUIRE(steps.has_error());
    CHECK(steps.error().kind == lkt::condition::rejected);
    CHECK(steps.error().code == "lkt.strategies.steps");
    CHECK(steps.error().message.starts_with("mine.json: "));
    CHECK_FALSE(steps.error().hint.empty());
    return steps.error().message;
}

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("Steps are read with all that they may say") {
    auto const steps = lkt::read_steps(R"({"steps": [
        {"id": "unroll", "prompt": "Unroll it.", "tune_params": {"UNROLL": [1, 2, 4]}},
        {"id": "block", "prompt": "Size it.", "depends_on": ["unroll"], "skip_evaluation": true,
         "tune_params": {"BLOCK": {"values": [32, 64], "neutral": null}},
         "languages": ["CUDA", "HIP"]}]})",
                                       "mine.json");
    REQUIRE_MESSAGE(steps.has_value(), to_string(steps.error()));
    REQUIRE(steps->size() == 2);
    lkt::optimization_step const& first = steps->front();
    CHECK(first.id == "unroll");
    CHECK(first.prompt == "Unroll it.");
    REQUIRE(first.tune_params.size() == 1);
    CHECK(first.tune_params[0].values.size() == 3);
    CHECK(first.tune_params[0].neutral == lkt::parameter_value(std::int64_t{1}));
    CHECK_FALSE(first.skip_evaluation);
    lkt::optimization_step const& second = steps->back();
    CHECK(second.depends_on == std::vector<std::string>{"unroll"});
    CHECK(second.skip_evaluation);
    CHECK_FALSE(second.tune_params[0].neutral.has_value());
    CHECK(second.languages == std::vector{lkt::language::cuda, lkt::language::hip});
}

TEST_CASE("The library's list is written and read back, as an object or as a bare list") {
    auto const own = lkt::default_steps();
    std::string const text = lkt::steps_text(own);
    auto const again = lkt::read_steps(text, "x");
    REQUIRE_MESSAGE(again.has_value(), to_string(again.error()));
    CHECK(*again == own);
    auto const from = text.find('['), to = text.rfind(']') + 1;
    CHECK(lkt::read_steps(text.substr(from, to - from), "x").value() == own);

    auto special = own;
    special[0].skip_evaluation = true;
    special[1].languages = {lkt::language::wgsl};
    special[2].tune_params = {{"KIND", {std::string("a\"b"), std::string("c")}, {}},
                              {"SHARE", {0.5, 1.0}, 0.5},
                              {"ON", {false, true}, false}};
    CHECK(lkt::read_steps(lkt::steps_text(special), "x").value() == special);
}

TEST_CASE("What is wrong with a file is said with its place") {
    CHECK(has(why_not("[{},\n {]"), "not JSON"));
    CHECK(has(why_not("[{},\n {]"), "at line 2, column 3"));
    CHECK(has(why_not("3"), "steps must be a list"));
    CHECK(has(why_not("{}"), "steps is missing"));
    CHECK(has(why_not("[]"), "empty"));
    CHECK(has(why_not(R"([{"id": "a"}])"), "steps[0].prompt is missing"));
    CHECK(has(why_not(R"([{"id": 3, "prompt": "p"}])"), "steps[0].id must be text"));
    CHECK(has(why_not(R"([{"id": "a", "prompt": "p", "params": {}}])"),
              "steps[0].params is not a known field"));
    CHECK(has(why_not(R"([{"id": "a", "prompt": "p", "tune_params": {"T": 3}}])"),
              "steps[0].tune_params.T must be a list"));
    CHECK(has(why_not(R"([{"id": "a", "prompt": "p", "tune_params": {"T": [[1]]}}])"),
              "steps[0].tune_params.T[0] must be a number"));
    CHECK(has(why_not(R"([{"id": "a", "prompt": "p",
                           "tune_params": {"T": {"values": [2, 4], "neutral": 1}}}])"),
              "is not its neutral value"));
    CHECK(has(why_not(R"([{"id": "a", "prompt": "p", "languages": ["Cuda"]}])"),
              "known: CUDA, HIP and WGSL"));
    CHECK(has(why_not(R"([{"id": "a", "prompt": "p", "skip_evaluation": 1}])"), "true or false"));
    CHECK(has(why_not(R"([{"id": "a", "prompt": "p", "depends_on": ["b"]}])"), "not a step"));
    CHECK(has(why_not(R"([{"id": "a", "prompt": "p"}, {"id": "a", "prompt": "q"}])"), "two steps"));
}
