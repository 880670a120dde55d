// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/prompt_texts.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("Each prompt has a text of the library's") {
    lkt::prompt_texts const texts;
    int looked_at = 0;
    lkt::for_each_field(texts, [&](std::string_view name, auto const& text) {
        CAPTURE(name);
        CHECK(text.text().size() > 20);
        ++looked_at;
    });
    CHECK(looked_at == 18);
    CHECK(sizeof(lkt::prompt_texts) == 18 * sizeof(lkt::prompt<lkt::no_words>)); // all are listed
}

TEST_CASE("The placeholders of the library's texts are all filled") {
    lkt::prompt_texts const texts;
    std::string const all =
        texts.system.render({"CUDA", "Rules", {"Fake 1", "warps"}}) +
        texts.task.render(
            {"`k`", {"a"}, {"N=1"}, {}, "```\n```", {"grid"}, {}, {"1 ms"}, {}, {}, {}}) +
        texts.crashed.render({"segmentation fault", " (line 3)"});
    CHECK(all.find("${") == std::string::npos);
    CHECK(all.find("Device\n- Fake 1\n- warps\n") != std::string::npos);
    CHECK(all.find("Notes of the user") == std::string::npos);
    CHECK(all.find("Tunable parameters") == std::string::npos);
    CHECK(all.ends_with("launched: segmentation fault (line 3)."));
}

TEST_CASE("A text is replaced by name, at run time") {
    lkt::prompt_texts texts;
    REQUIRE(texts.replace("race", "Two threads disagree: ${why}").has_value());
    CHECK(texts.race.render({"y[3]"}) == "Two threads disagree: y[3]");
    CHECK_FALSE(texts == lkt::prompt_texts{});

    lkt::prompt_texts const before = texts;
    auto const none = texts.replace("raze", "x");
    REQUIRE(none.has_error());
    CHECK(none.error().code == "lkt.prompt.name");
    CHECK(none.error().hint.starts_with("known: system, task, again, no_code"));
    auto const wrong = texts.replace("crashed", "It died: ${wat}");
    REQUIRE(wrong.has_error());
    CHECK(wrong.error().message.find("did you mean ${what}?") != std::string::npos);
    CHECK(texts.replace("task", "Hurry.").error().code == "lkt.prompt.missing"); // the kernel
    CHECK(texts == before);
}
