// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/roofline.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using lkt::arithmetic;

lkt::expression text(std::string const& e) { return lkt::expression::parse(e).value(); }

lkt::argument buffer(std::string name, lkt::scalar_type type, lkt::direction flow) {
    lkt::argument a;
    a.name = std::move(name);
    a.type = {type, 1};
    a.pointer = true;
    a.flow = flow;
    return a;
}

/// C = A B, N x N, in `type`.
lkt::problem product(lkt::scalar_type type) {
    lkt::problem p;
    p.size = {{"N", 8192}};
    for (char const* name : {"A", "B"})
        p.signature.arguments.push_back(buffer(name, type, lkt::direction::in));
    p.signature.arguments.push_back(buffer("C", lkt::scalar_type::float32, lkt::direction::out));
    for (int k = 0; k < 3; ++k) {
        lkt::argument_spec spec;
        spec.count = text("N * N");
        p.arguments.push_back(spec);
    }
    return p;
}

lkt::device_description device() {
    lkt::device_description d;
    d.name = "Some GPU";
    d.memory_bandwidth = 4e12;
    d.l2.count = 50'000'000;
    return d;
}

constexpr double side = 8192;

} // namespace

TEST_CASE("Without operations, memory is the roof: on paper, or as measured") {
    auto const task = product(lkt::scalar_type::float32);
    auto gpu = device();
    auto const paper = lkt::roofline_of(task, gpu);
    CHECK(paper.bytes == 3 * 4 * side * side);
    CHECK(paper.operations == 0);
    CHECK(paper.memory_bound());
    CHECK(!paper.measured());
    CHECK(paper.least().count() == doctest::Approx(3 * 4 * side * side / 4e12));
    gpu.peaks.measured.copy = 3e12;
    auto const measured = lkt::roofline_of(task, gpu);
    CHECK(measured.measured());
    CHECK(measured.least().count() == doctest::Approx(3 * 4 * side * side / 3e12));
    CHECK(measured.share(measured.least() * 2) == doctest::Approx(0.5));
    CHECK(measured.share(lkt::seconds(0)) == 0);
    CHECK(lkt::roofline().share(lkt::seconds(1)) == 0);
}

TEST_CASE("The slower of memory and arithmetic is the roof") {
    auto task = product(lkt::scalar_type::float16);
    task.work.operations = text("2 * N * N * N");
    auto gpu = device();
    CHECK(lkt::roofline_of(task, gpu).memory_bound()); // no rate is known
    gpu.peaks.on_paper.tensor_fp16 = 900e12;
    auto const r = lkt::roofline_of(task, gpu);
    CHECK(!r.memory_bound());
    CHECK(!r.measured());
    CHECK(r.type == arithmetic::float16);
    CHECK(r.least().count() == doctest::Approx(2 * side * side * side / 900e12));
    gpu.peaks.measured.tensor_fp16 = 600e12;
    CHECK(lkt::roofline_of(task, gpu).measured());
    CHECK(lkt::roofline_of(task, gpu).least().count() ==
          doctest::Approx(2 * side * side * side / 600e12));
    gpu.peaks.wgmma.tensor_fp16 = 800e12; // which a kernel must be allowed to use
    CHECK(lkt::roofline_of(task, gpu).rate == 600e12);
    gpu.ptx = "`wgmma.fence`";
    CHECK(lkt::roofline_of(task, gpu).rate == 800e12);
    task.work.operations = text("N");
    CHECK(lkt::roofline_of(task, gpu).memory_bound());
}

TEST_CASE("What the cache may hold, and a device that is none, has no roof") {
    auto task = product(lkt::scalar_type::float32);
    task.size = {{"N", 512}};
    auto gpu = device();
    auto const cached = lkt::roofline_of(task, gpu);
    CHECK(cached.cached);
    CHECK(cached.least().count() == 0);
    CHECK(cached.share(lkt::seconds(1)) == 0);
    task.work.operations = text("2 * N * N * N");
    gpu.peaks.measured.fp32 = 60e12;
    CHECK(lkt::roofline_of(task, gpu).share(lkt::seconds(1)) > 0);
    gpu.simulated = true;
    CHECK(lkt::roofline_of(task, gpu).share(lkt::seconds(1)) == 0);
}

TEST_CASE("The problem says how many bytes there are where each is not moved once") {
    auto task = product(lkt::scalar_type::float32);
    task.work.bytes = text("10 * N * N");
    CHECK(lkt::roofline_of(task, device()).bytes == 10 * side * side);
    task.work.bytes = text("N - 10000"); // negative: as good as unknown
    CHECK(lkt::roofline_of(task, device()).least().count() == 0);
}

TEST_CASE("The arithmetic is that of the narrowest floating-point input, unless it is said") {
    using lkt::scalar_type;
    CHECK(lkt::arithmetic_of(product(scalar_type::float64)) == arithmetic::float64);
    CHECK(lkt::arithmetic_of(product(scalar_type::float32)) == arithmetic::float32);
    CHECK(lkt::arithmetic_of(product(scalar_type::bfloat16)) == arithmetic::bfloat16);
    CHECK(lkt::arithmetic_of(product(scalar_type::int8)) == arithmetic::int8);
    CHECK(!lkt::arithmetic_of(product(scalar_type::int32)));
    auto mixed = product(scalar_type::float32);
    mixed.signature.arguments[1].type = {scalar_type::float16, 1};
    CHECK(lkt::arithmetic_of(mixed) == arithmetic::float16);
    mixed.signature.arguments[0].type = {scalar_type::uint8, 1}; // packed weights
    CHECK(lkt::arithmetic_of(mixed) == arithmetic::float16);
    mixed.work.type = arithmetic::tf32;
    CHECK(lkt::arithmetic_of(mixed) == arithmetic::tf32);
}
