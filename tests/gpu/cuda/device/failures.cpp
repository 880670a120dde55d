// SPDX-License-Identifier: BSL-1.0
// What a kernel can do to a device, each followed by a kernel that must run as if nothing had been.
#include "../../support.hpp"
#include "support_cuda.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace support;

namespace {

using clock_type = std::chrono::steady_clock;

trial doubling(std::vector<float> const& x) {
    return {"__global__ void twice(float const* x, float* y, int n) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n) y[i] = 2 * x[i];\n}",
            {static_cast<unsigned>(x.size() / 256 + 1)},
            {256},
            {in(x), out<float>(x.size()), value(static_cast<int>(x.size()))}};
}

/// The device still computes; prints how long it took to get there.
void check_that_the_device_is_well(char const* after) {
    auto const x = random_floats(1000, 1);
    auto const begin = clock_type::now();
    auto const y = numbers<float>(outputs(shared_cuda(), doubling(x)).at(0));
    double const took = std::chrono::duration<double>(clock_type::now() - begin).count();
    std::printf("recovery after %-22s %6.0f ms\n", after, took * 1e3);
    bool right = y.size() == x.size();
    for (std::size_t i = 0; right && i < x.size(); ++i) right = y[i] == 2 * x[i];
    CHECK(right);
}

trial bad(std::string const& body) {
    return {"__global__ void bad(int* p, int n) {\n" + body + "\n}",
            {2},
            {64},
            {inout(std::vector<int>(128)), value(128)}};
}

} // namespace

TEST_CASE("device: an illegal address") {
    auto const f = failure_of<lkt::crashed>(shared_cuda(),
                                            bad("p[(long long)n << 40] = 1; if (n < 0) p[0] = 2;"));
    CHECK(f.what.find("illegal address") != std::string::npos);
    check_that_the_device_is_well("an illegal address");
    auto const null =
        failure_of<lkt::crashed>(shared_cuda(), bad("*(int*)(long long)(n - 128) = 1;"));
    CHECK(!null.what.empty());
    check_that_the_device_is_well("a null write");
}

TEST_CASE("device: a misaligned address, a trap, an assertion, an endless recursion") {
    auto const misaligned =
        failure_of<lkt::crashed>(shared_cuda(), bad("*(int*)((char*)p + 1) = n;"));
    CHECK(misaligned.what.find("misaligned") != std::string::npos);
    check_that_the_device_is_well("a misaligned address");
    auto const trap = failure_of<lkt::crashed>(shared_cuda(), bad("if (n > 3) __trap();"));
    CHECK(!trap.what.empty());
    check_that_the_device_is_well("a trap");
    auto const assertion =
        failure_of<lkt::crashed>(shared_cuda(), bad("if (n > 3) { assert(n < 3); }"));
    CHECK(assertion.what.find("assert") != std::string::npos);
    check_that_the_device_is_well("an assertion");
}

TEST_CASE("device: an endless loop and a barrier that not all threads reach") {
    auto endless = bad("while (((volatile int*)p)[0] >= 0) {}");
    endless.time_limit = lkt::seconds{0.5};
    auto const f = failure_of<lkt::timed_out>(shared_cuda(), endless);
    CHECK(f.phase == "launch");
    check_that_the_device_is_well("an endless loop");
    auto spin = bad("if (threadIdx.x == 0) while (atomicAdd(&p[1], 0) == 0) {}\n"
                    "__syncthreads(); if (threadIdx.x == 1) p[1] = 1;");
    spin.time_limit = lkt::seconds{0.5};
    CHECK(failure_of<lkt::timed_out>(shared_cuda(), spin).limit == lkt::seconds{0.5});
    check_that_the_device_is_well("a deadlock");
}

TEST_CASE("device: writes just beside a buffer are found, though they crash nothing") {
    auto const after = failure_of<lkt::out_of_bounds>(shared_cuda(), bad("p[n] = 7;"));
    CHECK(after.what.find("argument 1") != std::string::npos);
    auto const before = failure_of<lkt::out_of_bounds>(shared_cuda(), bad("p[-1] = 7;"));
    CHECK(before.what.find("beside") != std::string::npos);
    check_that_the_device_is_well("an overrun");
}

