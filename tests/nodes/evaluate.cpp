// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/evaluate.hpp>

#include <doctest/doctest.h>

#include "../support/prepared_state.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stop_token>
#include <string>

using namespace lkt_test;

namespace {

lkt::no_model nobody;

/// A prepared state with `kernel` as its proposal, and what `evaluate` made of it.
struct judged {
    fake_gpu gpu;
    lkt::tuning_state s;
    lkt::result<lkt::evaluated> outcome{lkt::evaluated::failed};

    judged(fake_gpu::behave_fn behave, lkt::candidate kernel, lkt::problem task = twice_problem())
        : gpu(std::move(behave)) {
        bare_tools tools{gpu, nobody};
        s = prepared_state(std::move(task), tools);
        gpu.log.clear();
        if (kernel.launch == lkt::launch_formula{}) kernel.launch = s.task.launch;
        s.proposal = std::move(kernel);
        outcome = lkt::evaluate(s, tools);
    }
    template <class Outcome>
    Outcome const& ended() const {
        return std::get<Outcome>(s.history.back().outcome);
    }
    template <class Failure>
    Failure const& failed() const {
        return std::get<Failure>(ended<lkt::failure>());
    }
};

lkt::candidate rewritten(std::string const& remark) {
    lkt::candidate c;
    c.source = {lkt::language::cuda, variant_text(remark), "test"};
    return c;
}

lkt::candidate with_blocks(std::string const& remark, std::vector<std::int64_t> const& blocks) {
    lkt::candidate c = rewritten(remark);
    lkt::tunable_parameter p{"BLOCK", {}};
    for (auto b : blocks) p.values.emplace_back(b);
    c.parameters = {p};
    c.launch.grid[0] = lkt::expression::parse("ceil_div(N, BLOCK)").value();
    c.launch.block[0] = lkt::expression::parse("BLOCK").value();
    return c;
}

/// The original takes 1 ms, everything else `time`.
fake_gpu::behave_fn rewritten_takes(lkt::seconds time) {
    return [=](std::string const& text, lkt::configuration const&) {
        behaviour b;
        if (text != original_text) b.time = time;
        return b;
    };
}

} // namespace

TEST_CASE("A faster kernel becomes the best, and both times stand in the history") {
    judged j(rewritten_takes(lkt::seconds(0.5e-3)), rewritten("faster"));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::faster);
    CHECK(j.s.best.kernel.source.text == variant_text("faster"));
    CHECK(j.s.best.time.median().count() == doctest::Approx(0.5e-3).epsilon(0.01));
    auto const& accepted = j.ended<lkt::improvement>();
    CHECK(accepted.before.median().count() == doctest::Approx(1e-3).epsilon(0.01));
    CHECK(accepted.after.samples.size() >= 6);
    CHECK(j.s.attempts.empty());
    CHECK(j.s.baseline.kernel.source.text == original_text);
}

TEST_CASE("A slower kernel is rejected with both times, and the best stays") {
    judged j(rewritten_takes(lkt::seconds(2e-3)), rewritten("slower"));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::slower);
    CHECK(j.s.best.kernel.source.text == original_text);
    CHECK(j.ended<lkt::no_improvement>().verdict == lkt::comparison::slower);
    REQUIRE(j.s.attempts.size() == 1);
    CHECK(std::holds_alternative<lkt::no_improvement>(j.s.attempts[0].why));
}

TEST_CASE("The time that the original took beside a candidate is its time from then on") {
    double slower = 7; // while the baseline was timed: another process had the device, say
    fake_gpu gpu([&](std::string const& text, lkt::configuration const&) {
        behaviour b;
        b.time = text == original_text ? lkt::seconds(1e-3) * slower : lkt::seconds(2e-3);
        return b;
    });
    bare_tools tools{gpu, nobody};
    auto s = prepared_state(twice_problem(), tools);
    CHECK(s.baseline.time.median().count() == doctest::Approx(7e-3).epsilon(0.01));
    slower = 1;
    s.proposal = rewritten("slow");
    s.proposal.launch = s.task.launch;
    REQUIRE(lkt::evaluate(s, tools).value() == lkt::evaluated::slower);
    auto const& said = std::get<lkt::no_improvement>(s.history.back().outcome);
    CHECK(said.best.median().count() == doctest::Approx(1e-3).epsilon(0.01));
    CHECK(s.baseline.time.samples == said.best.samples);
    CHECK(s.best.time.samples == said.best.samples);
}

TEST_CASE("The same speed under another text is no improvement") {
    judged j(rewritten_takes(lkt::seconds(1e-3)), rewritten("the same"));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::slower);
    CHECK(j.ended<lkt::no_improvement>().verdict == lkt::comparison::undecided);
}

TEST_CASE("The very kernel that is to be beaten never beats itself") {
    judged j(rewritten_takes(lkt::seconds(0)), [] {
        lkt::candidate c;
        c.source = {lkt::language::cuda, original_text, "test"};
        return c;
    }());
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::slower);
    CHECK(j.s.history.back().notes.size() == 1);
}

