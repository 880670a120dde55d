// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/host_options.hpp>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <cstdlib>

using namespace support;

namespace {
trial small() {
    return {"__global__ void k(int* c, int n) { c[threadIdx.x] = FACTOR * n; }",
            {2},
            {4},
            {out<int>(4), value(5)}};
}
} // namespace

TEST_CASE("host options: a compiler that is not there is an error that says what to install") {
    lkt::host_options options;
    options.compiler = "no-such-compiler-here";
    lkt::host backend{options};
    auto const device = backend.device();
    REQUIRE(!device.has_value());
    CHECK(device.error().kind == lkt::condition::unavailable);
    CHECK(device.error().code == "lkt.host.compiler");
    CHECK(device.error().message.find("no-such-compiler-here") != std::string::npos);
    CHECK(device.error().hint.find("apt-get install g++") != std::string::npos);
    CHECK(device.error().hint.find("LKT_CXX") != std::string::npos);
    CHECK(backend.compile(compile_request_of(small())).error().code == "lkt.host.compiler");

    options.compiler = "/bin/false"; // there, but no compiler
    CHECK(lkt::host{options}.device().error().code == "lkt.host.compiler");
    options.compiler = "/etc"; // no program
    CHECK(lkt::host{options}.device().error().code == "lkt.host.compiler");
    ::setenv("LKT_CXX", "/nowhere/c++", 1);
    auto const named = lkt::host{}.device();
    ::unsetenv("LKT_CXX");
    REQUIRE(!named.has_value());
    CHECK(named.error().message.find("/nowhere/c++") != std::string::npos);
}

TEST_CASE("host options: flags reach the compiler, threads the description") {
    lkt::host_options options;
    options.flags = {"-DFACTOR=3"};
    options.threads = 3;
    lkt::host backend{options};
    CHECK(numbers<int>(outputs(backend, small())[0]) == std::vector<int>(4, 15));
    auto const device = backend.device().value();
    CHECK(device.name == "host CPU (3 threads)");
    CHECK(device.multiprocessors == 3);
}

TEST_CASE("host options: a program that is no worker of this build is refused") {
    lkt::host_options options;
    options.worker.executable = "/bin/true";
    auto const device = lkt::host{options}.device();
    REQUIRE(!device.has_value());
    CHECK(device.error().code.find("lkt.worker") == 0);
}

TEST_CASE("host options: unsandboxed runs the same kernels") {
    lkt::host_options options;
    options.unsandboxed = true;
    options.flags = {"-DFACTOR=2"};
    lkt::host backend{options};
    CHECK(numbers<int>(outputs(backend, small())[0]) == std::vector<int>(4, 10));
}
