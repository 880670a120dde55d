// SPDX-License-Identifier: BSL-1.0
// What compiling costs: configurations of matmul.cuh a second, with 1, 2, 4, ... compilers side by
// side, each time with an empty cache; and how long a kernel takes that is in the cache on disk or
// in memory. Needs NVRTC and no GPU. One configuration is compiled beforehand with each number of
// compilers, as starting them is no part of it.
//
//   --configurations N  for each number of compilers (64)
//   --arch ARCH         to compile for (sm_80)
#include <lkt/gpu/cuda/compile_pool.hpp>

#include <lkt/core/files.hpp>
#include <lkt/process/worker_main.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
namespace cd = lkt::cuda_detail;

double since(clock_type::time_point t) {
    return std::chrono::duration<double>(clock_type::now() - t).count();
}

struct settings {
    std::size_t configurations = 64;
    std::string arch = "sm_80";
};

settings settings_of(int argc, char** argv) {
    settings s;
    for (int k = 1; k + 1 < argc; k += 2) {
        std::string const name = argv[k];
        if (name == "--configurations")
            s.configurations = static_cast<std::size_t>(std::max(1, std::atoi(argv[k + 1])));
        else if (name == "--arch")
            s.arch = argv[k + 1];
        else
            throw std::runtime_error("unknown argument " + name);
    }
    return s;
}

/// `n` texts that the compiler has not seen: tiles in turn, and a number that nothing reads.
std::vector<cd::compile_job>
jobs(std::string const& text, settings const& s, std::int64_t first, std::size_t n) {
    std::vector<cd::compile_job> all;
    for (std::size_t k = 0; k < n; ++k) {
        cd::compile_job j;
        j.source = {lkt::language::cuda, text, "matmul.cuh"};
        j.kernel = "matmul";
        std::int64_t const x = std::int64_t{1} << (k % 4), y = std::int64_t{1} << (k / 4 % 4);
        j.definitions.values = {{"block_size_x", std::int64_t{32}},
                                {"block_size_y", 32 / y},
                                {"tile_size_x", x},
                                {"tile_size_y", y},
                                {"number", first + static_cast<std::int64_t>(k)}};
        j.arch = s.arch;
        all.push_back(std::move(j));
    }
    return all;
}

void compile(cd::compile_pool& pool, cd::compile_job const& j) {
    auto const made = pool.get(j);
    if (!made) throw std::runtime_error(lkt::to_string(made.error()));
    if (auto const* const why = std::get_if<lkt::failure>(&*made))
        throw std::runtime_error(lkt::describe(*why));
}

double compile_all(cd::compile_pool& pool, std::vector<cd::compile_job> const& all) {
    auto const begin = clock_type::now();
    for (auto const& j : all) pool.prefetch(j);
    for (auto const& j : all) compile(pool, j);
    return since(begin);
}

/// The median time that a job of `all` takes.
double latency(cd::compile_pool& pool, std::vector<cd::compile_job> const& all) {
    std::vector<double> times;
    for (auto const& j : all) {
        auto const begin = clock_type::now();
        compile(pool, j);
        times.push_back(since(begin));
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

int measure(settings const& s) {
    auto const here = std::filesystem::path(__FILE__).parent_path();
    auto const text = lkt::read_text_file((here / "matmul.cuh").string());
    if (!text) throw std::runtime_error(lkt::to_string(text.error()));
    auto const folder = std::filesystem::temp_directory_path() / "lkt-bench-compile";
    std::filesystem::remove_all(folder);
    cd::compile_pool_options options;
    options.cache.folder = folder.string();
    {
        cd::compile_pool pool{options};
        auto const found = pool.compiler();
        if (!found) {
            std::printf("%s\n", lkt::to_string(found.error()).c_str());
            return found.error().kind == lkt::condition::unavailable ? 77 : 1;
        }
        std::printf("NVRTC %d.%d, %s\n", found->major, found->minor, found->place.library.c_str());
    }
    unsigned const most = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
    std::vector<unsigned> side_by_side;
    for (unsigned n = 1; n < most; n *= 2) side_by_side.push_back(n);
    side_by_side.push_back(most);
    std::int64_t first = 0; // no two rounds have a text in common
    auto const fresh = [&](std::size_t n) {
        auto made = jobs(*text, s, first, n);
        first += static_cast<std::int64_t>(n);
        return made;
    };
    std::vector<cd::compile_job> last;
    double rate = 0;
    for (unsigned const n : side_by_side) {
        options.workers = n;
        cd::compile_pool pool{options};
        (void)compile_all(pool, fresh(n));
        last = fresh(s.configurations);
        double const took = compile_all(pool, last);
        rate = static_cast<double>(last.size()) / took;
        std::printf("%u compilers: %zu configurations in %.3f s, %.1f a second\n",
                    n,
                    last.size(),
                    took,
                    rate);
        std::printf("figure cuda_compile_rate_%u %.2f configurations/s\n", n, rate);
    }
    cd::compile_pool pool{options}; // knows only what is on disk
    double const disk = latency(pool, last), memory = latency(pool, last);
    auto const counted = pool.counters();
    if (counted.compiled != 0 || counted.from_cache != last.size())
        throw std::runtime_error("something was compiled again");
    std::printf("figure cuda_compile_cache_hit %.1f us\n", disk * 1e6);
    std::printf("figure cuda_compile_memory_hit %.1f us\n", memory * 1e6);
    std::filesystem::remove_all(folder);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    try {
        return measure(settings_of(argc, argv));
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
