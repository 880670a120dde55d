// SPDX-License-Identifier: BSL-1.0
// For the tests of the CUDA back end's compile side, which need NVRTC and no GPU.
#pragma once

#include <lkt/gpu/cuda/compile_pool.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <variant>
#include <vector>

namespace cuda_support {

namespace fs = std::filesystem;
using lkt::cuda_detail::compile_job;
using lkt::cuda_detail::compile_pool;
using lkt::cuda_detail::compile_pool_options;
using lkt::cuda_detail::compile_result;
using lkt::cuda_detail::compiled_cubin;

/// Whether a test can go on; says why not.
inline bool have_nvrtc() {
    auto const found = lkt::cuda_detail::find_nvrtc();
    if (!found) MESSAGE("skipped: " << lkt::to_string(found.error()));
    return found.has_value();
}

/// A folder that is gone with it.
class scratch {
public:
    scratch() {
        std::string name = (fs::temp_directory_path() / "lkt-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
        path_ = name;
    }
    scratch(scratch const&) = delete;
    ~scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] fs::path const& path() const { return path_; }
    [[nodiscard]] std::string text() const { return path_.string(); }

private:
    fs::path path_;
};

inline void write(fs::path const& path, std::string const& text) {
    fs::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << text;
}
inline std::string read(fs::path const& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

/// Two workers and no persistent cache.
inline compile_pool_options plain_options() {
    compile_pool_options o;
    o.workers = 2;
    o.cache.limit = 0;
    return o;
}
inline compile_pool_options cached_options(scratch const& folder) {
    auto o = plain_options();
    o.cache.limit = std::uint64_t{1} << 30;
    o.cache.folder = folder.text();
    return o;
}

inline compile_job job(std::string text, std::string kernel = "k") {
    compile_job j;
    j.source.text = std::move(text);
    j.kernel = std::move(kernel);
    j.arch = "sm_90";
    return j;
}
inline std::string const adder = "__global__ void k(float* a, float const* b, int n) {\n"
                                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "    if (i < n) a[i] += b[i];\n"
                                 "}\n";

/// Anything else than a cubin throws, with what it was.
inline std::shared_ptr<compiled_cubin const> cubin(compile_pool& pool, compile_job const& j) {
    auto const r = pool.get(j);
    if (!r) throw std::runtime_error(lkt::to_string(r.error()));
    if (auto const* const f = std::get_if<lkt::failure>(&*r))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<std::shared_ptr<compiled_cubin const>>(*r);
}
template <class F>
F failure_of(compile_pool& pool, compile_job const& j) {
    auto const r = pool.get(j);
    if (!r) throw std::runtime_error(lkt::to_string(r.error()));
    auto const* const f = std::get_if<lkt::failure>(&*r);
    if (f == nullptr) throw std::runtime_error("it was compiled");
    if (auto const* const wanted = std::get_if<F>(f)) return *wanted;
    throw std::runtime_error(lkt::describe(*f));
}

/// Worker processes of this one.
inline std::vector<pid_t> workers() {
    std::vector<pid_t> found;
    for (auto const& thread : fs::directory_iterator{"/proc/self/task"}) {
        std::ifstream in{thread.path() / "children"};
        for (pid_t pid = 0; in >> pid;)
            if (read("/proc/" + std::to_string(pid) + "/comm") == "lkt-worker\n")
                found.push_back(pid);
    }
    return found;
}

} // namespace cuda_support
