// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/explore_branches.hpp>

#include <doctest/doctest.h>

#include <lkt/gpu/branches.hpp>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

/// What a kernel of one branch compares: in real32 or in whole numbers.
struct compared {
    lkt::operand_type type;
    std::vector<lkt::compared_pair> pairs;
};
lkt::compared_pair reals(float a, float b) {
    return {std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b)};
}

/// No input leads to a value of it.
std::uint32_t hash_of(std::span<lkt::argument_data const> a) {
    auto h = a[0].lane<std::uint32_t>(0);
    for (int k = 0; k < 3; ++k) h = (h ^ h >> 16) * 0x85ebca6bU;
    return h;
}

/// A back end whose kernel says what it compares; the branch at 100 leads to 1 where operands are
/// equal (or the left one is greater, of `orders`), else to 2.
struct branching_backend {
    std::function<compared(std::span<lkt::argument_data const>, lkt::launch_dimensions)> kernel;
    bool orders = false;
    std::uint32_t hashed = 0; ///< further comparisons, which no input leads to
    std::uint64_t steps = 0;  ///< of a run
    int runs = 0;

    lkt::result<lkt::device_description> device(lkt::call_context const&) {
        return lkt::device_description{};
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const&) {
        lkt::compiled_kernel made;
        made.signature = request.signature;
        std::vector<lkt::branch_site> sites;
        for (std::uint32_t k = 0; k < hashed; ++k) sites.push_back({200 + k, 2, {1, 2}, false});
        sites.push_back({100, 2, {1, 2}, false});
        made.branches = std::make_shared<std::vector<lkt::branch_site> const>(std::move(sites));
        return lkt::compile_outcome(std::move(made));
    }
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const& request, lkt::call_context const&) {
        ++runs;
        lkt::run_report report;
        lkt::comparison_seen seen;
        seen.at = 100;
        double least = HUGE_VAL;
        std::size_t const sets = 1 + request.ring.size();
        for (int launch = 0; launch < request.launches; ++launch) {
            auto const set = lkt::set_of_launch(request.poison_seed, launch, sets);
            auto const now = kernel(set == 0 ? request.arguments : request.ring[set - 1].arguments,
                                    request.dimensions);
            seen.type = now.type;
            for (auto const p : now.pairs) {
                double const a = lkt::operand_value(now.type, p.left),
                             b = lkt::operand_value(now.type, p.right);
                if (seen.first.size() < 6) seen.first.push_back(p);
                if (std::fabs(a - b) < least) least = std::fabs(a - b), seen.nearest = p;
                bool const there = orders ? a > b : a == b;
                report.branches.taken.emplace_back(100, there ? 1 : 2);
            }
        }
        report.branches.comparisons.push_back(std::move(seen));
        report.branches.steps = steps;
        for (std::uint32_t k = 0; k < hashed; ++k) {
            lkt::compared_pair const pair{hash_of(request.arguments), 0x12345678};
            report.branches.comparisons.push_back(
                {200 + k, lkt::operand_type::bits32, 1, false, true, true, {pair}, pair});
            report.branches.taken.emplace_back(200 + k, 2);
        }
        return lkt::run_outcome(std::move(report));
    }
};

lkt::problem task_of_two() {
    lkt::problem task;
    task.reference = {lkt::language::cuda, "void k()\nif (a == b) c();\n", {}};
    task.signature.name = "k";
    lkt::argument x, y, n;
    x.name = "x", x.type = {lkt::scalar_type::float32, 1}, x.pointer = true;
    x.flow = lkt::direction::in;
    y = x, y.name = "y";
    n.name = "n", n.type = {lkt::scalar_type::int32, 1};
    task.signature.arguments = {x, y, n};
    task.size = {{"N", 64}};
    lkt::argument_spec buffer, count;
    buffer.count = *lkt::expression::parse("N");
    count.value = *lkt::expression::parse("N");
    task.arguments = {buffer, buffer, count};
    task.launch.grid[0] = *lkt::expression::parse("ceil_div(N, 32)");
    task.launch.block[0] = *lkt::expression::parse("32");
    task.size_constraints = {*lkt::expression::parse("1 <= N")};
    return task;
}

struct found {
    lkt::exploration what;
    int runs = 0;
};
found explore(branching_backend backend, lkt::exploration_options options = {}) {
    auto const task = task_of_two();
    lkt::test_suite suite;
    suite.directions.assign(3, lkt::direction::in);
    for (float const sign : {1.0F, -1.0F}) {
        std::vector<float> x;
        for (int k = 0; k < 64; ++k) x.push_back(sign * (1 + static_cast<float>(k) / 64));
        lkt::prepared_test one;
        one.test.size = task.size;
        one.test.arguments = {lkt::make_buffer<float>({lkt::scalar_type::float32, 1}, x),
                              lkt::make_buffer<float>({lkt::scalar_type::float32, 1}, x),
                              lkt::make_scalar(lkt::scalar_type::int32, 64)};
        suite.tests.push_back(std::move(one));
    }
    lkt::compile_request request;
    request.signature = task.signature;
    auto const made = backend.compile(request, {}).value();
    auto const& kernel = std::get<lkt::compiled_kernel>(made);
    auto result = lkt::explore_branches(
        lkt::gpu_ref(backend), {kernel, task.reference, task.launch, {}}, task, suite, {}, options);
    REQUIRE(result.has_value());
    return {std::move(*result), backend.runs};
}
bool reaches(found const& f) {
    CHECK(f.what.seen.branches == 2);
    CHECK(f.what.seen.unreached.empty() == !f.what.tests.empty());
    return f.what.seen.unreached.empty();
}
using arguments = std::span<lkt::argument_data const>;

} // namespace

