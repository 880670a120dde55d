// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/visit_cache.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

#include <string>
#include <vector>

#include "machines.hpp"

using namespace machines;

namespace {

struct factory {
    std::string text = {};
    std::string binary = {};
    lkt::visit_cache<std::string, std::string> built = {};
    lkt::visit_cache<int> checked = {};
    std::vector<std::string> queue = {};
    int refused = 0;
};
struct compiler {
    int calls = 0;
    lkt::condition const* fails = nullptr;
};
inline constexpr auto next = [](factory& f) -> queue {
    if (f.queue.empty()) return queue::empty;
    f.text = f.queue.back();
    f.queue.pop_back();
    return queue::more;
};
inline constexpr auto compile = [](factory& f, compiler& tools) -> lkt::result<built> {
    ++tools.calls;
    if (tools.fails != nullptr) return lkt::error{*tools.fails, "lkt.test.scripted", "broken", {}};
    f.binary = "binary of " + f.text;
    return f.text == "wrong" ? built::rejected : built::ok;
};
inline constexpr auto refuse = [](factory& f) -> void { ++f.refused; };
inline constexpr auto text_of = [](factory const& f) { return f.text; };
struct compile_all {
    static constexpr auto graph = lkt::graph<factory>(
        node<next>(
            limit<99>(stop<gave_up>), on<queue::more>(compile), on<queue::empty>(stop<tuned>)),
        node<compile>(cached<&factory::built, &factory::binary>(text_of),
                      on<built::ok>(next),
                      on<built::rejected>(refuse)),
        node<refuse>(to(next)));
};

} // namespace

TEST_CASE("a key that was seen before restores the effect and the outcome") {
    factory f{.queue = {"wrong", "b", "a", "wrong", "b", "a"}};
    compiler tools;
    REQUIRE(lkt::run<compile_all>(f, tools).has_value());
    CHECK(tools.calls == 3);
    CHECK(f.refused == 2);
    CHECK(f.binary == "binary of wrong");
    f.queue = {"a"};
    REQUIRE(lkt::run<compile_all>(f, tools).has_value());
    CHECK(tools.calls == 3); // kept with the state, for later runs too
    CHECK(f.binary == "binary of a");
}

TEST_CASE("failures are not kept") {
    factory f{.queue = {"a"}};
    compiler tools{.fails = &unavailable};
    lkt::cursor<compile_all> at;
    CHECK_FALSE(lkt::run<compile_all>(f, tools, at).has_value());
    CHECK(f.built.entries.empty());
    tools.fails = nullptr;
    CHECK(lkt::run<compile_all>(f, tools, at).has_value());
    CHECK(tools.calls == 2);
}

TEST_CASE("observers see a visit that did not run as such") {
    factory f{.queue = {"a", "a"}};
    compiler tools;
    struct {
        std::string seen;
        void on_exit(lkt::node_event const& e, lkt::node_exit const& x) {
            if (e.node == "compile") seen += std::string(x.outcome) + (x.cached ? "* " : " ");
        }
    } observer;
    REQUIRE(lkt::run<compile_all>(f, tools, observer).has_value());
    CHECK(observer.seen == "ok ok* ");
}

TEST_CASE("an outcome that the node does not have, from a damaged state, is none") {
    factory f{.queue = {"a"}};
    f.built.keep({"a", 7, "nonsense"});
    compiler tools;
    REQUIRE(lkt::run<compile_all>(f, tools).has_value());
    CHECK(f.binary == "binary of a");
    CHECK(f.built.entries.size() == 1);
}

TEST_CASE("the keys that were not used for longest have to go") {
    lkt::visit_cache<int> seen{.capacity = 2};
    seen.keep({1, 0});
    seen.keep({2, 1});
    REQUIRE(seen.find(1) != nullptr);
    seen.keep({3, 2});
    CHECK(seen.find(2) == nullptr);
    REQUIRE(seen.find(1) != nullptr);
    CHECK(seen.find(1)->outcome == 0);
    seen.keep({1, 5});
    CHECK(seen.find(1)->outcome == 5);
    CHECK(seen.entries.size() == 2);
    lkt::visit_cache<int> none{.capacity = 0};
    none.keep({1, 0});
    CHECK(none.find(1) == nullptr);
}

// ------------------------------------------------------------------------ what is worth
// remembering

namespace {

struct walk_state {
    state walk = {};
    lkt::visit_cache<int, state> seen = {};
    int rounds_of_key = 0;
    int left = 3;
};
inline constexpr auto key_of = [](walk_state const& s) { return s.rounds_of_key; };
inline constexpr auto more = [](walk_state& s) -> queue {
    s.walk = {};
    return s.left-- > 0 ? queue::more : queue::empty;
};
struct walks {
    static constexpr auto walk = focus<&walk_state::walk>(asking{});
    static constexpr auto graph = lkt::graph<walk_state>(
        node<more>(limit<9>(stop<gave_up>), on<queue::more>(walk), on<queue::empty>(stop<tuned>)),
        node<walk>(cached<&walk_state::seen, &walk_state::walk>(key_of),
                   on<tuned>(more),
                   on<gave_up>(stop<gave_up>)));
};

} // namespace

TEST_CASE("a nested graph is remembered as a whole") {
    walk_state s;
    script tools;
    REQUIRE(lkt::run<walks>(s, tools).has_value());
    CHECK(tools.calls == 3); // the three of one walk
    CHECK(s.seen.entries.size() == 1);
}

TEST_CASE("a nested graph that is resumed is not remembered, since its key is unknown by then") {
    walk_state s{.left = 1};
    script tools{{nullptr, &unavailable}};
    lkt::cursor<walks> at;
    REQUIRE_FALSE(lkt::run<walks>(s, tools, at).has_value());
    s.seen.keep({0, 0, {}}); // would be the terminal gave_up
    auto const end = lkt::run<walks>(s, tools, at);
    REQUIRE(end.has_value());
    CHECK(lkt::outcome_name(*end) == "tuned");
    CHECK(s.seen.entries.size() == 1);
}
