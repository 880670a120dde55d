// expect: \[lkt\.tuner\.tests\] tuner\{\.\.\., tests\}: tests is not a test_generator
// offending: no_tests
// SPDX-License-Identifier: BSL-1.0
// A generator that forgets the context.
#include <lkt/strategies/sweep.hpp>
#include <lkt/tuner/tuner.hpp>

struct some_gpu {
    lkt::result<lkt::device_description> device(lkt::call_context const&);
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&);
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&);
};
struct no_tests {
#ifdef LKT_FIXED
    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const&,
                                                      lkt::call_context const&);
#else
    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const&);
#endif
};

bool tune(some_gpu& gpu, lkt::problem task) {
    lkt::no_model nobody;
    return lkt::tuner{gpu, nobody, lkt::sweep<>{}, no_tests{}}.tune(std::move(task)).has_value();
}
