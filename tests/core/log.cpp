// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/log.hpp>

#include <doctest/doctest.h>

#include <lkt/core/error.hpp>

#include <string>
#include <thread>
#include <vector>

namespace {

struct received {
    std::vector<std::string> lines;
    lkt::log_sink sink() {
        return [this](lkt::log_level level, std::string_view text) {
            lines.push_back(std::string(to_string(level)) + ": " + std::string(text));
        };
    }
};

} // namespace

TEST_CASE("a level passes itself and what is more important") {
    received h;
    lkt::logger const log(lkt::log_level::info, h.sink());
    log.debug("no");
    log.info("yes");
    log.error("this too");
    CHECK(h.lines == std::vector<std::string>{"info: yes", "error: this too"});
    CHECK(log.passes(lkt::log_level::warning));
    CHECK_FALSE(log.passes(lkt::log_level::debug));
}

TEST_CASE("a logger that is off says nothing and asks for nothing") {
    received h;
    lkt::logger const log(lkt::log_level::off, h.sink());
    bool asked = false;
    log.error([&] {
        asked = true;
        return "costly";
    });
    log(lkt::log_level::off, "never");
    CHECK(h.lines.empty());
    CHECK_FALSE(asked);
}

TEST_CASE("parts are joined, whatever they are") {
    received h;
    lkt::logger const log(lkt::log_level::debug, h.sink());
    std::string const name = "add";
    log.info(name, ' ', 3, " of ", 4u, " at ", 2.5, " ms, ", true, ", ", lkt::condition::transient);
    log.debug("lazy ", [] { return std::string("text"); });
    REQUIRE(h.lines.size() == 2);
    CHECK(h.lines[0] == "info: add 3 of 4 at 2.5 ms, true, transient");
    CHECK(h.lines[1] == "debug: lazy text");
}

TEST_CASE("copies share the sink, each with its level") {
    received h;
    lkt::logger const log(lkt::log_level::error, h.sink());
    auto const louder = log.at(lkt::log_level::debug);
    log.debug("quiet");
    louder.debug("loud");
    CHECK(h.lines == std::vector<std::string>{"debug: loud"});
    CHECK(log.level() == lkt::log_level::error);
}

TEST_CASE("lines from several threads come one at a time and complete") {
    received h; // a sink without a lock of its own
    lkt::logger const log(lkt::log_level::info, h.sink());
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([log] {
                for (int i = 0; i < 200; ++i) log.info("line of text");
            });
    }
    REQUIRE(h.lines.size() == 800);
    int whole = 0;
    for (auto const& line : h.lines) whole += line == "info: line of text";
    CHECK(whole == 800);
}

TEST_CASE("an empty sink is silence, not a crash") {
    lkt::logger const log(lkt::log_level::info, lkt::log_sink{});
    CHECK_NOTHROW(log.info("nobody hears"));
}

TEST_CASE("every level has its name") {
    CHECK(to_string(lkt::log_level::off) == "off");
    CHECK(to_string(lkt::log_level::debug) == "debug");
    CHECK(to_string(static_cast<lkt::log_level>(99)) == "unknown");
}
