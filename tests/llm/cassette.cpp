// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/cassette.hpp>

#include <lkt/llm/fenced_blocks.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

using namespace lkt;

namespace {

constexpr char const* head = R"({"lkt_cassette":1,"model":"m","origin":"recorded"})";
constexpr char const* hand = R"({"lkt_cassette":1,"origin":"written-by-hand","match":"in-order"})";
constexpr char const* line =
    R"({"request":{"messages":[{"role":"user","text":"q"}]},"reply":{"text":"a"}})";

std::string lines(std::initializer_list<std::string> all) {
    std::string text;
    for (auto const& each : all) text += each + "\n";
    return text;
}

/// The message of the error, or nothing.
std::string why_not(std::string const& text) {
    auto const tape = parse_cassette(text, "tape");
    if (tape) return "";
    CHECK(tape.error().kind == condition::rejected);
    CHECK(tape.error().code.starts_with("lkt.cassette."));
    CHECK_FALSE(tape.error().hint.empty());
    return tape.error().message;
}

bool contains(std::string const& text, char const* part) {
    if (text.find(part) != text.npos) return true;
    MESSAGE(text);
    return false;
}

} // namespace

TEST_CASE("a cassette as short as can be") {
    auto const tape = parse_cassette(lines({head, line}), "tape");
    REQUIRE(tape.has_value());
    CHECK(
        (tape->header == cassette_header{"m", cassette_origin::recorded, replay_match::exact, ""}));
    REQUIRE(tape->exchanges.size() == 1);
    auto const& exchange = tape->exchanges[0];
    CHECK((exchange.request == archetypes::ask("q")));
    CHECK(exchange.line == 2);
    CHECK(exchange.outcome->text == "a");
    CHECK(exchange.outcome->model == "m");
    CHECK(exchange.outcome->finish == finish::stop);
    CHECK(tape->name == "tape");
}

TEST_CASE("replies written by hand need no request and say what they are") {
    auto const tape = parse_cassette(
        lines({hand, R"({"expect":["matmul"],"reply":{"text":"a"},"note":"the first"})"}));
    REQUIRE(tape.has_value());
    CHECK(tape->header.origin == cassette_origin::written_by_hand);
    CHECK(tape->header.match == replay_match::in_order);
    CHECK_FALSE(tape->exchanges[0].request.has_value());
    CHECK(tape->exchanges[0].expect == std::vector<std::string>{"matmul"});
    CHECK(tape->exchanges[0].note == "the first");
    CHECK(tape->exchanges[0].outcome->model == "written by hand");
}

TEST_CASE("all that an exchange can hold is written and read back") {
    cassette tape;
    tape.header = {"model \"x\"", cassette_origin::recorded, replay_match::in_order, "for people"};
    cassette_exchange full;
    full.request = archetypes::ask("line one\nline two\t\x01 \xe2\x82\xac");
    full.request->messages.insert(full.request->messages.begin(), {role::system, ""});
    full.request->messages.push_back({role::assistant, "before"});
    full.request->temperature = 0.1;
    full.request->max_tokens = 4096;
    full.request->seed = 18446744073709551615u;
    full.request->format =
        answer_format{answer_kind::json_schema, "plan", "for \"people\"", R"({"type":"object"})"};
    full.request->effort = effort::high;
    full.expect = {"line two"};
    full.note = "note";
    chat_reply reply{
        "text", "because", "model-2026", "", finish::length, {7, 1234567890123, 3, 5, true}};
    full.outcome = reply;
    cassette_exchange failed;
    failed.request = archetypes::ask("other");
    error busy{condition::transient, "lkt.http.status", "503", "later"};
    busy.retry_after = std::chrono::milliseconds(1500);
    busy.attempts = 4;
    failed.outcome = busy;
    tape.exchanges = {full, failed};

    auto const text = to_text(tape);
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
    auto const read = parse_cassette(text);
    REQUIRE(read.has_value());
    CHECK((read->header == tape.header));
    REQUIRE(read->exchanges.size() == 2);
    CHECK((read->exchanges[0].request == full.request));
    CHECK(read->exchanges[0].expect == full.expect);
    CHECK(read->exchanges[0].note == "note");
    CHECK((read->exchanges[0].outcome.value() == reply));
    CHECK((read->exchanges[1].outcome.error() == failed.outcome.error()));
    CHECK(read->exchanges[1].line == 3);
    CHECK(to_text(*read) == text);
}

TEST_CASE("text that is not UTF-8 is written so that it can be read again") {
    cassette tape;
    tape.header.model = "m\xff";
    cassette_exchange exchange;
    exchange.request = archetypes::ask("log: \xff\xfe");
    exchange.outcome = archetypes::reply("r\xc3");
    tape.exchanges.push_back(exchange);
    auto const read = parse_cassette(to_text(tape));
    REQUIRE(read.has_value());
    CHECK(read->exchanges[0].outcome->text == "r\xEF\xBF\xBD");
}

