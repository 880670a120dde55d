// SPDX-License-Identifier: BSL-1.0
#include <lkt/search/space.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using lkt::parameter_value;
using lkt::search_space;
using parameters = std::vector<lkt::tunable_parameter>;

lkt::tunable_parameter range(std::string name, std::int64_t from, std::int64_t to) {
    lkt::tunable_parameter p{std::move(name), {}};
    for (std::int64_t v = from; v <= to; ++v) p.values.emplace_back(v);
    return p;
}
std::vector<lkt::expression> rules(std::vector<std::string> const& texts) {
    std::vector<lkt::expression> all;
    for (auto const& t : texts) all.push_back(lkt::expression::parse(t).value());
    return all;
}
lkt::error failing(parameters const& p,
                   std::vector<std::string> const& restrictions = {},
                   lkt::problem_size const& size = {},
                   lkt::space_limits const& limits = {}) {
    auto const made = search_space::make(p, rules(restrictions), size, limits);
    REQUIRE(!made.has_value());
    CHECK(!made.error().hint.empty());
    return made.error();
}
std::string shown(lkt::configuration const& c) {
    std::string text;
    for (auto const& [name, value] : c.values)
        text += name + std::to_string(std::get<std::int64_t>(value)) + " ";
    return text;
}

} // namespace

TEST_CASE("a walk gives every combination that meets the restrictions, the last name fastest") {
    parameters const p{range("A", 1, 3), range("B", 1, 2)};
    auto const all = search_space::make(p).value();
    std::string text;
    for (auto cursor = all.configurations(); auto c = cursor.next();) text += shown(*c) + "| ";
    CHECK(text == "A1 B1 | A1 B2 | A2 B1 | A2 B2 | A3 B1 | A3 B2 | ");
    CHECK(all.count() == 6);
    CHECK(all.unrestricted_count() == 6);
    auto const some = search_space::make(p, rules({"A != 2", "A + B < 5"})).value();
    text.clear();
    for (auto cursor = some.configurations(); auto c = cursor.next();) text += shown(*c) + "| ";
    CHECK(text == "A1 B1 | A1 B2 | A3 B1 | ");
    CHECK(some.count() == 3);
    CHECK(some.unrestricted_count() == 6);
    CHECK(some.useless_restrictions().empty());
    CHECK(!some.unsatisfiable());
}

TEST_CASE("the walk agrees with trying everything, on spaces of many shapes") {
    std::vector<std::vector<std::string>> const sets{{},
                                                     {"A * B <= 20"},
                                                     {"C % A == 0", "B < D"},
                                                     {"A == C", "B == D", "A > B"},
                                                     {"D > 2", "A * D >= C", "(A + B) % 2 == 0"},
                                                     {"N >= A * B", "ProblemSize[1] > D"}};
    parameters const p{range("A", 1, 5), range("B", 2, 6), range("C", 1, 4), range("D", 0, 4)};
    lkt::problem_size const size{{"N", 12}, {"M", 3}};
    for (auto const& texts : sets) {
        auto const restrictions = rules(texts);
        auto const space = search_space::make(p, restrictions, size).value();
        std::vector<lkt::configuration> brute, walked;
        for (auto const& a : p[0].values)
            for (auto const& b : p[1].values)
                for (auto const& c : p[2].values)
                    for (auto const& d : p[3].values) {
                        lkt::configuration const x{{{"A", a}, {"B", b}, {"C", c}, {"D", d}}};
                        bool ok = true;
                        for (auto const& r : restrictions)
                            ok = ok && r.evaluate_condition(lkt::scope_of(size, x)).value();
                        if (ok) brute.push_back(x);
                        CHECK(space.contains(x) == ok);
                    }
        for (auto cursor = space.configurations(); auto c = cursor.next();) walked.push_back(*c);
        CHECK((brute == walked));
        CHECK(space.count() == brute.size());
    }
}

TEST_CASE("what a restriction excludes is never entered") {
    // 10^12 combinations, two of which are left; only a walk that prunes gets there.
    parameters p;
    std::vector<std::string> restrictions;
    for (int k = 0; k < 12; ++k) {
        std::string const name = "P" + std::to_string(k);
        p.push_back(range(name, 0, 9));
        restrictions.push_back(k == 0 ? "P0 >= 8" : name + " == P" + std::to_string(k - 1));
    }
    auto const space = search_space::make(p, rules(restrictions), {}, {10, 300}).value();
    CHECK(space.count() == 2);
    CHECK(space.unrestricted_count() == 1'000'000'000'000);
}

TEST_CASE("without parameters there is one configuration; its restrictions may exclude it") {
    auto const one = search_space::make({}).value();
    CHECK(one.count() == 1);
    auto cursor = one.configurations();
    CHECK(cursor.next()->values.empty());
    CHECK(!cursor.next());
    CHECK(!cursor.next());
    auto const none = search_space::make({}, rules({"N > 5"}), {{"N", 3}}).value();
    CHECK(none.empty());
    CHECK(none.unsatisfiable()->why == "no configuration meets the restrictions (1 without them): "
                                       "`N > 5` fails 1 time");
}

