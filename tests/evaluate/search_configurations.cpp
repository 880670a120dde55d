// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/search_configurations.hpp>

#include <lkt/search/exhaustive.hpp>
#include <lkt/search/local_search.hpp>

#include <doctest/doctest.h>

#include "../support/fake_batch_gpu.hpp"
#include "support.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

/// A candidate whose one parameter has these values, on a back end that runs so many at once.
struct search_scene {
    search_scene(fake_gpu::behave_fn behave,
                 std::size_t at_once,
                 std::vector<std::int64_t> const& blocks)
        : gpu(std::move(behave), at_once) {
        kernel.source.text = changed_text("candidate");
        kernel.parameters = {{"BLOCK", {blocks.begin(), blocks.end()}}};
        gpu.log.clear();
        gpu.builds.clear();
        gpu.runs.clear();
    }

    lkt::no_model nobody{};
    fake_batch_gpu gpu;
    bare_tools<fake_batch_gpu, lkt::no_model> tools{gpu, nobody};
    lkt::tuning_state s = prepared_state(tunable_problem(), tools);
    lkt::standard_checks checks{};
    lkt::evaluation in{lkt::evaluation_setup{
        lkt::gpu_ref(gpu), s.task, s.device, s.tests, {}, {}, lkt::checks_ref(checks)}};
    lkt::candidate kernel = s.baseline.kernel;
    lkt::signature declared = s.task.signature;

    [[nodiscard]] lkt::searched_configurations search(lkt::search_scope scope = {}) {
        auto const space = lkt::space_of(kernel, s.task.size, in.setup.options);
        return lkt::search_configurations(
                   in, kernel, declared, std::get<lkt::search_space>(space), std::move(scope))
            .value();
    }
};

/// One that does not compile, one that is wrong, one that crashes, and one that is wrong when
/// timed.
behaviour mixed(std::string const& text, lkt::configuration const& c) {
    behaviour b;
    if (text == original_text) return b;
    auto const block = integer(c, "BLOCK");
    b.time = lkt::seconds(1e-3 + 1e-6 * static_cast<double>(block));
    if (block == 8) b.compile = lkt::compile_failed{"no", {1, 1}};
    b.wrong = block == 16;
    b.wrong_when_timed = block == 40;
    if (block == 48) b.run = lkt::crashed{"segmentation fault", {}};
    return b;
}
std::vector<std::int64_t> const blocks{8, 16, 24, 32, 40, 48, 56};

std::vector<std::string> names(lkt::searched_configurations const& all) {
    std::vector<std::string> found;
    for (auto const& t : all.tried)
        found.push_back(std::to_string(integer(t.config, "BLOCK")) + " " +
                        std::string(t.failed() ? lkt::name_of_failure(*t.failed()) : "timed"));
    return found;
}

} // namespace

TEST_CASE("a batch has the verdicts that its configurations have one by one, in their order") {
    search_scene one(mixed, 1, blocks), four(mixed, 4, blocks);
    std::vector<std::string> told;
    auto const alone = one.search();
    auto const together =
        four.search({.on_progress = [&](std::size_t done, std::size_t, std::string_view last) {
            told.push_back(std::to_string(done) + " " + std::string(last));
        }});
    CHECK(names(alone) == std::vector<std::string>{"8 compile-error",
                                                   "16 wrong-output",
                                                   "24 timed",
                                                   "32 timed",
                                                   "40 stateful",
                                                   "48 crashed",
                                                   "56 timed"});
    CHECK(names(together) == names(alone));
    CHECK(told == std::vector<std::string>{"0 ",
                                           "1 compile-error",
                                           "2 wrong-output",
                                           "3 timed",
                                           "4 timed",
                                           "5 stateful",
                                           "6 crashed",
                                           "7 timed"});
    std::vector<std::int64_t> correct;
    for (auto const& t : together.correct) correct.push_back(integer(t.config, "BLOCK"));
    CHECK(correct == std::vector<std::int64_t>{24, 32, 56});
}

