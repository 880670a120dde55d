// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/batch.hpp>

#include <doctest/doctest.h>

#include "../strategies/rewrites.hpp"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using scene = stage<lkt::batch_state>;
constexpr lkt::ask_batch_fn<> ask;

/// A scene with one proposal for each turn, asked already.
scene with_batch(std::vector<lkt::scripted_turn> turns) {
    scene c(turns);
    c.s.batch.resize(turns.size());
    REQUIRE(ask(c.s, c.tools).has_value());
    return c;
}

} // namespace

TEST_CASE("Each reply gets its record, and what holds no kernel is a rejected attempt at once") {
    scene c({rewrite("a"), "nothing", rewrite("b")});
    c.s.batch.resize(3);
    auto const end = ask(c.s, c.tools);
    REQUIRE(end.has_value());
    CHECK(*end == lkt::asked::all);
    REQUIRE(c.s.history.size() == 3);
    CHECK(c.s.batch[2].record == 2);
    CHECK(std::holds_alternative<lkt::not_evaluated>(c.s.history[0].outcome));
    CHECK(std::holds_alternative<lkt::failure>(c.s.history[1].outcome));
    CHECK(c.s.attempts.size() == 1);
    // Nobody is asked twice.
    CHECK(*ask(c.s, c.tools) == lkt::asked::all);
    CHECK(c.llm.requests().size() == 3);
}

TEST_CASE("An error leaves the state as it was") {
    lkt::error const busy{lkt::condition::transient, "x", "overloaded", {}};
    scene c({busy, busy});
    c.s.batch.resize(2);
    REQUIRE(ask(c.s, c.tools).has_error());
    CHECK(c.s.history.empty());
    CHECK(c.s.usage.calls == 0);
    CHECK(c.s.batch.size() == 2);
    CHECK_FALSE(c.s.batch[0].record.has_value());

    scene d = with_batch({rewrite("a"), rewrite("gone")});
    fake_gpu broken([](std::string const& text, lkt::configuration const&) {
        behaviour b;
        if (text.find("gone") != std::string::npos)
            b.world = lkt::error{lkt::condition::unavailable, "x", "no compiler", {}};
        return b;
    });
    bare_tools tools{broken, d.llm};
    REQUIRE(lkt::evaluate_batch(d.s, tools).has_error());
    CHECK(std::holds_alternative<lkt::not_evaluated>(d.s.history[0].outcome));
    CHECK(d.s.attempts.empty());
    CHECK(d.best() == original_text);
}

TEST_CASE("Proposals are asked again as late as the server says, and not where that was done "
          "further in") {
    lkt::error later{lkt::condition::transient, "x", "overloaded", {}};
    later.retry_after = std::chrono::milliseconds(300);
    scene c({rewrite("a"), later, rewrite("b")});
    c.s.batch.resize(2);
    REQUIRE(*ask(c.s, c.tools) == lkt::asked::some);
    auto const start = std::chrono::steady_clock::now();
    CHECK(*ask(c.s, c.tools) == lkt::asked::all);
    CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(300));
    CHECK(c.s.batch.size() == 2);
    CHECK(c.s.usage.requests == 2);

    lkt::error tried{lkt::condition::transient, "x", "overloaded (after 4 attempts)", {}};
    tried.attempts = 4;
    scene d({rewrite("a"), tried, rewrite("b")});
    d.s.batch.resize(2);
    CHECK(*ask(d.s, d.tools) == lkt::asked::all);
    CHECK(d.llm.requests().size() == 2);
    CHECK(d.s.batch.size() == 1);
    REQUIRE(d.s.notes.size() == 1);
    CHECK(d.s.notes[0].find("only 1 of 2") != std::string::npos);
}

TEST_CASE("A stop request keeps the replies that came") {
    std::stop_source source;
    struct stopping {
        std::stop_source& source;
        int calls = 0;
        lkt::result<lkt::chat_reply> complete(lkt::chat_request const&, lkt::call_context const&) {
            if (++calls == 2) source.request_stop();
            lkt::chat_reply r;
            r.text = "reply";
            return r;
        }
    } llm{source};
    scene c({});
    c.s.batch.resize(4);
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu, stopping> tools{c.gpu, llm, tests, all, {source.get_token(), {}}};
    auto const end = ask(c.s, tools);
    REQUIRE(end.has_value());
    CHECK(*end == lkt::asked::some);
    CHECK(c.s.history.size() == 2);
    CHECK(c.s.batch.size() == 4);
    CHECK(ask(c.s, tools).error().kind == lkt::condition::cancelled);
}

