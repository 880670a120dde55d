// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/timed_size.hpp>

#include <doctest/doctest.h>

#include "steady_backend.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace {

using test::steady_backend;

lkt::expression formula(std::string const& text) { return lkt::expression::parse(text).value(); }

steady_backend gpu() {
    steady_backend b;
    b.fake.kernels["double it"] = test::doubling;
    return b;
}

/// m * n threads, each with a loop over k: the work is their product.
lkt::problem product() {
    auto task = test::doubling_problem();
    task.size = {{"M", 64}, {"N", 32}, {"K", 16}};
    auto const count = task.signature.arguments[2];
    task.signature.arguments.insert(task.signature.arguments.end(), {count, count});
    lkt::argument_spec const scalar = task.arguments[2];
    task.arguments.insert(task.arguments.end(), {scalar, scalar});
    task.arguments[0].count = formula("M * K");
    task.arguments[1].count = formula("M * N");
    task.arguments[2].value = formula("M");
    task.arguments[3].value = formula("N");
    task.arguments[4].value = formula("K");
    task.launch.grid[0] = formula("ceil_div(N, 32)");
    task.launch.grid[1] = formula("M");
    return task;
}

lkt::sized_launch
found(lkt::problem const& task, steady_backend& b, lkt::timed_size_options const& options = {}) {
    auto const size = lkt::timed_size(b, task, {}, options);
    REQUIRE_MESSAGE(size.has_value(), to_string(size.error()));
    return *size;
}

} // namespace

TEST_CASE("a size that takes as long as it should stays") {
    auto b = gpu();
    b.seconds_for_each = 1e-3 / 64;
    auto const size = found(test::doubling_problem(64), b);
    CHECK(size.inside);
    CHECK(size.size == lkt::problem_size{{"N", 64}});
    CHECK(size.time.count() == doctest::Approx(1e-3)); // the fastest of three
    CHECK(b.fake.compiled == 1);
}

TEST_CASE("what is too short grows along all of its extents, what is too long shrinks") {
    auto b = gpu();
    auto const line = found(test::doubling_problem(64), b); // 64 ns, at least 200 us are wanted
    CHECK(line.inside);
    CHECK(line.size[0].second == 64 * 4096);
    auto const volume = found(product(), b); // 32 us: one step is a factor of eight
    CHECK(volume.inside);
    CHECK(volume.size == lkt::problem_size{{"M", 128}, {"N", 64}, {"K", 32}});
    auto const shorter = found(test::doubling_problem(1 << 26), b);
    CHECK(shorter.inside);
    CHECK(shorter.size[0].second == 1 << 24);
    auto const window = found(test::doubling_problem(64),
                              b,
                              {.min_time = lkt::seconds{1e-6}, .max_time = lkt::seconds{2e-6}});
    CHECK(window.size[0].second == 1024);
}

TEST_CASE("only fair sizes are tried, and only what fits the memory") {
    auto b = gpu();
    auto task = product();
    task.size_constraints = {formula("M == 64"), formula("K <= 16")};
    auto const wide = found(task, b);
    CHECK(wide.inside);
    CHECK(wide.size == lkt::problem_size{{"M", 64}, {"N", 256}, {"K", 16}});
    task.size_constraints.push_back(formula("N <= 100"));
    auto const stuck = found(task, b);
    CHECK(!stuck.inside);
    CHECK(stuck.size == lkt::problem_size{{"M", 64}, {"N", 64}, {"K", 16}});
    CHECK(stuck.why == "no larger size is valid, fits into memory and runs");
    auto const small = found(test::doubling_problem(64), b, {.memory = {1 << 16}});
    CHECK(!small.inside);
    CHECK(small.size[0].second == 8192); // two buffers of floats
    b.most = 1000;
    auto const failing = found(test::doubling_problem(64), b);
    CHECK(!failing.inside);
    CHECK(failing.size[0].second == 512);
    auto const once = found(test::doubling_problem(64), b, {.steps = 1});
    CHECK(once.size[0].second == 64);
    CHECK(!once.inside);
}

TEST_CASE("where work is stated, sizes on the way are not launched") {
    auto task = test::doubling_problem(64);
    task.size_constraints = {formula("N >= 1")};
    auto const runs = [&](lkt::timed_size_options const& how, std::int64_t most = 1LL << 40) {
        auto b = gpu();
        b.most = most;
        auto const size = found(task, b, how).size;
        return std::pair(size, b.seen.size());
    };
    lkt::timed_size_options const how{
        .min_time = lkt::seconds{1e-3}, .max_time = lkt::seconds{3e-3}, .rate = 0x1p30};
    auto const [size, launches] = runs(how);
    task.work.operations = formula("N");
    auto const [stated, few] = runs(how);
    CHECK(stated == size);
    CHECK(launches > 12);
    CHECK(few == 4); // 64, 2^12, 2^18, and the last
    // One that fails is come to step by step.
    auto const [less, more] = runs(how, 1 << 16);
    CHECK(less == lkt::problem_size{{"N", 1 << 16}});
    CHECK(more > 5);
}

TEST_CASE("an original that does not run has no size") {
    auto b = gpu();
    b.most = 10;
    auto const failing = lkt::timed_size(b, test::doubling_problem(64), {});
    REQUIRE(!failing.has_value());
    CHECK(failing.error().code == "lkt.verify.reference");
    CHECK(failing.error().message.find("fails at N=64") != std::string::npos);
    steady_backend without;
    auto const unknown = lkt::timed_size(without, test::doubling_problem(64), {});
    REQUIRE(!unknown.has_value());
    CHECK(unknown.error().message.find("does not compile") != std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    b.most = 1 << 30;
    auto const stopped = lkt::timed_size(b, test::doubling_problem(64), {stop.get_token(), {}});
    REQUIRE(!stopped.has_value());
    CHECK(stopped.error().kind == lkt::condition::cancelled);
}
