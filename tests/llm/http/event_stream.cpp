// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/http/detail/event_stream.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using lkt::detail::http::event_stream;
using lkt::detail::http::stream_event;
using events = std::vector<stream_event>;

events in_pieces(std::vector<std::string_view> const& pieces, bool with_rest) {
    event_stream stream;
    events all;
    for (auto const piece : pieces)
        stream.feed(piece, [&](stream_event const& event) { all.push_back(event); });
    if (with_rest)
        if (auto rest = stream.rest()) all.push_back(std::move(*rest));
    return all;
}

/// The same however the text is cut.
events read(std::string_view text, bool with_rest = false) {
    auto const at_once = in_pieces({text}, with_rest);
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
    REQUIRE(in_pieces(bytes, with_rest) == at_once);
    for (std::size_t i = 0; i <= text.size(); ++i)
        REQUIRE(in_pieces({text.substr(0, i), text.substr(i)}, with_rest) == at_once);
    return at_once;
}

} // namespace

TEST_CASE("an event ends with a blank line, whichever way lines end") {
    events const two{{"", "one"}, {"", "two"}};
    CHECK(read("data: one\n\ndata: two\n\n") == two);
    CHECK(read("data: one\r\n\r\ndata: two\r\n\r\n") == two);
    CHECK(read("data: one\r\rdata: two\r\r") == two);
    CHECK(read("data: one\r\n\ndata: two\n\r\n") == two);
    CHECK(read("\n\n\r\n\rdata: one\n\n\n\ndata: two\n\n") == two);
}

TEST_CASE("data of several lines is one text, and one blank after the colon is no part of it") {
    CHECK(read("data: a\ndata: b\ndata:  c\ndata:d\n\n") == events{{"", "a\nb\n c\nd"}});
    CHECK(read("data: a\r\ndata: b\r\n\r\n") == events{{"", "a\nb"}});
    CHECK(read("data: a\rdata: b\r\r") == events{{"", "a\nb"}});
    CHECK(read("data\ndata\n\n") == events{{"", "\n"}});
    CHECK(read("data:\n\n") == events{{"", ""}});
    CHECK(read("data: a: b\n\n") == events{{"", "a: b"}});
}

TEST_CASE("names belong to their event, comments and other fields are dropped") {
    CHECK(read("event: ping\ndata: {}\n\ndata: x\n\n") == events{{"ping", "{}"}, {"", "x"}});
    CHECK(read(": keep-alive\n\n: again\ndata: x\n:\nid: 7\nretry: 3000\nfoo: bar\nfoo\n\n") ==
          events{{"", "x"}});
    // Without data it is no event, and its name does not stick to the next one.
    CHECK(read("event: a\n\ndata: x\n\n") == events{{"", "x"}});
    CHECK(read("error: {\"code\":500}\n\n") == events{{"error", "{\"code\":500}"}});
}

TEST_CASE("one byte order mark is skipped, UTF-8 may be cut") {
    CHECK(read("\xEF\xBB\xBF"
               "data: x\n\n") == events{{"", "x"}});
    CHECK(read("data: x\n\n\xEF\xBB\xBF"
               "data: y\n\n") == events{{"", "x"}});
    CHECK(read("data: \xE2\x82\xAC \xF0\x9F\x98\x80\n\n") ==
          events{{"", "\xE2\x82\xAC \xF0\x9F\x98\x80"}});
}

TEST_CASE("an event that nothing ends is the rest") {
    CHECK(read("data: one\n\ndata: two").size() == 1);
    CHECK(read("data: one\n\ndata: two", true) == events{{"", "one"}, {"", "two"}});
    CHECK(read("data: one\ndata: two\n", true) == events{{"", "one\ntwo"}});
    CHECK(read("", true).empty());
    CHECK(read("event: x", true).empty());
}

TEST_CASE("lines have no limit") {
    std::string const large(3'000'000, 'x');
    event_stream stream;
    events found;
    auto const keep = [&](stream_event const& event) { found.push_back(event); };
    stream.feed("data: " + large, keep);
    CHECK(found.empty());
    stream.feed("\n\n", keep);
    REQUIRE(found.size() == 1);
    CHECK(found[0].data == large);
}

TEST_CASE("any bytes are read the same in any pieces") {
    std::mt19937 random(3);
    std::string_view const parts[] = {
        "data", ":", " ", "\r", "\n", "\r\n", "event", "x", "\xEF\xBB\xBF", "error", "\n\n"};
    for (int round = 0; round < 400; ++round) {
        std::string text;
        for (auto n = random() % 25; n > 0; --n) text += parts[random() % std::size(parts)];
        (void)read(text, true);
    }
}
