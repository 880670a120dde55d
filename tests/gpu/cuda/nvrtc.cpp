// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/nvrtc.hpp>

#include "support.hpp"

#include <optional>

using namespace lkt::cuda_detail;
using cuda_support::scratch;

namespace {

/// A variable of the environment, as it was before when this is gone.
class variable {
public:
    variable(char const* name, std::string const& value) : name_(name) {
        if (auto const* const before = std::getenv(name)) before_ = before;
        value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
    }
    variable(variable const&) = delete;
    ~variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

private:
    char const* name_;
    std::optional<std::string> before_;
};

} // namespace

TEST_CASE("NVRTC is found where CUDA_HOME points, with its headers beside it") {
    scratch const root;
    variable const own{"LKT_NVRTC", ""};
    variable const home{"CUDA_HOME", root.text()};
    cuda_support::write(root.path() / "lib64/libnvrtc.so.13", "13");
    cuda_support::write(root.path() / "lib64/libnvrtc.so.12", "12");
    cuda_support::write(root.path() / "include/cuda_fp16.h", "");
    cuda_support::write(root.path() / "include/cccl/cuda/std/array", "");
    auto const found = find_nvrtc();
    REQUIRE(found.has_value());
    auto const base = cuda_support::fs::canonical(root.path()).string();
    CHECK(found->library == base + "/lib64/libnvrtc.so.13");
    CHECK(found->includes == std::vector{base + "/include", base + "/include/cccl"});
    CHECK(found->found_by == "CUDA_HOME");
    CHECK(has_header(*found, "cuda/std/array"));
    CHECK(has_header(*found, "cuda_fp16.h"));
    CHECK_FALSE(has_header(*found, "cuda_fp17.h"));

    auto const before = identity(*found);
    auto const headers = identity_of_includes(*found);
    cuda_support::write(root.path() / "lib64/libnvrtc-builtins.so.13.0", "");
    CHECK(identity(*found) != before);
    CHECK(identity_of_includes(*found) == headers);
    cuda_support::write(root.path() / "include/cuda_fp16.h", "changed");
    CHECK(identity_of_includes(*found) != headers);
}

TEST_CASE("NVRTC is found in the wheels of PyPI, old and new") {
    scratch const site;
    for (auto const* const library : {"cuda_nvrtc/lib/libnvrtc.so.12", "cu13/lib/libnvrtc.so.13"}) {
        scratch const one;
        cuda_support::write(one.path() / "nvidia" / library, "");
        cuda_support::write(one.path() / "nvidia/cuda_runtime/include/cuda_fp16.h", "");
        variable const own{"LKT_NVRTC", (one.path() / "nvidia" / library).string()};
        auto const found = find_nvrtc();
        REQUIRE(found.has_value());
        CHECK(found->includes.size() == 1);
        cuda_support::write(one.path() / "nvidia/cuda_nvcc/include/crt/mma.h", "");
        cuda_support::write(one.path() / "nvidia/cuda_cccl/include/cuda/std/array", "");
        CHECK(find_nvrtc()->includes.size() == 3);
    }
}

TEST_CASE("What is named and not there is an error that says what to do") {
    auto const at = find_nvrtc("/nowhere/libnvrtc.so");
    REQUIRE_FALSE(at.has_value());
    CHECK(at.error().kind == lkt::condition::unavailable);
    CHECK(at.error().code == "lkt.cuda.nvrtc");
    CHECK(at.error().message.find("/nowhere/libnvrtc.so") != std::string::npos);
    CHECK(at.error().hint.find("LKT_NVRTC") != std::string::npos);
    variable const own{"LKT_NVRTC", "/nowhere/else"};
    auto const named = find_nvrtc();
    REQUIRE_FALSE(named.has_value());
    CHECK(named.error().message.find("LKT_NVRTC") != std::string::npos);
}

TEST_CASE("A toolkit that is too old is told, and passed over") {
    scratch const root;
    variable const own{"LKT_NVRTC", ""};
    variable const home{"CUDA_HOME", root.text()};
    cuda_support::write(root.path() / "lib64/libnvrtc.so.11.2", "");
    auto const found = find_nvrtc();
    if (found)
        CHECK(found->library.find(root.text()) == std::string::npos);
    else
        CHECK(found.error().message.find("libnvrtc.so.11.2 is too old") != std::string::npos);
}

TEST_CASE("A file that is no NVRTC is a sentence, not a crash") {
    scratch const root;
    auto const file = root.path() / "libnvrtc.so.13";
    cuda_support::write(file, "this is no library");
    auto o = cuda_support::plain_options();
    o.library = file.string();
    compile_pool pool{o};
    auto const r = pool.get(cuda_support::job(cuda_support::adder));
    REQUIRE_FALSE(r.has_value());
    CHECK(r.error().code == "lkt.cuda.nvrtc");
    CHECK(r.error().kind == lkt::condition::unavailable);
    CHECK_FALSE(pool.compiler().has_value());
}

TEST_CASE("NVRTC compiles, lowers names and knows its architectures") {
    if (!cuda_support::have_nvrtc()) return;
    // In this process: what a worker does.
    auto const library = find_nvrtc()->library;
    auto const made = compile_here(
        library, {"template <class T> __global__ void k(T*) {}", "k<int>", {"-arch=sm_90"}});
    REQUIRE(made.has_value());
    CHECK(made->compiled);
    CHECK(made->entry == "_Z1kIiEvPT_");
    CHECK(made->image.starts_with("\177ELF"));
    CHECK(made->major >= oldest_nvrtc);

    auto const wrong = compile_here(library, {"__global__ void k() { x; }", "k", {"-arch=sm_90"}});
    REQUIRE(wrong.has_value());
    CHECK_FALSE(wrong->compiled);
    CHECK(wrong->log.find("identifier \"x\" is undefined") != std::string::npos);

    auto const unknown = compile_here(library, {"__global__ void k() {}", "k", {"-arch=sm_999"}});
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().code == "lkt.cuda.arch");
    CHECK(unknown.error().message.find("sm_999; it knows sm_") != std::string::npos);
}