TEST_CASE("blank lines, line ends of another system, a byte order mark") {
    auto const tape =
        parse_cassette("\xEF\xBB\xBF" + std::string(head) + "\r\n\r\n" + line + "\r\n\n" + line);
    REQUIRE(tape.has_value());
    REQUIRE(tape->exchanges.size() == 2);
    CHECK(tape->exchanges[0].line == 3);
    CHECK(tape->exchanges[1].line == 5);
}

TEST_CASE("defects of the header") {
    CHECK(contains(why_not(""), "tape, line 1: the cassette is empty"));
    CHECK(contains(why_not("\n\n"), "the cassette is empty"));
    CHECK(contains(why_not("hello\n"), "tape, line 1: this is not a cassette"));
    CHECK(contains(why_not("{\"a\": 1}\n"), "lacks \"lkt_cassette\": 1"));
    CHECK(contains(why_not("[1]\n"), "the line is not a JSON object"));
    auto const newer = parse_cassette(R"({"lkt_cassette":2,"tape":[]})", "tape");
    REQUIRE_FALSE(newer.has_value());
    CHECK(newer.error().code == "lkt.cassette.version");
    CHECK(contains(newer.error().message, "version 2; this lkt reads version 1"));
    CHECK(contains(why_not(R"({"lkt_cassette":"1"})"), "\"lkt_cassette\" is not a whole number"));
    CHECK(contains(why_not(R"({"lkt_cassette":1,"model":"m"})"), "\"origin\" is missing"));
    CHECK(contains(why_not(R"({"lkt_cassette":1,"origin":"recorded"})"),
                   "names the model that answered"));
    CHECK(contains(why_not(R"({"lkt_cassette":1,"origin":"written-by-hand","model":"m"})"),
                   "the origin is written-by-hand"));
    CHECK(contains(why_not(R"({"lkt_cassette":1,"model":"m","origin":"dreamt"})"),
                   "\"origin\" is `dreamt`; expected one of recorded, written-by-hand"));
    CHECK(contains(why_not(R"({"lkt_cassette":1,"model":"m","origin":"recorded","match":"x"})"),
                   "expected one of exact, in-order"));
    CHECK(contains(why_not(R"({"lkt_cassette":1,"model":"m","origin":"recorded","modle":""})"),
                   "unknown field `modle`"));
}

TEST_CASE("defects of an exchange, each with its line") {
    auto const second = [](std::string const& text) { return why_not(lines({head, line, text})); };
    CHECK(contains(second("{\"request\": nul}"),
                   "tape, line 3: not valid JSON: syntax error, column 13, before `nul}`"));
    CHECK(contains(second("[]"), "line 3: the line is not a JSON object"));
    CHECK(contains(second("{}"), "\"reply\" and \"error\" are both missing"));
    CHECK(
        contains(second(R"({"reply":{"text":""},"error":{"condition":"transient","message":""}})"),
                 "there are both"));
    CHECK(contains(second(R"({"reply":{"text":"a"}})"), "\"request\" is missing"));
    CHECK(contains(second(R"({"request":{},"reply":{"text":"a"}})"),
                   "\"messages\" is missing in \"request\""));
    CHECK(contains(second(R"({"request":{"messages":7},"reply":{"text":"a"}})"),
                   "\"messages\" is not a list"));
    CHECK(contains(second(R"({"request":{"messages":[7]},"reply":{"text":"a"}})"),
                   "messages[0] is not a JSON object"));
    CHECK(contains(
        second(R"({"request":{"messages":[{"role":"boss","text":""}]},"reply":{"text":""}})"),
        "\"role\" is `boss`; expected one of system, user, assistant"));
    CHECK(contains(second(R"({"request":{"messages":[{"role":"user"}]},"reply":{"text":""}})"),
                   "\"text\" is missing in messages[0]"));
    CHECK(contains(second(R"({"request":{"messages":[],"max_tokens":1.5},"reply":{"text":""}})"),
                   "\"max_tokens\" is not a whole number"));
    CHECK(contains(
        second(R"({"request":{"messages":[],"max_tokens":3000000000},"reply":{"text":""}})"),
        "\"max_tokens\" is not a whole number from 0 to 2147483647"));
    CHECK(contains(second(R"({"request":{"messages":[],"seed":-1},"reply":{"text":""}})"),
                   "\"seed\" is not a whole number"));
    CHECK(contains(second(R"({"request":{"messages":[],"temperature":"hot"},"reply":{"text":""}})"),
                   "\"temperature\" is not a number"));
    CHECK(contains(second(R"({"request":{"messages":[],"temperature":1e999},"reply":{"text":""}})"),
                   "too large"));
    CHECK(contains(second(R"({"request":{"messages":[],"temprature":1},"reply":{"text":""}})"),
                   "unknown field `temprature`"));
    CHECK(contains(second(R"({"request":{"messages":[]},"reply":{"txt":""}})"),
                   "\"text\" is missing in \"reply\""));
    CHECK(contains(second(R"({"request":{"messages":[]},"reply":{"text":"","finish":"bored"}})"),
                   "expected one of stop, length, filtered, unknown"));
    CHECK(contains(second(R"({"request":{"messages":[]},"reply":{"text":"","usage":{"in":1}}})"),
                   "unknown field `in`"));
    CHECK(contains(second(R"({"request":{"messages":[]},"error":{"message":""}})"),
                   "\"condition\" is missing in \"error\""));
    CHECK(contains(second(R"({"request":{"messages":[]},"reply":{"text":""},"expect":[""]})"),
                   "strings that are not empty"));
    CHECK(contains(second(R"({"request":{"messages":[]},"reply":{"text":""},"extra":1})"),
                   "the line has the unknown field `extra`"));
    CHECK(contains(second(std::string("{\"request\":{\"messages\":[]},\"reply\":{\"text\":\"") +
                          '\xff' + "\"}}"),
                   "not valid JSON"));
}

