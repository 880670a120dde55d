// SPDX-License-Identifier: BSL-1.0
// A judge looks at a kernel, at what was measured of it and at what became of the last rewrite, and
// names one bottleneck and one change.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/described.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// What the judge answers.
struct advice {
    std::string bottleneck; ///< what bounds the kernel, or what was wrong with the last rewrite
    std::string fix;        ///< one change to the kernel that relieves it
    std::string why;        ///< on what evidence

    using state_fields = fields<&advice::bottleneck, &advice::fix, &advice::why>;
    static constexpr auto notes = lkt::notes(
        "The one bottleneck that costs this kernel most, and the one change that "
        "relieves it.",
        note<&advice::bottleneck>("what bounds the kernel, in one sentence", length{1, 600}),
        note<&advice::fix>("one change of the kernel's code, launch or tunable "
                           "parameters, exact enough for a programmer to make it without further "
                           "questions; no code",
                           length{1, 2000}),
        note<&advice::why>("the measurement or the lines of the kernel that show it",
                           length{1, 1000}));
    friend bool operator==(advice const&, advice const&) = default;
};

enum class advised {
    fix,    ///< `step` is the judge's change
    silent, ///< the judge gave no usable answer, and `notes` say so: `step` is empty
};

/// What the judge is shown: the task as `task_words` has it, and the last rewrite.
struct judge_words {
    std::string name;
    std::vector<std::string> arguments, sizes;
    std::optional<std::string> notes;
    std::string kernel; ///< fenced
    std::vector<std::string> launch, parameters, measurements, past;
    std::optional<std::string> rewrite;  ///< the last one, fenced, unless it was accepted
    std::optional<std::string> feedback; ///< what became of it: log, wrong elements, times
    using state_fields = fields<&judge_words::name,
                                &judge_words::arguments,
                                &judge_words::sizes,
                                &judge_words::notes,
                                &judge_words::kernel,
                                &judge_words::launch,
                                &judge_words::parameters,
                                &judge_words::measurements,
                                &judge_words::past,
                                &judge_words::rewrite,
                                &judge_words::feedback>;
    using required_fields = fields<&judge_words::kernel>;
};

/// The two turns that a judge is sent. To use other words, assign to them.
struct default_judge_prompts {
    prompt<rules_words> system_text;
    prompt<judge_words> task_text;

    default_judge_prompts();
    [[nodiscard]] std::string system(brief const& b) const;
    /// `last` is the record of the last rewrite; null if there is none to mention.
    [[nodiscard]] std::string task(brief const& b, attempt_record const* last) const;
    friend bool operator==(default_judge_prompts const&, default_judge_prompts const&) = default;
};

template <class P>
concept judge_prompt_set = requires(P const& p, brief const& b, attempt_record const* last) {
    { p.system(b) } -> std::convertible_to<std::string>;
    { p.task(b, last) } -> std::convertible_to<std::string>;
};

namespace detail {

/// Judge prompts of any type.
struct judge_prompts_ref {
    void const* prompts;
    std::string (*system)(void const*, brief const&);
    std::string (*task)(void const*, brief const&, attempt_record const*);

    template <judge_prompt_set P>
    explicit judge_prompts_ref(P const& p)
        : prompts(std::addressof(p)), system([](void const* a, brief const& b) -> std::string {
              return static_cast<P const*>(a)->system(b);
          }),
          task([](void const* a, brief const& b, attempt_record const* last) -> std::string {
              return static_cast<P const*>(a)->task(b, last);
          }) {}
};

/// The record of the last rewrite, unless it was accepted.
[[nodiscard]] attempt_record const*
last_rejected_attempt(std::vector<attempt_record> const& history);

[[nodiscard]] result<advised>
advise(state_ref const& s, tools_ref const& tools, model_ref model, judge_prompts_ref prompts);

} // namespace detail

/// Asks the model, as a judge, for an `advice`, and writes it into `step`, and `usage`. The judge
/// sees the best kernel with its facts and measurements (times, registers, spills, occupancy, the
/// roofline, its profile), earlier steps, and the last rewrite with its result. A change that was
/// already requested is refused. Errors: those of the model; a budget that is used up. A question
/// that is too long for the model is asked with only the latest steps. Cost: one model call; up to
/// three if answers cannot be used, and as many again if they became too long.
template <judge_prompt_set Prompts = default_judge_prompts>
struct advise_fn {
    static constexpr std::string_view name = "advise";

    template <tuning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<advised> {
        Prompts const prompts{};
        return detail::advise(detail::state_ref(s),
                              detail::tools_ref(tools),
                              detail::model_ref(tools.llm, purpose::review),
                              detail::judge_prompts_ref(prompts));
    }
};
inline constexpr advise_fn<> advise{};

} // namespace lkt
