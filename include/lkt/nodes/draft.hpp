// SPDX-License-Identifier: BSL-1.0
// Before a problem is complete: what it computes, and how its kernel is called.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/nodes/declare_tests.hpp>
#include <lkt/nodes/test_prompts.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/store/value_codec.hpp>
#include <lkt/verify/timed_size.hpp>

#include <concepts>
#include <optional>
#include <type_traits>

namespace lkt {

/// The known parts of a problem, and the model's answers for the rest.
struct draft_state {
    problem_draft draft;
    bool describe = false;                      ///< ask what the kernel computes, without notes
    declaration_options asking{.tests = false}; ///< how the model is asked for missing parts
    declaration_log declared;
    std::optional<sized_launch> timed; ///< at which size, where the model's was a guess

    /// The journalled members; the rest is given again in each run.
    using state_fields = fields<&draft_state::draft, &draft_state::declared, &draft_state::timed>;

    // Defined in one place, so that who includes this need not compile it.
    draft_state();
    draft_state(draft_state const&);
    draft_state(draft_state&&) noexcept;
    draft_state& operator=(draft_state const&);
    draft_state& operator=(draft_state&&) noexcept;
    ~draft_state();
};

template <class S>
concept drafting_fields = requires(S& s) {
    requires tuning_fields<std::remove_reference_t<decltype((s.tuning))>>;
    { s.draft } -> std::same_as<problem_draft&>;
    { s.describe } -> std::same_as<bool&>;
    { s.asking } -> std::same_as<declaration_options&>;
    { s.declared } -> std::same_as<declaration_log&>;
    { s.timed } -> std::same_as<std::optional<sized_launch>&>;
};

/// Whether the user said it himself.
enum class settled { yes, no };

/// What a model filled in.
enum class supplied {
    sizes,     ///< the sizes are guesses of a model's, which was not timed
    arguments, ///< the sizes are the user's
};

namespace detail {

[[nodiscard]] settled is_described(draft_state const& s);
[[nodiscard]] settled is_declared(draft_state const& s);
[[nodiscard]] result<void> describe_kernel(draft_state& s,
                                           state_ref const& tuning,
                                           tools_ref const& tools,
                                           model_ref model,
                                           test_prompts_ref prompts);
[[nodiscard]] result<supplied> declare_problem(draft_state& s,
                                               state_ref const& tuning,
                                               tools_ref const& tools,
                                               gpu_ref gpu,
                                               model_ref model,
                                               tests_ref generator,
                                               test_prompts_ref prompts);
[[nodiscard]] result<void>
fit_timed_size(draft_state& s, state_ref const& tuning, tools_ref const& tools, gpu_ref gpu);

/// The tools' prompts about problems, or the library's.
template <class Tools, class Call>
[[nodiscard]] auto with_test_prompts(Tools& tools, Call const& call) {
    if constexpr (requires { requires test_prompt_set<decltype(tools.test_prompts)>; }) {
        return call(test_prompts_ref(tools.test_prompts));
    } else {
        default_test_prompts const own;
        return call(test_prompts_ref(own));
    }
}

} // namespace detail

/// Whether there are notes on the problem, or no model is to be asked for them.
inline constexpr auto is_described = []<drafting_fields S>(S& s) -> settled {
    return detail::is_described(s);
};

/// Asks the model what the kernel computes, in a few sentences, which become the problem's notes.
/// An answer that is empty or was cut off leaves a note in the state, and the problem without.
/// Cost: one model call.
inline constexpr auto describe_kernel =
    []<drafting_fields S, tools_with_llm Tools>(S& s, Tools& tools) -> result<void> {
    return detail::with_test_prompts(tools, [&](detail::test_prompts_ref prompts) {
        return detail::describe_kernel(s,
                                       detail::state_ref(s.tuning),
                                       detail::tools_ref(tools),
                                       detail::model_ref(tools.llm),
                                       prompts);
    });
};

/// Whether sizes, arguments and, where they are asked for, tests are there.
inline constexpr auto is_declared = []<drafting_fields S>(S& s) -> settled {
    return detail::is_declared(s);
};

/// Asks the model for the missing parts, as `declare_tests` does. Writes `draft`, `declared`, the
/// account, and `tests` where they are prepared already.
inline constexpr auto declare_problem =
    []<drafting_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<supplied>
    requires tools_with_llm<Tools>
{
    return detail::with_test_prompts(tools, [&](detail::test_prompts_ref prompts) {
        return detail::declare_problem(s,
                                       detail::state_ref(s.tuning),
                                       detail::tools_ref(tools),
                                       gpu_ref(tools.gpu),
                                       detail::model_ref(tools.llm),
                                       detail::tests_ref(tools),
                                       prompts);
    });
};

/// Doubles or halves sizes that a model guessed until a launch can be timed (`timed_size`).
inline constexpr auto fit_timed_size =
    []<drafting_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<void> {
    return detail::fit_timed_size(
        s, detail::state_ref(s.tuning), detail::tools_ref(tools), gpu_ref(tools.gpu));
};

/// Hands a complete problem on to `tuning`.
inline constexpr auto take_problem = []<drafting_fields S>(S& s) -> void {
    s.tuning.task = s.draft.known;
};

template <>
struct value_codec<problem_draft> : compiled_codec<problem_draft> {};
template <>
struct value_codec<declaration_log> : compiled_codec<declaration_log> {};
extern template struct compiled_codec<problem_draft>;
extern template struct compiled_codec<declaration_log>;

} // namespace lkt
