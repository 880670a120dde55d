// SPDX-License-Identifier: BSL-1.0
// What the host back end costs: compiling, starting, switching fibres, and kernels of three kinds.
#include <lkt/gpu/detail/host/fibre.hpp>
#include <lkt/gpu/detail/host/run_service.hpp>
#include <lkt/gpu/host.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/process/worker.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

/// Microseconds that `call` takes, the median of `times`.
template <class F>
double median_us(int times, F call) {
    std::vector<double> all;
    for (int i = 0; i < times; ++i) {
        auto const start = clock_type::now();
        call(i);
        all.push_back(std::chrono::duration<double, std::micro>(clock_type::now() - start).count());
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

void figure(char const* name, double value, char const* unit) {
    std::printf("figure %s %.4g %s\n", name, value, unit);
}

[[noreturn]] void give_up(std::string const& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

struct launch {
    std::string text, name;
    lkt::launch_dimensions dimensions;
    std::vector<lkt::argument_data> arguments;
    std::vector<lkt::direction> directions;
};

lkt::compiled_kernel compile(lkt::host& gpu, launch const& l) {
    lkt::compile_request request;
    request.source.text = l.text;
    request.signature.name = l.name;
    auto outcome = gpu.compile(request);
    if (!outcome) give_up(lkt::to_string(outcome.error()));
    if (auto const* const f = std::get_if<lkt::failure>(&*outcome)) give_up(lkt::describe(*f));
    return std::get<lkt::compiled_kernel>(*outcome);
}

/// Microseconds of a launch, the median.
double launch_us(lkt::host& gpu, launch const& l, int launches) {
    auto const kernel = compile(gpu, l);
    lkt::run_request request;
    request.dimensions = l.dimensions;
    request.arguments = l.arguments;
    request.directions = l.directions;
    request.warmups = 2;
    request.launches = launches;
    auto outcome = gpu.run(kernel, request);
    if (!outcome) give_up(lkt::to_string(outcome.error()));
    if (auto const* const f = std::get_if<lkt::failure>(&*outcome)) give_up(lkt::describe(*f));
    return lkt::measurement{std::get<lkt::run_report>(*outcome).samples}.median().count() * 1e6;
}

lkt::argument_data floats(std::size_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 1000) * 0.001F;
    return lkt::make_buffer({lkt::scalar_type::float32}, std::span<float const>{v});
}

launch vector_add(std::string const& first) {
    constexpr int n = 1 << 20;
    return {"__global__ void add(float const* a, float const* b, float* c, int n) {\n" + first +
                "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "if (i < n) c[i] = a[i] + b[i];\n}",
            "add",
            {{n / 256}, {256}},
            {floats(n), floats(n), floats(n), lkt::make_scalar(lkt::scalar_type::int32, n)},
            {lkt::direction::in, lkt::direction::in, lkt::direction::out, lkt::direction::in}};
}

launch matmul(std::string const& body, lkt::dim3 grid, lkt::dim3 block) {
    constexpr int n = 256;
    return {"#define N 256\n__global__ void matmul(float const* __restrict__ A, float const* "
            "__restrict__ B, "
            "float* __restrict__ C) {\n" +
                body + "}",
            "matmul",
            {grid, block},
            {floats(n * n), floats(n * n), floats(n * n)},
            {lkt::direction::in, lkt::direction::in, lkt::direction::out}};
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    auto gpu = lkt::host{};
    auto const device = gpu.device();
    if (!device) give_up(lkt::to_string(device.error()));
    std::printf("%s, %s, fibres by %s\n",
                device->name.c_str(),
                device->driver.c_str(),
                lkt::host_detail::fibre::mechanism);

    // A comment makes a text that was not compiled yet.
    auto add = vector_add("");
    figure("host_compile_small",
           median_us(9,
                     [&](int i) {
                         auto l = add;
                         l.text += "//" + std::to_string(i);
                         (void)compile(gpu, l);
                     }) /
               1e3,
           "ms");
    figure("host_worker_start",
           median_us(9,
                     [](int) {
                         lkt::worker w;
                         (void)w.call({lkt::host_detail::run_key, "", {}}, std::chrono::seconds{5});
                     }) /
               1e3,
           "ms");
    auto const kernel = compile(gpu, add);
    auto tiny = add;
    tiny.dimensions = {{1}, {256}};
    tiny.arguments[0] = tiny.arguments[1] = tiny.arguments[2] = floats(256);
    lkt::run_request request{tiny.dimensions, tiny.arguments, tiny.directions};
    tiny.arguments[3] = lkt::make_scalar(lkt::scalar_type::int32, 256);
    figure("host_run_round_trip",
           median_us(21, [&](int) { (void)gpu.run(kernel, request); }) / 1e3,
           "ms");

    figure("host_vector_add_1m", launch_us(gpu, add, 21), "us");
    double const with = launch_us(gpu, vector_add("__syncthreads();\n"), 9);
    double const more =
        launch_us(gpu, vector_add("for (int k = 0; k < 11; ++k) __syncthreads();\n"), 9);
    figure("host_vector_add_1m_fibres", with, "us");
    // Ten barriers more, for each of 2^20 threads, on `multiprocessors` threads of the system.
    figure(
        "host_barrier", (more - with) * 1e3 * device->multiprocessors / (10.0 * (1 << 20)), "ns");

    figure(
        "host_matmul_256_naive",
        launch_us(
            gpu,
            matmul(
                "int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + "
                "threadIdx.x;\nfloat sum = 0;\nfor (int k = 0; k < N; ++k) sum += A[row * N + k] * "
                "B[k * N "
                "+ col];\nC[row * N + col] = sum;\n",
                {16, 16},
                {16, 16}),
            9),
        "us");
    figure(
        "host_matmul_256_tiled",
        launch_us(
            gpu,
            matmul("__shared__ float a[16][16], b[16][16];\nint ty = threadIdx.y, tx = "
                   "threadIdx.x, row = "
                   "blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;\nfloat sum = 0;\nfor (int k0 "
                   "= 0; k0 < N; "
                   "k0 += 16) {\na[ty][tx] = A[row * N + k0 + tx]; b[ty][tx] = B[(k0 + ty) * N + "
                   "col];\n__syncthreads();\nfor (int k = 0; k < 16; ++k) sum += a[ty][k] * "
                   "b[k][tx];\n__syncthreads();\n}\nC[row * N + col] = sum;\n",
                   {16, 16},
                   {16, 16}),
            9),
        "us");
    figure("host_matmul_256_registers",
           launch_us(gpu,
                     matmul("int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4, col = "
                            "(blockIdx.x * blockDim.x + "
                            "threadIdx.x) * 16;\nfloat sum[4][16] = {};\nfor (int k = 0; k < N; "
                            "++k)\nfor (int r = 0; r < 4; "
                            "++r)\nfor (int c = 0; c < 16; ++c) sum[r][c] += A[(row + r) * N + k] "
                            "* B[k * N + col + c];\nfor "
                            "(int r = 0; r < 4; ++r)\nfor (int c = 0; c < 16; ++c) C[(row + r) * N "
                            "+ col + c] = sum[r][c];\n",
                            {4, 8},
                            {4, 8}),
                     9),
           "us");
    return 0;
}