TEST_CASE("a request that was changed after the recording is found out by its key") {
    cassette tape;
    tape.header.model = "m";
    cassette_exchange exchange;
    exchange.request = archetypes::ask("question");
    exchange.outcome = archetypes::reply("answer");
    tape.exchanges.push_back(exchange);
    auto text = to_text(tape);
    CHECK(why_not(text).empty());
    text.replace(text.find("question"), 8, "Question");
    CHECK(contains(why_not(text), "one of them was changed"));
}

TEST_CASE("a last line that was not written to its end is told from a wrong one") {
    std::string const whole = lines({head, line, line});
    std::size_t cut_off = 0;
    // Every place at which the last line can break off.
    for (std::size_t n = whole.size() - std::string_view(line).size(); n + 1 < whole.size(); ++n) {
        auto const tape = parse_cassette(whole.substr(0, n), "tape");
        REQUIRE_FALSE(tape.has_value());
        CHECK(tape.error().code == "lkt.cassette.cut-off");
        CHECK(contains(tape.error().message, "line 3 is cut off"));
        CHECK(contains(tape.error().message, "the 1 exchanges before it are whole"));
        ++cut_off;
    }
    CHECK(cut_off > 50);
    CHECK(contains(why_not(lines({head}) + "{\"request\" 1"), "line 2: not valid JSON"));
}

TEST_CASE("files") {
    scratch_folder const folder;
    auto const path = folder.file("tape.jsonl", lines({head, line}));
    auto const tape = read_cassette(path);
    REQUIRE(tape.has_value());
    CHECK(tape->name == path);
    auto const missing = read_cassette(folder.path("none.jsonl"));
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error().kind == condition::unavailable);
    CHECK(missing.error().code == "lkt.cassette.unreadable");
    CHECK(contains(missing.error().message, "No such file"));
    CHECK(contains(read_cassette(folder.path("")).error().message, "not a regular file"));
    CHECK(contains(read_cassette("/dev/zero").error().message, "not a regular file"));
}

TEST_CASE("the example of the documentation is a cassette") {
    std::ifstream page(LKT_TEST_SOURCE_DIR "/../docs/llm.md");
    std::string const text{std::istreambuf_iterator<char>(page), {}};
    int examples = 0;
    for (auto const& block : fenced_blocks(text)) {
        if (block.language() != "json") continue;
        ++examples;
        auto const tape = parse_cassette(block.text, "docs/llm.md");
        CHECK(why_not(block.text).empty());
        CHECK(tape.value().exchanges.size() == 2);
    }
    CHECK(examples == 1);
}

TEST_CASE("whatever a file holds, it is read or its defect is named") {
    std::mt19937 random(23);
    std::string const sound = lines({head, line, hand, line});
    std::string_view const pieces[] = {"{",
                                       "}",
                                       "[",
                                       "]",
                                       "\"",
                                       ":",
                                       ",",
                                       "\n",
                                       "null",
                                       "1e999",
                                       "\\u12",
                                       "\"reply\"",
                                       "\"request\"",
                                       "\"text\"",
                                       "\xff",
                                       "\xc3",
                                       std::string_view("\0", 1)};
    int sound_ones = 0, defects = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = lines({random() % 2 ? head : hand, line, line});
        for (auto n = random() % 3; n > 0; --n) {
            auto const at = random() % (text.size() + 1);
            auto const cut = std::min<std::size_t>(random() % 12, text.size() - at);
            text.replace(at, cut, pieces[random() % std::size(pieces)]);
        }
        auto const tape = parse_cassette(text, "tape");
        if (tape) {
            ++sound_ones;
            auto const again = parse_cassette(to_text(*tape), "tape");
            REQUIRE(again.has_value());
            CHECK(to_text(*again) == to_text(*tape));
        } else {
            ++defects;
            REQUIRE(tape.error().message.starts_with("tape, line "));
        }
    }
    CHECK(sound_ones > 500);
    CHECK(defects > 1000);
}
