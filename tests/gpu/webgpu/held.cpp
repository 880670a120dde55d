// SPDX-License-Identifier: BSL-1.0
// What lies on the device from one run to the next, and is compared there.
#include "support_webgpu.hpp"

#include <lkt/gpu/webgpu/detail/inspector.hpp>
#include <lkt/kernel/half.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace webgpu_support;
using support::in;
using support::numbers;

TEST_CASE("contents that are named are sent once, to another kernel with the same arguments too") {
    if (!have_device()) return;
    auto t = doubler();
    auto other = t;
    other.text.replace(other.text.find("2 *"), 3, "3 *");
    auto const run = [&](support::trial const& each, std::uint64_t contents, std::vector<float> x) {
        auto compiled = shared().compile(support::compile_request_of(each));
        REQUIRE(compiled.has_value());
        REQUIRE(std::holds_alternative<lkt::compiled_kernel>(*compiled));
        std::vector<lkt::argument_data> const arguments{in(x).data, each.arguments[1].data};
        std::vector<lkt::direction> const directions{lkt::direction::in, lkt::direction::out};
        lkt::run_request request;
        request.dimensions = {each.grid, each.block, 0};
        request.arguments = arguments;
        request.directions = directions;
        request.contents = contents;
        auto outcome = shared().run(std::get<lkt::compiled_kernel>(*compiled), request);
        REQUIRE(outcome.has_value());
        return numbers<float>(report_of(std::move(*outcome)).kept.at(0).outputs.at(0));
    };
    auto const id = lkt::fresh_contents();
    CHECK(run(t, id, {1, 2, 3, 4, 5}) == std::vector<float>{2, 4, 6, 8, 10});
    // A broken promise shows that nothing was sent.
    CHECK(run(other, id, {9, 9, 9, 9, 9}) == std::vector<float>{3, 6, 9, 12, 15});
    CHECK(run(t, lkt::fresh_contents(), {9, 9, 9, 9, 9}) == std::vector<float>(5, 18));
    shared().release(); // a fresh worker knows nothing, and is told
    CHECK(run(t, id, {1, 2, 3, 4, 5}) == std::vector<float>{2, 4, 6, 8, 10});
}

