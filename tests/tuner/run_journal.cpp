// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/run_journal.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/nodes/step_ledger.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/strategies/beam.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/repeated.hpp>
#include <lkt/strategies/sample_n.hpp>
#include <lkt/strategies/sweep.hpp>
#include <lkt/tuner/tuner.hpp>

#include "../support/fake_gpu.hpp"

#include <stop_token>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

behaviour by_remark(std::string const& text, lkt::configuration const&) {
    behaviour b;
    if (text.find("wrong") != std::string::npos) b.wrong = true;
    if (text.find("quick") != std::string::npos) b.time = lkt::seconds(0.25e-3);
    return b;
}

/// Answers by what it is asked, as a model would that is asked again: its n-th call to a
/// conversation of that length. Counts its calls; ends the run at one of them.
struct thinker {
    int calls = 0;
    int stop_at = -1;
    std::stop_source stop;
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        if (calls == stop_at) {
            stop.request_stop();
            return lkt::cancelled("thinking");
        }
        ++calls;
        lkt::chat_reply reply;
        reply.text = reply_with(changed_text(r.messages.size() > 2 ? "quick" : "wrong"));
        reply.model = "thinker";
        reply.usage = {100, 10};
        return reply;
    }
};

using thinking = lkt::repeated<lkt::one_prompt<>>;

// Whatever the library's strategies keep is journalled.
template <class G>
using state_of = typename lkt::tuning_pipeline<G>::state;
static_assert(lkt::journalable<state_of<lkt::one_prompt<>>>);
static_assert(lkt::journalable<state_of<lkt::autonomous<>>>);
static_assert(lkt::journalable<lkt::pipeline_state<lkt::explicit_state>>);
static_assert(lkt::journalable<state_of<lkt::refine<>>>);
static_assert(lkt::journalable<state_of<lkt::beam<>>>);
static_assert(lkt::journalable<state_of<lkt::evolve<>>>);
static_assert(lkt::journalable<state_of<lkt::sample_n<>>>);

struct session {
    fake_gpu gpu{by_remark};
    thinker llm;

    auto tune(lkt::journal_memory& sink, lkt::problem task = twice_problem()) {
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options o;
        o.journal = &*journal;
        o.stop = llm.stop.get_token();
        return lkt::tuner{gpu, llm, thinking{}}.tune(std::move(task), o);
    }
};

} // namespace

TEST_CASE("a run that was stopped at any call of the model comes to the same end") {
    lkt::journal_memory undisturbed;
    session whole;
    auto const all = whole.tune(undisturbed);
    REQUIRE(all.has_value());
    CHECK(all->terminal == "tuned");
    REQUIRE(whole.llm.calls > 2);
    // Each round begins with the wrong kernel; what was judged is not judged again, by a session
    // that goes on neither.
    std::string const wrong = "compile " + changed_text("wrong");
    CHECK(whole.gpu.count(wrong) == 2); // judged, and once more to look for the cause
    for (int stop_at = 0; stop_at < whole.llm.calls; ++stop_at) {
        CAPTURE(stop_at);
        lkt::journal_memory sink;
        session first;
        first.llm.stop_at = stop_at;
        auto const stopped = first.tune(sink);
        REQUIRE(stopped.has_value());
        CHECK(stopped->stopped_by.has_value());
        session second;
        auto const ended = second.tune(sink);
        REQUIRE(ended.has_value());
        CHECK(ended->terminal == all->terminal);
        CHECK(first.gpu.count(wrong) + second.gpu.count(wrong) == 2);
        CHECK(ended->best.kernel == all->best.kernel);
        CHECK(ended->history.size() == all->history.size());
        CHECK(ended->usage.calls == all->usage.calls);
        CHECK(ended->usage.tokens == all->usage.tokens);
        CHECK(first.llm.calls + second.llm.calls == whole.llm.calls);
        CHECK(ended->notes == all->notes);
        CHECK(ended->baseline.kernel == all->baseline.kernel);
    }
}

TEST_CASE("a run goes on without its device until a kernel is to run") {
    lkt::journal_memory undisturbed;
    session whole;
    auto const all = whole.tune(undisturbed);
    REQUIRE(all.has_value());

    struct no_gpu : fake_gpu {
        using fake_gpu::fake_gpu;
        lkt::result<lkt::device_description> device(lkt::call_context const&) const {
            return lkt::error{lkt::condition::unavailable, "fake.gone", "there is no device", {}};
        }
    };
    int away = 0;
    for (int stop_at = 0; stop_at < whole.llm.calls; ++stop_at) {
        CAPTURE(stop_at);
        lkt::journal_memory sink;
        session first;
        first.llm.stop_at = stop_at;
        REQUIRE(first.tune(sink).has_value());
        int calls = first.llm.calls;

        auto journal = lkt::journal::over(sink);
        lkt::tune_options o;
        o.journal = &*journal;
        no_gpu nowhere(by_remark);
        thinker llm;
        auto const stopped = lkt::tuner{nowhere, llm, thinking{}}.tune(twice_problem(), o);
        calls += llm.calls;
        if (first.gpu.log.empty()) { // nothing to go on with: not even the baseline was timed
            CHECK_FALSE(stopped.has_value());
        } else {
            REQUIRE(stopped.has_value());
            REQUIRE(stopped->stopped_by.has_value());
            CHECK(stopped->stopped_by->code == "fake.gone");
            CHECK(llm.calls == 1); // a question needs no device
            CHECK(nowhere.log.empty());
            ++away;
        }
        session third;
        auto const ended = third.tune(sink);
        REQUIRE(ended.has_value());
        CHECK(ended->terminal == all->terminal);
        CHECK(ended->confirmed == all->confirmed);
        CHECK(ended->best.kernel == all->best.kernel);
        CHECK(calls + third.llm.calls == whole.llm.calls);
    }
    CHECK(away > 0);
}

