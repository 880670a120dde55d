// SPDX-License-Identifier: BSL-1.0
// What an NVIDIA GPU does beyond what every back end has to (conformance/).
#include "../../support.hpp"
#include "support_cuda.hpp"

#include <algorithm>
#include <cstdio>

using namespace support;

namespace {

lkt::compiled_kernel compiled(trial const& t) {
    auto outcome = shared_cuda().compile(compile_request_of(t));
    if (!outcome) throw std::runtime_error(lkt::to_string(outcome.error()));
    if (auto const* const f = std::get_if<lkt::failure>(&*outcome))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<lkt::compiled_kernel>(*outcome);
}

} // namespace

TEST_CASE("device: it describes itself") {
    auto const d = shared_cuda().device().value();
    std::printf("%s, %s, %u multiprocessors, %s\n",
                d.name.c_str(),
                d.driver.c_str(),
                d.multiprocessors,
                to_string(d.memory).c_str());
    CHECK(!d.simulated);
    CHECK(d.multiprocessors > 0);
    CHECK(d.warp_size == 32);
    CHECK(d.shared_memory_per_block.count >= 48 * 1024);
    CHECK(d.memory.count > (std::uint64_t{1} << 30));
}

TEST_CASE("device: released, it forgets everything, and is told again") {
    auto const x = random_floats(1000, 3);
    trial t{"__global__ void k(float const* x, float* y) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    y[i] = x[i] * 3;\n}",
            {4},
            {250},
            {in(x), out<float>(x.size())}};
    std::vector<float> expected;
    for (float const v : x) expected.push_back(v * 3);
    std::vector<lkt::argument_data> const values{
        lkt::make_buffer({lkt::scalar_type::float32, 1}, std::span<float const>(expected))};
    std::vector<lkt::tolerance> const bounds{{1e-5, 1e-6}};
    auto const k = compiled(t);
    request_over r(t);
    r.request.contents = lkt::fresh_contents();
    r.request.expected = {lkt::fresh_contents(), values, bounds};
    CHECK(r.run(shared_cuda(), k).kept[0].as_expected);
    shared_cuda().release();
    CHECK(r.run(shared_cuda(), k).kept[0].as_expected);
}

TEST_CASE("device: shared memory does not hold what the launch before left in it") {
    // One block for each multiprocessor: all run at once, and none finds what another one left.
    auto const blocks = shared_cuda().device().value().multiprocessors;
    trial t{"__global__ void k(unsigned* seen) {\n"
            "    __shared__ unsigned volatile s[10240];\n"
            "    unsigned n = 0;\n"
            "    for (int i = threadIdx.x; i < 10240; i += blockDim.x) n += s[i] == 0x1badcafeu;\n"
            "    if (n != 0) atomicAdd(seen, n);\n"
            "    __syncthreads();\n"
            "    for (int i = threadIdx.x; i < 10240; i += blockDim.x) s[i] = 0x1badcafeu;\n"
            "}",
            {blocks},
            {256},
            {inout(std::vector<unsigned>{0})}};
    t.launches = 20;
    t.keep = {0, 1, 2, 5, 10, 19};
    request_over r(t);
    auto const clean = r.run(shared_cuda(), compiled(t));
    for (auto const& kept : clean.kept) CHECK(numbers<unsigned>(kept.outputs.at(0))[0] == 0);
}

TEST_CASE("device: it says how fast its memory is, and how large its cache") {
    auto const d = shared_cuda().device().value();
    CHECK(d.l2.count >= (1 << 20));
    CHECK(d.memory_bandwidth > 1e10);
    CHECK(d.memory_bandwidth < 1e14);
}

TEST_CASE("device: a write to an input is told from one beside a buffer") {
    auto const verdict = [](char const* store) {
        trial t{std::string("__global__ void k(float const* x, float* y) {\n"
                            "    y[threadIdx.x] = x[threadIdx.x]; ") +
                    store + "\n}",
                {1},
                {64},
                {in(std::vector<float>(64, 1)), out<float>(64)}};
        auto const outcome = run_compiled(shared_cuda(), compiled(t), t);
        REQUIRE(std::holds_alternative<lkt::failure>(outcome));
        return lkt::verdict_of(std::get<lkt::failure>(outcome));
    };
    CHECK(verdict("((float*)x)[3] = 2;") == lkt::verdict::input_mutated);
    CHECK(verdict("y[64 + threadIdx.x] = 2;") == lkt::verdict::oob_write);
    CHECK(verdict("((float*)x)[-1] = 2;") == lkt::verdict::oob_write);
}