TEST_CASE("A wrong kernel is never timed, and the first wrong element is named") {
    judged j(
        [](std::string const& text, lkt::configuration const&) {
            behaviour b;
            b.wrong = text != original_text;
            b.time = lkt::seconds(text == original_text ? 1e-3 : 1e-6);
            return b;
        },
        rewritten("wrong"));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::failed);
    auto const& wrong = j.failed<lkt::wrong_output>();
    CHECK(wrong.argument == "y");
    CHECK(wrong.wrong == 64);
    CHECK(j.gpu.count("time") == 0);
    CHECK(j.s.best.kernel.source.text == original_text);
}

TEST_CASE("A kernel that is right when tested and wrong when timed is wrong") {
    judged j(
        [](std::string const& text, lkt::configuration const&) {
            behaviour b;
            b.wrong_when_timed = text != original_text;
            b.time = lkt::seconds(text == original_text ? 1e-3 : 1e-6);
            return b;
        },
        rewritten("cheat"));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::failed);
    CHECK(j.failed<lkt::wrong_output>().pattern.find("timed launch") != std::string::npos);
}

TEST_CASE("Configurations that fail are recorded and skipped; the best of the others wins") {
    judged j(
        [](std::string const& text, lkt::configuration const& c) {
            behaviour b;
            if (text == original_text) return b;
            switch (integer(c, "BLOCK")) {
            case 8:
                b.compile = lkt::failure(lkt::compile_failed{"static assertion failed", {3, 1}});
                break;
            case 16:
                b.wrong = true;
                b.time = lkt::seconds(1e-6);
                break;
            case 32:
                b.time = lkt::seconds(0.4e-3);
                break;
            case 64:
                b.time = lkt::seconds(0.3e-3);
                break;
            default:
                b.run = lkt::failure(lkt::crashed{"segmentation fault at address 0x0", {}});
            }
            return b;
        },
        with_blocks("sweep", {8, 16, 32, 64, 128, 2048}));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::faster);
    CHECK(integer(j.s.best.config, "BLOCK") == 64);
    CHECK(j.s.best.dimensions.grid.x == 1);
    CHECK(j.s.best.dimensions.block.x == 64);
    auto const& tried = j.s.history.back().configurations;
    REQUIRE(tried.size() == 6);
    std::vector<std::string> names;
    for (auto const& t : tried) {
        auto const* why = std::get_if<lkt::failure>(&t.outcome);
        names.emplace_back(why ? lkt::name_of_failure(*why) : "timed");
    }
    CHECK(names ==
          std::vector<std::string>{
              "compile-error", "wrong-output", "timed", "timed", "crashed", "launch-error"});
    CHECK_FALSE(tried[5].dimensions); // 2048 threads: nothing was compiled
}

TEST_CASE("When every configuration fails, the failure that came most often speaks for them") {
    judged j(
        [](std::string const& text, lkt::configuration const& c) {
            behaviour b;
            if (text == original_text) return b;
            if (integer(c, "BLOCK") == 8)
                b.compile = lkt::failure(lkt::compile_failed{"no", {1, 1}});
            else
                b.wrong = true;
            return b;
        },
        with_blocks("bad", {8, 16, 32}));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::failed);
    CHECK(j.failed<lkt::wrong_output>().argument == "y");
    CHECK(j.s.attempts[0].context.find("BLOCK=16") != std::string::npos);
    CHECK(j.s.attempts[0].context.find("None of the 3") != std::string::npos);
}

TEST_CASE("A search without hope ends early") {
    std::vector<std::int64_t> many;
    for (std::int64_t i = 1; i <= 40; ++i) many.push_back(i);
    auto const never_compiles = [](std::string const& text, lkt::configuration const&) {
        behaviour b;
        if (text != original_text)
            b.compile = lkt::failure(lkt::compile_failed{"expected ';'", {2, 5}});
        return b;
    };
    judged j(never_compiles, with_blocks("hopeless", many));
    CHECK(j.s.history.back().configurations.size() == 8);
    REQUIRE(j.s.history.back().notes.size() == 1);
    CHECK(j.s.history.back().notes[0].find("ended early") != std::string::npos);

    auto const never_ends = [](std::string const& text, lkt::configuration const&) {
        behaviour b;
        if (text != original_text) b.run = lkt::failure(lkt::timed_out{lkt::seconds(5), "launch"});
        return b;
    };
    judged slow(never_ends, with_blocks("endless", many));
    CHECK(slow.s.history.back().configurations.size() == 2);
}

