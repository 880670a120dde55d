// SPDX-License-Identifier: BSL-1.0
// What is wrong with tensor cores, groups, asynchronous copies and barriers is seen, and named.
// What is right with them: conformance/kernels/device_headers.cpp.
#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <string>
#include <variant>
#include <vector>

using namespace support;

namespace {

/// A tile of 16 x 16 halves goes through shared memory and tensor cores; `between` stands between
/// the stores and the loads.
trial multiply(std::string const& between, std::string const& load, unsigned threads = 64) {
    return {R"(
 #include <mma.h>
using namespace nvcuda;
__global__ void k(float const* a, float* c) {
    __shared__ __align__(32) __half tile[256];
    int const t = threadIdx.x;
    for (int i = t; i < 256; i += blockDim.x) tile[i] = a[i];
)" + between +
                R"(
    if (t < 32) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> y;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
        wmma::fill_fragment(z, 0.0f);
)" + load + R"(
        wmma::load_matrix_sync(y, tile, 16);
        wmma::mma_sync(z, x, y, z);
        wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
    }
})",
            {1},
            {threads},
            {in(std::vector<float>(256, 1)), out<float>(256)},
            0,
            {},
            true};
}

char const* const load = "wmma::load_matrix_sync(x, tile, 16);";

trial copies(std::string const& wait) {
    return {R"(
 #include <cuda_pipeline.h>
__global__ void k(float const* x, float* y) {
    __shared__ __align__(16) float stage[64];
    int const t = threadIdx.x;
    stage[t] = 0;
    __syncthreads();
    if (t < 16) __pipeline_memcpy_async(stage + 4 * t, x + 4 * t, 16);
    __pipeline_commit();
)" + wait + R"(
    y[t] = stage[63 - t];
})",
            {1},
            {64},
            {in(std::vector<float>(64, 3)), out<float>(64)},
            0,
            {},
            true};
}

} // namespace

TEST_CASE("host headers: tiles for tensor cores are watched like other accesses") {
    CHECK(numbers<float>(outputs(shared_host(), multiply("__syncthreads();", load))[0]) ==
          std::vector<float>(256, 16));
    (void)failure_of<lkt::race>(shared_host(), multiply("", load));
    (void)failure_of<lkt::out_of_bounds>(
        shared_host(), multiply("__syncthreads();", "wmma::load_matrix_sync(x, tile, 24);"));
    // That lanes meet in a load orders nothing.
    (void)failure_of<lkt::race>(shared_host(), multiply("", load, 32));
    CHECK(numbers<float>(outputs(shared_host(), multiply("__syncwarp();", load, 32))[0]) ==
          std::vector<float>(256, 16));
}

TEST_CASE("host headers: a tensor core needs all lanes of its warp") {
    auto t = multiply("__syncthreads();", "if (t < 16) wmma::load_matrix_sync(x, tile, 16);");
    auto const why = failure_of<lkt::race>(shared_host(), t);
    CHECK(why.what.find("line") != std::string::npos);
}

TEST_CASE("host headers: what is copied asynchronously is there when it was waited for") {
    auto const good = copies("__pipeline_wait_prior(0); __syncthreads();");
    CHECK(numbers<float>(outputs(shared_host(), good)[0]) == std::vector<float>(64, 3));
    // Who does not wait may find the old contents.
    CHECK(failure_of<lkt::race>(shared_host(), copies("__syncthreads();")).as ==
          lkt::verdict::nondeterminism);
    (void)failure_of<lkt::race>(shared_host(), copies("__pipeline_wait_prior(0);"));
    auto misaligned = good;
    misaligned.text.replace(misaligned.text.find("x + 4 * t, 16"), 13, "x + 4 * t + 1, 16");
    (void)failure_of<lkt::crashed>(shared_host(), misaligned);
}

