// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/host.hpp>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <lkt/gpu/detail/host/fibre.hpp>

#include <chrono>
#include <set>
#include <thread>

using namespace support;

namespace {

using clock_type = std::chrono::steady_clock;

lkt::compiled_kernel compiled(trial const& t) {
    auto outcome = shared_host().compile(compile_request_of(t));
    if (!outcome) throw std::runtime_error(lkt::to_string(outcome.error()));
    if (auto const* const f = std::get_if<lkt::failure>(&*outcome))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<lkt::compiled_kernel>(*outcome);
}
lkt::run_report report_of(trial const& t) {
    auto outcome = run(shared_host(), t);
    if (auto const* const f = std::get_if<lkt::failure>(&outcome))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<lkt::run_report>(outcome);
}
trial counter() {
    return {"__global__ void k(int* a, int* b) { atomicAdd(a, 1); if (*a < 0) *b = 1; }",
            {2},
            {8},
            {inout(std::vector<int>{100}), out<int>(3)}};
}

} // namespace

TEST_CASE("host: it describes itself") {
    auto const d = shared_host().device().value();
    CHECK(d.name.find("host CPU (") == 0);
    CHECK(d.backend == "host");
    CHECK(d.simulated);
    CHECK(!d.driver.empty());
    CHECK(d.warp_size == 32);
    CHECK(d.max_threads_per_block == 1024);
    CHECK(d.languages == std::vector<lkt::language>{lkt::language::cuda});
}

TEST_CASE("host: before each launch inout is restored, and out holds a fresh pattern") {
    auto t = counter();
    t.warmups = 2;
    t.launches = 5;
    t.keep = {0, 2, 4};
    auto const r = report_of(t);
    CHECK(r.samples.size() == 5);
    for (auto const s : r.samples) CHECK(s.count() > 0);
    REQUIRE(r.kept.size() == 3);
    std::set<std::vector<int>> patterns;
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(r.kept[i].launch == t.keep[i]);
        CHECK(numbers<int>(r.kept[i].outputs.at(0)) == std::vector<int>{116});
        patterns.insert(numbers<int>(r.kept[i].outputs.at(1)));
    }
    CHECK(patterns.size() == 3); // nobody wrote it, so it is the poison: another one each time
    CHECK(report_of(t).kept[1].outputs == r.kept[1].outputs); // and the same for the same seed
    t.seed = 2;
    CHECK(report_of(t).kept[1].outputs[1] != r.kept[1].outputs[1]);
}

TEST_CASE("host: globals of a kernel are fresh in each run") {
    trial t{"__device__ int launches = 0;\n__global__ void k(int* a) { *a = ++launches; }",
            {1},
            {1},
            {out<int>(1)}};
    t.launches = 3;
    t.keep = {0, 1, 2};
    for (int again = 0; again < 2; ++again) {
        auto const r = report_of(t);
        for (int i = 0; i < 3; ++i)
            CHECK(numbers<int>(r.kept[static_cast<std::size_t>(i)].outputs[0])[0] == i + 1);
    }
}

TEST_CASE("host: fibres only where threads wait for each other") {
    auto t = counter();
    CHECK(compiled(t).notes.at(0) == "plain loop over the threads of a block");
    t.text = "__global__ void k(int* a, int* b) { __syncthreads(); *a = 1; b[0] = 2; }";
    auto const notes = compiled(t).notes;
    CHECK(notes.at(0) == std::string{"fibres: "} + lkt::host_detail::fibre::mechanism);
    CHECK(notes.at(1).find("compiler: ") == 0);
    t.text = "// __syncthreads();\n__global__ void k(int* a, int* b) { *a = 1; b[0] = 2; }";
    CHECK(compiled(t).notes.at(0) == "plain loop over the threads of a block");
}

TEST_CASE("host: what was compiled is kept while somebody holds it") {
    auto t = counter();
    t.text += "// kept";
    auto const first = compiled(t);
    auto const start = clock_type::now();
    auto second = compiled(t);
    CHECK(clock_type::now() - start < std::chrono::milliseconds{20});
    CHECK(first.handle == second.handle);
    t.definitions.values = {{"X", std::int64_t{1}}};
    CHECK(compiled(t).handle != first.handle);
    t.definitions.values.clear();
    t.checked = true;
    CHECK(compiled(t).handle != first.handle);
}

TEST_CASE("host: blocks are spread over threads of the system, shared memory belongs to a block") {
    lkt::host_options options;
    options.threads = 4;
    lkt::host backend{options};
    trial t{R"(
__global__ void k(unsigned* y) {
    __shared__ unsigned s[64];
    for (int round = 0; round < 20; ++round) {
        s[threadIdx.x] = blockIdx.x * 64 + threadIdx.x + round;
        __syncthreads();
        unsigned other = s[63 - threadIdx.x];
        __syncthreads();
        if (other != blockIdx.x * 64 + 63 - threadIdx.x + round) atomicAdd(y, 1u);
    }
})",
            {300},
            {64},
            {inout(std::vector<std::uint32_t>{0})}};
    for (int again = 0; again < 3; ++again)
        CHECK(numbers<std::uint32_t>(outputs(backend, t)[0])[0] == 0);
}

