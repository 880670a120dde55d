// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/progress.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

struct screen {
    std::string text;
    lkt::seconds now{0};
    lkt::progress_display display;

    explicit screen(bool terminal)
        : display([this](std::string const& t) { text += t; }, terminal, [this] { return now; }) {}
    std::string take() { return std::exchange(text, {}); }
};

lkt::progress_event trying(std::size_t done, std::size_t total) {
    lkt::progress_event e;
    e.what = lkt::activity::trying_configurations;
    e.done = done;
    e.total = total;
    e.attempt = 2;
    e.best = lkt::seconds(1e-3);
    e.baseline = lkt::seconds(4e-3);
    e.model_calls = 3;
    e.tokens = {.input = 1000, .output = 200};
    return e;
}

} // namespace

TEST_CASE("A line says what, how far, how long still, how good and at what cost") {
    screen s(false);
    s.display(trying(0, 60));
    CHECK(s.take() == "trying configurations 0/60 | attempt 2 | best 1 ms (4.00x) | 3 model calls, "
                      "1200 tokens\n");
    s.now = lkt::seconds(10);
    auto e = trying(20, 60);
    e.last = "wrong-output";
    s.display(e);
    CHECK(s.take() ==
          "trying configurations 20/60 (wrong-output), 20 s left | attempt 2 | best 1 ms "
          "(4.00x) | 3 model calls, 1200 tokens\n");
    s.now = lkt::seconds(50);
    e.model_requests = 5;
    s.display(e);
    CHECK(s.take().find(" | 3 model calls (5 requests), 1200 tokens") != std::string::npos);
    s.now = lkt::seconds(100);
    s.display(trying(21, 600));
    CHECK(s.take().find("45 min 57 s left") != std::string::npos);
}

TEST_CASE("A decision keeps its line, and says nothing else") {
    for (bool const terminal : {false, true}) {
        screen s(terminal);
        s.display(trying(1, 60));
        s.take();
        auto e = trying(0, 0);
        e.what = lkt::activity::deciding;
        e.last = "refine comes next";
        s.display(e);
        CHECK(s.take() == (terminal ? "\nrefine comes next\n" : "refine comes next\n"));
        s.display(trying(2, 60));
        CHECK(s.take().find("trying configurations 2/60") != std::string::npos);
    }
}

TEST_CASE("A line shows the first words of the step, on one line whatever they are") {
    screen s(false);
    auto e = trying(0, 60);
    e.step = "unroll the\n\tinner loop";
    s.display(e);
    CHECK(s.take().find(" | attempt 2 | step: unroll the inner loop | best") != std::string::npos);
    e.step = "use shared memory for tiles of both of the matrices, then unroll";
    s.display(e);
    CHECK(s.take().find(" | step: use shared memory for tiles of both of ... | ") !=
          std::string::npos);
    e.step = std::string_view("123456789012345678901234567890123456789\u00e9\u00e9");
    s.display(e);
    CHECK(s.take().find("6789... | ") != std::string::npos); // no half of a letter
    std::string const monster = "\x1b[2J" + std::string(99, 'x');
    e.step = monster;
    s.display(e);
    auto const shown = s.take();
    CHECK(shown.find(" | step: \\x1b[2J" + std::string(33, 'x') + "... | ") != std::string::npos);
}

TEST_CASE("A line shows what the model has cost where its price is known") {
    screen s(false);
    auto e = trying(0, 60);
    e.tokens = {.input = 1'000'000, .output = 100'000, .cached = 400'000};
    std::vector<lkt::used_model> models{{"large-1", "", 1, e.tokens}};
    e.models = models;
    s.display(e);
    CHECK(s.take().ends_with("1100000 tokens\n"));
    lkt::price_table prices;
    prices.set("large", {.input = 5, .cached_input = 1, .output = 20});
    s.display.show_money(prices);
    s.display(e);
    CHECK(s.take().ends_with("1100000 tokens, $5.40\n"));
    models.front().name = "gpt-4o-2024-08-06";
    s.display.show_money(lkt::price_table::built_in(), "gpt-4o at api.openai.com");
    s.display(e); // 0.6 * 2.5 + 0.4 * 1.25 + 0.1 * 10
    CHECK(
        s.take().ends_with(", $3.00 (prices of " + std::string(lkt::price_table::month()) + ")\n"));
    for (char const* elsewhere : {"gpt-4o at 127.0.0.1:8080", "gpt-4o at gateway.example.com"}) {
        s.display.show_money(lkt::price_table::built_in(), elsewhere);
        s.display(e);
        CHECK(s.take().ends_with("1100000 tokens\n"));
    }
    s.display.show_money(prices);
    models = {{"large-1", "", 1, e.tokens}, {"small-1", "", 1, e.tokens}};
    e.models = models;
    s.display(e); // one without a price
    CHECK(s.take().ends_with("1100000 tokens\n"));
    prices.set("small", {.input = 1, .cached_input = 1, .output = 2});
    s.display.show_money(prices);
    s.display(e);
    CHECK(s.take().ends_with("1100000 tokens, $6.60\n"));
}

