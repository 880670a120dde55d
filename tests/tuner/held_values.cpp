// SPDX-License-Identifier: BSL-1.0
// A strategy holds what was known at run time alone: words, and a model of its own.
#include <lkt/tuner/tuner.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/strategies/repeated.hpp>

#include "../support/fake_gpu.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace lkt_test;

namespace {

behaviour by_remark(std::string const& text, lkt::configuration const&) {
    behaviour b;
    if (text.find("quick") != std::string::npos) b.time = lkt::seconds(0.25e-3);
    return b;
}

struct reviewed_state : lkt::tuning_state {
    std::string focus;                       ///< journalled
    lkt::scripted_model* reviewer = nullptr; ///< of this session, which `adjust` says

    using state_fields = lkt::fields_of<lkt::tuning_state, &reviewed_state::focus>;
};

inline constexpr auto review = [](reviewed_state& s, auto& tools) -> lkt::result<void> {
    lkt::chat_request request;
    request.messages = {{lkt::role::user, "What about " + s.focus + "?"}};
    auto const reply = s.reviewer->complete(request, tools.context);
    if (!reply) return reply.error();
    s.notes.push_back(reply->text);
    s.proposal = s.best.kernel;
    s.proposal.source.text = changed_text(reply->text);
    s.history.emplace_back().proposal = s.proposal;
    return {};
};

/// Has no default constructor, and cannot be copied.
struct reviewed {
    reviewed(std::string about, std::unique_ptr<lkt::scripted_model> asks)
        : focus(std::move(about)), reviewer(std::move(asks)) {}

    std::string focus;
    std::unique_ptr<lkt::scripted_model> reviewer;

    void prepare(reviewed_state& s) const { s.focus = focus; }
    void adjust(reviewed_state& s) const { s.reviewer = reviewer.get(); }

    static constexpr auto graph = [] {
        using namespace lkt::dsl;
        using lkt::evaluate, lkt::evaluated;
        return lkt::graph<reviewed_state>(
            node<review>(to(evaluate)),
            node<evaluate>(on<evaluated::faster>(stop<lkt::tuned>),
                           on<evaluated::slower>(stop<lkt::unchanged>),
                           on<evaluated::failed>(stop<lkt::gave_up>)));
    }();
};
static_assert(!std::is_default_constructible_v<reviewed> &&
              !std::is_copy_constructible_v<reviewed>);
static_assert(lkt::tuning_strategy<reviewed>);

reviewed strategy(std::vector<lkt::scripted_turn> turns) {
    return {"loops", std::make_unique<lkt::scripted_model>(std::move(turns))};
}

} // namespace

TEST_CASE("A strategy without a default constructor holds a text and what cannot be copied") {
    fake_gpu gpu(by_remark);
    lkt::tuner tuner{gpu, strategy({"quick", "slow"})};
    auto const first = tuner.tune(twice_problem());
    REQUIRE_MESSAGE(first.has_value(), to_string(first.error()));
    CHECK(first->terminal == "tuned");
    CHECK(first->notes == std::vector<std::string>{"quick"});
    auto const second = tuner.tune(twice_problem()); // it still has its model
    REQUIRE_MESSAGE(second.has_value(), to_string(second.error()));
    CHECK(second->terminal == "unchanged");
    CHECK(second->notes == std::vector<std::string>{"slow"});
}

TEST_CASE("It can be repeated") {
    fake_gpu gpu(by_remark);
    lkt::repeated<reviewed> rounds{.strategy = strategy({"quick", "slow"})};
    auto const outcome = lkt::tuner{gpu, std::move(rounds)}.tune(twice_problem());
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK(outcome->terminal == "tuned");
    CHECK(outcome->notes == std::vector<std::string>{"quick", "slow"});
}

TEST_CASE("A run that goes on gets what its session holds; what is journalled it has") {
    lkt::journal_memory sink;
    auto const session = [&](std::vector<lkt::scripted_turn> turns) {
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options options;
        options.journal = &*journal;
        fake_gpu gpu(by_remark);
        auto outcome = lkt::tuner{gpu, strategy(std::move(turns))}.tune(twice_problem(), options);
        REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
        return std::move(*outcome);
    };
    CHECK(session({lkt::error{lkt::condition::unavailable, "x", "nobody there", {}}})
              .stopped_by.has_value());
    auto const ended = session({"quick"});
    CHECK(ended.terminal == "tuned");
    CHECK(ended.notes.back() == "quick");
}