TEST_CASE("a batch is built as one, run as one on each test, and then timed one by one") {
    search_scene c(mixed, 4, blocks);
    (void)c.search();
    CHECK(c.gpu.builds == std::vector<std::size_t>{4, 3});
    std::size_t first = 0;
    for (auto const& t : c.s.tests.tests) first += t.test.for_finalists ? 0 : 1;
    // Of the four that are built one does not compile, and the first test finds the wrong one.
    REQUIRE(c.gpu.runs.size() == 2 * first);
    CHECK(c.gpu.runs[0] == 3);
    CHECK(c.gpu.runs[1] == 2);
    CHECK(c.gpu.runs[first] == 3);
    // Within a batch nothing is timed before all have been run.
    auto const timed = std::find_if(c.gpu.log.begin(), c.gpu.log.end(), [](auto const& line) {
        return line.starts_with("time ");
    });
    auto const before = std::count_if(
        c.gpu.log.begin(), timed, [](auto const& line) { return line.starts_with("compile "); });
    CHECK(before == 4);
}

TEST_CASE("a policy that gives one at a time is told of it before it is asked again") {
    struct one_by_one {
        lkt::exhaustive all{};
        int open = 0, asked = 0;
        void start(lkt::search_space const& space) { all.start(space); }
        std::optional<lkt::configuration> ask() {
            CHECK(open == 0);
            auto next = all.ask();
            if (next) ++open, ++asked;
            return next;
        }
        void tell(lkt::configuration const&, std::optional<lkt::seconds>) { --open; }
    } policy;
    search_scene c(mixed, 4, blocks);
    auto const all = c.search({.policy = lkt::search_ref(policy)});
    CHECK(all.tried.size() == blocks.size());
    CHECK(policy.asked == static_cast<int>(blocks.size()));
    CHECK(c.gpu.builds == std::vector<std::size_t>(blocks.size(), 1));
}

TEST_CASE(
    "a search without hope ends early in batches, too, and the last one is cut to the limit") {
    std::vector<std::int64_t> many;
    for (std::int64_t k = 1; k <= 40; ++k) many.push_back(k);
    search_scene c(
        [](std::string const& text, lkt::configuration const&) {
            behaviour b;
            b.wrong = text != original_text;
            return b;
        },
        3,
        many);
    auto const hopeless = c.search();
    CHECK(hopeless.correct.empty());
    CHECK(hopeless.tried.size() == 9); // three batches: eight that are alike are enough
    REQUIRE(hopeless.notes.size() == 1);
    CHECK(hopeless.notes[0].find("9 configurations in a row failed alike") != std::string::npos);

    search_scene few([](auto const&, auto const&) { return behaviour{}; }, 3, {8, 16, 24, 32});
    struct again { // never comes to an end
        lkt::exhaustive all{};
        lkt::search_space const* space = nullptr;
        void start(lkt::search_space const& s) { all.start(*(space = &s)); }
        std::optional<lkt::configuration> ask() {
            if (auto next = all.ask()) return next;
            all.start(*space);
            return all.ask();
        }
        std::vector<lkt::configuration> ask(std::size_t most) {
            std::vector<lkt::configuration> batch;
            while (batch.size() < most) batch.push_back(*ask());
            return batch;
        }
        void tell(lkt::configuration const&, std::optional<lkt::seconds>) {}
    } endless;
    lkt::evaluation_options limited;
    limited.max_configurations = 5;
    lkt::evaluation in{lkt::evaluation_setup{lkt::gpu_ref(few.gpu),
                                             few.s.task,
                                             few.s.device,
                                             few.s.tests,
                                             limited,
                                             {},
                                             lkt::checks_ref(few.checks)}};
    auto const space = lkt::space_of(few.kernel, few.s.task.size, limited);
    auto const all = lkt::search_configurations(in,
                                                few.kernel,
                                                few.declared,
                                                std::get<lkt::search_space>(space),
                                                {.policy = lkt::search_ref(endless)})
                         .value();
    CHECK(all.tried.size() == 5);
    CHECK(all.notes.back() == "warning: only the first 5 configurations were tried");
}