TEST_CASE("Branches that the suite takes need no other test") {
    auto const f =
        explore({[](arguments a, auto) {
                     return compared{lkt::operand_type::real32, {reals(a[0].lane<float>(3), 0)}};
                 },
                 true});
    CHECK(f.runs == 2);
    CHECK(f.what.seen.unreached.empty());
    CHECK(f.what.tests.empty());
}

TEST_CASE("A number that is compared with an element, and one element with another") {
    CHECK(reaches(explore({[](arguments a, auto) {
        compared all{lkt::operand_type::real32, {}};
        for (std::size_t k = 0; k < a[0].lanes(); ++k)
            all.pairs.push_back(reals(a[0].lane<float>(k), 123.75F));
        return all;
    }})));
    CHECK(reaches(explore({[](arguments a, auto) {
        return compared{lkt::operand_type::real32,
                        {reals(a[0].lane<float>(5), a[1].lane<float>(6) * 1.5F)}};
    }})));
}

TEST_CASE("A number that is computed of several elements") {
    CHECK(reaches(explore({[](arguments a, auto) {
        float const sum = a[0].lane<float>(0) * 2 + a[1].lane<float>(1);
        return compared{lkt::operand_type::real32, {reals(sum, 7.25F)}};
    }})));
    CHECK(reaches(explore({[](arguments a, auto) {
                               float sum = 0;
                               for (std::size_t k = 0; k < a[0].lanes(); ++k)
                                   sum += a[0].lane<float>(k);
                               return compared{lkt::operand_type::real32, {reals(sum, 5000)}};
                           },
                           true})));
}

TEST_CASE("Bits of an element, shifted and masked") {
    CHECK(reaches(explore({[](arguments a, auto) {
        auto h = a[0].lane<std::uint32_t>(0);
        h ^= h << 13, h ^= h >> 17, h ^= h << 5;
        return compared{lkt::operand_type::bits32, {{h & 0x3fffff, 0x2dbeef}}};
    }})));
}

TEST_CASE("How many elements are negative") {
    CHECK(reaches(explore({[](arguments a, auto) {
        std::uint64_t n = 0;
        for (std::size_t k = 0; k < a[0].lanes(); ++k) n += a[0].lane<float>(k) < 0;
        return compared{lkt::operand_type::bits32, {{n, 13}}};
    }})));
}

TEST_CASE("An extent, the grid, and what follows from them") {
    for (std::uint64_t const wanted : {977U, 4U})
        CHECK(reaches(explore({[=](arguments, lkt::launch_dimensions d) {
            return compared{lkt::operand_type::bits32, {{d.grid.x, wanted}}};
        }})));
    CHECK(reaches(explore({[](arguments a, auto) {
        return compared{lkt::operand_type::bits32, {{a[0].lanes() * 3 + 1, 3004}}};
    }})));
}

TEST_CASE("A condition on the size that holds for one size in some hundred") {
    branching_backend const kernel{[](arguments a, auto) {
        auto const n = static_cast<std::uint32_t>(a[2].lane<std::int32_t>(0));
        return compared{lkt::operand_type::bits32, {{(n * 2654435761U >> 8) % 499, 487}}};
    }};
    CHECK_FALSE(reaches(explore(kernel, {.sweep = 0})));
    auto const f = explore(kernel);
    CAPTURE(f.runs);
    CHECK(reaches(f));
    REQUIRE(f.what.tests.size() == 1);
    CHECK(f.what.tests[0].origin == lkt::test_origin::hidden_size);
}

TEST_CASE("Comparisons that lead nowhere leave the sizes their runs") {
    branching_backend kernel{[](arguments a, auto) {
        auto const n = static_cast<std::uint32_t>(a[2].lane<std::int32_t>(0));
        return compared{lkt::operand_type::bits32, {{(n * 2654435761U >> 8) % 499, 487}}};
    }};
    kernel.hashed = 12;
    auto const f = explore(kernel);
    CHECK(f.what.seen.unreached.size() == kernel.hashed);
    REQUIRE(f.what.tests.size() == 1);
    CHECK(f.what.tests[0].origin == lkt::test_origin::hidden_size);
}

branching_backend const hopeless{[](arguments a, auto) {
    return compared{lkt::operand_type::bits32, {{hash_of(a), 0x12345678}}};
}};

TEST_CASE("What a kernel does is counted, and ends it, on a slow machine as on another") {
    auto kernel = hopeless;
    kernel.steps = 1'000'000;
    CHECK(explore(kernel, {.steps = 10'000'000}).runs == 10);
    kernel.kernel = [](arguments a, lkt::launch_dimensions d) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return hopeless.kernel(a, d);
    };
    CHECK(explore(kernel, {.steps = 10'000'000}).runs == 10);
    CHECK(explore(kernel, {.time = lkt::seconds(0.01)}).runs < 10);
}

TEST_CASE("What cannot be led to stays unreached, and ends in time") {
    auto const f = explore(hopeless);
    CHECK(f.what.tests.empty());
    REQUIRE(f.what.seen.unreached.size() == 1);
    CHECK(f.what.seen.unreached[0].line == 2);
    CHECK(f.what.seen.unreached[0].text == "if (a == b) c();");
    CHECK(f.what.seen.unreached[0].in_original);
    auto const none =
        explore({[](arguments, auto) { return compared{lkt::operand_type::bits32, {{1, 2}}}; }},
                {.runs = 0});
    CHECK(none.runs == 2);
}
