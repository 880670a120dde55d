// expect: \[lkt\.graph\.tools\] Node takes tools
// offending: my_tools
// SPDX-License-Identifier: BSL-1.0
// Candidates are to be judged without a device.
#include <lkt/graph/run.hpp>
#include <lkt/strategies/sweep.hpp>

struct some_gpu {
    lkt::result<lkt::device_description> device(lkt::call_context const&);
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&);
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&);
};
struct my_tools {
#ifdef LKT_FIXED
    some_gpu& gpu;
#endif
};

bool judge(lkt::tuning_state& state, my_tools& tools) {
    return lkt::run<lkt::sweep<>>(state, tools).has_value();
}