TEST_CASE("a policy that tries a share of a space may have a large one") {
    search_scene c(
        [](auto const&, auto const&) { return behaviour{}; }, 3, {8, 16, 24, 32, 40, 48});
    lkt::evaluation_options few;
    few.max_configurations = 4;
    auto const made = [&](lkt::search_ref const& policy) {
        return lkt::space_of(c.kernel, c.s.task.size, few, policy);
    };
    CHECK(std::holds_alternative<lkt::failure>(made(lkt::search_ref())));
    lkt::local_search five({.configurations = 5}), four({.configurations = 4});
    CHECK(std::holds_alternative<lkt::failure>(made(lkt::search_ref(five))));
    auto const space = made(lkt::search_ref(four));
    REQUIRE(std::holds_alternative<lkt::search_space>(space));
    lkt::evaluation in{lkt::evaluation_setup{
        lkt::gpu_ref(c.gpu), c.s.task, c.s.device, c.s.tests, few, {}, lkt::checks_ref(c.checks)}};
    auto const all = lkt::search_configurations(in,
                                                c.kernel,
                                                c.declared,
                                                std::get<lkt::search_space>(space),
                                                {.policy = lkt::search_ref(four)})
                         .value();
    CHECK(all.tried.size() == 4);
    CHECK(all.space == 6);
    CHECK(all.notes.empty());

    // Nor does a search that looks for values unlike those that failed try more.
    search_scene wrong(
        [](auto const& text, auto const&) {
            behaviour b;
            b.wrong = text != original_text;
            return b;
        },
        1,
        {8, 16, 24, 32, 40, 48});
    few.hopeless_after = 2;
    lkt::evaluation again{lkt::evaluation_setup{lkt::gpu_ref(wrong.gpu),
                                                wrong.s.task,
                                                wrong.s.device,
                                                wrong.s.tests,
                                                few,
                                                {},
                                                lkt::checks_ref(wrong.checks)}};
    lkt::local_search three({.configurations = 3});
    auto const failed = lkt::search_configurations(again,
                                                   wrong.kernel,
                                                   wrong.declared,
                                                   std::get<lkt::search_space>(space),
                                                   {.policy = lkt::search_ref(three)})
                            .value();
    CHECK(failed.correct.empty());
    CHECK(failed.tried.size() <= 3);
}

TEST_CASE("a budget is looked at before each batch") {
    search_scene c([](auto const&, auto const&) { return behaviour{}; }, 2, {8, 16, 24, 32});
    int asked = 0;
    auto const all = c.search({.must_end = [&]() -> std::optional<lkt::error> {
        if (++asked < 2) return std::nullopt;
        return lkt::error{lkt::condition::exhausted, "used up", {}, {}};
    }});
    CHECK(all.tried.size() == 2);
    CHECK(all.notes.back() == "warning: the budget ended the search after 2 of 4 configurations");
}

TEST_CASE("what is known of a configuration stays, and what was right is not even built") {
    search_scene c([](auto const&, auto const&) { return behaviour{}; }, 4, {8, 16, 24});
    lkt::tried_configuration const wrong{
        {{{"BLOCK", std::int64_t{8}}}}, {}, lkt::failure(lkt::race{"known"})};
    lkt::tried_configuration right{{{{"BLOCK", std::int64_t{16}}}}, {}, lkt::measurement{}};
    std::get<lkt::measurement>(right.outcome).samples.assign(3, lkt::seconds(5e-3));
    auto const all = c.search({.known = [&](lkt::configuration const& k) {
        return k == wrong.config ? &wrong : k == right.config ? &right : nullptr;
    }});
    CHECK(names(all) == std::vector<std::string>{"8 race", "16 timed", "24 timed"});
    CHECK(c.gpu.builds == std::vector<std::size_t>{1});
    CHECK_FALSE(all.correct.front().built);
    CHECK(c.gpu.runs.front() == 1);
    CHECK(all.correct.front().time.median().count() == doctest::Approx(5e-3));
    CHECK(all.notes.back() == "2 of 3 configurations were already judged, with the same text");
}

