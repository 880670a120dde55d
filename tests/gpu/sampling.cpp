// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/sampling.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using lkt::sampling_end;
using lkt::seconds;

namespace {

/// How many samples a rule takes, and why it ends. `sample` gives the i-th.
template <class Sample>
std::pair<int, sampling_end> run(lkt::sampling rule, int launches, Sample sample) {
    lkt::sampling_rule r(rule, launches);
    for (int i = 0;; ++i)
        if (auto const end = r.add(seconds(sample(i))); end != sampling_end::not_yet)
            return {i + 1, end};
}

/// Between -1 and 1, without a pattern.
double noise(int i) {
    double const x = std::sin(i * 12.9898 + 4.1414) * 43758.5453;
    return 2 * (x - std::floor(x)) - 1;
}

} // namespace

TEST_CASE("all launches are taken where nothing else is asked for") {
    CHECK(run({}, 17, [](int) { return 1.0; }) == std::pair(17, sampling_end::all_taken));
    CHECK(run({}, 1, [](int) { return 1.0; }) == std::pair(1, sampling_end::all_taken));
}

TEST_CASE("a precise median ends the series, with six samples at the earliest") {
    lkt::sampling rule{.min_launches = 3, .precision = 0.01};
    CHECK(run(rule, 1000, [](int) { return 1.0; }) == std::pair(6, sampling_end::precise));
    rule.min_launches = 10;
    CHECK(run(rule, 1000, [](int) { return 1.0; }) == std::pair(10, sampling_end::precise));
    // 5 % of noise needs more of them, and the median is then known as well as was asked.
    auto const [taken, end] = run(rule, 100000, [](int i) { return 1 + 0.05 * noise(i); });
    CHECK(end == sampling_end::precise);
    CHECK(taken > 30);
    CHECK(taken < 1000);
    // A single outlier does not matter.
    CHECK(run(rule, 1000, [](int i) { return i == 0 ? 9.0 : 1.0; }).first == 10);
}

TEST_CASE("noise that no launch removes ends it by its entropy") {
    // Two equally frequent values 10 % apart: the median's interval never closes.
    lkt::sampling const rule{.min_launches = 10, .precision = 0.001};
    auto const [taken, end] = run(rule, 100000, [](int i) { return noise(i) > 0 ? 1.0 : 1.1; });
    CHECK(end == sampling_end::steady);
    CHECK(taken >= 299);
    CHECK(taken < 5000);
}

TEST_CASE("side by side: one fast launch keeps a kernel in") {
    lkt::sampling const rule{.min_launches = 2, .give_up_above = seconds{1.5}};
    CHECK(run(rule, 10, [](int) { return 2.0; }) == std::pair(2, sampling_end::gave_up));
    CHECK(run(rule, 10, [](int i) { return i == 1 ? 1.0 : 2.0; }).second ==
          sampling_end::all_taken);
}

TEST_CASE("the time is a limit, but not below the least number of launches") {
    lkt::sampling const rule{.min_launches = 3, .time = seconds{1}};
    CHECK(run(rule, 100, [](int) { return 0.125; }) == std::pair(8, sampling_end::time_over));
    CHECK(run(rule, 100, [](int) { return 5.0; }) == std::pair(3, sampling_end::time_over));
}