TEST_CASE("One wrong value that the first configurations share does not end the search") {
    auto k = with_blocks("forms", {8, 16, 24, 32, 40, 48, 56, 64, 72, 80});
    k.parameters.insert(k.parameters.begin(), {"FORM", {std::int64_t{0}, std::int64_t{1}}});
    auto const only_form_1 = [](std::string const& text, lkt::configuration const& c) {
        behaviour b;
        if (text == original_text) return b;
        b.wrong = integer(c, "FORM") == 0;
        b.time = lkt::seconds(integer(c, "BLOCK") == 16 ? 0.4e-3 : 0.5e-3);
        return b;
    };
    judged j(only_form_1, k);
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::faster);
    CHECK(integer(j.s.best.config, "FORM") == 1);
    CHECK(integer(j.s.best.config, "BLOCK") == 16);
    // Eight of FORM=0, the other form, and then the rest in its order, none of them twice.
    auto const& tried = j.s.history.back().configurations;
    REQUIRE(tried.size() == 20);
    for (std::size_t n = 0; n < tried.size(); ++n) {
        CHECK(integer(tried[n].config, "FORM") == (n == 8 || n > 10 ? 1 : 0));
        for (std::size_t m = 0; m < n; ++m) CHECK(tried[m].config != tried[n].config);
    }
}

TEST_CASE("Every value has its chance, and a candidate that never works still ends early") {
    auto k = with_blocks("never", {8, 16, 24, 32, 40, 48, 56, 64, 72, 80});
    lkt::tunable_parameter tile{"TILE", {}};
    for (std::int64_t t = 1; t <= 4; ++t) tile.values.emplace_back(t);
    k.parameters.insert(k.parameters.begin(), {{"FORM", {std::int64_t{0}, std::int64_t{1}}}, tile});
    auto const never = [](std::string const& text, lkt::configuration const&) {
        behaviour b;
        b.wrong = text != original_text;
        return b;
    };
    judged j(never, k);
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::failed);
    // The other form and another tile come together, then the two tiles that are left; BLOCK had
    // eight of its values.
    auto const& tried = j.s.history.back().configurations;
    REQUIRE(tried.size() == 11);
    CHECK(integer(tried[8].config, "FORM") == 1);
    CHECK(integer(tried[8].config, "TILE") == 2);
    CHECK(integer(tried[9].config, "TILE") == 3);
    CHECK(integer(tried[10].config, "TILE") == 4);
    // FORM and TILE are names that only the fake back end reads.
    auto const& notes = j.s.history.back().notes;
    REQUIRE(notes.size() == 3);
    CHECK(notes[0].find("lkt.static.fake_tuning: `FORM`") != std::string::npos);
    CHECK(notes[2].find("ended early") != std::string::npos);
    // One launch finds each of them wrong; the first is launched again, to tell why.
    CHECK(j.gpu.count("run") > tried.size());
    CHECK(j.gpu.count("run") <= tried.size() + 7);
}

TEST_CASE("Checked mode rejects a race in the fastest configuration, and the next one wins") {
    auto const behave = [](std::string const& text, lkt::configuration const& c) {
        behaviour b;
        if (text == original_text) return b;
        b.time = lkt::seconds(integer(c, "BLOCK") == 32 ? 0.3e-3 : 0.4e-3);
        if (integer(c, "BLOCK") == 32) b.checked = lkt::failure(lkt::race{"y[3] differs"});
        return b;
    };
    judged j(behave, with_blocks("racy", {32, 64}));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::faster);
    CHECK(integer(j.s.best.config, "BLOCK") == 64);
    auto const& first = j.s.history.back().configurations[0];
    CHECK(std::holds_alternative<lkt::race>(std::get<lkt::failure>(first.outcome)));

    judged alone(behave, with_blocks("racy", {32}));
    CHECK(*alone.outcome == lkt::evaluated::failed);
    CHECK(alone.failed<lkt::race>().what == "y[3] differs");
    CHECK(alone.s.best.kernel.source.text == original_text);
}

TEST_CASE("Without a checked mode the record says so") {
    fake_gpu gpu(rewritten_takes(lkt::seconds(0.5e-3)));
    gpu.has_checked_mode = false;
    bare_tools tools{gpu, nobody};
    auto s = prepared_state(twice_problem(), tools);
    s.proposal = rewritten("unchecked");
    s.proposal.launch = s.task.launch;
    CHECK(lkt::evaluate(s, tools).value() == lkt::evaluated::faster);
    REQUIRE(s.history.back().notes.size() == 1);
    CHECK(s.history.back().notes[0].find("checked mode") != std::string::npos);
    CHECK(s.checked_mode);
}

TEST_CASE("A checked mode that lacks a part says so in the record") {
    fake_gpu gpu([](std::string const& text, lkt::configuration const&) {
        behaviour b;
        b.unchecked = "checked on the CPU alone";
        if (text != original_text) b.time = lkt::seconds(0.5e-3);
        return b;
    });
    bare_tools tools{gpu, nobody};
    auto s = prepared_state(twice_problem(), tools);
    auto const said =
        std::count(s.notes.begin(), s.notes.end(), "the original was checked on the CPU alone");
    CHECK(said == 1);
    s.proposal = rewritten("half");
    s.proposal.launch = s.task.launch;
    CHECK(lkt::evaluate(s, tools).value() == lkt::evaluated::faster);
    CHECK(s.history.back().notes == std::vector<std::string>{"checked on the CPU alone"});
}