TEST_CASE("Proposals without an answer and an empty batch end as failed") {
    scene c({});
    CHECK(*lkt::evaluate_batch(c.s, c.tools) == lkt::evaluated::failed);
    c.s.batch.resize(2);
    CHECK(*lkt::evaluate_batch(c.s, c.tools) == lkt::evaluated::failed);
    CHECK(c.s.batch.empty());
    CHECK(c.gpu.log.empty());
}

TEST_CASE("Those that are kept pass every check, and have the times of the evaluation") {
    scene c = with_batch(
        {rewrite("speed 2"), rewrite("racy speed 4"), rewrite("speed 3"), rewrite("speed 0.9")});
    lkt::detail::state_ref const s(c.s);
    lkt::detail::tools_ref const tools(c.tools);
    std::vector<lkt::tuned_kernel> known{c.s.best};
    known[0].kernel.source.text = kernel_that("speed 1.5");
    known[0].time = {};
    auto const end = lkt::detail::evaluate_batch(s,
                                                 c.s.batch,
                                                 tools,
                                                 lkt::gpu_ref(c.gpu),
                                                 lkt::detail::search_of(c.tools),
                                                 {.kept = 2, .known = known});
    REQUIRE(end.has_value());
    CHECK(*end == lkt::evaluated::faster);
    CHECK(c.best() == kernel_that("speed 3"));
    REQUIRE(c.s.batch[0].measured.has_value());
    CHECK_FALSE(c.s.batch[1].measured.has_value());
    REQUIRE(c.s.batch[2].measured.has_value());
    CHECK_FALSE(c.s.batch[3].measured.has_value());
    CHECK(c.s.batch[0].measured->time.median().count() == doctest::Approx(0.5e-3).epsilon(0.01));
    CHECK(c.gpu.count("checked " + kernel_that("racy speed 4")) == 1);
    // Known ones are measured with them.
    CHECK(known[0].time.median().count() == doctest::Approx(1e-3 / 1.5).epsilon(0.01));
    CHECK(known[0].time.samples.size() == c.s.batch[2].measured->time.samples.size());
}

TEST_CASE(
    "What is too much like a correct kernel is not evaluated, unless it is launched otherwise") {
    std::string const text = kernel_that("speed 2");
    auto const with_y = [](std::string almost) {
        return almost.replace(almost.find("blockIdx.x"), 10, "blockIdx.y");
    };
    scene c(
        {rewrite("speed 2"),
         rewrite("broken"),
         reply_with(with_y(text)),
         reply_with(with_y(kernel_that("speed 3")), R"({"launch": {"grid": [4], "block": [16]}})"),
         reply_with(with_y(kernel_that("broken")))});
    auto const evaluated = [&] {
        auto const end = lkt::detail::evaluate_batch(lkt::detail::state_ref(c.s),
                                                     c.s.batch,
                                                     lkt::detail::tools_ref(c.tools),
                                                     lkt::gpu_ref(c.gpu),
                                                     lkt::detail::search_of(c.tools),
                                                     {.novelty = 0.9});
        REQUIRE(end.has_value());
    };
    c.s.batch.assign(2, lkt::batch_proposal{});
    REQUIRE(ask(c.s, c.tools).has_value());
    evaluated();
    c.s.batch.assign(3, lkt::batch_proposal{});
    REQUIRE(ask(c.s, c.tools).has_value());
    evaluated();
    CHECK(std::holds_alternative<lkt::not_evaluated>(c.s.history[2].outcome));
    CHECK(c.s.history[2].notes.back().find("too similar to proposal 1") != std::string::npos);
    CHECK(c.gpu.count("compile " + with_y(text)) == 0);
    CHECK(std::holds_alternative<lkt::improvement>(c.s.history[3].outcome));
    CHECK(
        std::holds_alternative<lkt::failure>(c.s.history[4].outcome)); // it may have been repaired
}

TEST_CASE("A patch is applied to the kernel that it was asked for") {
    std::string const patch = "<<<<<<< SEARCH\n    if (i < n) y[i] = 2 * x[i];\n=======\n"
                              "    if (i < n) y[i] = x[i] + x[i]; // speed 2\n>>>>>>> REPLACE\n"
                              "```json\n{\"description\": \"adds\"}\n```\n";
    scene c({patch, "<<<<<<< SEARCH\nint z;\n=======\n>>>>>>> REPLACE\n", rewrite("whole")});
    c.s.batch.assign(3, lkt::batch_proposal{.patch = true});
    REQUIRE(ask(c.s, c.tools).has_value());
    lkt::candidate const& patched = c.s.history[0].proposal;
    CHECK(patched.source.text.find("y[i] = x[i] + x[i]; // speed 2") != std::string::npos);
    CHECK(patched.source.text.find("2 * x[i]") == std::string::npos);
    CHECK(patched.description == "adds");
    auto const* why = std::get_if<lkt::failure>(&c.s.history[1].outcome);
    REQUIRE(why != nullptr);
    CHECK(lkt::describe(*why).find("are not in the text") != std::string::npos);
    CHECK(c.s.history[2].proposal.source.text == kernel_that("whole"));
    CHECK(*lkt::evaluate_batch(c.s, c.tools) == lkt::evaluated::faster);
}