TEST_CASE("device: an input that is written, though it is const, is found, and the next kernel "
          "gets it whole") {
    auto const x = random_floats(1000, 1);
    auto good = doubling(x), bad = good;
    bad.text = "__global__ void twice(float const* x, float* y, int n) {\n"
               "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "    if (i < n) { y[i] = 2 * x[i]; ((float*)x)[i] = 0; }\n}";
    std::vector<lkt::argument_data> arguments;
    std::vector<lkt::direction> directions;
    for (auto const& a : good.arguments) {
        arguments.push_back(a.data);
        directions.push_back(a.flow);
    }
    lkt::run_request request;
    request.dimensions = {good.grid, good.block, 0};
    request.arguments = arguments;
    request.directions = directions;
    request.contents = lkt::fresh_contents(); // kept on the device from kernel to kernel
    auto const outcome_of = [&](trial const& t) {
        auto const kernel = shared_cuda().compile(compile_request_of(t)).value();
        return shared_cuda().run(std::get<lkt::compiled_kernel>(kernel), request).value();
    };
    for (int again = 0; again < 2; ++again) {
        auto const right = outcome_of(good);
        REQUIRE(std::holds_alternative<lkt::run_report>(right));
        CHECK(numbers<float>(std::get<lkt::run_report>(right).kept[0].outputs[0])[7] == 2 * x[7]);
        auto const wrong = outcome_of(bad);
        REQUIRE(std::holds_alternative<lkt::failure>(wrong));
        auto const& why = std::get<lkt::failure>(wrong);
        REQUIRE(std::holds_alternative<lkt::out_of_bounds>(why));
        CHECK(std::get<lkt::out_of_bounds>(why).what.find("argument 1, which is an input") == 0);
    }
}

TEST_CASE("device: launches that are refused") {
    auto large = bad("p[threadIdx.x] = n;");
    large.block = {2048};
    CHECK(failure_of<lkt::launch_failed>(shared_cuda(), large).why.find("2048") !=
          std::string::npos);
    auto shared = bad("extern __shared__ int s[]; s[threadIdx.x] = n; p[0] = s[0];");
    shared.shared = 1U << 20;
    CHECK(failure_of<lkt::launch_failed>(shared_cuda(), shared).why.find("1 MiB") !=
          std::string::npos);
    // Too many registers for the block: compiled for small blocks, launched with a large one.
    trial greedy =
        bad("float a[64];\n#pragma unroll\nfor (int i = 0; i < 64; ++i) a[i] = p[(i * n) & 127];\n"
            "#pragma unroll\nfor (int k = 0; k < 64; ++k) for (int i = 0; i < 64; ++i) a[i] = a[i] "
            "* a[(i + k) & 63] + k;\n"
            "float s = 0;\n#pragma unroll\nfor (int i = 0; i < 64; ++i) s += a[i]; p[0] = s;");
    greedy.text.replace(0, 15, "__global__ void __launch_bounds__(64)");
    greedy.block = {1024};
    greedy.name = "bad";
    CHECK(failure_of<lkt::launch_failed>(shared_cuda(), greedy).why.find("threads") !=
          std::string::npos);
    check_that_the_device_is_well("refused launches");
}

TEST_CASE("device: a text that does not compile") {
    auto const f = failure_of<lkt::compile_failed>(shared_cuda(), bad("p[0] = undeclared;"));
    CHECK(f.where.line == 2);
    CHECK(f.log.find("undeclared") != std::string::npos);
    check_that_the_device_is_well("a compile error");
}

TEST_CASE("device: a worker that somebody kills is replaced, and the run is not lost") {
    auto const x = random_floats(1000, 1);
    auto t = doubling(x);
    t.launches = 2000;
    t.keep = {1999};
    auto compiled = shared_cuda().compile(compile_request_of(t), {});
    REQUIRE(compiled.has_value());
    auto const kernel = std::get<lkt::compiled_kernel>(*compiled);
    (void)run_compiled(shared_cuda(), kernel, t);
    auto const lost_before = shared_cuda().counters().workers_lost;
    int killed = -1; // every worker of this process, the one that holds the device among them
    std::thread killer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{60});
        killed = std::system(
            ("pkill -KILL -P " + std::to_string(::getpid()) + " -f [l]kt:worker").c_str());
    });
    auto const outcome = run_compiled(shared_cuda(), kernel, t);
    killer.join();
    auto const* const report = std::get_if<lkt::run_report>(&outcome);
    REQUIRE(report != nullptr);
    CHECK(report->samples.size() == 2000);
    CHECK(numbers<float>(report->kept.at(0).outputs.at(0))[7] == 2 * x[7]);
    CHECK(killed == 0);
    CHECK(shared_cuda().counters().workers_lost == lost_before + 1);
    check_that_the_device_is_well("SIGKILL");
}
