// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/declaration.hpp>
#include <lkt/nodes/test_prompts.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/verify/suite.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lkt {

/// What a reply was to hold.
enum class declared_part : unsigned char {
    description, ///< what the user left open
    tests,
    script, ///< Python that makes tests
};

/// One reply and its result.
struct declaration_attempt {
    declared_part part = declared_part::description;
    std::string model, reply;
    std::optional<error> why; ///< it was not accepted; the model was told so
    seconds thinking{};       ///< time that the model took
    seconds testing{};        ///< time that the original took on what was declared
    token_usage usage;
};

/// A conversation about a problem, successful or not.
struct declaration_log {
    std::vector<declaration_attempt> attempts;
    model_usage usage;
};

/// How a model is asked for the missing parts of a problem.
struct declaration_options {
    int attempts = 3;           ///< replies that complete the problem
    bool tests = true;          ///< ask for tests too, unless the problem has some
    int test_attempts = 10;     ///< replies that declare them
    std::size_t max_tests = 16; ///< in one reply
};

struct declared_problem {
    problem task; ///< complete
    /// What the original computes on its tests, from the last run; not prepared where nothing was
    /// asked.
    test_suite suite;
};

namespace detail {

/// Whether an error is a defect of what the model said, which it can be told.
[[nodiscard]] bool is_for_the_model(error const& e);

/// What the original computes on the tests of `generator`, and on those that the problem declares.
[[nodiscard]] result<test_suite>
original_on(problem const& task, tools_ref const& tools, gpu_ref gpu, tests_ref generator);

/// Prompts of any type.
struct test_prompts_ref {
    void const* prompts;
    std::string (*purpose)(void const*, problem_draft const&);
    std::string (*system)(void const*, problem_draft const&);
    std::string (*describe)(void const*, problem_draft const&);
    std::string (*tests)(void const*, problem const&);
    std::string (*again)(void const*, error const&);

    template <test_prompt_set P>
    explicit test_prompts_ref(P const& p)
        : prompts(std::addressof(p)), purpose([](void const* a, problem_draft const& d) {
              return std::string(static_cast<P const*>(a)->purpose(d));
          }),
          system([](void const* a, problem_draft const& d) -> std::string {
              return static_cast<P const*>(a)->system(d);
          }),
          describe([](void const* a, problem_draft const& d) -> std::string {
              return static_cast<P const*>(a)->describe(d);
          }),
          tests([](void const* a, problem const& t) -> std::string {
              return static_cast<P const*>(a)->tests(t);
          }),
          again([](void const* a, error const& e) -> std::string {
              return static_cast<P const*>(a)->again(e);
          }) {}
};

[[nodiscard]] result<declared_problem> declare_tests(problem_draft draft,
                                                     declaration_log& log,
                                                     tools_ref const& tools,
                                                     gpu_ref gpu,
                                                     model_ref model,
                                                     tests_ref generator,
                                                     declaration_options const& options,
                                                     test_prompts_ref prompts);

} // namespace detail

/// Asks a model for what a user left open of a problem, then for tests of it, in one conversation.
/// It answers in the format of problem files, which is read and checked, never run; a reply that is
/// wrong, or on which the original kernel fails, is fed back. What the user has said stands, and
/// parts that are not missing are not asked for. `tools.tests` makes the inputs, or
/// `signature_tests` where there is none; what the problem declares is run in any case.
///
/// `log` has every reply and the cost, after an error too. Errors: `lkt.declaration.original` where
/// the original does not compile, before anything is asked; `lkt.declaration.attempts` (rejected)
/// when the replies are used up, with what was wrong with the last one; a budget that is used up;
/// what the model or the back end returns. Cost: at most `options.attempts + options.test_attempts`
/// model calls; for each usable reply the launches of `prepare_suite`.
template <tools_with_gpu Tools, test_prompt_set Prompts = default_test_prompts>
    requires tools_with_llm<Tools>
[[nodiscard]] result<declared_problem> declare_tests(problem_draft draft,
                                                     declaration_log& log,
                                                     Tools& tools,
                                                     declaration_options const& options = {},
                                                     Prompts const& prompts = {}) {
    return detail::declare_tests(std::move(draft),
                                 log,
                                 detail::tools_ref(tools),
                                 gpu_ref(tools.gpu),
                                 detail::model_ref(tools.llm),
                                 detail::tests_ref(tools),
                                 options,
                                 detail::test_prompts_ref(prompts));
}

} // namespace lkt
