// SPDX-License-Identifier: BSL-1.0
// The checked mode on a device: compute-sanitizer has to see what each of these kernels does, and
// nothing in an honest one, without the help of the CPU, which would be asked first. Without
// compute-sanitizer this says so, and tests nothing.
#include "../../support.hpp"

#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/sanitizer.hpp>

#include <chrono>
#include <cstdio>

using namespace support;

namespace {

bool there_is_none() {
    auto const found = lkt::cuda_detail::find_sanitizer("");
    if (!found) std::printf("skipped: %s\n", to_string(found.error()).c_str());
    return !found;
}

lkt::cuda& checked_cuda() {
    static lkt::cuda backend;
    return backend;
}

lkt::cuda& sanitizer_alone() {
    static lkt::cuda backend = [] {
        lkt::cuda_options o;
        o.checker.compiler = "/a/compiler/that/is/not/there";
        return lkt::cuda(std::move(o));
    }();
    return backend;
}

/// `y[i]` of 128 threads, out of `x`; the body begins at line 3.
trial checked(std::string const& body) {
    trial t{"__global__ void k(float const* x, float* y) {\n"
            "    __shared__ float s[128]; int i = threadIdx.x;\n" +
                body + "\n}",
            {1},
            {128},
            {in(random_floats(128, 1)), out<float>(128)}};
    t.checked = true;
    t.time_limit = lkt::seconds{60};
    return t;
}

template <class Failure>
Failure found(std::string const& body, lkt::cuda& backend = sanitizer_alone()) {
    auto const begin = std::chrono::steady_clock::now();
    auto const f = failure_of<Failure>(backend, checked(body));
    std::printf("%.1f s: %s\n",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                lkt::describe(f).c_str());
    return f;
}

} // namespace

TEST_CASE("device, sanitized: an honest kernel passes, and its outputs are right") {
    if (there_is_none()) return;
    auto const begin = std::chrono::steady_clock::now();
    auto const y = numbers<float>(outputs(checked_cuda(),
                                          checked("s[i] = x[i];\n__syncthreads();\n"
                                                  "y[i] = s[127 - i];"))
                                      .at(0));
    std::printf("the CPU and four tools: %.1f s\n",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    auto const x = random_floats(128, 1);
    REQUIRE(y.size() == 128);
    for (std::size_t i = 0; i < 128; ++i) CHECK(y[i] == x[127 - i]);
}

TEST_CASE("device, sanitized: threads that have left need not reach a barrier") {
    if (there_is_none()) return;
    auto const y =
        numbers<float>(outputs(checked_cuda(),
                               checked("y[i] = x[i];\nif (i >= 40) return;\ns[i] = x[i];\n"
                                       "__syncthreads();\ny[i] = s[39 - i];"))
                           .at(0));
    auto const x = random_floats(128, 1);
    REQUIRE(y.size() == 128);
    for (std::size_t i = 0; i < 128; ++i) CHECK(y[i] == (i < 40 ? x[39 - i] : x[i]));
}

TEST_CASE("device, sanitized: a read just behind a buffer") {
    if (there_is_none()) return;
    auto const f = found<lkt::out_of_bounds>("s[i] = 0;\ny[i] = x[i + 1];");
    CHECK(f.as == lkt::verdict::oob_read);
    CHECK(f.where.line == 4);
    CHECK(f.what.find("read of 4 bytes from global memory") != std::string::npos);
    CHECK(f.what.find("thread (127,0,0)") != std::string::npos);
    CHECK(f.what.find("'k'") != std::string::npos);
}

TEST_CASE("device, sanitized: a race in shared memory") {
    if (there_is_none()) return;
    auto const f = found<lkt::race>("s[i] = x[i];\ny[i] = s[127 - i];");
    CHECK(f.what.find("line 3") != std::string::npos);
    CHECK(f.what.find("line 4") != std::string::npos);
}

TEST_CASE("device, sanitized: a read of an output before it is written") {
    if (there_is_none()) return;
    auto const f = found<lkt::out_of_bounds>("s[i] = 0;\ny[i] = y[i] * 0 + x[i];");
    CHECK(f.as == lkt::verdict::wrong_output);
    CHECK(f.where.line == 4);
}

TEST_CASE("device, sanitized: a barrier that a thread waits at without taking part") {
    if (there_is_none()) return;
    auto const f = found<lkt::race>("s[i] = x[i];\n__syncwarp(1u);\ny[i] = s[i];");
    CHECK(f.what.find("barrier") != std::string::npos);
}

TEST_CASE("device, checked: a warp whose lanes go in step on the device alone") {
    if (there_is_none()) return;
    // compute-sanitizer lets it pass: on the device a warp happens to go in step.
    auto const f = found<lkt::race>("s[i] = x[i];\ny[i] = s[i ^ 1];", checked_cuda());
    CHECK(f.what.find("shared variable s") != std::string::npos);
}