TEST_CASE("host headers: mbarriers by functions have phases, and are watched") {
    // Two phases: the first half of the threads writes, all read, and then the other way round.
    auto const kernel = [](std::string const& wait, std::string const& more) {
        return trial{R"(
 #include <cuda_awbarrier_primitives.h>
__global__ void k(float const* x, float* y) {
    __shared__ __mbarrier_t bar;
    __shared__ float stage[64];
    int const t = threadIdx.x;
    if (t == 0) __mbarrier_init(&bar, 64);
    __syncthreads();
    float sum = 0;
    for (int n = 0; n < 2; ++n) {
        if (t / 32 == n) stage[t] = x[t], stage[t ^ 32] = 2 * x[t ^ 32];
        __mbarrier_token_t const full = __mbarrier_arrive(&bar);
        )" + wait + R"(
        sum += stage[63 - t];
        __mbarrier_token_t const empty = __mbarrier_arrive(&bar);
        while (!__mbarrier_try_wait(&bar, empty, 1000)) {}
    }
)" + more + R"(
    y[t] = sum;
})",
                     {1},
                     {64},
                     {in(std::vector<float>(64, 1)), out<float>(64)},
                     0,
                     {},
                     true};
    };
    std::string const wait = "while (!__mbarrier_test_wait(&bar, full)) {}";
    std::string const pending =
        "if (t == 0 && __mbarrier_token_pending_count(__mbarrier_arrive(&bar)) != 64) sum = -1;";
    CHECK(numbers<float>(outputs(shared_host(), kernel(wait, pending))[0]) ==
          std::vector<float>(64, 3));
    CHECK(numbers<float>(outputs(
              shared_host(), kernel("while (!__mbarrier_test_wait_parity(&bar, 0)) {}", ""))[0]) ==
          std::vector<float>(64, 3));
    auto const once = [](std::string const& how) {
        return trial{R"(
 #include <cuda_awbarrier_primitives.h>
__global__ void k(float const* x, float* y) {
    __shared__ __mbarrier_t bar;
    __shared__ float stage[64];
    int const t = threadIdx.x;
    if (t == 0) __mbarrier_init(&bar, 64);
    __syncthreads();
    stage[t] = x[t];
    __mbarrier_token_t const full = __mbarrier_arrive(&bar);
    )" + how + R"(
    y[t] = stage[63 - t];
})",
                     {1},
                     {64},
                     {in(std::vector<float>(64, 1)), out<float>(64)},
                     0,
                     {},
                     true};
    };
    CHECK(numbers<float>(outputs(shared_host(), once(wait))[0]) == std::vector<float>(64, 1));
    (void)failure_of<lkt::race>(shared_host(), once("(void)full;"));
    (void)failure_of<lkt::race>(shared_host(), once("__mbarrier_test_wait(&bar, full);"));
    auto const said = [&](std::string const& more) {
        auto const outcome = run(shared_host(), kernel(wait, more));
        auto const* const no = std::get_if<lkt::failure>(&outcome);
        return no != nullptr ? lkt::describe(*no) : "it ran";
    };
    CHECK(said("__syncthreads(); if (t == 0) __mbarrier_init(&bar, 0);")
              .find("waits for 1 to 1048575 threads") != std::string::npos);
    CHECK(said("__syncthreads(); if (t == 0) { __mbarrier_inval(&bar); __mbarrier_arrive(&bar); }")
              .find("nobody has initialised") != std::string::npos);
    CHECK(said("__syncthreads(); __mbarrier_test_wait(&bar, 0);").find("neither of its phase") !=
          std::string::npos);
    // Who leaves is not waited for any more.
    CHECK(numbers<float>(outputs(shared_host(), kernel(wait, R"(
    if (t >= 32) __mbarrier_arrive_and_drop(&bar);
    else {
        __mbarrier_arrive(&bar);
        while (!__mbarrier_try_wait_parity(&bar, 0, 0)) {}
        __mbarrier_token_t const last = __mbarrier_arrive(&bar);
        while (!__mbarrier_test_wait(&bar, last)) {}
    })"))[0]) == std::vector<float>(64, 3));
}

TEST_CASE("host headers: a barrier that some threads never reach ends, and says where") {
    std::string const text = R"(
 #include <cuda/barrier>
__global__ void k(int* y) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, COUNT);
    __syncthreads();
    if (threadIdx.x < 32) bar.arrive_and_wait();
    y[threadIdx.x] = 1;
})";
    trial t{text, {1}, {64}, {out<int>(64)}};
    t.definitions.values = {{"COUNT", std::int64_t{32}}};
    CHECK(numbers<int>(outputs(shared_host(), t)[0]) == std::vector<int>(64, 1));
    t.definitions.values = {{"COUNT", std::int64_t{64}}};
    std::string const why = failure_of<lkt::race>(shared_host(), t).what;
    CAPTURE(why);
    CHECK(why.find("wait for each other forever, at the wait in line 7") != std::string::npos);
}
