// SPDX-License-Identifier: BSL-1.0
// When kernels are profiled, and what prompts say of it.
#include <lkt/nodes/evaluate.hpp>

#include <doctest/doctest.h>

#include <lkt/nodes/advise.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/search/exhaustive.hpp>
#include <lkt/verify/problem_tests.hpp>

#include "../strategies/rewrites.hpp"
#include "../support/profiled_gpu.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

template <class Gpu = profiled_gpu>
struct scene {
    Gpu gpu{by_words};
    lkt::no_model nobody;
    lkt::problem_tests tests;
    lkt::exhaustive search;
    lkt::toolbox<Gpu> tools{gpu, nobody, tests, search};
    lkt::tuning_state s;

    explicit scene(lkt::profiling when) { tools.evaluation.profile = when; }
    void begin() { s = prepared_state(twice_problem(), tools); }
    lkt::evaluated judge(std::string const& words) {
        s.proposal = s.best.kernel;
        s.proposal.source.text = kernel_that(words);
        return lkt::evaluate(s, tools).value();
    }
};
std::ptrdiff_t notes_of(lkt::tuning_state const& s) {
    return std::count_if(s.notes.begin(), s.notes.end(), [](std::string const& n) {
        return n.starts_with("kernels are not profiled: ");
    });
}
bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

/// A kernel that memory bounds, with something in each field.
lkt::kernel_profile memory_bound() {
    lkt::kernel_profile p;
    p.compute_percent = 12.34;
    p.dram_percent = 87.26;
    p.l2_percent = 40;
    p.l1_percent = 55;
    p.fp32_percent = 5;
    p.tensor_percent = 0;
    p.warps_percent = 71;
    p.dram_bytes = 1536;
    p.l1_hit_percent = 3;
    p.l2_hit_percent = 49.96;
    p.load_sectors = 4;
    p.store_sectors = 32;
    p.bank_conflicts = 25;
    p.shared_wavefronts = 100;
    p.local_load_sectors = 77;
    p.issued_per_cycle = 0.5;
    p.threads_per_instruction = 31.5;
    p.stalls = {{"long_scoreboard", 61}, {"barrier", 12}, {"wait", 6}, {"lg_throttle", 5}};
    return p;
}

} // namespace

TEST_CASE("The original and each kernel that becomes the best one are profiled, no other") {
    for (auto when : {lkt::profiling::automatic, lkt::profiling::always}) {
        scene<> c(when);
        c.begin();
        CHECK(c.gpu.profiles == 1);
        REQUIRE(c.s.best.profile.has_value());
        CHECK(c.s.baseline.profile == c.s.best.profile);
        CHECK(c.judge("speed 0.5") == lkt::evaluated::slower);
        CHECK(c.judge("wrong") == lkt::evaluated::failed);
        CHECK(c.gpu.profiles == 1);
        CHECK(c.judge("speed 2") == lkt::evaluated::faster);
        CHECK(c.gpu.profiles == 2);
        CHECK(c.s.best.profile->compute_percent == 2);
        CHECK(c.s.baseline.profile->compute_percent == 1);
        CHECK(notes_of(c.s) == 0);
    }
}

TEST_CASE("A run that does without is not profiled") {
    scene<> c(lkt::profiling::never);
    c.begin();
    CHECK(c.judge("speed 2") == lkt::evaluated::faster);
    CHECK(c.gpu.profiles == 0);
    CHECK_FALSE(c.s.best.profile.has_value());
}

TEST_CASE(
    "A back end without a profiler is a note where a profile was demanded, and else nothing") {
    scene<fake_gpu> c(lkt::profiling::always);
    c.begin();
    CHECK(c.judge("speed 2") == lkt::evaluated::faster);
    CHECK(notes_of(c.s) == 1);
    scene<fake_gpu> d(lkt::profiling::automatic);
    d.begin();
    CHECK(notes_of(d.s) == 0);
}

TEST_CASE("A profiler that fails takes nothing away, and is noted once") {
    scene<> c(lkt::profiling::automatic);
    c.gpu.fails = lkt::error{
        lkt::condition::unavailable, "x", "the counters are out of reach", "ask for permission"};
    c.begin();
    CHECK(c.judge("speed 2") == lkt::evaluated::faster);
    CHECK(c.s.best.kernel.source.text == kernel_that("speed 2"));
    CHECK_FALSE(c.s.best.profile.has_value());
    CHECK(c.gpu.profiles == 1); // what failed once would cost seconds again
    CHECK(notes_of(c.s) == 1);
    CHECK(std::find(c.s.notes.begin(),
                    c.s.notes.end(),
                    "kernels are not profiled: the counters are out of reach; ask for "
                    "permission") != c.s.notes.end());

    scene<> d(lkt::profiling::automatic);
    d.gpu.fails = lkt::cancelled("a profile");
    d.begin();
    CHECK(d.s.notes == scene<fake_gpu>(lkt::profiling::never).s.notes);
}

