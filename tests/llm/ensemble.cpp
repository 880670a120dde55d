// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/ensemble.hpp>

#include <lkt/llm/complete_all.hpp>
#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<ensemble<scripted_model, archetypes::minimal&>>);
static_assert(!batch_chat_model<ensemble<archetypes::full, scripted_model>>);
static_assert(batch_chat_model<ensemble<archetypes::full, archetypes::full>>);

namespace {

/// Answers with its name.
struct named {
    std::string name;
    bool silent = false; ///< does not say it in its replies
    result<chat_reply> complete(chat_request const&, call_context const&) {
        auto r = archetypes::reply(name);
        r.model = silent ? "" : name;
        return r;
    }
    std::vector<result<chat_reply>> complete_all(std::span<chat_request const> rs,
                                                 call_context const& c) {
        std::vector<result<chat_reply>> all;
        for (auto const& r : rs) all.push_back(complete(r, c));
        return all;
    }
    [[nodiscard]] std::string description() const { return "the model " + name; }
};

template <class Model>
std::string choices(Model& model, int n) {
    std::string all;
    for (int i = 0; i < n; ++i) all += model.complete(ask("q"), {})->text;
    return all;
}

} // namespace

TEST_CASE("it obeys the laws") {
    ensemble model{{}, archetypes::full{}, archetypes::full{}};
    obeys_the_laws(model);
    ensemble bandit{{.choice = ensemble_choice::thompson}, named{"a"}, archetypes::full{}};
    CHECK(complete_all(bandit, std::vector<chat_request>(3, ask("q"))).size() == 3);
}

TEST_CASE("weights: in proportion, the same for a seed, none for a weight of 0") {
    ensemble_options const options{.weights = {3, 1, 0}, .seed = 5};
    ensemble model{options, named{"a"}, named{"b"}, named{"c"}};
    auto const all = choices(model, 4000);
    CHECK(std::count(all.begin(), all.end(), 'a') > 2880);
    CHECK(std::count(all.begin(), all.end(), 'a') < 3120);
    CHECK(std::count(all.begin(), all.end(), 'c') == 0);
    ensemble same{options, named{"a"}, named{"b"}, named{"c"}};
    CHECK(choices(same, 4000) == all);
    ensemble other{{.weights = {3, 1, 0}, .seed = 6}, named{"a"}, named{"b"}, named{"c"}};
    CHECK(choices(other, 4000) != all);
    // Without weights all are alike, and what is no weight counts as none.
    ensemble equal{{.weights = {std::nan(""), -1}}, named{"a"}, named{"b"}, named{"c"}};
    CHECK(choices(equal, 50) == std::string(50, 'c'));
}

TEST_CASE("bandits find the model whose replies are useful") {
    for (auto const how : {ensemble_choice::ucb1, ensemble_choice::thompson}) {
        CAPTURE(static_cast<int>(how));
        auto const run = [&](std::uint64_t seed) {
            ensemble model{{.choice = how, .seed = seed}, named{"a"}, named{"b"}, named{"c"}};
            std::array<int, 3> chosen{};
            std::array<double, 3> const worth{0.2, 0.8, 0.4};
            for (int i = 0; i < 1000; ++i) {
                auto const reply = model.ask(ask("q"), {});
                REQUIRE(reply.has_value());
                ++chosen[reply->model];
                model.reward(reply->model, worth[reply->model]);
            }
            return chosen;
        };
        auto const chosen = run(1);
        CHECK(chosen[1] > 700);
        CHECK(chosen[0] > 0);
        CHECK(chosen[2] > 0);
        CHECK(run(1) == chosen);
    }
}

TEST_CASE("rewards by the reply, and the records") {
    ensemble model{{.choice = ensemble_choice::ucb1}, named{"a"}, named{"b", true}};
    auto copy = model;
    auto const first = model.complete(ask("q"), {});
    auto const second = copy.complete(ask("q"), {});
    CHECK(first->model == "a");
    CHECK(second->model == "the model b"); // it does not say its name, so its description is
    model.reward(*first, 0.25);
    model.reward(*second, 7);
    model.reward(*second, std::nan(""));
    model.reward(99, 1);
    chat_reply stranger;
    stranger.model = "never heard of";
    model.reward(stranger, 1);
    auto const records = copy.records();
    REQUIRE(records.size() == 2);
    CHECK(records[0].model == "the model a");
    CHECK(records[0].calls == 1);
    CHECK(records[0].rewards == 1);
    CHECK(records[0].reward == 0.25);
    CHECK(records[1].rewards == 1);
    CHECK(records[1].reward == 1);
}

TEST_CASE("a failing model is asked less often") {
    error const busy{condition::transient, "test.b.c", "503", ""};
    scripted_model failing(std::vector<scripted_turn>(1000, busy));
    ensemble model{{.choice = ensemble_choice::ucb1}, failing, named{"b"}};
    for (int i = 0; i < 300; ++i)
        if (auto const reply = model.complete(ask("q"), {})) model.reward(*reply, 1);
    CHECK(model.records()[0].calls < 60);
    CHECK(model.records()[0].rewards == model.records()[0].calls);
    // What the caller did is not the model's fault.
    ensemble stopped{{}, scripted_model{cancelled("a call")}};
    CHECK_FALSE(stopped.complete(ask("q"), {}).has_value());
    CHECK(stopped.records()[0].rewards == 0);
}

TEST_CASE("a batch is divided; results keep their places") {
    ensemble model{{.seed = 3}, archetypes::full{}, named{"b"}};
    std::vector<chat_request> asked;
    for (int i = 0; i < 20; ++i) asked.push_back(ask(std::to_string(i)));
    auto const replies = model.complete_all(asked, {});
    REQUIRE(replies.size() == 20);
    int by_b = 0;
    for (std::size_t i = 0; i < 20; ++i) {
        if (replies[i].value().text == "b")
            ++by_b;
        else
            CHECK(replies[i].value().text == "re: " + std::to_string(i));
    }
    CHECK(by_b > 3);
    CHECK(by_b < 17);
    CHECK(model.records()[1].calls == by_b);
    CHECK(model.description() == "one of the model b");
}
