// SPDX-License-Identifier: BSL-1.0
// Every form of inline PTX that candidates may use is one that the compiler has.
#include <lkt/lang/cuda/inline_ptx.hpp>

#include "../tensor_map_texts.hpp"
#include "support.hpp"

using cuda_support::cubin;
using cuda_support::job;
using cuda_support::plain_options;
using lkt::cuda_detail::compile_pool;

TEST_CASE("What the lists of inline PTX have compiles, on the architectures that have it") {
    if (!cuda_support::have_nvrtc()) return;
    auto const text = cuda_support::read(std::string(LKT_TEST_SOURCE_DIR) + "/gpu/ptx/forms.cu");
    REQUIRE(text.size() > 5'000);
    compile_pool pool{plain_options()};
    for (auto const* const architecture : {"sm_80", "sm_90a"}) {
        CAPTURE(architecture);
        auto one = job(text, "listed");
        one.arch = architecture;
        CHECK_NOTHROW((void)cubin(pool, one));
    }
    // It can fail.
    auto wrong =
        job("__global__ void k(int* p) { asm volatile(\"add.u99 %0, %0, 1;\" : \"+r\"(*p)); }");
    CHECK_THROWS((void)cubin(pool, wrong));
}

TEST_CASE("A kernel that reads by tensor maps compiles, whatever it includes") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    for (std::string const include : {"", "#include <cuda.h>\n", "#include <cuda/barrier>\n"}) {
        CAPTURE(include);
        auto one = job(include + tensor_map_texts::doubled, "doubled");
        one.arch = "sm_90a";
        one.definitions.values = {{"BK", std::int64_t{32}}};
        bool const known = include.find("barrier") == std::string::npos ||
                           has_header(*lkt::cuda_detail::find_nvrtc(), "cuda/barrier");
        if (known) CHECK_NOTHROW((void)cubin(pool, one));
    }
    auto two = job(tensor_map_texts::swizzled, "swizzled");
    two.arch = "sm_90a";
    CHECK_NOTHROW((void)cubin(pool, two));
}
