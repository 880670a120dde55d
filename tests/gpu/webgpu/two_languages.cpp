// SPDX-License-Identifier: BSL-1.0
// One problem in two languages: CUDA text on the host says what WGSL text has to compute.
#include "support_webgpu.hpp"

#include <lkt/gpu/host.hpp>
#include <lkt/strategies/sweep.hpp>
#include <lkt/tuner/tuner.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/signature_tests.hpp>

#include <string>
#include <utility>

using namespace webgpu_support;

namespace {

constexpr char const* cuda_text = R"(
__global__ void blend(float const* x, float const* y, float* z, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + (1.0f - a) * y[i];
})";

std::string wgsl_text(std::string const& value) {
    return R"(
struct Scalars { a: f32, n: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;
@group(0) @binding(3) var<uniform> s: Scalars;
override WIDTH: u32 = 64;

@compute @workgroup_size(WIDTH)
fn blend(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < s.n) { z[id.x] = )" +
           value + R"(; }
})";
}

lkt::kernel_options options(char const* size) {
    lkt::kernel_options o;
    o.size = {{size, 1000}};
    std::string const n = size;
    o.arguments = {{"x", n}, {"y", n}, {"z", n}, {"a", "0.25"}, {"n", n}};
    return o;
}

lkt::problem cuda_problem() {
    auto made = lkt::problem_from({lkt::language::cuda, cuda_text, "blend.cu"}, options("n"));
    REQUIRE_MESSAGE(made.has_value(), lkt::to_string(made.error()));
    return *made;
}

lkt::problem wgsl_problem(std::string const& value) {
    auto o = options("count");
    o.parameters = {{"WIDTH", {std::int64_t{64}, std::int64_t{128}}}};
    auto made = lkt::problem_from({lkt::language::wgsl, wgsl_text(value), "blend.wgsl"}, o);
    REQUIRE_MESSAGE(made.has_value(), lkt::to_string(made.error()));
    return *made;
}

lkt::result<lkt::test_suite> suite_for(lkt::problem const& task) {
    lkt::host host;
    auto tests = lkt::signature_tests{}.generate(task, {});
    REQUIRE(tests.has_value());
    return lkt::suite_of_oracle(host, cuda_problem(), task, std::move(*tests), {});
}

} // namespace

TEST_CASE("two languages: CUDA on the host says what is right, WGSL is tuned") {
    if (!have_device()) return;
    auto const task = wgsl_problem("s.a * x[id.x] + (1.0 - s.a) * y[id.x]");
    auto const suite = suite_for(task);
    REQUIRE_MESSAGE(suite.has_value(), lkt::to_string(suite.error()));
    CHECK(suite->prepared());
    lkt::tune_options how;
    how.tests = *suite;
    auto const outcome = lkt::tuner{shared(), lkt::sweep<>{}}.tune(task, how);
    REQUIRE_MESSAGE(outcome.has_value(), lkt::to_string(outcome.error()));
    CHECK(outcome->history.at(0).configurations.size() == 2);
    REQUIRE_FALSE(outcome->notes.empty());
    CHECK(outcome->notes.front().find("blend in CUDA on host CPU") != std::string::npos);
}

TEST_CASE("two languages: an original that computes something else is refused") {
    if (!have_device()) return;
    auto const task = wgsl_problem("s.a * x[id.x] + s.a * y[id.x]");
    auto const suite = suite_for(task);
    REQUIRE_MESSAGE(suite.has_value(), lkt::to_string(suite.error()));
    lkt::tune_options how;
    how.tests = *suite;
    auto const outcome = lkt::tuner{shared(), lkt::sweep<>{}}.tune(task, how);
    REQUIRE(outcome.has_error());
    CHECK(outcome.error().code == "lkt.verify.oracle");
    CHECK(outcome.error().message.find("blend in CUDA") != std::string::npos);
}

TEST_CASE("two languages: an oracle with other arguments or sizes is refused") {
    auto task = wgsl_problem("0.0");
    task.size.emplace_back("more", 2);
    auto tests = lkt::signature_tests{}.generate(wgsl_problem("0.0"), {});
    REQUIRE(tests.has_value());
    lkt::host host;
    CHECK(lkt::suite_of_oracle(host, cuda_problem(), task, *tests, {}).error().code ==
          "lkt.verify.oracle");
    auto other = cuda_problem();
    other.signature.arguments.pop_back();
    CHECK(lkt::suite_of_oracle(host, other, wgsl_problem("0.0"), *tests, {}).error().code ==
          "lkt.verify.oracle");
}
