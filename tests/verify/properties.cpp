// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/properties.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/oracle.hpp>
#include <lkt/verify/signature_tests.hpp>

#include "fake_backend.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

namespace {

using test::fake_backend;
using test::fake_launch;
using outcome = std::optional<lkt::failure>;

/// y = f(x) over 1000 floats, judged against an original, with what the problem promises of it.
struct bench {
    lkt::problem task = test::doubling_problem(1000);
    fake_backend gpu;
    lkt::test_suite suite;
    std::vector<std::string> notes;
    lkt::property_options options{};

    explicit bench(test::fake_kernel original, lkt::kernel_properties promises = {}) {
        task.properties = std::move(promises);
        gpu.kernels["double it"] = std::move(original);
        auto made =
            lkt::prepare_suite(gpu, task, lkt::signature_tests{}.generate(task, {}).value(), {});
        REQUIRE(made.has_value());
        suite = std::move(*made);
        options.notes = &notes;
    }
    outcome check(test::fake_kernel candidate) {
        gpu.kernels["candidate"] = std::move(candidate);
        lkt::compile_request request;
        request.source.text = "candidate";
        request.signature = task.signature;
        auto const kernel = std::get<lkt::compiled_kernel>(gpu.compile(request, {}).value());
        gpu.requests.clear();
        auto made = lkt::check_properties(gpu, kernel, task, task.launch, {}, suite, {}, options);
        REQUIRE(made.has_value());
        return std::move(*made);
    }
};

lkt::kernel_properties linear() {
    lkt::kernel_properties p;
    p.linear = {{0}};
    return p;
}

/// Each output is the sum of all inputs.
outcome sums(fake_launch& l) {
    auto const n = static_cast<std::size_t>(l.get<int>(2));
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += l.get<float>(0, k);
    for (std::size_t k = 0; k < n; ++k) l.set<float>(1, k, static_cast<float>(sum));
    return std::nullopt;
}

} // namespace

TEST_CASE("a hundred identical launches, ten at a time") {
    bench b(test::doubling);
    CHECK(!b.check(test::doubling));
    CHECK(b.gpu.requests.size() == 13);
    std::set<std::uint64_t> seeds; // what memory holds before a launch is to change nothing
    for (std::size_t k = 0; k < 13; ++k) {
        auto const& r = b.gpu.requests[k];
        CHECK(r.launches == (k < 10 ? 10 : 1)); // and what launches before left in it
        if (k < 10) seeds.insert(r.poison_seed);
    }
    CHECK(seeds.size() == 10);
    CHECK(b.notes.empty());
    b.options.launches = 7;
    CHECK(!b.check(test::doubling));
    REQUIRE(b.gpu.requests.size() == 4);
    CHECK(b.gpu.requests[0].launches == 7);
    b.options.launches = 0;
    CHECK(!b.check(test::doubling));
    CHECK(b.gpu.requests.empty());
}

TEST_CASE("what repeats a launch bit by bit is judged once") {
    bench b(test::doubling);
    int judged = 0;
    b.suite.comparators = {{1, [&](auto const&, auto const&, auto const&) {
                                ++judged;
                                return std::optional<std::string>();
                            }}};
    for (auto& t : b.suite.tests) t.expected_id = 0;
    CHECK(!b.check(test::doubling));
    CHECK(judged == 3); // and two that start from what others left
    judged = 0;
    CHECK(!b.check([](fake_launch& l) -> outcome {
        test::doubling(l);
        if (l.number == 73) l.set<float>(1, 5, 0);
        return std::nullopt;
    }));
    CHECK(judged == 4); // the first one, the one that differs, and those two
}

TEST_CASE("one element that is wrong in one launch of a hundred is found") {
    for (bool compares : {false, true}) {
        bench b(test::doubling);
        b.gpu.compares = compares;
        auto const found = b.check([](fake_launch& l) -> outcome {
            test::doubling(l);
            if (l.number == 73) l.set<float>(1, 417, 9);
            return std::nullopt;
        });
        REQUIRE(found);
        CHECK(lkt::verdict_of(*found) == lkt::verdict::nondeterminism);
        auto const& w = std::get<lkt::wrong_output>(*found);
        CHECK(w.index == 417);
        CHECK(w.pattern.find("in launch 74 of 100 identical ones: only element 417") == 0);
    }
}

TEST_CASE("what an earlier launch left in an output changes nothing") {
    bench b(test::doubling);
    // It marks the last bit of each result, and leaves what is marked: poison never is.
    auto const found = b.check([](fake_launch& l) -> outcome {
        auto const n = static_cast<std::size_t>(l.get<int>(2));
        auto const mark = [](std::size_t k) { return static_cast<std::uint32_t>(k % 3 == 0); };
        bool marked = true;
        for (std::size_t k = 0; k < n; ++k)
            marked = marked && (std::bit_cast<std::uint32_t>(l.get<float>(1, k)) & 1u) == mark(k);
        if (marked) return std::nullopt;
        for (std::size_t k = 0; k < n; ++k) {
            auto const bits = std::bit_cast<std::uint32_t>(2 * l.get<float>(0, k));
            l.set<float>(1, k, std::bit_cast<float>((bits & ~1u) | mark(k)));
        }
        return std::nullopt;
    });
    REQUIRE(found);
    CHECK(lkt::verdict_of(*found) == lkt::verdict::work_skipping);
    auto const& w = std::get<lkt::wrong_output>(*found);
    CHECK(w.pattern.find("data that an earlier launch left in its outputs") == 0);
    CHECK(w.test.find(", after a launch on other values") != std::string::npos);
    // Half of the elements stand for the others: stale where few have changed.
    auto const stale = b.check([](fake_launch& l) -> outcome {
        auto const n = static_cast<std::size_t>(l.get<int>(2));
        for (std::size_t first = 0; first < n; first += 50) {
            bool right = true;
            for (std::size_t k = first; k < first + 50; k += 2)
                right = right && l.get<float>(1, k) == 2 * l.get<float>(0, k);
            for (std::size_t k = first; !right && k < first + 50; ++k)
                l.set<float>(1, k, 2 * l.get<float>(0, k));
        }
        return std::nullopt;
    });
    REQUIRE(stale);
    CHECK(lkt::verdict_of(*stale) == lkt::verdict::stateful);
}

