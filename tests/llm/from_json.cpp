// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/from_json.hpp>

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "answers.hpp"

#include <limits>
#include <string>
#include <string_view>

using namespace lkt_test;

namespace {

/// The faults in `text`, or "" where it is read.
template <class T>
std::string faults(std::string_view text, lkt::reading_options options = {}) {
    auto const read = lkt::from_json<T>(boost::json::parse(text), options);
    if (read) return "";
    CHECK(read.error().code == "lkt.answer.invalid");
    CHECK(read.error().kind == lkt::condition::rejected);
    return read.error().message;
}

template <class T>
T read(std::string_view text, lkt::reading_options options = {}) {
    auto const value = lkt::from_json<T>(boost::json::parse(text), options);
    if (!value) FAIL(value.error().message);
    return *value;
}

struct widths {
    std::int8_t i8{};
    std::uint16_t u16{};
    std::int64_t i64{};
    std::uint64_t u64{};
    float f{};
    using state_fields =
        lkt::fields<&widths::i8, &widths::u16, &widths::i64, &widths::u64, &widths::f>;
};
std::string width(std::string_view member, std::string_view value) {
    std::string text = "{";
    for (std::string_view const name : {"i8", "u16", "i64", "u64", "f"})
        ((((text += text == "{" ? "\"" : ",\"") += name) += "\":") += name == member ? value : "0");
    return text + "}";
}

struct inner {
    std::map<std::string, std::vector<int>> lists;
    using state_fields = lkt::fields<&inner::lists>;
};
struct outer {
    std::vector<inner> parts;
    std::optional<inner> last;
    using state_fields = lkt::fields<&outer::parts, &outer::last>;
};

constexpr std::string_view good_plan = R"({"steps": [
    {"title": "Tile", "relieves": "memory", "expected_gain": 40, "risk": null},
    {"title": "Unroll", "relieves": "launch", "expected_gain": 5.0}]})";

} // namespace

TEST_CASE("structs, lists, enums, optionals") {
    CHECK((read<plan>(good_plan) == plan{{{"Tile", bottleneck::memory, 40, std::nullopt},
                                          {"Unroll", bottleneck::launch_, 5, std::nullopt}}}));
    CHECK((read<opinion>(R"({"worth_it": true, "reason": "\u00e9\n"})") == opinion{true, "é\n"}));
    CHECK((read<launch>(R"({"block": [32, 8, 1], "blocks_of": [2, 2, 2], "shared_bytes": 4096,
                            "unroll": 4})") == launch{{32, 8, 1}, {2, 2, 2}, 4096, 4}));
    CHECK((read<accuracy>(R"({"compute_in": "fp16", "most_ulps": 4, "associative": false,
                              "per_output": [true, false]})") ==
           accuracy{half_precision, 4, false, {true, false}}));
    CHECK((read<estimate>(R"({"speedup": 2, "share": 0.5, "bandwidth": 1e3})") ==
           estimate{2, 0.5f, 1000}));
    CHECK((read<rewritten>(R"({"code": "a", "parameters": [], "how": null})") ==
           rewritten{"a", {}, std::nullopt}));
    CHECK(read<std::vector<int>>("[1, 2]").size() == 2);
}