TEST_CASE("What a back end says of a kernel's build is noted, unless it said so of the original") {
    for (double const takes : {0.5e-3, 1e-3}) { // faster, and not
        fake_gpu gpu([&](std::string const& text, lkt::configuration const&) {
            behaviour b;
            b.notes = {"loops end early"};
            if (text == original_text) return b;
            b.notes.insert(b.notes.end(), {"shared memory is zero", "shared memory is zero"});
            b.time = lkt::seconds(takes);
            return b;
        });
        bare_tools tools{gpu, nobody};
        auto s = prepared_state(twice_problem(), tools);
        s.proposal = rewritten("with shared memory");
        s.proposal.launch = s.task.launch;
        auto const outcome = lkt::evaluate(s, tools);
        REQUIRE(outcome.has_value());
        CHECK((*outcome == lkt::evaluated::faster) == (takes < 1e-3));
        CHECK(s.history.back().notes == std::vector<std::string>{"shared memory is zero"});
        CHECK(s.notes == std::vector<std::string>{"the original: loops end early"});
    }
}

TEST_CASE(
    "On a real device configurations take turns: a hopeless one is launched once, all are compiled "
    "ahead") {
    struct real_gpu : fake_gpu {
        using fake_gpu::fake_gpu;
        std::vector<std::int64_t> ahead{};
        lkt::result<lkt::device_description> device(lkt::call_context const& x) const {
            auto d = fake_gpu::device(x).value();
            d.simulated = false;
            return d;
        }
        void prefetch(lkt::compile_request const& r) {
            ahead.push_back(integer(r.definitions, "BLOCK"));
        }
    };
    real_gpu gpu([](std::string const& text, lkt::configuration const& c) {
        behaviour b;
        if (text == original_text) return b;
        std::int64_t const block = integer(c, "BLOCK");
        b.time = lkt::seconds(block == 16   ? 0.8e-3
                              : block == 32 ? 0.85e-3
                              : block == 64 ? 8e-3
                                            : 0.6e-3);
        return b;
    });
    bare_tools tools{gpu, nobody};
    auto s = prepared_state(twice_problem(), tools);
    s.proposal = with_blocks("alternating", {16, 32, 64, 128});
    CHECK(lkt::evaluate(s, tools).value() == lkt::evaluated::faster);
    CHECK(integer(s.best.config, "BLOCK") == 128);
    CHECK(gpu.ahead == std::vector<std::int64_t>{16, 32, 64, 128});
    std::vector<std::size_t> launches;
    for (auto const& t : s.history.back().configurations)
        launches.push_back(std::get<lkt::measurement>(t.outcome).samples.size());
    // The verified launch counts: it is the hopeless one's only one, and one of three elsewhere.
    CHECK(launches == std::vector<std::size_t>{3, 3, 1, 3});
}

TEST_CASE("Restrictions that nothing meets, and spaces without bounds, are failures with words") {
    auto impossible = with_blocks("none", {8, 16});
    impossible.restrictions = {lkt::expression::parse("BLOCK > 100").value()};
    judged j(rewritten_takes(lkt::seconds(1)), impossible);
    CHECK(*j.outcome == lkt::evaluated::failed);
    CHECK(j.failed<lkt::no_configuration>().why.find("BLOCK > 100") != std::string::npos);

    std::vector<std::int64_t> many;
    for (std::int64_t i = 1; i <= 1001; ++i) many.push_back(i);
    judged huge(rewritten_takes(lkt::seconds(1)), with_blocks("huge", many));
    CHECK(*huge.outcome == lkt::evaluated::failed);
    CHECK(huge.failed<lkt::no_configuration>().why.find("1000") != std::string::npos);
    CHECK(huge.gpu.log.empty());
}

TEST_CASE("Another signature is refused before anything is compiled") {
    lkt::candidate c;
    c.source.text = "__global__ void twice(float const* x, double* y, int n) { y[0] = x[0] * n; }";
    judged j(rewritten_takes(lkt::seconds(1)), c);
    CHECK(*j.outcome == lkt::evaluated::failed);
    CHECK(j.failed<lkt::wrong_signature>().got.find("double") != std::string::npos);
    CHECK(j.gpu.log.empty());
}

TEST_CASE("A failure of the world leaves the state as it was") {
    bool down = false;
    fake_gpu gpu([&](std::string const&, lkt::configuration const&) {
        behaviour b;
        if (down) b.world = lkt::error{lkt::condition::transient, "fake.down", "worker lost", {}};
        return b;
    });
    bare_tools tools{gpu, nobody};
    auto s = prepared_state(twice_problem(), tools);
    s.proposal = rewritten("later");
    s.proposal.launch = s.task.launch;
    down = true;
    auto const failed = lkt::evaluate(s, tools);
    REQUIRE(failed.has_error());
    CHECK(failed.error().code == "fake.down");
    CHECK(s.history.empty());
    CHECK(s.attempts.empty());
    CHECK(s.best.kernel.source.text == original_text);
    down = false;
    CHECK(lkt::evaluate(s, tools).has_value());
    CHECK(s.history.size() == 1);
}

