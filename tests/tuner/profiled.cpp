// SPDX-License-Identifier: BSL-1.0
// Which runs profile their kernels, or let the model ask about them, and that a resumed one does
// not do so again.
#include <lkt/tuner/tuner.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/text.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/strategies/beam.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/repeated.hpp>
#include <lkt/strategies/sample_n.hpp>

#include "../strategies/rewrites.hpp"
#include "../support/answering_gpu.hpp"
#include "../support/profiled_gpu.hpp"

#include <boost/json/serialize.hpp>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

using namespace lkt_test;

namespace {

constexpr lkt::refine<> once{.limits = {.rounds = 1}, .per_step = {.attempts = 1}};
constexpr lkt::one_prompt<> twice{.limits = {.attempts = 2}};

static_assert(lkt::reads_profiles<lkt::refine<>> && lkt::reads_profiles<lkt::evolve<>>);
static_assert(lkt::reads_profiles<lkt::beam<>>);
static_assert(lkt::reads_profiles<lkt::repeated<lkt::refine<>>>);
static_assert(!lkt::reads_profiles<lkt::one_prompt<>>);
static_assert(!lkt::reads_profiles<lkt::repeated<lkt::one_prompt<>>>);

template <class Strategy>
int profiles(Strategy const& strategy, lkt::profiling when) {
    profiled_gpu gpu{by_words};
    lkt::scripted_model llm({R"({"bottleneck": "b", "fix": "f", "why": "w"})", rewrite("speed 2")});
    lkt::tune_options o;
    o.evaluation.profile = when;
    o.confirm = false;
    auto const out = lkt::tuner{gpu, llm, strategy}.tune(twice_problem(), o);
    REQUIRE(out.has_value());
    CHECK(out->best.profile.has_value() == (gpu.profiles > 0));
    return gpu.profiles;
}

/// A judge and a coder, each of whose kernels is faster than the one before. Ends the run at one of
/// its calls.
struct improver {
    int calls = 0, stop_at = -1;
    std::stop_source stop;
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        if (calls == stop_at) {
            stop.request_stop();
            return lkt::cancelled("thinking");
        }
        ++calls;
        std::string const& task = r.messages[1].text;
        told = told && task.find("- profiled, ") != std::string::npos;
        int level = 1;
        for (int const l : {2, 4})
            if (task.find("speed " + std::to_string(l)) != std::string::npos) level = l;
        lkt::chat_reply reply;
        reply.text = r.format ? R"({"bottleneck": "b", "fix": "to )" + std::to_string(2 * level) +
                                    R"(", "why": "w"})"
                              : reply_with(kernel_that("speed " + std::to_string(2 * level)));
        return reply;
    }
    bool told = true; ///< each question had a profile in it
};

constexpr lkt::refine<> refined{.limits = {.rounds = 3}, .per_step = {.attempts = 1}};

/// A model whose n-th kernel is known beforehand: two kinds of kernel, so that a population keeps
/// kernels that never were the best one.
struct breeder {
    int calls = 0, stop_at = -1;
    std::stop_source stop;
    bool told = true; ///< each question had a profile in it
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        if (calls == stop_at) {
            stop.request_stop();
            return lkt::cancelled("thinking");
        }
        ++calls;
        told = told && r.messages[1].text.find("- profiled, ") != std::string::npos;
        // Which of the run's calls this is: a resumed one goes on counting.
        auto const n = r.seed.value_or(0);
        lkt::chat_reply reply;
        reply.text = reply_with(kernel_that("speed " + std::to_string(n % 2 == 0 ? 1 + n : 20 + n)),
                                n % 2 == 0 ? R"({"launch": {"grid": [1], "block": [128]}})" : "");
        return reply;
    }
};
constexpr lkt::evolve<> evolved{
    .limits = {.generations = 3, .islands = 2, .children = 2, .migration = 1, .patches = 0},
    .calls = {.in_flight = 1}};
constexpr lkt::beam<> beamed{.limits = {.width = 2, .depth = 3, .branches = 1},
                             .calls = {.in_flight = 1}};

template <auto const& Strategy, class Model, class Gpu = profiled_gpu>
struct session {
    Gpu gpu{by_words};
    Model llm;
    auto tune(lkt::journal_memory& sink) {
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options o;
        o.journal = &*journal;
        o.stop = llm.stop.get_token();
        return lkt::tuner{gpu, llm, Strategy}.tune(twice_problem(), o);
    }
};

