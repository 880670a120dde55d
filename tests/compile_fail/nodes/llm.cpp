// expect: \[lkt\.graph\.tools\] Node takes tools
// offending: my_tools
// SPDX-License-Identifier: BSL-1.0
// A strategy that asks a model is run with tools that have none.
#include <lkt/graph/run.hpp>
#include <lkt/strategies/one_prompt.hpp>

struct some_gpu {
    lkt::result<lkt::device_description> device(lkt::call_context const&);
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&);
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&);
};
struct some_model {
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const&, lkt::call_context const&);
};
struct my_tools {
    some_gpu& gpu;
#ifdef LKT_FIXED
    some_model& llm;
#endif
};

bool ask(lkt::tuning_state& state, my_tools& tools) {
    return lkt::run<lkt::one_prompt<>>(state, tools).has_value();
}