TEST_CASE("device: a series that is precise enough tells clock and occupancy") {
    auto const x = random_floats(1 << 22, 4);
    trial t{"__global__ void k(float const* x, float* y, int n) {\n"
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
            "blockDim.x)\n        y[i] = sqrtf(x[i] * x[i] + 1);\n}",
            {264},
            {256},
            {in(x), out<float>(x.size()), value(static_cast<int>(x.size()))}};
    t.launches = 500;
    request_over r(t);
    r.request.sampling.min_launches = 10;
    r.request.sampling.precision = 0.02;
    auto const k = compiled(t);
    auto const precise = r.run(shared_cuda(), k);
    std::printf("2 %% of precision after %zu launches, median %.1f us at %.0f MHz\n",
                precise.samples.size(),
                precise.samples[precise.samples.size() / 2].count() * 1e6,
                precise.megahertz.back());
    CHECK(precise.samples.size() < 500);
    CHECK((precise.end == lkt::sampling_end::precise || precise.end == lkt::sampling_end::steady));
    CHECK(precise.megahertz.back() > 300);
    CHECK(precise.occupancy > 0);
    CHECK(precise.occupancy <= 1);
}

TEST_CASE("device: a warm cache is faster than an emptied one") {
    auto const x = random_floats(1 << 20, 4); // 4 MiB: within the second-level cache
    trial t{"__global__ void k(float const* x, float* y, int n) {\n"
            "    float s = 0;\n"
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
            "blockDim.x)\n        s += x[i];\n    if (s == 12345.0f) y[0] = s;\n}",
            {264},
            {1024},
            {in(x), inout(std::vector<float>(1)), value(static_cast<int>(x.size()))}};
    t.launches = 51;
    request_over r(t);
    auto const k = compiled(t);
    auto const median = [](lkt::run_report report) {
        std::sort(report.samples.begin(), report.samples.end());
        return report.samples[report.samples.size() / 2].count() * 1e6;
    };
    double const cold = median(r.run(shared_cuda(), k));
    r.request.sampling.cold = false;
    double const hot = median(r.run(shared_cuda(), k));
    std::printf("4 MiB read cold in %.2f us, hot in %.2f us\n", cold, hot);
    CHECK(hot < cold);
}

TEST_CASE("device: large shared memory, cooperative launches and clusters") {
    trial t{
        "extern __shared__ int s[];\n__global__ void k(int* y, int n) {\n"
        "    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = i;\n"
        "    __syncthreads();\n    if (threadIdx.x == 0) { y[0] = s[n - 1]; y[1] = s[n / 2]; }\n}",
        {1},
        {128},
        {out<int>(2), value(40'000)}};
    t.shared = 160'000;
    CHECK(numbers<int>(outputs(shared_cuda(), t)[0]) == std::vector<int>{39'999, 20'000});

    trial grid{"#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
               "__global__ void k(int* a, int* b) {\n"
               "    auto g = cg::this_grid();\n"
               "    if (threadIdx.x == 0) a[blockIdx.x] = blockIdx.x;\n    g.sync();\n"
               "    if (g.thread_rank() == 0) { int s = 0; for (int i = 0; i < gridDim.x; ++i) s "
               "+= a[i]; b[0] = s; }\n}",
               {100},
               {64},
               {out<int>(100), out<int>(1)}};
    CHECK(numbers<int>(outputs(shared_cuda(), grid)[1]) == std::vector<int>{4950});

    trial cluster{"#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                  "__global__ void __cluster_dims__(2, 1, 1) k(int* a) {\n"
                  "    __shared__ int s;\n    auto c = cg::this_cluster();\n"
                  "    if (threadIdx.x == 0) s = blockIdx.x * 10;\n    c.sync();\n"
                  "    if (threadIdx.x == 0) a[blockIdx.x] = *c.map_shared_rank(&s, "
                  "c.block_rank() ^ 1);\n    c.sync();\n}",
                  {4},
                  {32},
                  {out<int>(4)}};
    cluster.name = "k";
    CHECK(numbers<int>(outputs(shared_cuda(), cluster)[0]) == std::vector<int>{10, 0, 30, 20});
}

TEST_CASE("device: the resources and the occupancy of a kernel are known") {
    trial t{
        "__global__ void k(float* y) { __shared__ float s[256]; s[threadIdx.x] = y[threadIdx.x];\n"
        "__syncthreads(); y[threadIdx.x] = s[255 - threadIdx.x]; }",
        {1},
        {256},
        {inout(std::vector<float>(256))}};
    auto const k = compiled(t);
    REQUIRE(k.resources.has_value());
    CHECK(k.resources->registers > 0);
    CHECK(k.resources->static_shared_bytes == 1024);
    CHECK(k.resources->spill_store_bytes == 0);
}
