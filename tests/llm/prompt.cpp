// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/prompt.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace {

struct kernel_words {
    std::string kernel;
    std::int64_t size = 0;
    double time = 0;
    std::optional<std::string> notes{};
    std::vector<std::string> hints{};
    using state_fields = lkt::fields<&kernel_words::kernel,
                                     &kernel_words::size,
                                     &kernel_words::time,
                                     &kernel_words::notes,
                                     &kernel_words::hints>;
};
struct strict_words {
    std::string log;
    using state_fields = lkt::fields<&strict_words::log>;
    using required_fields = lkt::fields<&strict_words::log>;
};
using kernel_prompt = lkt::prompt<kernel_words>;

/// What the constructor looks at, as a value.
template <class Words>
constexpr lkt::detail::prompt_defect defect_of(std::string_view text) {
    return lkt::detail::find_prompt_defect(
        text, lkt::detail::names_in_prompts<Words>, lkt::detail::names_required_in_prompts<Words>);
}
using kinds = lkt::detail::prompt_defect::kinds;

static_assert(!defect_of<kernel_words>("${kernel} {{1}, {2}} $5 $$ ${time}"));
static_assert(defect_of<kernel_words>("${kernle}").kind == kinds::unknown);
static_assert(defect_of<kernel_words>("\n\n a ${kernle}").line == 3);
static_assert(defect_of<kernel_words>("${ kernel }").name == " kernel ");
static_assert(defect_of<kernel_words>("${}").kind == kinds::unknown);
static_assert(defect_of<kernel_words>("${kernel").kind == kinds::unclosed);
static_assert(defect_of<kernel_words>("${kernel\n}").kind == kinds::unclosed);
static_assert(!defect_of<kernel_words>("$${kernle} and $${"));
static_assert(defect_of<kernel_words>("$$${kernle}").kind == kinds::none);
static_assert(defect_of<strict_words>("text").kind == kinds::missing);
static_assert(defect_of<strict_words>("$${log}").kind == kinds::missing);
static_assert(!defect_of<strict_words>("x ${log}"));

static_assert(std::is_convertible_v<char const (&)[3], kernel_prompt>);
static_assert(!std::is_convertible_v<std::string, kernel_prompt>); // parse says what is wrong

/// A set of prompts with defaults, some of which are replaced.
struct texts {
    kernel_prompt first = "Make ${kernel} faster.";
    kernel_prompt second = "again";
};

std::string rendered(std::string const& text, kernel_words const& w) {
    auto const p = kernel_prompt::parse(text);
    REQUIRE(p.has_value());
    return p->render(w);
}

} // namespace

TEST_CASE("Placeholders are replaced, and braces are themselves") {
    kernel_prompt const p = "${kernel}: float4 v{{1}}; {\"N\": ${size}} in ${time} ms, $5, $${x}";
    CHECK(p.render({"f", 4096, 0.1}) == "f: float4 v{{1}}; {\"N\": 4096} in 0.1 ms, $5, ${x}");
    CHECK(p.render({"", -1, 1e300}) == ": float4 v{{1}}; {\"N\": -1} in 1e+300 ms, $5, ${x}");
    kernel_prompt const none = "";
    CHECK(none.render({}) == "");
    CHECK(lkt::prompt<lkt::no_words>("$").render({}) == "$");
}

TEST_CASE("Values are not expanded again, and may hold anything") {
    kernel_prompt const p = "<${kernel}|${notes}>";
    CHECK(p.render({"${notes}\n\n$${", 0, 0, "${kernel}"}) == "<${notes}\n\n$${|${kernel}>");
}

TEST_CASE("A list has an element a line") {
    kernel_prompt const p = "Hints\n${hints}\nEnd\n";
    CHECK(p.render({"", 0, 0, {}, {"one"}}) == "Hints\n- one\nEnd\n");
    CHECK(p.render({"", 0, 0, {}, {"one", "two"}}) == "Hints\n- one\n- two\nEnd\n");
}