TEST_CASE("a map is a list of entries, or an object") {
    argument_roles const expected{{{"a", flow::in}, {"b", flow::both}}};
    CHECK((read<argument_roles>(R"({"roles": [{"key": "a", "value": "in"},
                                              {"key": "b", "value": "both"}]})") == expected));
    CHECK((read<argument_roles>(R"({"roles": {"b": "both", "a": "in"}})") == expected));
    CHECK(faults<argument_roles>(R"({"roles": {"a": "on"}})") ==
          R"(roles["a"] is "on"; it must be "in", "out" or "both")");
    CHECK(faults<argument_roles>(R"({"roles": [{"key": "a", "value": "in"},
                                               {"key": "a", "value": "out"}]})") ==
          R"(roles has the key "a" twice)");
    CHECK(faults<argument_roles>(R"({"roles": [{"key": 1, "value": "in"}]})") ==
          "roles[0] has a key that is not text");
    CHECK(faults<argument_roles>(R"({"roles": [{"kez": "a", "value": "on"}]})") ==
          "the answer has 2 faults: roles[0] has no key. roles[0].kez is unknown; did you mean "
          "key?");
    CHECK(faults<argument_roles>(R"({"roles": [{"key": "a"}]})") == "roles[0] has no value");
    CHECK(faults<argument_roles>(R"({"roles": ["a"]})") ==
          R"(roles[0] is "a"; it must be an object with "key" and "value")");
    CHECK(faults<argument_roles>(R"({"roles": 1})") ==
          R"(roles is 1; it must be a list of objects with "key" and "value")");
    CHECK(faults<argument_roles>(R"({"roles": {"": "in"}})") ==
          R"(roles[""].key has 0 characters; it must have 1 to 16 characters)");
    CHECK(faults<argument_roles>(R"({"roles": [{"key": "", "value": "in"}]})") ==
          R"(roles[0].key has 0 characters; it must have 1 to 16 characters)");
    CHECK(faults<argument_roles>(R"({"roles": []})") ==
          "roles has 0 items; it must have 1 to 4 items");
}

TEST_CASE("a variant says by `kind` which struct it is") {
    CHECK((read<next_move>(R"({"move": {"kind": "stop_here", "reason": "done"}})") ==
           next_move{stop_here{"done"}}));
    CHECK((read<next_move>(R"({"move": {"parameters": [{"name": "T", "values": [8]}],
                                        "kind": "retune"}})") == next_move{retune{{{"T", {8}}}}}));
    CHECK(faults<next_move>(R"({"move": {"reason": "done"}})") ==
          R"(move.kind is missing; it must be "stop_here", "retune" or "plan_step")");
    CHECK(faults<next_move>(R"({"move": {"kind": "stop", "reason": "done"}})") ==
          R"(move.kind is "stop"; it must be "stop_here", "retune" or "plan_step")");
    CHECK(faults<next_move>(R"({"move": {"kind": 1}})").starts_with("move.kind is 1; "));
    CHECK(faults<next_move>(R"({"move": {"kind": "stop_here", "parameters": []}})") ==
          "the answer has 2 faults: move.reason is missing. move.parameters is unknown; the "
          "members are kind, reason");
    CHECK(faults<next_move>(R"({"move": []})") == "move is an empty list; it must be an object");
}

TEST_CASE("faults are named by their paths") {
    CHECK(faults<plan>(R"({"steps": [
              {"title": "a", "relieves": "memory", "expected_gain": 1},
              {"title": "b", "relieves": "memory", "expected_gain": 101}]})") ==
          "steps[1].expected_gain is 101; it must be from 0 to 100");
    CHECK(faults<outer>(R"({"parts": [{"lists": {"a b": [1, "x"]}}], "last": {"lists": 1}})") ==
          "the answer has 2 faults: parts[0].lists[\"a b\"][1] is \"x\"; it must be a whole "
          "number. last.lists is 1; it must be a list of objects with \"key\" and \"value\"");
    CHECK(faults<outer>(R"({"parts": [{"lists": [{"key": "a", "value": [1.5]}]}]})") ==
          "parts[0].lists[0].value[0] is 1.5; it must be a whole number");
    CHECK(faults<plan>("[]") == "the answer is an empty list; it must be an object");
    CHECK(faults<plan>("null") == "the answer is null; it must be an object");
    CHECK(faults<std::vector<int>>("[true]") == "[0] is true; it must be a whole number");
    CHECK(faults<plan>("{}") == "steps is missing");
}

