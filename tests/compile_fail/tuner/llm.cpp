// expect: \[lkt\.tuner\.llm\] tuner\{gpu, llm, strategy\}: llm is not a chat_model
// offending: not_a_model
// SPDX-License-Identifier: BSL-1.0
// A model whose reply is a string.
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/tuner/tuner.hpp>

#include <string>

struct some_gpu {
    lkt::result<lkt::device_description> device(lkt::call_context const&);
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&);
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&);
};
struct not_a_model {
#ifdef LKT_FIXED
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const&, lkt::call_context const&);
#else
    lkt::result<std::string> complete(lkt::chat_request const&, lkt::call_context const&);
#endif
};

bool tune(some_gpu& gpu, not_a_model& llm, lkt::problem task) {
    return lkt::tuner{gpu, llm, lkt::one_prompt<>{}}.tune(std::move(task)).has_value();
}