TEST_CASE("A stop token ends an evaluation, and without a baseline there is none") {
    std::stop_source source;
    fake_gpu gpu([&](std::string const& text, lkt::configuration const&) {
        if (text != original_text) source.request_stop();
        return behaviour{};
    });
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu> tools{gpu, nobody, tests, all, {source.get_token(), {}}};
    auto s = prepared_state(twice_problem(), tools);
    s.proposal = with_blocks("stopped", {8, 16, 32});
    auto const stopped = lkt::evaluate(s, tools);
    REQUIRE(stopped.has_error());
    CHECK(stopped.error().kind == lkt::condition::cancelled);
    CHECK(s.history.empty());

    lkt::tuning_state empty;
    bare_tools plain{gpu, nobody};
    auto const early = lkt::evaluate(empty, plain);
    REQUIRE(early.has_error());
    CHECK(early.error().code == "lkt.nodes.no-baseline");
}

/// Whatever is written takes half the time of the original.
struct quicker_rewrites {
    fake_gpu gpu{[](std::string const& text, lkt::configuration const&) {
        behaviour b;
        if (text != original_text) b.time = lkt::seconds(0.5e-3);
        return b;
    }};
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu> tools{gpu, nobody, tests, all};
    lkt::tuning_state s = prepared_state(twice_problem(), tools);
};

TEST_CASE("The checks of a finalist are told by name, in their order, before its outcome") {
    quicker_rewrites run;
    auto& tools = run.tools;
    auto& s = run.s;
    std::vector<std::string> told;
    tools.on_progress = [&](lkt::progress_event const& e) {
        if (e.what == lkt::activity::checking_finalist) told.emplace_back(e.last);
    };
    s.proposal = with_blocks("faster", {8});
    REQUIRE(lkt::evaluate(s, tools).value() == lkt::evaluated::faster);
    std::vector<std::string> expected;
    lkt::standard_checks const standard;
    lkt::checks_ref const checks{standard};
    for (std::size_t k = 0; k < checks.size(); ++k)
        if (checks.about(k).when.contains(lkt::moment::finalist))
            expected.emplace_back(checks.about(k).name);
    CHECK(!expected.empty());
    CHECK(told == expected);
}

TEST_CASE("A budget of time that runs out ends a search with what was found") {
    quicker_rewrites run;
    auto& tools = run.tools;
    auto& s = run.s;
    // The clock is set back while the first configuration is tried.
    tools.budget.time = lkt::seconds(3600);
    tools.on_progress = [&](lkt::progress_event const& e) {
        if (e.what == lkt::activity::trying_configurations && e.done == 1)
            tools.started -= std::chrono::hours(2);
    };
    s.proposal = with_blocks("long", {8, 16, 32});
    auto const outcome = lkt::evaluate(s, tools);
    REQUIRE(outcome.has_value());
    CHECK(*outcome == lkt::evaluated::faster);
    CHECK(s.history.back().configurations.size() == 1);
    CHECK(s.history.back().notes[0].find("budget") != std::string::npos);
}

TEST_CASE("Where the fastest configurations fail, the next ones in rank have their turn") {
    // The wider the block, the faster; of twelve configurations only the two slowest are right.
    auto const behave = [](std::string const& text, lkt::configuration const& config) {
        behaviour b;
        if (text == original_text) return b;
        auto const block = static_cast<double>(integer(config, "BLOCK"));
        b.time = lkt::seconds(0.6e-3 - 2e-6 * block);
        if (block > 16) b.checked = lkt::race{"two threads"};
        return b;
    };
    judged j(behave, with_blocks("wide", {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96}));
    REQUIRE(j.outcome.value() == lkt::evaluated::faster);
    CHECK(integer(j.s.best.config, "BLOCK") == 16);
    auto const& tried = j.s.history.back().configurations;
    REQUIRE(tried.size() == 12);
    for (auto const& t : tried)
        CHECK(std::holds_alternative<lkt::failure>(t.outcome) == (integer(t.config, "BLOCK") > 16));

    judged none(
        [&](std::string const& text, lkt::configuration const& config) {
            auto b = behave(text, config);
            if (text != original_text) b.checked = lkt::race{"two threads"};
            return b;
        },
        with_blocks("wrong everywhere", {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96}));
    CHECK(none.outcome.value() == lkt::evaluated::failed);
    CHECK(none.gpu.count("checked ") == 12);
}

namespace {

/// 8 times 9 configurations, the faster the larger their values are.
lkt::candidate seventy_two(std::string const& remark) {
    auto k = with_blocks(remark, {8, 16, 24, 32, 40, 48, 56, 64});
    lkt::tunable_parameter tile{"TILE", {}};
    for (std::int64_t v = 1; v <= 9; ++v) tile.values.emplace_back(v);
    k.parameters.push_back(tile);
    return k;
}
lkt::seconds time_of(lkt::configuration const& c) {
    double const size = static_cast<double>(10 * integer(c, "BLOCK") + integer(c, "TILE"));
    return lkt::seconds(0.5e-3 - 1e-7 * size);
}

} // namespace

