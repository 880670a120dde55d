// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/schema.hpp>

#include <doctest/doctest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "answers.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace lkt_test;
namespace json = boost::json;

namespace {

/// What strict servers ask of a schema, at any depth; returns the number of objects.
int check_strict(json::value const& schema) {
    int objects = 0;
    if (auto const* list = schema.if_array())
        for (auto const& one : *list) objects += check_strict(one);
    auto const* o = schema.if_object();
    if (!o) return objects;
    for (auto const& [key, value] : *o) {
        if (key == "properties") {
            for (auto const& member : value.as_object()) objects += check_strict(member.value());
        } else if (value.is_object() || value.is_array()) {
            objects += check_strict(value);
        }
    }
    auto const* type = o->if_contains("type");
    if (!type || *type != "object") return objects;
    REQUIRE(o->contains("properties"));
    CHECK(o->at("additionalProperties") == false);
    json::array names;
    for (auto const& member : o->at("properties").as_object()) names.emplace_back(member.key());
    CHECK(o->at("required") == names);
    CHECK_FALSE(names.empty());
    return objects + 1;
}

template <class T>
json::object schema_object() {
    return json::parse(lkt::schema_of<T>()).as_object();
}

struct odd_names {
    enum class color { red, auto_ };
    bool default_{};
    color class_{};
    std::vector<std::vector<int>> grid;
    using state_fields = lkt::fields<&odd_names::default_, &odd_names::class_, &odd_names::grid>;
    static constexpr auto notes =
        lkt::notes("Says \"so\".\n\tA \\ and \x01.",
                   lkt::note<&odd_names::grid>("", lkt::items{2, 2}, lkt::range{.min = -1}));
};
struct widths {
    std::int8_t a{};
    std::uint16_t b{};
    std::int32_t c{};
    std::int64_t d{};
    std::uint64_t e{};
    double f{};
    int g{};
    std::uint8_t h{};
    using state_fields = lkt::fields<&widths::a,
                                     &widths::b,
                                     &widths::c,
                                     &widths::d,
                                     &widths::e,
                                     &widths::f,
                                     &widths::g,
                                     &widths::h>;
    static constexpr auto notes = lkt::notes(lkt::note<&widths::f>("", lkt::range{0.5, 1e300}),
                                             lkt::note<&widths::g>("", lkt::range{0.5, 7.5}),
                                             lkt::note<&widths::h>("", lkt::range{-5, 1000}));
};

} // namespace

TEST_CASE("the schema of a small struct, letter by letter") {
    CHECK(lkt::schema_of<opinion>() ==
          R"~({"type":"object","properties":{"worth_it":{"type":"boolean"},"reason":)~"
          R"~({"description":"one sentence (1 to 200 characters)","type":"string","minLength":1,)~"
          R"~("maxLength":200}},"required":["worth_it","reason"],"additionalProperties":false})~");
}

TEST_CASE("nested structs, enums and optionals") {
    CHECK(
        lkt::schema_of<plan>() ==
        R"~({"description":"A plan to make the kernel faster.","type":"object","properties":)~"
        R"~({"steps":{"description":"the most promising first (1 to 5 items)","type":"array",)~"
        R"~("minItems":1,"maxItems":5,"items":{"description":"One isolated change of device code.",)~"
        R"~("type":"object","properties":{"title":{"description":"in the imperative (1 to 80 )~"
        R"~(characters)","type":"string","minLength":1,"maxLength":80},"relieves":{"description":)~"
        R"~("what limits the kernel now","type":"string","enum":["memory","compute","latency",)~"
        R"~("launch","unknown"]},"expected_gain":{"description":"percent of the time (from 0 to )~"
        R"~(100)","type":"integer","minimum":0,"maximum":100},"risk":{"description":"what may go )~"
        R"~(wrong (at most 120 characters)","anyOf":[{"type":"string","maxLength":120},{"type":)~"
        R"~("null"}]}},"required":["title","relieves","expected_gain","risk"],)~"
        R"~("additionalProperties":false}}},"required":["steps"],"additionalProperties":false})~");
}