TEST_CASE("numbers fit their types") {
    CHECK(read<widths>(width("i8", "-128")).i8 == -128);
    CHECK(faults<widths>(width("i8", "128")) == "i8 is 128; it must be from -128 to 127");
    CHECK(faults<widths>(width("i8", "-129")) == "i8 is -129; it must be from -128 to 127");
    CHECK(faults<widths>(width("i8", "1e3")) == "i8 is 1000; it must be from -128 to 127");
    CHECK(read<widths>(width("u16", "65535.0")).u16 == 65535);
    CHECK(faults<widths>(width("u16", "-1")) == "u16 is -1; it must be from 0 to 65535");
    CHECK(read<widths>(width("i64", "-9223372036854775808")).i64 ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(faults<widths>(width("i64", "9223372036854775808")).starts_with("i64 is 922337"));
    CHECK(read<widths>(width("u64", "18446744073709551615")).u64 ==
          std::numeric_limits<std::uint64_t>::max());
    CHECK(faults<widths>(width("u64", "1e30")) ==
          "u64 is 1e+30; it must be from 0 to 18446744073709551615");
    CHECK(faults<widths>(width("u64", "-0.5")) == "u64 is -0.5; it must be a whole number");
    CHECK(faults<widths>(width("f", "1e39")).starts_with("f is 1e+39; it must be at most 3.40"));
    CHECK(faults<widths>(width("f", "null")) == "f is null; it must be a number");
    // What no text can say, a value can.
    boost::json::value const endless = std::numeric_limits<double>::infinity();
    CHECK(lkt::from_json<double>(endless).has_error());
    CHECK(lkt::from_json<int>(endless).has_error());
    boost::json::value const none = std::numeric_limits<double>::quiet_NaN();
    CHECK(lkt::from_json<double>(none).has_error());
}

TEST_CASE("bounds hold") {
    CHECK(faults<tunable>(R"({"name": "", "values": [0, 1, 2000]})") ==
          "the answer has 3 faults: name has 0 characters; it must have 1 to 32 characters. "
          "values[0] is 0; it must be from 1 to 1024. values[2] is 2000; it must be from 1 to "
          "1024");
    CHECK(faults<tunable>(R"({"name": "a", "values": [1,2,3,4,5,6,7,8,9]})") ==
          "values has 9 items; it must have 1 to 8 items");
    CHECK(faults<launch>(R"({"block": [1, 2], "blocks_of": [1, 1, 1], "shared_bytes": 0})") ==
          "block has 2 items; it must have exactly 3 items");
    CHECK(faults<launch>(R"({"block": [1, 1, 1], "blocks_of": [1, 1, 1], "shared_bytes": 0,
                             "unroll": 65})") == "unroll is 65; it must be from 1 to 64");
    // Characters are code points.
    std::string umlauts;
    for (int i = 0; i < 32; ++i) umlauts += "ä";
    CHECK(faults<tunable>("{\"name\": \"" + umlauts + "\", \"values\": [1]}").empty());
    CHECK(faults<tunable>("{\"name\": \"" + umlauts + "ä\", \"values\": [1]}") ==
          "name has 33 characters; it must have 1 to 32 characters");
}

TEST_CASE("unknown members are refused unless they are let pass") {
    constexpr std::string_view misspelt = R"({"worth_it": true, "raeson": "x"})";
    CHECK(faults<opinion>(misspelt) ==
          "the answer has 2 faults: reason is missing. raeson is unknown; did you mean reason?");
    CHECK(faults<opinion>(misspelt, {.unknown_members = true}) == "reason is missing");
    constexpr std::string_view more = R"({"worth_it": true, "reason": "x", "confidence": 1})";
    CHECK(faults<opinion>(more) == "confidence is unknown; the members are worth_it, reason");
    CHECK(faults<opinion>(more, {.unknown_members = true}).empty());
}

TEST_CASE("near misses pass where they may") {
    lkt::reading_options const near{.near_misses = true};
    constexpr std::string_view text =
        R"({"title": 3, "relieves": "Memory", "expected_gain": " 40", "risk": true})";
    CHECK((read<plan_step>(text, near) == plan_step{"3", bottleneck::memory, 40, "true"}));
    CHECK(faults<plan_step>(text) ==
          "the answer has 4 faults: title is 3; it must be a text. relieves is \"Memory\"; it must "
          "be \"memory\", \"compute\", \"latency\", \"launch\" or \"unknown\". expected_gain is "
          "\" 40\"; it must be a whole number. risk is true; it must be a text");
    CHECK(read<opinion>(R"({"worth_it": "False", "reason": "r"})", near) == opinion{false, "r"});
    CHECK(read<next_move>(R"({"move": {"kind": "stop_here", "reason": "r"}})", near) ==
          next_move{stop_here{"r"}});
    CHECK(faults<opinion>(R"({"worth_it": "maybe", "reason": "r"})", near) ==
          "worth_it is \"maybe\"; it must be true or false");
    // They are no way around bounds.
    CHECK(faults<tunable>(R"({"name": "n", "values": ["2000"]})", near) ==
          "values[0] is 2000; it must be from 1 to 1024");
    CHECK(faults<tunable>(R"({"name": "n", "values": ["2 or 4", "", "0x10", "1.5"]})", near) ==
          "the answer has 4 faults: values[0] is \"2 or 4\"; it must be a whole number. values[1] "
          "is \"\"; it must be a whole number. values[2] is \"0x10\"; it must be a whole number. "
          "values[3] is 1.5; it must be a whole number");
    CHECK(faults<estimate>(R"({"speedup": "inf", "share": "nan", "bandwidth": "1e3"})", near) !=
          "");
}

TEST_CASE("faults are bounded in number and in length") {
    std::string many = "[";
    for (int i = 0; i < 1000; ++i) many += "\"" + std::string(1000, 'x') + "\",";
    many.back() = ']';
    auto const all = faults<std::vector<int>>(many);
    CHECK(all.starts_with("the answer has 10 faults: [0] is \"xxxx"));
    CHECK(all.ends_with("; there is more"));
    CHECK(all.size() < 1200);
    CHECK(faults<std::vector<int>>("[{}, {}, {}]", {.max_faults = 2}) ==
          "the answer has 2 faults: [0] is an object; it must be a whole number. [1] is an object; "
          "it must be a whole number; there is more");
    CHECK(faults<std::vector<int>>("[{}, {}]", {.max_faults = 0}).ends_with("there is more"));
    CHECK(faults<std::vector<int>>("[{}]", {.max_faults = 1}) ==
          "[0] is an object; it must be a whole number");
}

TEST_CASE("a reply's text: bare, fenced, with reasoning") {
    auto const reason = [](std::string_view text) {
        auto const found = lkt::read_answer<opinion>(text);
        return found ? found->reason : found.error().message;
    };
    CHECK(reason(R"({"worth_it": true, "reason": "bare"})") == "bare");
    CHECK(reason("Yes:\n```json\n{\"worth_it\": true, \"reason\": \"draft\"}\n```\nor rather\n"
                 "```json\n{\"worth_it\": true, \"reason\": \"last\"}\n```\n") == "last");
    CHECK(reason("<think>\n{\"worth_it\"</think>\n{\"worth_it\": true, \"reason\": \"clear\"}") ==
          "clear");
    CHECK(reason("```json\n{\"worth_it\": true, \"reason\": \"open\",}") == "open");
    // A text within bare JSON may look like a fence or a tag.
    CHECK(reason(R"({"worth_it": true, "reason": "a </think>)"
                 "\",\n\"x\": 1}") == "x is unknown; the members are worth_it, reason");
    CHECK(reason("Yes, it is.") == "the reply has no fenced json block");
    CHECK(reason("{\"worth_it\": tru").starts_with("the reply has no"));
    CHECK(reason("```json\n{\"worth_it\": tru\n```").starts_with("the json block is not valid"));
    CHECK(reason(std::string(100000, '[')).size() < 200);
}