TEST_CASE("a finished run gives its outcome at once") {
    lkt::journal_memory sink;
    session first;
    auto const all = first.tune(sink);
    REQUIRE(all.has_value());
    session second;
    auto const again = second.tune(sink);
    REQUIRE(again.has_value());
    CHECK(again->terminal == all->terminal);
    CHECK(again->confirmed == all->confirmed);
    CHECK(again->best.time.samples == all->best.time.samples);
    CHECK(second.llm.calls == 0);
    CHECK(second.gpu.log.empty());
}

TEST_CASE("the journal says which problem it is of") {
    lkt::journal_memory sink;
    auto empty = lkt::journal::over(sink);
    auto const none = lkt::problem_in(*empty);
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code == "lkt.journal.no-problem");
    session s;
    REQUIRE(s.tune(sink).has_value());
    auto journal = lkt::journal::over(sink);
    auto const asked = lkt::problem_in(*journal);
    REQUIRE(asked.has_value());
    CHECK(asked->known == twice_problem());
}

TEST_CASE("a journal of another problem, device or strategy is refused") {
    lkt::journal_memory sink;
    session first;
    first.llm.stop_at = 1;
    REQUIRE(first.tune(sink).has_value());
    auto const before = sink.bytes;

    session other_problem;
    auto const problem = other_problem.tune(sink, tunable_problem());
    REQUIRE_FALSE(problem.has_value());
    CHECK(problem.error().code == "lkt.journal.other");
    CHECK(problem.error().message.find("another problem") != std::string::npos);

    auto journal = lkt::journal::over(sink);
    lkt::tune_options o;
    o.journal = &*journal;
    fake_gpu gpu(by_remark);
    auto const strategy = lkt::tuner{gpu, lkt::sweep<>{}}.tune(twice_problem(), o);
    REQUIRE_FALSE(strategy.has_value());
    CHECK(strategy.error().code == "lkt.journal.other");
    CHECK(strategy.error().message.find("sweep") != std::string::npos);

    struct other_gpu : fake_gpu {
        using fake_gpu::fake_gpu;
        lkt::result<lkt::device_description> device(lkt::call_context const& x) const {
            auto d = fake_gpu::device(x);
            d->name = "Fake 2";
            return d;
        }
    } elsewhere(by_remark);
    thinker llm;
    auto const device = lkt::tuner{elsewhere, llm, thinking{}}.tune(twice_problem(), o);
    REQUIRE_FALSE(device.has_value());
    CHECK(device.error().code == "lkt.journal.other");
    CHECK(device.error().message.find("Fake 1") != std::string::npos);
    CHECK(llm.calls == 0);
    CHECK(sink.bytes == before);
}

TEST_CASE("tests are prepared again, and it is noted when the original computes something else") {
    lkt::journal_memory sink;
    session first;
    first.llm.stop_at = 1;
    REQUIRE(first.tune(sink).has_value());

    struct drifting : fake_gpu {
        using fake_gpu::fake_gpu;
        lkt::result<lkt::run_outcome>
        run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
            auto out = fake_gpu::run(k, r, x);
            for (auto& kept : std::get<lkt::run_report>(*out).kept)
                for (auto& a : kept.outputs) a.bytes[0] ^= std::byte{1};
            return out;
        }
    } gpu(by_remark);
    thinker llm;
    auto journal = lkt::journal::over(sink);
    lkt::tune_options o;
    o.journal = &*journal;
    auto const ended = lkt::tuner{gpu, llm, thinking{}}.tune(twice_problem(), o);
    REQUIRE(ended.has_value());
    bool noted = false;
    for (std::string const& note : ended->notes)
        noted = noted || note.find("other outputs") != std::string::npos;
    CHECK(noted);
}

namespace {

struct forgetful : lkt::tuning_state {
    int rounds = 0;
};
struct finished {};
inline constexpr auto count_round = [](forgetful& s) -> void { ++s.rounds; };
struct forgetful_strategy {
    static constexpr auto graph =
        lkt::graph<forgetful>(lkt::dsl::node<count_round>(lkt::dsl::to(lkt::dsl::stop<finished>)));
};

} // namespace

TEST_CASE("a state with members that would be lost is not journalled") {
    lkt::journal_memory sink;
    auto journal = lkt::journal::over(sink);
    lkt::tune_options o;
    o.journal = &*journal;
    fake_gpu gpu(by_remark);
    auto const refused = lkt::tuner{gpu, forgetful_strategy{}}.tune(twice_problem(), o);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "lkt.journal.state");
    CHECK(lkt::tuner{gpu, forgetful_strategy{}}.tune(twice_problem()).has_value());
}