TEST_CASE("a space without configurations says which restrictions leave nothing") {
    parameters const p{range("A", 1, 3), range("B", 1, 2)};
    auto const space = search_space::make(p, rules({"A > 1", "B > A", "B < 0"})).value();
    CHECK(space.empty());
    CHECK(!space.configurations().next());
    CHECK(space.unsatisfiable()->why ==
          "no configuration meets the restrictions (6 without them): `A > 1` fails 1 time, "
          "`B > A` fails 4 times");
    CHECK(space.useless_restrictions().empty());
}

TEST_CASE("a restriction that excludes nothing is reported") {
    parameters const p{range("A", 1, 3), range("B", 1, 2)};
    auto const space = search_space::make(p, rules({"A < 100", "B > 1", "A + B >= 3"})).value();
    CHECK(space.count() == 3);
    CHECK(space.useless_restrictions() == std::vector<std::string>{"A < 100", "A + B >= 3"});
}

TEST_CASE("a count beyond 64 bits is no number, and a walk that long ends with an error") {
    parameters p;
    for (int k = 0; k < 64; ++k) p.push_back(range("P" + std::to_string(k), 0, 1));
    CHECK(failing(p).code == "lkt.search.too_large");
    CHECK(failing(p).kind == lkt::condition::exhausted);
    CHECK(failing(p, {}, {}, {1000, 1000000}).message ==
          "the search space has more than 1000 configurations");
    // Nothing is left, but only a restriction over the last parameter says so.
    CHECK(failing(p, {"P63 > 1"}, {}, {1000, 5000}).message ==
          "the search space was not enumerated within 5000 steps");
    auto const pinned = search_space::make(p, rules([] {
                                               std::vector<std::string> all;
                                               for (int k = 0; k < 64; ++k)
                                                   all.push_back("P" + std::to_string(k) + " == 1");
                                               return all;
                                           }()))
                            .value();
    CHECK(pinned.count() == 1);
    CHECK(!pinned.unrestricted_count());
    CHECK(search_space::make(parameters(p.begin(), p.begin() + 5)).value().unrestricted_count() ==
          32);
}

TEST_CASE("parameters that cannot be meant are errors") {
    CHECK(failing({range("A", 1, 2), {"B", {}}}).code == "lkt.search.no_values");
    CHECK(failing({range("A", 1, 2), range("A", 3, 4)}).code == "lkt.search.duplicate_parameter");
    auto const twice = failing({{"A", {std::int64_t{4}, std::int64_t{8}, std::int64_t{4}}}});
    CHECK(twice.code == "lkt.search.duplicate_value");
    CHECK(twice.message == "the parameter A has a value twice: A = 4");
    CHECK(failing({range("A", 0, 4096)}).code == "lkt.search.too_many_values");
    CHECK(search_space::make(parameters{range("A", 1, 4096)}).value().count() == 4096);
    CHECK(failing({{"A", {std::nan("")}}}).code == "lkt.search.bad_value");
    CHECK(failing({{"A", {std::numeric_limits<double>::infinity()}}}).code ==
          "lkt.search.bad_value");
    CHECK(failing({range("N", 1, 2)}, {}, {{"N", 100}}).code == "lkt.search.ambiguous_name");
}

TEST_CASE("restrictions that cannot be evaluated are errors that show why") {
    parameters const p{range("A", 0, 2), range("B", 1, 2)};
    auto const unknown = failing(p, {"A < BLOCK"}, {{"N", 4}});
    CHECK(unknown.code == "lkt.search.unknown_name");
    CHECK(unknown.message == "the restriction `A < BLOCK` uses the unknown name BLOCK");
    CHECK(unknown.hint == "It may use A, B, N, and ProblemSize[k].");
    CHECK(failing({}, {"X > 1"}).code == "lkt.search.unknown_name");
    auto const zero = failing(p, {"B % A == 0"});
    CHECK(zero.code == "lkt.search.bad_restriction");
    CHECK(zero.message.find("`B % A == 0` cannot be evaluated with") != std::string::npos);
    CHECK(zero.message.find("A = 0") != std::string::npos);
    // One before it may guard it.
    CHECK(search_space::make(p, rules({"A > 0", "B % A == 0"})).value().count() == 3);
    CHECK(failing(p, {"ProblemSize[3] > A"}, {{"N", 4}}).code == "lkt.search.bad_restriction");
    CHECK(failing({{"A", {std::string("x")}}}, {"A > 1"}).code == "lkt.search.bad_restriction");
}

TEST_CASE("a space contains its own configurations only, written as it writes them") {
    parameters const p{{"A", {std::int64_t{1}, std::int64_t{2}}},
                       {"S", {std::string("x"), true, 0.5}}};
    auto const space = search_space::make(p, rules({"A < 3"})).value();
    using c = lkt::configuration;
    CHECK(space.contains(c{{{"A", std::int64_t{1}}, {"S", 0.5}}}));
    CHECK(space.contains(c{{{"A", std::int64_t{2}}, {"S", std::string("x")}}}));
    CHECK_FALSE(space.contains(c{{{"A", std::int64_t{3}}, {"S", 0.5}}}));
    CHECK_FALSE(space.contains(c{{{"A", 1.0}, {"S", 0.5}}}));
    CHECK_FALSE(space.contains(c{{{"S", 0.5}, {"A", std::int64_t{1}}}}));
    CHECK_FALSE(space.contains(c{{{"A", std::int64_t{1}}}}));
    CHECK_FALSE(space.contains(c{}));
    CHECK(space.parameters() == p);
}
