// SPDX-License-Identifier: BSL-1.0
// The kernels that the CUDA back end launches around those of its user, all of them, in this
// process: for compute-sanitizer, which does not follow into workers with an empty environment.
#include <lkt/gpu/cuda/compile_pool.hpp>
#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/gpu/device/detail/module_session.hpp>
#include <lkt/gpu/device/detail/module_tools.hpp>
#include <lkt/process/worker_main.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace lkt::cuda_detail;

constexpr char const* copy_source =
    "__global__ void copy(unsigned char const* x, unsigned char* y, unsigned char* z, int n) {\n"
    "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
    "        y[i] = z[i] = x[i];\n}\n";

std::string image_of(compile_pool& pool,
                     std::string const& text,
                     char const* kernel,
                     int capability,
                     std::string& entry) {
    compile_job job;
    job.source = {lkt::language::cuda, text, "own"};
    job.kernel = kernel;
    job.arch = "sm_" + std::to_string(capability);
    auto const compiled = pool.get(job);
    if (!compiled || !std::holds_alternative<std::shared_ptr<compiled_cubin const>>(*compiled))
        return {};
    auto const& cubin = *std::get<0>(*compiled);
    entry = cubin.entry;
    return cubin.image;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    auto session = device_session::open(cuda_devices(), "");
    if (!session) {
        std::printf("skipped: %s\n", to_string(session.error()).c_str());
        return 77;
    }
    auto& device = **session;
    compile_pool pool{compile_pool_options{}};
    std::string entry;
    int const capability = device.facts().major * 10 + device.facts().minor;
    auto const tools = image_of(pool, tools_text(), "lkt_hold", capability, entry);
    auto const copy = image_of(pool, copy_source, "copy", capability, entry);
    if (tools.empty() || copy.empty() || !device.load_tools(tools)) return 1;

    int wrong = 0;
    for (std::uint64_t const size : {1u, 7u, 8u, 4095u, 100'000u})
        for (comparer const how : {comparer::bytes,
                                   comparer::float16,
                                   comparer::bfloat16,
                                   comparer::float32,
                                   comparer::float64}) {
            run_job job;
            job.program = 1;
            job.program_bytes = pack(cubin_program{entry, copy, false});
            job.dimensions = {{4, 1, 1}, {128, 1, 1}, 0};
            job.arguments.resize(4);
            for (std::size_t k = 0; k < 3; ++k) {
                job.arguments[k].buffer = true;
                job.arguments[k].size = size;
            }
            job.arguments[1].flow = lkt::direction::out;
            job.arguments[2].flow = lkt::direction::inout;
            int const n = static_cast<int>(size);
            job_set& set = job.sets.emplace_back();
            set.values.resize(4);
            set.values[3].assign(reinterpret_cast<char const*>(&n), sizeof n);
            std::vector<std::byte> contents(3 * next_place(size), std::byte{0x3c});
            std::vector<std::byte> expected(2 * next_place(size), std::byte{0x3c});
            set.expected = 1;
            set.brings_contents = set.brings_expected = true;
            set.bounds = {{how, 0, 0}, {how, 0, 0}};
            job.launches = 3;
            job.min_launches = 3;
            job.keep = {0, 2};
            std::vector<lkt::shared_memory> outputs;
            set_data const data[] = {{contents, expected}};
            auto const answer = device.run(job, data, outputs);
            bool const good = answer.end == run_end::done && answer.outputs.size() == 2 &&
                              answer.outputs[0].as_expected && answer.outputs[1].as_expected;
            if (!good)
                std::printf(
                    "size %llu: %s\n", static_cast<unsigned long long>(size), answer.what.c_str());
            wrong += good ? 0 : 1;
        }
    std::printf("%d of 25 runs were wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