/// One that asks what the compiler did, about each kernel once, and goes on as the other.
template <class Other>
struct curious : Other {
    int asked = 0;
    bool shown = true; ///< each other request had the answer in it
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const& x) {
        std::string const& task = r.messages[1].text;
        bool const known = task.find("asked for what the compiler did") != std::string::npos;
        if (task.find("What do you want to know of this kernel") == std::string::npos) {
            shown = shown && known;
            return Other::complete(r, x);
        }
        if (this->calls == this->stop_at) return Other::complete(r, x);
        ++this->calls;
        ++asked;
        lkt::chat_reply reply;
        reply.text = known ? R"({"questions": []})"
                           : R"({"questions": [{"what": "compiler", "counters": [], "line": null,)"
                             R"( "containing": null, "parameters": []}]})";
        return reply;
    }
};
/// The same, of a strategy that plans.
struct planner : improver {
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const& x) {
        auto reply = improver::complete(r, x);
        bool const again = r.messages[1].text.find("The plan is finished") != std::string::npos;
        if (reply && r.format)
            reply->text = std::string(again ? R"({"replan": true, )" : "{") +
                          (again ? R"("steps": ["faster still"]})" : R"("steps": ["faster"]})");
        return reply;
    }
};
constexpr lkt::autonomous<lkt::autonomous_knobs{.validation = false}> planned{
    .limits = {.max_replans = 1}, .per_step = {.attempts = 1}};

/// Runs that stop at each call of the model in turn and go on in another session: `after` sees
/// both and how they ended, which is with the kernel of the whole run.
template <class One, class After>
void stopped_at_each_call(One const& whole, lkt::tuning_outcome const& all, After const& after) {
    for (int stop_at = 0; stop_at < whole.llm.calls; ++stop_at) {
        CAPTURE(stop_at);
        lkt::journal_memory sink;
        One first, second;
        first.llm.stop_at = stop_at;
        REQUIRE(first.tune(sink).has_value());
        auto const ended = second.tune(sink);
        REQUIRE(ended.has_value());
        CHECK(ended->best.kernel == all.best.kernel);
        after(first, second, *ended);
    }
}

} // namespace

TEST_CASE("Kernels are profiled where the strategy reads profiles, or the run says so") {
    using enum lkt::profiling;
    CHECK(profiles(once, automatic) == 2);
    CHECK(profiles(once, always) == 2);
    CHECK(profiles(once, never) == 0);
    CHECK(profiles(twice, automatic) == 0);
    CHECK(profiles(twice, always) == 2);
    CHECK(profiles(twice, never) == 0);
}

TEST_CASE_TEMPLATE("A run that was stopped at any call of the model profiles no kernel again",
                   one,
                   session<refined, improver>,
                   session<evolved, breeder>,
                   session<beamed, breeder>) {
    lkt::journal_memory undisturbed;
    one whole;
    auto const all = whole.tune(undisturbed);
    REQUIRE(all.has_value());
    CHECK(all->improved());
    CHECK(whole.gpu.profiles >= 4);
    CHECK(whole.llm.told);
    REQUIRE(whole.llm.calls >= 6);
    stopped_at_each_call(whole, *all, [&](one const& first, one const& second, auto const& ended) {
        CHECK(ended.best.profile.has_value());
        CHECK(first.gpu.profiles + second.gpu.profiles == whole.gpu.profiles);
        CHECK(second.llm.told);
    });
}

TEST_CASE_TEMPLATE("A run that was stopped at any call of the model asks nothing again",
                   one,
                   session<refined, curious<improver>, answering_gpu>,
                   session<evolved, curious<breeder>, answering_gpu>,
                   session<beamed, curious<breeder>, answering_gpu>,
                   session<planned, curious<planner>, answering_gpu>) {
    lkt::journal_memory undisturbed;
    one whole;
    auto const all = whole.tune(undisturbed);
    REQUIRE(all.has_value());
    CHECK(all->improved());
    CHECK(whole.llm.shown);
    REQUIRE(whole.llm.asked >= 2);
    CHECK(all->inquiries.size() == static_cast<std::size_t>(whole.llm.asked));
    CHECK(all->usage.calls == whole.llm.calls);
    auto const text = lkt::text_report(*all);
    CHECK_MESSAGE(
        text.find("about the original: 1 question\n    - what the compiler did (compiler): "
                  "line 2: a fact (and ") != std::string::npos,
        text);
    auto const json = boost::json::serialize(lkt::json_report(*all));
    CHECK(json.find(R"x("question":"what the compiler did (compiler)","answered":true)x") !=
          std::string::npos);
    stopped_at_each_call(whole, *all, [&](one const& first, one const& second, auto const& ended) {
        CHECK(ended.inquiries.size() == all->inquiries.size());
        CHECK(first.llm.asked + second.llm.asked == whole.llm.asked);
        // Who is stopped in the middle of several kernels answers again what was asked of the
        // first.
        auto const answered = first.gpu.asked.size() + second.gpu.asked.size();
        CHECK(answered >= whole.gpu.asked.size());
        CHECK(answered <= whole.gpu.asked.size() + 4);
        CHECK(second.llm.shown);
    });
}