TEST_CASE("each result is kept as soon as it is known, and a resumed search goes on from there") {
    search_scene first(mixed, 1, blocks);
    std::vector<lkt::tried_configuration> kept;
    auto const keep = [&](lkt::tried_configuration const& t) {
        kept.push_back(t);
        return lkt::result<void>();
    };
    // The run ends when four have a result.
    auto const space = lkt::space_of(first.kernel, first.s.task.size, first.in.setup.options);
    auto const ended =
        lkt::search_configurations(first.in,
                                   first.kernel,
                                   first.declared,
                                   std::get<lkt::search_space>(space),
                                   {.keep = keep, .must_end = [&]() -> std::optional<lkt::error> {
                                        if (kept.size() < 4) return std::nullopt;
                                        return lkt::cancelled("the test");
                                    }});
    REQUIRE_FALSE(ended);
    REQUIRE(kept.size() == 4);

    search_scene second(mixed, 1, blocks), whole(mixed, 1, blocks);
    auto const before = kept;
    std::vector<std::string> told;
    auto const all = second.search(
        {.resumed = [&](lkt::configuration const& c) -> lkt::tried_configuration const* {
             for (auto const& t : before)
                 if (t.config == c) return &t;
             return nullptr;
         },
         .keep = keep,
         .on_progress =
             [&](std::size_t done, std::size_t reused, std::string_view) {
                 told.push_back(std::to_string(done) + "/" + std::to_string(reused));
             }});
    CHECK(names(all) == names(whole.search()));
    CHECK(kept.size() == blocks.size()); // each once
    CHECK(second.gpu.builds == std::vector<std::size_t>(3, 1));
    CHECK(told == std::vector<std::string>{"0/0", "1/1", "2/2", "3/3", "4/4", "5/4", "6/4", "7/4"});
    CHECK(all.notes.empty()); // as of a search that was not interrupted
}

TEST_CASE("a parameter without effect is called by its name") {
    search_scene c(
        [](std::string const&, lkt::configuration const& config) {
            behaviour b;
            // Other programs for other values of BLOCK alone.
            b.digest = static_cast<std::uint64_t>(integer(config, "BLOCK")) + 100;
            return b;
        },
        1,
        {8, 16});
    c.kernel.source.text += " // UNROLL";
    c.kernel.parameters.push_back({"UNROLL", {std::int64_t{1}, std::int64_t{2}}});
    auto const all = c.search();
    REQUIRE(all.notes.size() == 1);
    CHECK(all.notes[0] == "warning: the parameter `UNROLL` has no effect here: configurations that "
                          "differ in it alone have the same binary and the same launch");
}

TEST_CASE("where every configuration is wrong, one run in checked mode looks for the cause") {
    bool all_wrong = true;
    auto const racing = [&](std::string const& text, lkt::configuration const& c) {
        behaviour b;
        if (text == original_text) return b;
        b.checked = lkt::race{"`tile[1]` is read and written, lines 4 and 6"};
        b.wrong = all_wrong || integer(c, "BLOCK") != 24;
        if (integer(c, "BLOCK") == 8) b.compile = lkt::compile_failed{"no", {1, 1}};
        return b;
    };
    auto const checked_runs = [](search_scene const& one) {
        return std::count_if(one.gpu.log.begin(), one.gpu.log.end(), [](std::string const& line) {
            return line.starts_with("checked ");
        });
    };
    search_scene one(racing, 1, {8, 16, 24, 32});
    auto const found = one.search();
    CHECK(names(found) == std::vector<std::string>{
                              "8 compile-error", "16 race", "24 wrong-output", "32 wrong-output"});
    CHECK(found.with_cause == 1u);
    CHECK(found.notes.back().starts_with("observed as: Wrong output"));
    CHECK(checked_runs(one) == 1);

    all_wrong = false;
    search_scene some(racing, 1, {8, 16, 24, 32});
    CHECK_FALSE(some.search().with_cause);
    CHECK(checked_runs(some) == 0);
}