TEST_CASE("last bits may change, unless the problem promises that they do not") {
    auto const drifting = [](fake_launch& l) -> outcome {
        test::doubling(l);
        float const y = l.get<float>(1, 5);
        if (l.number % 2) l.set<float>(1, 5, std::nextafter(y, 10.0f));
        return std::nullopt;
    };
    bench loose(test::doubling);
    CHECK(!loose.check(drifting));
    REQUIRE(loose.notes.size() == 1);
    CHECK(loose.notes[0].find("the bits of outputs change from launch to launch, within the "
                              "bounds: element 5 of `y` is ") == 0);
    for (bool compares : {false, true}) {
        lkt::kernel_properties promises;
        promises.deterministic = true;
        bench strict(test::doubling, promises);
        strict.gpu.compares = compares;
        auto const found = strict.check(drifting);
        REQUIRE(found);
        CHECK(lkt::verdict_of(*found) == lkt::verdict::nondeterminism);
        CHECK(std::get<lkt::race>(*found).what.find("element 5 of `y`") != std::string::npos);
        CHECK(!strict.check(test::doubling));
    }
}

TEST_CASE("a linear kernel scales and adds") {
    bench b(test::doubling, linear());
    CHECK(!b.check(test::doubling));
    CHECK(b.notes.empty());
    CHECK(b.gpu.requests.size() == 16);
    // Right on inputs up to 1, as they are tested.
    auto const clipped = b.check([](fake_launch& l) -> outcome {
        for (std::size_t k = 0; k < 1000; ++k)
            l.set<float>(1, k, 2 * std::fmin(1.0f, l.get<float>(0, k)));
        return std::nullopt;
    });
    REQUIRE(clipped);
    auto const& w = std::get<lkt::wrong_output>(*clipped);
    CHECK(w.test == "N=1000, scaled by 2^5");
    CHECK(w.pattern.find("the outputs do not scale as the inputs") == 0);
}

TEST_CASE("what scales and does not add is not linear") {
    auto const sized = [](fake_launch& l) -> outcome {
        for (std::size_t k = 0; k < 1000; ++k) l.set<float>(1, k, std::fabs(l.get<float>(0, k)));
        return std::nullopt;
    };
    bench b(sized, linear());
    auto const found = b.check(sized);
    REQUIRE(found);
    CHECK(std::get<lkt::wrong_output>(*found).test == "N=1000, the mean of two inputs");
}

TEST_CASE("inputs stay in their domain; what cannot be tried is noted") {
    bench b(test::doubling, linear());
    b.task.arguments[0].min = -1;
    b.task.arguments[0].max = 1;
    float largest = 0;
    CHECK(!b.check([&](fake_launch& l) -> outcome {
        for (std::size_t k = 0; k < 1000; ++k)
            largest = std::fmax(largest, std::fabs(l.get<float>(0, k)));
        return test::doubling(l);
    }));
    CHECK(b.notes.empty());
    CHECK(b.gpu.requests.size() == 16);
    CHECK(largest > 0.5f);
    CHECK(largest <= 1);
    b.task.arguments[0].min = 0.4;
    CHECK(!b.check(test::doubling));
    REQUIRE(b.notes.size() == 1);
    CHECK(b.notes[0].find("scaling was not tried") == 0);
    b.notes.clear();
    b.task.properties.linear = {{2}};
    CHECK(!b.check(test::doubling));
    CHECK(b.notes.at(0) ==
          "linearity was not tried: an argument of the set is not a floating-point argument");
}

TEST_CASE("the order of the inputs does not matter where the problem says so") {
    lkt::kernel_properties promises;
    promises.permutation_invariant = {0};
    bench b(sums, promises);
    CHECK(!b.check(sums));
    // Knows the inputs of the tests by their first element.
    float const first = b.suite.tests[0].test.arguments[0].lane<float>(0);
    float const second = b.suite.tests[1].test.arguments[0].lane<float>(0);
    auto const found = b.check([=](fake_launch& l) -> outcome {
        float const x = l.get<float>(0);
        sums(l);
        if (x != first && x != second) l.set<float>(1, 0, 50 + x);
        return std::nullopt;
    });
    REQUIRE(found);
    auto const& w = std::get<lkt::wrong_output>(*found);
    CHECK(w.test == "N=1000, permuted");
    CHECK(w.pattern.find("the outputs depend on the order of the inputs") == 0);
}

TEST_CASE("a launch that fails is the kernel's failure, and no tests are an error") {
    bench b(test::doubling);
    auto const crash = b.check(
        [](fake_launch&) -> outcome { return lkt::failure(lkt::crashed{"illegal address", {}}); });
    REQUIRE(crash);
    CHECK(lkt::verdict_of(*crash) == lkt::verdict::crashed);
    b.suite.tests.clear();
    auto const none =
        lkt::check_properties(b.gpu, {}, b.task, b.task.launch, {}, b.suite, {}, b.options);
    REQUIRE(!none.has_value());
    CHECK(none.error().code == "lkt.verify.no_tests");
}