TEST_CASE("Of proposals the winner has the profile, in the batch's own list as well") {
    stage<lkt::batch_state> c({rewrite("speed 2"), rewrite("speed 3"), rewrite("speed 0.5")});
    profiled_gpu gpu(by_words);
    c.s.batch.resize(3);
    constexpr lkt::ask_batch_fn<> ask;
    REQUIRE(ask(c.s, c.tools).has_value());
    bare_tools tools{gpu, c.llm};
    lkt::detail::tools_ref const seen(tools);
    auto const end = lkt::detail::evaluate_batch(lkt::detail::state_ref(c.s),
                                                 c.s.batch,
                                                 seen,
                                                 lkt::gpu_ref(gpu),
                                                 lkt::detail::search_of(tools),
                                                 {.kept = 3});
    REQUIRE(end.has_value());
    CHECK(*end == lkt::evaluated::faster);
    CHECK(gpu.profiles == 1);
    for (lkt::batch_proposal const& r : c.s.batch)
        if (r.measured)
            CHECK(r.measured->profile.has_value() ==
                  (r.measured->kernel.source.text == kernel_that("speed 3")));
}

TEST_CASE("Prompts say what the counters say, what bounds the kernel first") {
    scene<fake_gpu> c(lkt::profiling::never);
    c.begin();
    auto const task = [&] { return lkt::default_prompts{}.task(lkt::brief_of(c.s)); };
    CHECK_FALSE(has(task(), "profiled"));
    c.s.best.profile = memory_bound();
    std::string const text = task();
    auto const first = text.find("profiled");
    CHECK(text.find("- profiled, what bounds it: device memory, at 87.3 % of the peak\n") ==
          first - 2);
    for (char const* line :
         {"- profiled, of the peak: compute 12.3 %, device memory 87.3 %, L2 40 %, L1 and "
          "shared "
          "memory 55 %, float pipe 5 %, tensor cores 0 %\n",
          "- profiled, what warps wait for, of their time: 61 % for values from global or local "
          "memory (long_scoreboard), 12 % at barriers for other warps (barrier), 6 % for the fixed "
          "time that an instruction before takes (wait)\n",
          "- profiled, memory: 1.5 KiB read from device memory and written to it (3 times what "
          "every input read once and every output written once comes to), L1 hits 3 %, L2 hits "
          "50 %, 4 sectors of 32 bytes for a load of a warp (4 where 32 elements of 4 bytes lie "
          "side by side), 32 for a store\n",
          "- profiled, what costs besides: bank conflicts, of the cycles of shared memory 25 %, 77 "
          "sectors loaded from local memory (spilled registers, or arrays that are indexed at run "
          "time)\n",
          "- profiled, execution: achieved occupancy 71 %, 0.5 of 4 possible instructions issued "
          "in a cycle of a multiprocessor, 31.5 of 32 threads active in an instruction\n"})
        CHECK_MESSAGE(has(text, line), line << "\n" << text);
    // The judge is told the same.
    std::string const judge = lkt::default_judge_prompts{}.task(lkt::brief_of(c.s), nullptr);
    CHECK(has(judge, "- profiled, what bounds it: device memory"));
    CHECK(has(judge, "- profiled, execution: "));
    // A kernel's profile is not told of another one.
    c.s.best.profile.reset();
    c.s.baseline.profile = memory_bound();
    CHECK_FALSE(has(task(), "profiled"));
}

TEST_CASE("Where nothing is busy, prompts say what warps wait for; what is not known is left out") {
    scene<fake_gpu> c(lkt::profiling::never);
    c.begin();
    auto const task = [&] { return lkt::default_prompts{}.task(lkt::brief_of(c.s)); };
    auto p = memory_bound();
    p.dram_percent = 22;
    p.stalls = {{"barrier", 44}, {"sleeping", 2}};
    c.s.best.profile = p;
    CHECK(has(task(),
              "- profiled, what bounds it: latency; the busiest part of the device, L1 and shared "
              "memory, is at 55 % of its peak, and warps wait most at barriers for other warps "
              "(barrier)\n"));
    CHECK(has(task(), "2 % for sleeping\n")); // nobody knows the word
    lkt::kernel_profile few;
    few.l2_hit_percent = 5;
    few.bank_conflicts = 0;
    few.shared_wavefronts = 0;
    few.local_load_sectors = 0;
    c.s.best.profile = few;
    std::string const text = task();
    CHECK(has(text, "- profiled, memory: L2 hits 5 %\n"));
    for (char const* part : {"what bounds it", "of the peak:", "warps wait", "costs", "execution"})
        CHECK_MESSAGE(!has(text, std::string("profiled, ") + part), part);
    c.s.best.profile = lkt::kernel_profile{};
    CHECK_FALSE(has(task(), "profiled"));
}
