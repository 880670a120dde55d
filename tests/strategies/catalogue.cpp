// SPDX-License-Identifier: BSL-1.0
// The list of strategies in docs/strategies.md is the catalogue's. LKT_REFRESH_GOLDEN=1 renews it.
#include <lkt/strategies/catalogue.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/strategies/repeated.hpp>

#include <boost/hana/append.hpp>
#include <boost/hana/size.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace {

namespace hana = boost::hana;

/// A number that a user's strategy was made with.
struct patient {
    int patience;

    static constexpr auto graph = [] {
        using namespace lkt::dsl;
        return lkt::graph<lkt::tuning_state>(node<lkt::begin_step>(to(stop<lkt::unchanged>)));
    }();
};

static_assert(patient::graph.size == 1);

/// The rows of the table in docs/strategies.md.
std::string table() {
    std::string rows;
    hana::for_each(lkt::catalogue, [&]<class Entry>(Entry const& entry) {
        std::string const page(lkt::graph_name<typename Entry::strategy>);
        rows += "| [" + page + "](strategies/" + page + ".md) | `" + std::string(entry.name) +
                "` | " + std::string(entry.about) + " | ";
        auto const strategy = entry.make();
        std::string numbers;
        lkt::for_each_number(strategy, [&](lkt::number const& n, int) {
            numbers += (numbers.empty() ? "`" : ", `") + std::string(n.name) + "`";
        });
        rows += numbers + (numbers.empty() ? "|\n" : " |\n");
    });
    return rows;
}

} // namespace

TEST_CASE("The documentation lists the strategies of the catalogue") {
    std::string const path = std::string(LKT_TEST_SOURCE_DIR) + "/../docs/strategies.md";
    std::ifstream file(path);
    REQUIRE_MESSAGE(file.good(), path << " is missing");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::string const head =
        "| strategy | `--strategy` | what it does | numbers |\n|---|---|---|---|\n";
    auto const begin = text.find(head);
    REQUIRE(begin != std::string::npos);
    auto const from = begin + head.size();
    auto const to = text.find("\n\n", from) + 1;
    if (char const* refresh = std::getenv("LKT_REFRESH_GOLDEN"); refresh && *refresh == '1') {
        text.replace(from, to - from, table());
        std::ofstream(path) << text;
        MESSAGE("wrote " << path);
        return;
    }
    CHECK_MESSAGE(text.substr(from, to - from) == table(),
                  path << " lists others; LKT_REFRESH_GOLDEN=1 renews it");
}

TEST_CASE("Each strategy has a name of its own, numbers in range and a tuning graph") {
    std::set<std::string_view> names;
    hana::for_each(lkt::catalogue, [&](auto const& entry) {
        CAPTURE(entry.name);
        CHECK(names.insert(entry.name).second);
        CHECK(lkt::check_numbers(entry.make(), entry.name).has_value());
        std::set<std::string_view> numbers; // a command line has one flag for each
        auto const strategy = entry.make();
        lkt::for_each_number(strategy, [&](lkt::number const& n, int) {
            CHECK(numbers.insert(n.name).second);
            CHECK_FALSE(n.what.empty());
            CHECK(n.min <= n.max);
        });
    });
    CHECK(names.size() == 9);
    CHECK(lkt::names_in(lkt::catalogue).starts_with("one-prompt, autonomous, "));
}

TEST_CASE("A program adds its own, which may hold what it was made with") {
    int const patience = static_cast<int>(lkt::names_in(lkt::catalogue).size()); // not constant
    auto const mine = hana::append(
        lkt::catalogue, lkt::catalogue_entry{"patient", "Waits.", std::false_type{}, [patience] {
                                                 return patient{patience};
                                             }});
    static_assert(decltype(hana::size(mine))::value == 10);
    int found = 0;
    auto const known = lkt::with_entry(mine, "patient", [&](auto const& entry) {
        auto const strategy = entry.make();
        if constexpr (requires { strategy.patience; }) found = strategy.patience;
    });
    CHECK(known.has_value());
    CHECK(found == patience);
}

TEST_CASE("An unknown name is an error that names the others") {
    auto const none = lkt::with_entry(lkt::catalogue, "patient", [](auto const&) { CHECK(false); });
    REQUIRE(none.has_error());
    CHECK(none.error().code == "lkt.strategies.unknown");
    CHECK(none.error().hint == "strategies: " + lkt::names_in(lkt::catalogue));
}
