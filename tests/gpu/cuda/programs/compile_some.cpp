// SPDX-License-Identifier: BSL-1.0
// compile_some FOLDER COUNT: compiles COUNT kernels with the persistent cache in FOLDER and says
// how many of them were not in it. Two kinds of text, one with a header.
#include <lkt/gpu/cuda/compile_pool.hpp>
#include <lkt/process/worker_main.hpp>

#include <cstdio>
#include <cstdlib>
#include <variant>

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    if (argc != 3) return 2;
    lkt::cuda_detail::compile_pool_options options;
    options.workers = 2;
    options.cache.folder = argv[1];
    lkt::cuda_detail::compile_pool pool{options};
    std::vector<lkt::cuda_detail::compile_job> jobs;
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
        lkt::cuda_detail::compile_job j;
        j.source.text =
            i % 4 == 0 ? "#include <cuda_fp16.h>\n__global__ void k(__half* p) { p[N] = p[0]; }"
                       : "__global__ void k(float* p) { p[N] = p[0]; }";
        j.kernel = "k";
        j.arch = "sm_90";
        j.definitions.values = {{"N", std::int64_t{i + 1}}};
        jobs.push_back(j);
        pool.prefetch(j);
    }
    for (auto const& j : jobs) {
        auto const r = pool.get(j);
        if (!r ||
            !std::holds_alternative<std::shared_ptr<lkt::cuda_detail::compiled_cubin const>>(*r)) {
            std::puts(r ? lkt::describe(std::get<lkt::failure>(*r)).c_str()
                        : lkt::to_string(r.error()).c_str());
            return 1;
        }
    }
    auto const c = pool.counters();
    std::printf("compiled %d, from the cache %d\n",
                static_cast<int>(c.compiled),
                static_cast<int>(c.from_cache));
}