TEST_CASE("host: buffers of no elements, of odd sizes, and many of them") {
    trial t{"__global__ void k(char* a, float* b, int n) { for (int i = 0; i < n; ++i) a[i] = 7; }",
            {1},
            {1},
            {out<std::uint8_t>(4097), out<float>(0), value(4097)}};
    CHECK(numbers<std::uint8_t>(outputs(shared_host(), t)[0]) ==
          std::vector<std::uint8_t>(4097, 7));
    std::string text = "__global__ void k(", body;
    t.arguments.clear();
    for (int i = 0; i < 40; ++i) {
        text += (i > 0 ? ", int* p" : "int* p") + std::to_string(i);
        body += "*p" + std::to_string(i) + " = " + std::to_string(i) + ";";
        t.arguments.push_back(out<int>(1));
    }
    t.text = text + ") {" + body + "}";
    auto const got = outputs(shared_host(), t);
    for (int i = 0; i < 40; ++i) CHECK(numbers<int>(got[static_cast<std::size_t>(i)])[0] == i);
}

TEST_CASE("host: requests that make no sense are errors") {
    auto const t = counter();
    auto const kernel = compiled(t);
    std::vector<lkt::argument_data> const arguments{t.arguments[0].data, t.arguments[1].data};
    std::vector<lkt::direction> const directions{lkt::direction::inout, lkt::direction::out};
    lkt::run_request r;
    r.arguments = arguments;
    r.directions = directions;
    auto const code = [&] {
        auto const o = shared_host().run(kernel, r);
        return o ? std::string{} : o.error().code;
    };
    CHECK(code().empty());
    r.keep = {1};
    CHECK(code() == "lkt.host.request");
    r.keep = {0, 0};
    CHECK(code() == "lkt.host.request");
    r.keep = {0};
    r.launches = 0;
    CHECK(code() == "lkt.host.request");
    r.launches = 1;
    r.directions = std::span{directions}.first(1);
    CHECK(code() == "lkt.host.request");
    r.directions = directions;
    CHECK(shared_host().run({}, r).error().code == "lkt.host.request");
    lkt::compile_request wgsl;
    wgsl.source = {lkt::language::wgsl, "@compute fn main() {}", {}};
    auto const no = shared_host().compile(wgsl).value();
    CHECK(std::get<lkt::refused>(std::get<lkt::failure>(no)).what == "WGSL");
}

TEST_CASE("host: a stop token ends a run and a compilation soon") {
    auto const cancelled_after = [](auto call) {
        std::stop_source stop;
        clock_type::time_point asked;
        std::thread later{[&] {
            std::this_thread::sleep_for(std::chrono::milliseconds{400});
            asked = clock_type::now();
            stop.request_stop();
        }};
        auto const outcome = call(lkt::call_context{stop.get_token(), {}});
        auto const ended = clock_type::now();
        later.join();
        REQUIRE(!outcome.has_value());
        CHECK(outcome.error().kind == lkt::condition::cancelled);
        return std::chrono::duration<double>(ended - asked).count();
    };
    trial t{"__global__ void k(int* a) { while (*(volatile int*)a != 7) {} }",
            {1},
            {1},
            {inout(std::vector<int>{1})}};
    auto const kernel = compiled(t);
    std::vector<lkt::argument_data> const arguments{t.arguments[0].data};
    std::vector<lkt::direction> const directions{lkt::direction::inout};
    lkt::run_request r;
    r.arguments = arguments;
    r.directions = directions;
    CHECK(cancelled_after([&](auto const& c) { return shared_host().run(kernel, r, c); }) < 0.5);
    auto slow = compile_request_of(t);
    slow.source.text +=
        "\n__device__ constexpr int spin(int n) { int s = 0; for (int i = 0; i < n; ++i) "
        "s += i & 1; return s; }\nstatic_assert(spin(8000000) + spin(8000001) + "
        "spin(8000002) + spin(8000003) + spin(8000004) > 0);";
    lkt::host_options options;
    bool const clang = shared_host().device().value().driver.find("clang") != std::string::npos;
    options.flags = {"-fconstexpr-ops-limit=4000000000", "-fconstexpr-loop-limit=100000000"};
    if (clang) options.flags = {"-fconstexpr-steps=2147483647"};
    lkt::host backend{options};
    (void)backend.device();
    CHECK(cancelled_after([&](auto const& c) { return backend.compile(slow, c); }) < 0.5);
    CHECK(numbers<int>(outputs(shared_host(), counter())[0]) == std::vector<int>{116});

    std::stop_source stopped;
    stopped.request_stop();
    lkt::call_context const never{stopped.get_token(), {}};
    CHECK(shared_host().run(kernel, r, never).error().kind == lkt::condition::cancelled);
    CHECK(shared_host().compile(slow, never).error().kind == lkt::condition::cancelled);
}

TEST_CASE("host: moved, it stays what it was") {
    lkt::host a;
    auto t = counter();
    CHECK(numbers<int>(outputs(a, t)[0]) == std::vector<int>{116});
    lkt::host b = std::move(a);
    CHECK(numbers<int>(outputs(b, t)[0]) == std::vector<int>{116});
}
