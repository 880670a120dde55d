// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/http/detail/ndjson.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using lines = std::vector<std::string>;

lines in_pieces(std::vector<std::string_view> const& pieces) {
    lkt::detail::http::line_stream stream;
    lines all;
    for (auto const piece : pieces)
        stream.feed(piece, [&](std::string_view line) { all.emplace_back(line); });
    if (auto rest = stream.rest()) all.push_back(std::move(*rest));
    CHECK_FALSE(stream.rest().has_value());
    return all;
}

lines read(std::string_view text) {
    auto const at_once = in_pieces({text});
    for (std::size_t i = 0; i <= text.size(); ++i)
        REQUIRE(in_pieces({text.substr(0, i), text.substr(i)}) == at_once);
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
    REQUIRE(in_pieces(bytes) == at_once);
    return at_once;
}

} // namespace

TEST_CASE("lines end with LF or CRLF, the last one with the text") {
    CHECK(read("{\"a\":1}\n{\"b\":2}\n") == lines{"{\"a\":1}", "{\"b\":2}"});
    CHECK(read("{\"a\":1}\r\n{\"b\":2}\r\n") == lines{"{\"a\":1}", "{\"b\":2}"});
    CHECK(read("{\"a\":1}\n{\"b\":2}") == lines{"{\"a\":1}", "{\"b\":2}"});
    CHECK(read("{\"a\":1}\r\n{\"b\":2}\r") == lines{"{\"a\":1}", "{\"b\":2}"});
    CHECK(read("a\rb\n") == lines{"a\rb"});
}

TEST_CASE("blank lines are dropped, a byte order mark is skipped") {
    CHECK(read("\n\r\n \t\n{}\n\n\n{}\n \n") == lines{"{}", "{}"});
    CHECK(read("").empty());
    CHECK(read("\n").empty());
    CHECK(read("\xEF\xBB\xBF{}\n") == lines{"{}"});
}

TEST_CASE("any line is taken, however long") {
    std::string const large(2'000'000, 'x');
    lkt::detail::http::line_stream stream;
    lines found;
    auto const keep = [&](std::string_view line) { found.emplace_back(line); };
    stream.feed(large, keep);
    CHECK(found.empty());
    stream.feed("\n", keep);
    CHECK(found == lines{large});
}