TEST_CASE("What has no value goes with its line, and a paragraph with its last value") {
    kernel_words const without{"f", 1, 2};
    CHECK(rendered("a\nnotes: ${notes}\n${kernel}\n", without) == "a\nf\n");
    CHECK(rendered("Top\n\nNotes:\n${notes}\n\nEnd ${kernel}\n", without) == "Top\n\nEnd f\n");
    CHECK(rendered("Notes:\n${notes}\n\n\nEnd\n", without) == "End\n");
    CHECK(rendered("Top\n\nNotes:\n${notes}\n", without) == "Top\n");
    CHECK(rendered("Top\n\nNotes:\n${notes}", without) == "Top\n");
    CHECK(rendered("Top\n\nNotes:\n${notes}\n\nHints:\n${hints}\n", without) == "Top\n");
    CHECK(rendered("Top\n\nNotes:\n${notes}\n\nHints:\n${hints}\n\nEnd", without) == "Top\n\nEnd");
    CHECK(rendered("Notes:\n${notes}", without) == "");
    CHECK(rendered("Facts\n${kernel}\n${notes}\n${hints}", without) == "Facts\nf\n");
    // An empty text is a value: what to say is up to the caller.
    CHECK(rendered("[${notes}]", {"f", 1, 2, ""}) == "[]");
    CHECK(rendered("Notes:\n${notes}\n\nEnd", {"f", 1, 2, "n"}) == "Notes:\nn\n\nEnd");
}

TEST_CASE("Prompts are values: they are copied, replaced and compared") {
    texts mine;
    CHECK(mine.first == texts{}.first);
    mine.first = "Speed up ${kernel}.";
    CHECK(mine.first.render({"f"}) == "Speed up f.");
    CHECK(texts{}.first.render({"f"}) == "Make f faster.");
    std::string text = "Hurry, ${kernel}, whatever it takes; this text lies on the heap.";
    mine.second = kernel_prompt::parse(text).value();
    texts const copy = mine;
    text.assign(text.size(), 'x');
    mine.second = "";
    CHECK(copy.second.render({"f"}).starts_with("Hurry, f, whatever"));
    CHECK(copy.second.text().starts_with("Hurry, ${kernel}"));
}

TEST_CASE("At run time, a defect names placeholder, line and what is known") {
    auto const unknown = kernel_prompt::parse("a\nb ${kernle}");
    REQUIRE(unknown.has_error());
    CHECK(unknown.error().code == "lkt.prompt.unknown");
    CHECK(unknown.error().kind == lkt::condition::rejected);
    CHECK(unknown.error().message ==
          "the placeholder ${kernle} in line 2 of a prompt is unknown; did you mean ${kernel}?");
    CHECK(unknown.error().hint ==
          "known: ${kernel}, ${size}, ${time}, ${notes}, ${hints}; write $${ for a literal ${");
    auto const far = kernel_prompt::parse("${HOME}");
    CHECK(far.error().message == "the placeholder ${HOME} in line 1 of a prompt is unknown");

    auto const unclosed = kernel_prompt::parse("${kernel} ${size\n}");
    REQUIRE(unclosed.has_error());
    CHECK(unclosed.error().code == "lkt.prompt.unclosed");
    CHECK(unclosed.error().message.find("${size in line 1") != std::string::npos);

    auto const missing = lkt::prompt<strict_words>::parse("It does not compile.");
    REQUIRE(missing.has_error());
    CHECK(missing.error().code == "lkt.prompt.missing");
    CHECK(missing.error().message.find("${log}") != std::string::npos);
    CHECK(lkt::prompt<strict_words>::parse("See ${log}").has_value());
    CHECK(lkt::prompt<lkt::no_words>::parse("${x}").error().hint.starts_with(
        "this prompt has no placeholders"));
}
