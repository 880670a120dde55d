// SPDX-License-Identifier: BSL-1.0
// A model writes a Python function that makes further tests.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/declare_tests.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/verify/script_tests.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lkt {

/// What the model is told of the function that it is to write.
struct script_words {
    std::string kernel;                               ///< fenced
    std::vector<std::string> arguments;               ///< type, elements and allowed values of each
    std::vector<std::string> sizes;                   ///< that the function is called for
    std::vector<std::string> constraints, parameters; ///< of the problem, with their restrictions
    std::optional<std::string> notes;                 ///< of the user, fenced
    std::string example;                              ///< of a function, fenced
    std::string tests, seconds, memory, arrays;       ///< limits, with their units
    using state_fields = fields<&script_words::kernel,
                                &script_words::arguments,
                                &script_words::sizes,
                                &script_words::constraints,
                                &script_words::parameters,
                                &script_words::notes,
                                &script_words::example,
                                &script_words::tests,
                                &script_words::seconds,
                                &script_words::memory,
                                &script_words::arrays>;
    using required_fields =
        fields<&script_words::kernel, &script_words::arguments, &script_words::sizes>;
};

/// The one turn of the conversation. To use other words, assign to it.
struct default_script_prompts {
    prompt<script_words> text;

    default_script_prompts();
    /// `script`: its limits and sizes are those that the model is told.
    [[nodiscard]] std::string task(problem const& task, script_tests const& script) const;
    friend bool operator==(default_script_prompts const&, default_script_prompts const&) = default;
};

/// How a model is asked for a script, and how much the script may use.
struct script_options {
    int attempts = 5;           ///< scripts that are tried
    std::size_t max_tests = 16; ///< that a script returns, at all sizes together
    std::uint64_t seed = 1;     ///< of the generator that it is given
    /// It is called for sizes with at most so many elements, as `script_tests::max_elements` says.
    std::uint64_t max_elements = std::uint64_t{1} << 20;
    std::chrono::milliseconds time_limit{30'000};         ///< for all sizes together
    std::uint64_t memory_limit = std::uint64_t{4} << 30;  ///< bytes
    std::uint64_t array_limit = std::uint64_t{256} << 20; ///< bytes of what it returns; more for
                                                          ///< sizes that are larger
};

/// A script of a model, as `write_script` returns it.
[[nodiscard]] script_tests
script_generator(problem const& task, std::string text, script_options const& options = {});

namespace detail {
[[nodiscard]] result<script_tests> write_script(problem const& task,
                                                declaration_log& log,
                                                tools_ref const& tools,
                                                gpu_ref gpu,
                                                model_ref model,
                                                tests_ref generator,
                                                script_options const& options,
                                                default_script_prompts const& prompts);
} // namespace detail

/// Asks a model for a Python function that makes tests of a complete problem, beyond those that lkt
/// makes. The script runs like a kernel, as nobody's text: confined, without network and without
/// your files, within limits (`python_script::of_model`). It is sent back, with the reason, if it
/// fails; if a test does not fit the kernel or has values that the problem does not allow; if a
/// second run makes other tests; if the original fails or is unstable on one, does not write an
/// output that it writes in full on `tools.tests`, or proves unsound on all of them. What is
/// returned is a generator to be put behind those of lkt (`all_of`): tests that are added can
/// reject a kernel, and never vouch for one.
///
/// `log` gets every reply and the cost, after an error too. Errors: `lkt.sandbox.unavailable` and
/// `lkt.verify.python`, before anything is asked, where no script of a model can run;
/// `lkt.declaration.attempts` (rejected) when the replies are used up, with the last reason; a
/// budget that is used up; what the model or the back end returns. Cost: at most `options.attempts`
/// model calls; for each script two runs of it, and the launches of `fit_to_original`.
template <tools_with_gpu Tools>
    requires tools_with_llm<Tools>
[[nodiscard]] result<script_tests> write_script(problem const& task,
                                                declaration_log& log,
                                                Tools& tools,
                                                script_options const& options = {},
                                                default_script_prompts const& prompts = {}) {
    return detail::write_script(task,
                                log,
                                detail::tools_ref(tools),
                                gpu_ref(tools.gpu),
                                detail::model_ref(tools.llm),
                                detail::tests_ref(tools),
                                options,
                                prompts);
}

} // namespace lkt
