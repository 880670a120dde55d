// expect: \[lkt\.gpu\.batch\] A back end with compile_all, run_all or runs_at_once
// offending: half_a_batch
// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/gpu_ref.hpp>

#include <cstddef>
#include <span>
#include <vector>

struct half_a_batch {
    lkt::result<lkt::device_description> device(lkt::call_context const&);
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&);
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&);
    std::vector<lkt::result<lkt::compile_outcome>>
    compile_all(std::span<lkt::compile_request const>, lkt::call_context const&);
#ifdef LKT_FIXED
    std::vector<lkt::result<lkt::run_outcome>> run_all(std::span<lkt::kernel_run const>,
                                                       lkt::call_context const&);
    std::size_t runs_at_once();
#endif
};

lkt::gpu_ref seen_by_the_library(half_a_batch& gpu) { return lkt::gpu_ref(gpu); }
