// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/request_key.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <cstdint>
#include <set>
#include <string>

using namespace lkt;

namespace {

// The recipe of the documentation, written down a second time.
std::string fnv(std::string const& text) {
    std::uint64_t h = 14695981039346656037u;
    for (char c : text) {
        h ^= static_cast<unsigned char>(c);
        h *= 1099511628211u;
    }
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(h >> shift) & 15];
    return digits;
}

} // namespace

TEST_CASE("the key is the documented hash of the documented text") {
    chat_request r;
    CHECK(request_key(r) == "cbf29ce484222325");
    r.messages = {{role::system, "be brief"}, {role::user, "h\xc3\xa9llo"}};
    CHECK(request_key(r) == fnv("system 8\nbe brief\nuser 6\nh\xc3\xa9llo\n"));
    r.temperature = 0.2;
    r.max_tokens = 100;
    r.seed = 18446744073709551615u;
    CHECK(request_key(r) == fnv("system 8\nbe brief\nuser 6\nh\xc3\xa9llo\ntemperature "
                                "0.2\nmax_tokens 100\nseed 18446744073709551615\n"));
    r = {};
    r.format = answer_format{answer_kind::tool_call, "plan", "", "{}"};
    r.effort = effort::low;
    CHECK(request_key(r) == fnv("format tool_call\n4\nplan\n0\n\n2\n{}\neffort low\n"));
}

TEST_CASE("whatever makes a difference changes the key") {
    std::set<std::string> keys;
    auto r = archetypes::ask("ab");
    keys.insert(request_key(r));
    r.messages.push_back({role::user, ""});
    keys.insert(request_key(r));
    r.messages = {{role::user, "a"}, {role::user, "b"}};
    keys.insert(request_key(r));
    r.messages = {{role::assistant, "ab"}};
    keys.insert(request_key(r));
    r = archetypes::ask("ab");
    r.temperature = 0;
    keys.insert(request_key(r));
    r.temperature.reset();
    r.max_tokens = 0;
    keys.insert(request_key(r));
    r.max_tokens.reset();
    r.seed = 0;
    keys.insert(request_key(r));
    r = archetypes::ask("ab\nuser 0\n");
    keys.insert(request_key(r));
    r.effort = effort::none;
    keys.insert(request_key(r));
    r.format = answer_format{};
    keys.insert(request_key(r));
    r.format->kind = answer_kind::json_object;
    keys.insert(request_key(r));
    r.format->name = "1\na";
    keys.insert(request_key(r));
    CHECK(keys.size() == 12);
}

TEST_CASE("bytes that are not UTF-8 are replaced, what is UTF-8 stays") {
    auto const clean = [](std::string text) {
        return canonical(archetypes::ask(std::move(text))).messages[0].text;
    };
    std::string const replacement = "\xEF\xBF\xBD";
    for (std::string const good : {"",
                                   "abc",
                                   "\xc3\xa9",
                                   "\xe2\x82\xac",
                                   "\xf0\x9f\x98\x80",
                                   "\xed\x9f\xbf",
                                   "\xee\x80\x80",
                                   "\xf4\x8f\xbf\xbf"})
        CHECK(clean(good) == good);
    CHECK(clean("a\xff\x62") == "a" + replacement + "b");
    CHECK(clean("\xc0\xaf") == replacement + replacement);                   // overlong
    CHECK(clean("\xed\xa0\x80") == replacement + replacement + replacement); // surrogate
    CHECK(clean("\xf4\x90\x80\x80").size() == 12);                           // beyond U+10FFFF
    CHECK(clean("\xe2\x82") == replacement + replacement);                   // cut off
    CHECK(request_key(archetypes::ask("a\xff")) == request_key(archetypes::ask("a" + replacement)));
}
