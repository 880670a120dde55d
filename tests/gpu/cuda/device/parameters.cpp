// SPDX-License-Identifier: BSL-1.0
// Structs by value and constant memory on a device, where they differ from job to job or do not
// fit. What they compute stands in conformance/kernels/parameters.cpp.
#include "../../support.hpp"
#include "support_cuda.hpp"

#include <string>

using namespace support;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

trial filtered(std::vector<float> const& contents) {
    return {.text = "#define N 2\nstatic __constant__ float c[N];\n"
                    "namespace inner { __constant__ int never_read[3]; }\n"
                    "__global__ void k(float* y) { y[threadIdx.x] = c[threadIdx.x]; }",
            .grid = {1},
            .block = {2},
            .arguments = {out<float>(2), in(contents), in(std::vector<std::int32_t>{1, 2, 3})}};
}

} // namespace

TEST_CASE("device: constant memory is filled anew for each job, for all of its launches") {
    auto first = filtered({5, 6}), second = filtered({7, 8});
    first.launches = 3;
    first.keep = {2};
    auto compiled = shared_cuda().compile(compile_request_of(first), {});
    REQUIRE(compiled.has_value());
    auto const& kernel = std::get<lkt::compiled_kernel>(*compiled);
    auto const y = [&](trial const& t) {
        auto const outcome = run_compiled(shared_cuda(), kernel, t);
        if (auto const* const f = std::get_if<lkt::failure>(&outcome))
            throw std::runtime_error(lkt::describe(*f));
        return numbers<float>(std::get<lkt::run_report>(outcome).kept.at(0).outputs.at(0));
    };
    CHECK(y(first) == std::vector<float>{5, 6});
    CHECK(y(second) == std::vector<float>{7, 8});
    CHECK(y(first) == std::vector<float>{5, 6});
    shared_cuda().release(); // another worker loads the module again
    CHECK(y(second) == std::vector<float>{7, 8});
}

TEST_CASE("device: constant memory that has another size in this configuration") {
    auto t = filtered({5, 6});
    t.definitions.values = {{"N", std::int64_t{3}}};
    CHECK(has(failure_of<lkt::launch_failed>(shared_cuda(), t).why,
              "the constant memory c of the kernel has 12 bytes, but 8 are passed"));
}

TEST_CASE("device: a struct that has another size in this configuration") {
    trial t{.text = "#define N 2\nstruct p { int n; float w[N]; };\n"
                    "__global__ void k(float* y, p q) { y[threadIdx.x] = q.n * q.w[threadIdx.x]; }",
            .grid = {1},
            .block = {2},
            .arguments = {out<float>(2), value(3), value(1.5F), value(2.5F)}};
    CHECK(numbers<float>(outputs(shared_cuda(), t)[0]) == std::vector<float>{4.5F, 7.5F});
    t.definitions.values = {{"N", std::int64_t{4}}};
    // Drivers before CUDA 12.4 do not say what a parameter takes.
    CHECK(has(failure_of<lkt::launch_failed>(shared_cuda(), t).why,
              "parameter 2 of the kernel takes 20 bytes, but 12 are passed"));
}
