// SPDX-License-Identifier: BSL-1.0
// One prompt, when the kernel is WGSL: from the prompt to the launch of a rewrite.
#include <lkt/strategies/one_prompt.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>
#include <lkt/llm/scripted.hpp>

#include "../support/prepared_state.hpp"

#include <string>

using namespace lkt_test;

namespace {

std::string kernel(std::string const& size, std::string const& before = {}) {
    return before +
           "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
           "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
           "@group(0) @binding(2) var<uniform> n: u32;\n"
           "@compute @workgroup_size(" +
           size +
           ")\n"
           "fn twice(@builtin(global_invocation_id) id: vec3<u32>) {\n"
           "    if (id.x < n) { y[id.x] = 2.0 * x[id.x]; }\n"
           "}\n";
}
std::string reply(std::string const& code, std::string const& json = "{}") {
    return "```wgsl\n" + code + "```\n```json\n" + json + "\n```\n";
}
/// The larger the workgroup, the faster.
behaviour by_size(std::string const& text, lkt::configuration const& c) {
    behaviour b;
    double const size = static_cast<double>(c.find("TILE") ? integer(c, "TILE") : 8);
    b.time = lkt::seconds(text.find("TILE") == text.npos ? 3e-3 : 8e-3 / size);
    return b;
}

} // namespace

TEST_CASE("wgsl: one prompt tunes the overrides of a rewrite") {
    lkt::kernel_options o;
    o.size = {{"N", 100}};
    o.arguments = {{"x", "N"}, {"y", "N"}, {"n", "N"}};
    auto task = lkt::problem_from({lkt::language::wgsl, kernel("64"), "twice.wgsl"}, o).value();
    CHECK(task.launch.grid[0].text() == "ceil_div(N, (64))");

    fake_gpu gpu{by_size};
    lkt::scripted_model llm({
        reply("__global__ void twice(float const* x, float* y, int n) {}\n"),
        reply(kernel("64"), R"({"parameters": {"TILE": [8]}})"),
        reply(kernel("TILE", "override TILE: u32 = 8;\n"), R"({"parameters": {"TILE": [8, 16]}})"),
    });
    bare_tools<fake_gpu, lkt::scripted_model> tools{gpu, llm};
    auto s = prepared_state(std::move(task), tools);
    auto const end = lkt::run<lkt::one_prompt<>>(s, tools);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<lkt::tuned>(*end));
    REQUIRE(s.history.size() == 3);
    CHECK(std::holds_alternative<lkt::no_code>(std::get<lkt::failure>(s.history[0].outcome)));
    CHECK(std::holds_alternative<lkt::refused>(std::get<lkt::failure>(s.history[1].outcome)));
    CHECK(integer(s.best.config, "TILE") == 16);
    CHECK(s.best.dimensions == lkt::launch_dimensions{{7, 1, 1}, {16, 1, 1}, 0});
}