TEST_CASE("outputs are compared where they lie: beyond doubt, or by whoever asked") {
    if (!have_device()) return;
    struct compared {
        bool as_expected = false;
        std::size_t fetched = 0;
    };
    auto const copy = [](std::string const& type) {
        return "enable f16;\n@group(0) @binding(0) var<storage, read> x: array<" + type +
               ">; @group(0) @binding(1) var<storage, read_write> y: array<" + type +
               ">;\n@compute @workgroup_size(64) fn k(@builtin(local_invocation_index) i: u32) { "
               "if "
               "i < arrayLength(&x) { y[i] = x[i]; } }";
    };
    auto const run = [&](std::string const& type,
                         support::passed const& got,
                         lkt::argument_data const& wanted,
                         lkt::tolerance bound) {
        auto empty = got;
        std::fill(empty.data.bytes.begin(), empty.data.bytes.end(), std::byte{0});
        empty.flow = lkt::direction::out;
        auto const t = wgsl(copy(type), {1}, {64}, {got, empty});
        auto compiled = shared().compile(support::compile_request_of(t));
        REQUIRE(compiled.has_value());
        if (auto const* no = std::get_if<lkt::failure>(&*compiled)) FAIL(lkt::describe(*no));
        std::vector<lkt::argument_data> const arguments{got.data, empty.data}, expected{wanted};
        std::vector<lkt::direction> const directions{lkt::direction::in, lkt::direction::out};
        std::vector<lkt::tolerance> const bounds{bound};
        lkt::run_request request;
        request.dimensions = {t.grid, t.block, 0};
        request.arguments = arguments;
        request.directions = directions;
        request.expected = {lkt::fresh_contents(), expected, bounds};
        auto outcome = shared().run(std::get<lkt::compiled_kernel>(*compiled), request);
        REQUIRE(outcome.has_value());
        auto const report = report_of(std::move(*outcome));
        return compared{report.kept.at(0).as_expected, report.kept.at(0).outputs.size()};
    };
    auto const floats =
        [&](std::vector<float> const& got, std::vector<float> const& wanted, lkt::tolerance bound) {
            return run("f32", in(got), in(wanted).data, bound);
        };
    lkt::tolerance const loose{1e-5, 1e-6}, exact{0, 0};
    float const inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    CHECK(floats({1, 2, 3}, {1, 2, 3}, exact).as_expected);
    CHECK(floats({1, 2, 3}, {1, 2.00001f, 3}, loose).as_expected);
    auto const off = floats({1, 2, 3}, {1, 2.001f, 3}, loose);
    CHECK_FALSE(off.as_expected);
    CHECK(off.fetched == 1);
    CHECK(floats({nan, inf, -inf}, {nan, inf, -inf}, loose).as_expected);
    CHECK_FALSE(floats({inf, 0, 0}, {-inf, 0, 0}, loose).as_expected);
    CHECK_FALSE(floats({nan, 0, 0}, {1, 0, 0}, loose).as_expected);
    CHECK_FALSE(floats({1, 0, 0}, {nan, 0, 0}, loose).as_expected);
    CHECK_FALSE(
        floats({3e38f, 0}, {-3e38f, 0}, {1.0, 0}).as_expected); // their difference overflows
    // Subnormals may count as 0 on the device: only equal ones are beyond doubt.
    CHECK(floats({1e-40f, 0}, {1e-40f, 0}, exact).as_expected);
    CHECK_FALSE(floats({1e-40f, 0}, {2e-40f, 0}, {1e-6, 0}).as_expected);

    std::vector<float> const three{1, 2, 3, 4, 5, 6};
    CHECK(run("vec3f", in(three, 3), in(three, 3).data, loose).as_expected);
    auto wrong = three;
    wrong.back() = 7;
    CHECK_FALSE(run("vec3f", in(three, 3), in(wrong, 3).data, loose).as_expected);
    std::vector<std::uint32_t> const words{1, 0xffffffff, 3};
    CHECK(run("u32", in(words), in(words).data, exact).as_expected);
    CHECK_FALSE(
        run("u32", in(words), in(std::vector<std::uint32_t>{1, 2, 3}).data, exact).as_expected);
    if (!lkt::webgpu_inspector::facts(shared()).f16) return;
    std::vector<std::uint16_t> halves, near, far;
    for (int i = 0; i < 7; ++i) {
        halves.push_back(lkt::encode_float16(1 + i));
        near.push_back(lkt::encode_float16((1 + i) * 1.0009765625));
        far.push_back(lkt::encode_float16(i == 6 ? 9.0 : 1 + i));
    }
    CHECK(run("f16", in(halves), in(near).data, {2e-3, 0}).as_expected);
    CHECK_FALSE(run("f16", in(halves), in(far).data, {2e-3, 0}).as_expected);
}

TEST_CASE("nothing is left behind by 10,000 launches") {
    if (!have_device()) return;
    auto t = doubler();
    t.launches = 1000;
    t.keep = {0, 999};
    auto const compiled = shared().compile(support::compile_request_of(t));
    REQUIRE(compiled.has_value());
    std::vector<lkt::argument_data> const arguments{t.arguments[0].data, t.arguments[1].data};
    std::vector<lkt::direction> const directions{lkt::direction::in, lkt::direction::out};
    lkt::run_request request;
    request.dimensions = {t.grid, t.block, 0};
    request.arguments = arguments;
    request.directions = directions;
    request.launches = 1000;
    request.sampling.min_launches = 1000;
    request.sampling.cold = false;
    request.keep = {0, 500, 999};
    auto const run = [&] {
        auto const outcome = shared().run(std::get<lkt::compiled_kernel>(*compiled), request);
        REQUIRE(outcome.has_value());
        CHECK(report_of(*outcome).samples.size() == 1000);
    };
    run();
    auto const before = lkt::webgpu_inspector::objects(shared());
    REQUIRE(before.has_value());
    CHECK(before->pipelines > 0);
    CHECK(before->buffers > 0);
    for (int k = 0; k < 10; ++k) run();
    auto const after = lkt::webgpu_inspector::objects(shared());
    REQUIRE(after.has_value());
    CHECK(after->buffers == before->buffers);
    CHECK(after->bind_groups == before->bind_groups);
    CHECK(after->pipelines == before->pipelines);
    CHECK(after->shaders == before->shaders);
    CHECK(after->layouts == before->layouts);
    CHECK(after->command_buffers == before->command_buffers);
    CHECK(after->query_sets == before->query_sets);
}