namespace {

/// A device whose times are those of a GPU: hopeless candidates are launched once.
struct real_gpu : fake_gpu {
    using fake_gpu::fake_gpu;
    lkt::result<lkt::device_description> device(lkt::call_context const& x) const {
        auto d = fake_gpu::device(x).value();
        d.simulated = false;
        return d;
    }
};

} // namespace

TEST_CASE("On a device that interleaves launches, what is kept is measured well though the winner "
          "is far ahead") {
    real_gpu gpu(by_words);
    lkt::scripted_model llm{
        rewrite("speed 2"), rewrite("speed 40"), rewrite("speed 3"), rewrite("speed 0.1")};
    bare_tools tools{gpu, llm};
    lkt::batch_state s;
    static_cast<lkt::tuning_state&>(s) = prepared_state(twice_problem(), tools);
    s.calls.in_flight = 1;
    s.batch.resize(4);
    REQUIRE(ask(s, tools).has_value());
    auto const end = lkt::detail::evaluate_batch(lkt::detail::state_ref(s),
                                                 s.batch,
                                                 lkt::detail::tools_ref(tools),
                                                 lkt::gpu_ref(gpu),
                                                 lkt::detail::search_of(tools),
                                                 {.kept = 3});
    CHECK(*end == lkt::evaluated::faster);
    CHECK(s.best.kernel.source.text == kernel_that("speed 40"));
    for (std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
        REQUIRE(s.batch[k].measured.has_value());
        CHECK(s.batch[k].measured->time.samples.size() >= 6);
    }
    CHECK_FALSE(s.batch[3].measured.has_value());
    // Nobody is kept: those that are hopeless do not come into the final.
    s.best = s.baseline;
    for (lkt::batch_proposal& r : s.batch) r = {};
    lkt::scripted_model again{
        rewrite("speed 2 "), rewrite("speed 40 "), rewrite("x"), rewrite("y")};
    bare_tools more{gpu, again};
    REQUIRE(ask(s, more).has_value());
    CHECK(*lkt::evaluate_batch(s, more) == lkt::evaluated::faster);
    auto const* far = std::get_if<lkt::no_improvement>(&s.history[4].outcome);
    REQUIRE(far != nullptr);
    CHECK(far->verdict == lkt::comparison::slower);
    CHECK(far->got.samples.size() < 6);
    CHECK(s.history[4].notes.back().find("too far behind") != std::string::npos);
}

TEST_CASE("Candidates of one and the same binary do not meet") {
    fake_gpu gpu([](std::string const& text, lkt::configuration const& c) {
        behaviour b = by_words(text, c);
        if (text != original_text) b.digest = 7;
        return b;
    });
    lkt::scripted_model llm{rewrite("speed 2"), rewrite("speed 2.0001")};
    bare_tools tools{gpu, llm};
    lkt::batch_state s;
    static_cast<lkt::tuning_state&>(s) = prepared_state(twice_problem(), tools);
    s.calls.in_flight = 1;
    s.batch.resize(2);
    REQUIRE(ask(s, tools).has_value());
    CHECK(*lkt::evaluate_batch(s, tools) == lkt::evaluated::faster);
    std::size_t improvements = 0;
    for (auto const& a : s.history)
        improvements += std::holds_alternative<lkt::improvement>(a.outcome) ? 1 : 0;
    CHECK(improvements == 1);
}

TEST_CASE("Of 1,000 candidates that are the original under other texts, none is an improvement") {
    scene c({});
    for (int round = 0; round < 50; ++round) {
        std::vector<lkt::scripted_turn> turns;
        for (int k = 0; k < 20; ++k)
            turns.push_back(rewrite("as it was " + std::to_string(20 * round + k)));
        lkt::scripted_model llm(turns);
        bare_tools tools{c.gpu, llm};
        c.s.batch.assign(20, lkt::batch_proposal{});
        c.s.history.clear(); // so that none of them is known
        REQUIRE(ask(c.s, tools).has_value());
        REQUIRE(*lkt::evaluate_batch(c.s, tools) == lkt::evaluated::slower);
        c.gpu.log.clear();
    }
    CHECK(c.best() == original_text);
}