TEST_CASE("A candidate all of whose configurations fail alike is given up after twice eight") {
    judged none(
        [](std::string const& text, lkt::configuration const& c) {
            behaviour b;
            if (text == original_text) return b;
            b.time = time_of(c);
            b.checked = lkt::race{"two threads"};
            return b;
        },
        seventy_two("racy everywhere"));
    CHECK(none.outcome.value() == lkt::evaluated::failed);
    CHECK(none.failed<lkt::race>().what == "two threads");
    CHECK(none.gpu.count("checked ") == 16);
    auto const& notes = none.s.history.back().notes;
    auto const says = [](std::string const& note) {
        return note.find("16 in a row failed alike (race)") != std::string::npos;
    };
    CHECK(std::count_if(notes.begin(), notes.end(), says) == 1);
}

TEST_CASE("Where the fastest few of many fail alike, the fastest of the others wins") {
    auto const judge_with = [](auto const& fails, lkt::candidate k) {
        return judged(
            [&](std::string const& text, lkt::configuration const& c) {
                behaviour b;
                if (text == original_text) return b;
                b.time = time_of(c);
                if (fails(c)) b.checked = lkt::race{"two threads"};
                return b;
            },
            std::move(k));
    };
    // All that has one value, and the eight fastest whatever they share.
    auto const wide = judge_with([](auto const& c) { return integer(c, "BLOCK") == 64; },
                                 seventy_two("wide blocks race"));
    REQUIRE(wide.outcome.value() == lkt::evaluated::faster);
    CHECK(integer(wide.s.best.config, "BLOCK") == 56);
    CHECK(integer(wide.s.best.config, "TILE") == 9);

    std::vector<std::int64_t> blocks;
    for (std::int64_t v = 1; v <= 72; ++v) blocks.push_back(v);
    auto const many = judge_with([](auto const& c) { return integer(c, "BLOCK") > 64; },
                                 with_blocks("one parameter", blocks));
    REQUIRE(many.outcome.value() == lkt::evaluated::faster);
    CHECK(integer(many.s.best.config, "BLOCK") == 64);
    CHECK(many.gpu.count("checked ") ==
          10); // eight that race, the one farthest from them, the best
}

namespace {

/// A second proposal in the same run, and what the device had to do for it.
struct judged_again : judged {
    judged_again(fake_gpu::behave_fn behave, lkt::candidate first, lkt::candidate second)
        : judged(std::move(behave), std::move(first)) {
        again(std::move(second));
    }
    void again(lkt::candidate k, lkt::evaluation_options const& options = {}) {
        if (k.launch == lkt::launch_formula{}) k.launch = s.task.launch;
        gpu.log.clear();
        s.proposal = std::move(k);
        lkt::exhaustive all;
        lkt::problem_tests tests;
        lkt::toolbox<fake_gpu> tools{gpu, nobody, tests, all};
        tools.evaluation = options;
        tools.on_progress = [this](lkt::progress_event const& e) { told.emplace_back(e.last); };
        outcome = lkt::evaluate(s, tools);
    }
    std::vector<std::string> told;
};

} // namespace

TEST_CASE("A kernel that was judged in this run is not judged again") {
    auto const wrong = [](std::string const& text, lkt::configuration const&) {
        behaviour b;
        b.wrong = text != original_text;
        return b;
    };
    // Other remarks make no other kernel.
    judged_again j(wrong, rewritten("once"), rewritten("twice"));
    REQUIRE(j.outcome.value() == lkt::evaluated::failed);
    CHECK(j.gpu.log.empty());
    CHECK(j.failed<lkt::wrong_output>().argument == "y");
    CHECK(j.s.history.size() == 2);
    CHECK(j.s.attempts.size() == 2);
    CHECK(j.s.history.back().notes.back().find("already judged: the same kernel as proposal 1") ==
          0);

    SUBCASE("a better kernel does not beat itself") {
        judged_again best(rewritten_takes(lkt::seconds(0.5e-3)),
                          with_blocks("b", {16, 32}),
                          with_blocks("c", {16, 32}));
        CHECK(best.outcome.value() == lkt::evaluated::slower);
        CHECK(best.gpu.log.empty());
        CHECK(best.s.best.time.median().count() == doctest::Approx(0.5e-3).epsilon(0.01));
    }
    SUBCASE("other options or tests, and it is") {
        lkt::evaluation_options other;
        other.seed = 2;
        j.again(rewritten("once"), other);
        CHECK(j.gpu.count("compile ") == 2); // judged, and once more to look for the cause
        j.s.tests.tests[0].test.arguments[0].bytes[0] ^= std::byte{1};
        j.again(rewritten("once"), other);
        CHECK(j.gpu.count("compile ") == 2); // judged, and once more to look for the cause
        j.again(rewritten("once"), other);
        CHECK(j.gpu.log.empty());
    }
    SUBCASE("a compiler that took too long or died has no verdict") {
        for (lkt::failure const& none :
             {lkt::failure(lkt::timed_out{lkt::seconds(60), "compile"}),
              lkt::failure(lkt::compile_failed{"killed by signal 9", {}, true})}) {
            auto const late = [&](std::string const& text, lkt::configuration const&) {
                behaviour b;
                if (text != original_text) b.compile = none;
                return b;
            };
            judged_again once_more(late, rewritten("late"), rewritten("late"));
            CHECK(once_more.gpu.count("compile ") == 1);
        }
    }
}