TEST_CASE("a map is a list of its entries") {
    CHECK(
        lkt::schema_of<argument_roles>() ==
        R"~({"type":"object","properties":{"roles":{"description":"each argument by its name )~"
        R"~((1 to 4 items, each 1 to 16 characters)","type":"array","minItems":1,"maxItems":4,"items":{"type":"object",)~"
        R"~("properties":{"key":{"type":"string","minLength":1,"maxLength":16},"value":{"type":"string","enum":["in","out",)~"
        R"~("both"]}},"required":["key","value"],"additionalProperties":false}}},"required":)~"
        R"~(["roles"],"additionalProperties":false})~");
}

TEST_CASE("a variant is any of its structs, which say what they are") {
    auto const any = schema_object<next_move>().at("properties").at("move").at("anyOf");
    REQUIRE(any.as_array().size() == 3);
    CHECK(json::serialize(any.at(0).at("properties").at("kind")) ==
          R"~({"type":"string","enum":["stop_here"]})~");
    CHECK(json::serialize(any.at(2).at("required")) ==
          R"~(["kind","title","relieves","expected_gain","risk"])~");
}

TEST_CASE("names that C++ cannot have, and texts that JSON cannot") {
    auto const o = schema_object<odd_names>();
    CHECK(o.at("description") == "Says \"so\".\n\tA \\ and \x01.");
    CHECK(json::serialize(o.at("required")) == R"~(["default","class","grid"])~");
    CHECK(json::serialize(o.at("properties").at("class")) ==
          R"~({"type":"string","enum":["red","auto"]})~");
    CHECK(json::serialize(o.at("properties").at("grid")) ==
          R"~({"description":"exactly 2 items, each at least -1","type":"array","minItems":2,)~"
          R"~("maxItems":2,"items":{"type":"array","items":{"type":"integer","minimum":-1,)~"
          R"~("maximum":2147483647}}})~");
}

TEST_CASE("a number's bounds are those of the note and of the type") {
    auto const of = [](std::string_view member) {
        auto o = schema_object<widths>().at("properties").at(member).as_object();
        o.stable_erase("description");
        return json::serialize(o);
    };
    CHECK(of("a") == R"~({"type":"integer","minimum":-128,"maximum":127})~");
    CHECK(of("b") == R"~({"type":"integer","minimum":0,"maximum":65535})~");
    CHECK(of("c") == R"~({"type":"integer","minimum":-2147483648,"maximum":2147483647})~");
    CHECK(of("d") == R"~({"type":"integer"})~");
    CHECK(of("e") == R"~({"type":"integer","minimum":0})~");
    CHECK(of("f") == R"~({"type":"number","minimum":5E-1,"maximum":1E300})~");
    CHECK(of("g") == R"~({"type":"integer","minimum":1,"maximum":7})~");
    CHECK(of("h") == R"~({"type":"integer","minimum":0,"maximum":255})~");
}

TEST_CASE("without bounds as keywords they still stand in the descriptions") {
    CHECK(lkt::schema_of<problem_size>({.bounds = false}) ==
          R"~({"type":"object","properties":{"names":{"description":"1 to 3 items, each 1 to 32 )~"
          R"~(characters","type":"array","items":{"type":"string"}},"dimensions":{"description":)~"
          R"~("from 1 to 3","type":"integer"}},"required":["names","dimensions"],)~"
          R"~("additionalProperties":false})~");
    CHECK(lkt::schema_of<launch>({.bounds = false})
              .find("threads in x, y and z (each from 1 to "
                    "1024); exactly 3 items") != std::string::npos);
    CHECK(lkt::detail::has_bounds(lkt::detail::answer_shape_of<launch>));
    CHECK_FALSE(lkt::detail::has_bounds(lkt::detail::answer_shape_of<estimate>));
}

TEST_CASE_TEMPLATE("every schema is what strict servers accept, and always the same",
                   T,
                   opinion,
                   plan_step,
                   plan,
                   tunable,
                   search_space,
                   restrictions,
                   breakdown,
                   problem_size,
                   launch,
                   argument_roles,
                   next_move,
                   accuracy,
                   estimate,
                   rewritten,
                   odd_names,
                   widths) {
    CHECK(check_strict(schema_object<T>()) >= 1);
    CHECK(check_strict(json::parse(lkt::schema_of<T>({.bounds = false}))) >= 1);
    CHECK(lkt::schema_of<T>() == lkt::schema_of<T>());
}

TEST_CASE("parts have schemas too") {
    CHECK(lkt::schema_of<std::vector<precision>>() ==
          R"~({"type":"array","items":{"type":"string","enum":["fp16","fp32","fp64"]}})~");
}
