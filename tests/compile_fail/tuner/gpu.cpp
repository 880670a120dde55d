// expect: \[lkt\.tuner\.gpu\] tuner\{gpu, llm, strategy\}: gpu is not a gpu_backend
// offending: not_a_gpu
// SPDX-License-Identifier: BSL-1.0
// A back end that cannot run what it compiles.
#include <lkt/strategies/sweep.hpp>
#include <lkt/tuner/tuner.hpp>

struct not_a_gpu {
    lkt::result<lkt::device_description> device(lkt::call_context const&);
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&);
#ifdef LKT_FIXED
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&);
#endif
};

bool tune(not_a_gpu& gpu, lkt::problem task) {
    return lkt::tuner{gpu, lkt::sweep<>{}}.tune(std::move(task)).has_value();
}