TEST_CASE("Of the same text with other parameter values only the new ones are judged") {
    auto const behave = [](std::string const& text, lkt::configuration const& c) {
        behaviour b;
        if (text == original_text) return b;
        auto const block = integer(c, "BLOCK");
        b.time = lkt::seconds(block == 32 ? 2e-3 : 3e-3);
        if (block == 8) b.compile = lkt::failure(lkt::compile_failed{"expected ';'", {2, 5}});
        b.wrong = block == 16;
        return b;
    };
    judged_again j(behave, with_blocks("one", {8, 16, 32}), with_blocks("two", {8, 16, 32, 64}));
    REQUIRE(j.outcome.value() == lkt::evaluated::slower);
    auto const& tried = j.s.history.back().configurations;
    REQUIRE(tried.size() == 4);
    CHECK(lkt::name_of_failure(std::get<lkt::failure>(tried[0].outcome)) == "compile-error");
    CHECK(lkt::name_of_failure(std::get<lkt::failure>(tried[1].outcome)) == "wrong-output");
    CHECK(std::get<lkt::measurement>(tried[2].outcome).median().count() ==
          doctest::Approx(2e-3).epsilon(0.01));
    // 32 is built for the finals, and 64 is new.
    CHECK(j.gpu.count("compile // two") == 2);
    CHECK(std::find(j.told.begin(), j.told.end(), "already judged: wrong-output") != j.told.end());
    CHECK(j.s.history.back().notes[0].find("3 of 4 configurations were already judged") == 0);
}

TEST_CASE("A policy that asks for a configuration twice gets what is known of it") {
    struct twice {
        lkt::exhaustive all{};
        std::optional<lkt::configuration> last{};
        int asked = 0, told = 0;
        void start(lkt::search_space const& space) { all.start(space); }
        std::optional<lkt::configuration> ask() {
            return asked++ % 2 == 0 ? last = all.ask() : last;
        }
        void tell(lkt::configuration const&, std::optional<lkt::seconds> time) {
            told += time ? 1 : 0;
        }
    };
    fake_gpu gpu(rewritten_takes(lkt::seconds(2e-3)));
    lkt::problem_tests tests;
    twice search;
    lkt::toolbox<fake_gpu, lkt::no_model, lkt::problem_tests, twice> tools{
        gpu, nobody, tests, search};
    auto s = prepared_state(twice_problem(), tools);
    gpu.log.clear();
    s.proposal = with_blocks("twice", {8, 16, 32});
    CHECK(lkt::evaluate(s, tools).value() == lkt::evaluated::slower);
    CHECK(s.history.back().configurations.size() == 3);
    CHECK(search.told == 6);
}

TEST_CASE("The finalists and the best are measured in turns") {
    judged j(rewritten_takes(lkt::seconds(0.5e-3)), rewritten("turns"));
    std::vector<std::string> order;
    for (auto const& line : j.gpu.log)
        if (line.starts_with("time "))
            order.emplace_back(line == "time " + original_text ? "best" : "proposal");
    // One series for the screening, then seven rounds, every other one backwards.
    REQUIRE(order.size() == 15);
    CHECK(order[0] == "proposal");
    CHECK(order[1] == "proposal");
    CHECK(order[2] == "best");
    CHECK(order[3] == "best");
    CHECK(order[4] == "proposal");
}

TEST_CASE("A difference that the noise hides is measured longer before it is given up") {
    // Every series of the proposal but the first nine has an outlier in each third launch.
    struct noisy {
        fake_gpu inner{rewritten_takes(lkt::seconds(0.8e-3))};
        int series = 0;
        lkt::result<lkt::device_description> device(lkt::call_context const& x) {
            return inner.device(x);
        }
        lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& r,
                                                  lkt::call_context const& x) {
            return inner.compile(r, x);
        }
        lkt::result<lkt::run_outcome>
        run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
            auto out = inner.run(k, r, x);
            auto& samples = std::get<lkt::run_report>(*out).samples;
            bool const proposal = inner.log.back() != "time " + original_text;
            if (r.warmups > 0 && proposal && ++series <= 9)
                for (std::size_t i = 0; i < samples.size(); i += 2) samples[i] *= 3;
            return out;
        }
    } gpu;
    bare_tools tools{gpu, nobody};
    auto s = prepared_state(twice_problem(), tools);
    s.proposal = rewritten("noisy");
    s.proposal.launch = s.task.launch;
    gpu.series = 0;
    gpu.inner.log.clear();
    auto const outcome = lkt::evaluate(s, tools);
    REQUIRE(outcome.has_value());
    CHECK(*outcome == lkt::evaluated::faster);
    CHECK(gpu.series > 9);
}

TEST_CASE("Another text of the same binary is no improvement, whatever the clock says") {
    auto const one_binary = [](std::string const& text, lkt::configuration const&) {
        behaviour b;
        b.digest = 7;
        if (text != original_text) b.time = lkt::seconds(0.5e-3);
        return b;
    };
    judged j(one_binary, rewritten("a comment"));
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::slower);
    CHECK(j.s.history.back().notes.back() ==
          "another text, but the same binary as the kernel to beat");
}

