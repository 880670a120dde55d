// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/test_check.hpp>

#include <doctest/doctest.h>

#include "fake_backend.hpp"

namespace {

lkt::test_case good() {
    lkt::value_type const real{lkt::scalar_type::float32, 1};
    std::vector<float> four(4);
    return {"mine",
            {{"N", 4}},
            {lkt::make_buffer<float>(real, four),
             lkt::make_buffer<float>(real, four),
             lkt::make_scalar(lkt::scalar_type::int32, std::int32_t{4})}};
}

std::string fault(lkt::test_case const& t) {
    auto const ok = lkt::check_test(test::doubling_problem(), t);
    if (ok) return "none";
    CHECK(ok.error().code == "lkt.verify.test");
    CHECK(!ok.error().hint.empty());
    return ok.error().message;
}

} // namespace

TEST_CASE("a test that fits passes, and every way of not fitting is named") {
    CHECK(fault(good()) == "none");
    auto t = good();
    t.arguments.pop_back();
    CHECK(fault(t) == "test `mine` has 2 arguments instead of 3");
    t = good();
    t.arguments[0].type = {lkt::scalar_type::float64, 1};
    CHECK(fault(t) == "test `mine` gives `x` as float64, the kernel takes float32");
    t = good();
    t.arguments[0].buffer = false;
    CHECK(fault(t) == "test `mine` gives a value for `x`, which is a buffer");
    t = good();
    t.arguments[2].buffer = true;
    CHECK(fault(t) == "test `mine` gives a buffer for `n`, which is a value");
    t = good();
    t.arguments[1].bytes.resize(15);
    CHECK(fault(t) == "test `mine` gives 15 bytes for `y`, whose elements take 4");
    t = good();
    t.arguments[1].bytes.resize(0);
    CHECK(fault(t) == "test `mine` gives 0 bytes for `y`, whose elements take 4");
    for (std::size_t const n : {3u, 5u}) {
        t = good();
        t.arguments[0].bytes.resize(4 * n);
        CHECK(fault(t) == "test `mine` gives " + std::to_string(n) +
                              " elements for `x`, which has N = 4 at the test's size, N=4");
    }
    t = good();
    t.size = {{"N", 5}};
    CHECK(fault(t) ==
          "test `mine` gives 4 elements for `x`, which has N = 5 at the test's size, N=5");
    t.size.clear(); // then nobody knows
    CHECK(fault(t) == "none");
    t = good();
    t.arguments[2].bytes.resize(8);
    CHECK(fault(t) == "test `mine` gives 8 bytes for `n`, whose elements take 4");
}

TEST_CASE("a problem that does not describe each argument is refused") {
    auto task = test::doubling_problem();
    CHECK(lkt::check_problem(task).has_value());
    task.arguments.pop_back();
    auto const ok = lkt::check_problem(task);
    REQUIRE(!ok.has_value());
    CHECK(ok.error().message == "the kernel doubling has 3 arguments, but the problem describes 2");
    CHECK(!lkt::check_test(task, good()).has_value());
}

TEST_CASE("a size is shown by its names") {
    CHECK(lkt::to_string(lkt::problem_size{{"M", 3}, {"N", 4}}) == "M=3, N=4");
    CHECK(lkt::to_string(lkt::problem_size{}) == "no size");
}