TEST_CASE("Where there is no terminal, a line comes at most every five seconds of an activity") {
    screen s(false);
    s.display(trying(0, 60));
    s.take();
    for (std::size_t i = 1; i <= 40; ++i) {
        s.now = lkt::seconds(0.1 * static_cast<double>(i));
        s.display(trying(i, 60));
    }
    CHECK(s.take().empty());
    lkt::progress_event next;
    next.what = lkt::activity::asking_model;
    s.display(next);
    CHECK(s.take() == "asking the model\n");
}

TEST_CASE("On a terminal the line is rewritten, and ended once") {
    screen s(true);
    s.display(trying(0, 2));
    s.now = lkt::seconds(0.05);
    s.display(trying(1, 2)); // too soon
    s.now = lkt::seconds(0.2);
    s.display(trying(2, 2));
    std::string const text = s.take();
    CHECK(text.starts_with("\r\x1b[Ktrying configurations 0/2"));
    CHECK(text.find("1/2") == std::string::npos);
    CHECK(text.find("\r\x1b[Ktrying configurations 2/2") != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
    s.display.finish();
    s.display.finish();
    CHECK(s.take() == "\n");
}

TEST_CASE("Retries are shown as lines of their own") {
    screen s(true);
    s.display(trying(0, 2));
    s.take();
    lkt::node_event node;
    node.node = "propose";
    lkt::error const why{lkt::condition::transient, "x", "too many requests", {}};
    s.display.on_retry(node, {1, std::chrono::milliseconds(250), why});
    CHECK(s.take() == "\nretrying propose in 250 ms (attempt 2): too many requests\n");
    static_assert(lkt::observer<lkt::progress_display>);
}

TEST_CASE("A display that cannot be written ends nothing") {
    std::FILE* full = std::fopen("/dev/full", "w");
    REQUIRE(full != nullptr);
    {
        lkt::progress_display display(full);
        display(trying(0, 2));
        display(trying(2, 2));
    }
    CHECK(std::ferror(full) != 0);
    std::fclose(full);
}

TEST_CASE("What is known from before counts as done, but not as time") {
    screen s(false);
    auto e = trying(0, 100);
    s.display(e);
    s.take();
    s.now = lkt::seconds(10);
    e.done = 60;
    e.reused = 50; // ten of them took ten seconds
    s.display(e);
    CHECK(s.take().find("60/100, 40 s left") != std::string::npos);
    s.now = lkt::seconds(20);
    e.reused = 60;
    s.display(e);
    CHECK(s.take().find("left") == std::string::npos);
}

TEST_CASE("A line is cut to the terminal, where it would otherwise be repeated") {
    std::string text;
    lkt::seconds now{0};
    lkt::progress_display display([&](std::string const& t) { text += t; },
                                  true,
                                  [&] { return now; },
                                  [] { return std::size_t{30}; });
    display(trying(0, 60));
    CHECK(text == "\r\x1b[Ktrying configurations 0/60 | ");
}

TEST_CASE("On a terminal, time goes by in one line that is never wider than it") {
    for (std::size_t const width : {1, 2, 10, 30, 80, 400}) {
        CAPTURE(width);
        std::string text;
        lkt::seconds now{0};
        lkt::progress_display display([&](std::string const& t) { text += t; },
                                      true,
                                      [&] { return now; },
                                      [&] { return width; });
        display(trying(3, 60));
        std::vector<std::string> lines;
        for (int half = 1; half <= 20; ++half) { // ten seconds in which nothing happens
            text.clear();
            now = lkt::seconds(0.5 * half);
            display.tick();
            if (text.empty()) continue;
            REQUIRE(text.starts_with("\r\x1b[K"));
            lines.push_back(text.substr(4));
            CHECK(lines.back().size() < width);
            CHECK(lines.back().find_first_of("\r\n\x1b") == std::string::npos);
        }
        CHECK(lines.size() == 10); // one a second
        if (width >= 30) CHECK(lines.back().ends_with(" | 10 s since"));
    }
}

TEST_CASE("What a run waits for stands in place of what it does, and counts for no estimate") {
    screen s(false);
    s.display(trying(0, 4));
    s.now = lkt::seconds(10);
    s.display(trying(1, 4)); // 10 s each
    s.take();
    s.display.hold("waiting\nfor it");
    CHECK(s.take() == "waiting for it\n");
    s.now = lkt::seconds(610);
    s.display.tick();
    CHECK(s.take() == "waiting for it | 10 min 0 s since\n");
    s.display.go_on();
    CHECK(s.take().starts_with("trying configurations 1/4"));
    s.display.go_on(); // it waits no more
    CHECK(s.take().empty());
    s.now = lkt::seconds(620);
    s.display(trying(2, 4));
    CHECK(s.take().find(", 20 s left") != std::string::npos);
}

TEST_CASE("Elsewhere, a line comes every five seconds in which nothing happens") {
    screen s(false);
    s.display.tick(); // there is nothing to show yet
    CHECK(s.take().empty());
    s.display(trying(3, 60));
    std::string const first = s.take();
    for (int second = 1; second <= 20; ++second) {
        s.now = lkt::seconds(second);
        s.display.tick();
        std::string const line = s.take();
        if (second % 5 == 0)
            CHECK(line == first.substr(0, first.size() - 1) + " | " + std::to_string(second) +
                              " s since\n");
        else
            CHECK(line.empty());
    }
}