TEST_CASE("A gain below one per cent is none, however sure it is") {
    judged small(rewritten_takes(lkt::seconds(0.993e-3)), rewritten("0.7 %"));
    small.gpu.noise = [](std::size_t) { return 1.0; };
    CHECK(*small.outcome == lkt::evaluated::slower);
    judged enough(rewritten_takes(lkt::seconds(0.985e-3)), rewritten("1.5 %"));
    CHECK(*enough.outcome == lkt::evaluated::faster);
}

namespace {

/// Times as machines have them: noise that is independent, with outliers, or that drifts.
class clock_noise {
public:
    explicit clock_noise(unsigned seed) : random_(seed) {}
    double operator()(std::size_t launch) {
        switch (launch / 5000 % 3) {
        case 0:
            return std::exp(0.03 * normal_(random_));
        case 1:
            return 1 + 0.005 * normal_(random_) + (random_() % 10 == 0 ? 0.5 : 0.0);
        default:
            drift_ = 0.98 * drift_ + 0.01 * normal_(random_);
            return std::exp(drift_ + 0.01 * normal_(random_));
        }
    }

private:
    std::mt19937 random_;
    std::normal_distribution<double> normal_;
    double drift_ = 0;
};

/// How many of so many proposals, each the kernel to beat in another text, are taken for faster.
int accepted_of(int tries, double gain) {
    fake_gpu gpu(rewritten_takes(lkt::seconds(1e-3 * (1 - gain))));
    gpu.noise = clock_noise(20);
    bare_tools tools{gpu, nobody};
    lkt::tuning_state const start = prepared_state(twice_problem(), tools);
    int accepted = 0;
    for (int i = 0; i < tries; ++i) {
        lkt::tuning_state s = start;
        s.proposal = with_blocks("the same", {32, 16, 64, 8});
        auto const outcome = lkt::evaluate(s, tools);
        REQUIRE(outcome.has_value());
        accepted += *outcome == lkt::evaluated::faster ? 1 : 0;
        gpu.log.clear();
        gpu.timed.clear();
    }
    return accepted;
}

} // namespace

TEST_CASE("In a thousand tries on a noisy clock an equal kernel is never taken for a faster one") {
    CHECK(accepted_of(1000, 0) == 0);
    CHECK(accepted_of(60, 0.1) > 30); // while what is a tenth faster is seen most of the time
}

TEST_CASE("A text with what no honest kernel needs is refused before it is compiled") {
    lkt::candidate c;
    c.source = {lkt::language::cuda, "__device__ int calls;\n" + original_text, "test"};
    c.source.text.insert(c.source.text.find("    if (i < n)"), "    if (calls++ > 2) return;\n");
    judged j(rewritten_takes(lkt::seconds(1e-6)), c);
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::failed);
    auto const& why = j.failed<lkt::refused>();
    CHECK(why.what == "calls");
    CHECK(why.why.find("lkt.static.state") != std::string::npos);
    CHECK(why.where == lkt::text_location{1, 16});
    CHECK(j.gpu.log.empty());
    REQUIRE(j.s.attempts.size() == 1);
    CHECK(std::holds_alternative<lkt::refused>(std::get<lkt::failure>(j.s.attempts[0].why)));

    // The original may do it, and then so may its candidates.
    lkt::problem task = twice_problem();
    task.reference.text = "__device__ int other;\n" + original_text;
    task.reference.text.insert(task.reference.text.find("    if (i < n)"), "    other = 1;\n");
    judged same([](std::string const&, lkt::configuration const&) { return behaviour{}; }, c, task);
    CHECK_FALSE(same.gpu.log.empty());
}

TEST_CASE("Warnings of the static checks are notes, and a policy decides which are which") {
    lkt::candidate c = rewritten("prints");
    c.source.text.insert(c.source.text.find("    if (i < n)"), "    printf(\"here\");\n");
    judged j(rewritten_takes(lkt::seconds(0.5e-3)), c);
    REQUIRE(j.outcome.has_value());
    CHECK(*j.outcome == lkt::evaluated::faster);
    REQUIRE(j.s.history.back().notes.size() == 1);
    CHECK(
        j.s.history.back().notes[0].starts_with("lkt.static.print at line 4, column 5: `printf`"));

    fake_gpu gpu(rewritten_takes(lkt::seconds(0.5e-3)));
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu> tools{gpu, nobody, tests, all};
    auto s = prepared_state(twice_problem(), tools);
    s.proposal = c;
    s.proposal.launch = s.task.launch;
    tools.evaluation.static_checks.print = lkt::static_severity::error;
    CHECK(lkt::evaluate(s, tools).value() == lkt::evaluated::failed);
    tools.evaluation.static_checks.print = lkt::static_severity::off;
    CHECK(lkt::evaluate(s, tools).value() == lkt::evaluated::faster);
    CHECK(s.history.back().notes.empty());
}
