// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/attack_judge.hpp>

#include <lkt/gpu/host.hpp>

#include <doctest/doctest.h>

#include "../support/fake_gpu.hpp"

#include <string>
#include <tuple>
#include <variant>

using namespace lkt_test;

namespace {

/// y = 2 x at any size up to 1000.
lkt::problem any_size() {
    auto p = twice_problem();
    p.size_constraints = {lkt::expression::parse("N >= 1").value(),
                          lkt::expression::parse("N <= 1000").value()};
    return p;
}

std::string replaced(std::string text, std::string const& what, std::string const& by) {
    return text.replace(text.find(what), what.size(), by);
}

/// Wrong for one number in four thousand million.
std::string const rare = replaced(original_text,
                                  "2 * x[i]",
                                  "__float_as_uint(x[i]) * __float_as_uint(x[i]) * 2654435761u == "
                                  "2161566465u ? 0.f : 2 * x[i]");
std::string script(std::string const& values) {
    return "import numpy as np\ndef generate(sizes, rng):\n    x = np.ones(sizes['N'], "
           "np.float32)\n    " +
           values + "\n    return {'x': x}\n";
}

} // namespace

TEST_CASE("What is accepted is proven wrong by its witness, or stays unproven") {
    lkt::host gpu;
    lkt::attack_judge_options how;
    how.evaluation.repetitions = 3;
    how.evaluation.checked = false;
    how.certify = {2, 6};
    how.hidden_sizes = 1;
    how.fresh_seed = [] { return std::uint64_t{5}; };
    lkt::verifying_judge judge(gpu, how);
    auto const task = any_size();
    auto const judged = [&](lkt::attack_proposal const& p) {
        auto j = judge.judge(task, p);
        REQUIRE(j.has_value());
        return *j;
    };

    auto const wrong = judged({replaced(original_text, "2 *", "3 *"), "", "", ""});
    CHECK(wrong.end == lkt::attack_end::rejected);
    CHECK(wrong.verdict != lkt::verdict::accepted);
    CHECK_FALSE(wrong.reason.empty());
    CHECK(wrong.seed == 5);

    auto const honest =
        judged({replaced(original_text, "2 * x[i]", "x[i] + x[i]"), "", "N=7", script("x[3] = 9")});
    CHECK(honest.end == lkt::attack_end::unproven);
    CHECK_MESSAGE(honest.proof.find("it computes what the original") != std::string::npos,
                  honest.proof);

    auto const proven = judged(
        {rare, "", "N=7", script("x[3] = np.array([0x55dcb909], np.uint32).view(np.float32)[0]")});
    CHECK(proven.end == lkt::attack_end::proven);
    CHECK_MESSAGE(proven.proof.find("`y[3]` is 0") != std::string::npos, proven.proof);

    how.evaluation.checked = true;
    lkt::verifying_judge whole(gpu, how);
    auto const doubted = whole.judge(task, {rare, "", "N=7", ""});
    REQUIRE(doubted.has_value());
    CHECK(doubted->end == lkt::attack_end::doubted);
    CHECK_MESSAGE(doubted->proof.find("no test reaches a branch of line ") == 0, doubted->proof);
}

TEST_CASE("A witness beyond what the problem allows shows nothing, and says why") {
    auto const task = any_size();
    for (auto const& [size, text, words] :
         {std::tuple("", "", "there is no witness"),
          std::tuple("N=1001", "", "does not allow the size of the witness, N=1001"),
          std::tuple("M=3", "", "cannot be read: `M=3`"),
          std::tuple("N=999", "", "no test can be made at that size: "),
          std::tuple("N=7",
                     "x[3] = np.nan",
                     "`x` has the element 3, nan, which the problem does not allow"),
          std::tuple("N=7", "raise ValueError('no')", "the witness is no test: ")}) {
        CAPTURE(words);
        auto const made = lkt::detail::witness_of(
            task, {"", "", size, *text ? script(text) : ""}, 1, {1 << 10}, {});
        REQUIRE(made.has_value());
        auto const* why = std::get_if<std::string>(&*made);
        REQUIRE(why != nullptr);
        CHECK_MESSAGE(why->find(words) != std::string::npos, *why);
    }
}
