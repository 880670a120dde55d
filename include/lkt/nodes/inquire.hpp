// SPDX-License-Identifier: BSL-1.0
// Before a kernel is rewritten, a model asks what it wants to know of it, and is answered.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/describe.hpp>
#include <lkt/llm/described.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/profile_shown.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// One question about a kernel, as a model asks it.
struct evidence_wish {
    std::string what; ///< `compiler`, `code`, `stalls`, `counters` or `timing`: what is offered
    std::vector<std::string> counters;              ///< their names
    std::optional<std::int64_t> line;               ///< of the kernel's text, for `code`
    std::optional<std::string> containing;          ///< for `code`
    std::map<std::string, std::int64_t> parameters; ///< for `timing`: those that differ

    using state_fields = fields<&evidence_wish::what,
                                &evidence_wish::counters,
                                &evidence_wish::line,
                                &evidence_wish::containing,
                                &evidence_wish::parameters>;
    static constexpr auto notes = lkt::notes(
        "One question. Members that its kind does not need are empty.",
        note<&evidence_wish::what>("one of the kinds that can be asked for", length{1, 40}),
        note<&evidence_wish::counters>("for counters: their names, as listed", items{0, 12}),
        note<&evidence_wish::line>("for code: a line of the kernel's text, the first one is 1"),
        note<&evidence_wish::containing>("for code: what the instructions contain"),
        note<&evidence_wish::parameters>(
            "for timing: the tunable parameters that get another value"));
    friend bool operator==(evidence_wish const&, evidence_wish const&) = default;
};

/// What a model answers when it may ask.
struct evidence_wishes {
    static constexpr int most = 4; ///< questions at a time

    std::vector<evidence_wish> questions;

    using state_fields = fields<&evidence_wishes::questions>;
    static constexpr auto notes = lkt::notes(note<&evidence_wishes::questions>(
        "empty where no answer would change what to do next", items{0, most}));
    friend bool operator==(evidence_wishes const&, evidence_wishes const&) = default;
};

/// How often a model may ask about one kernel, in one configuration.
inline constexpr std::size_t inquiries_of_one_kernel = 2;

/// What can be asked for.
struct offer_words {
    std::vector<std::string> offers; ///< one for each kind, with its bounds
    int most = evidence_wishes::most;
    using state_fields = fields<&offer_words::offers, &offer_words::most>;
    using required_fields = fields<&offer_words::offers>;
};

/// The two turns that a model is sent: `task` is the facts and, behind them, `ask`. To use other
/// words, assign to them.
struct default_inquiry_prompts {
    prompt<rules_words> system_text;
    prompt<task_words> task_text;
    prompt<offer_words> ask_text;

    default_inquiry_prompts();
    [[nodiscard]] std::string system(brief const& b) const;
    [[nodiscard]] std::string task(brief const& b, std::vector<std::string> const& offers) const;
    friend bool operator==(default_inquiry_prompts const&,
                           default_inquiry_prompts const&) = default;
};

template <class P>
concept inquiry_prompt_set =
    requires(P const& p, brief const& b, std::vector<std::string> const& offers) {
        { p.system(b) } -> std::convertible_to<std::string>;
        { p.task(b, offers) } -> std::convertible_to<std::string>;
    };

/// A State that keeps what was asked.
template <class S>
concept inquiry_fields = tuning_fields<S> && requires(S& s) {
    { s.inquiries } -> std::same_as<std::vector<inquiry>&>;
};

namespace detail {

/// Inquiry prompts of any type.
struct inquiry_prompts_ref {
    void const* prompts;
    std::string (*system)(void const*, brief const&);
    std::string (*task)(void const*, brief const&, std::vector<std::string> const&);

    template <inquiry_prompt_set P>
    explicit inquiry_prompts_ref(P const& p)
        : prompts(std::addressof(p)), system([](void const* a, brief const& b) -> std::string {
              return static_cast<P const*>(a)->system(b);
          }),
          task([](void const* a, brief const& b, std::vector<std::string> const& offers)
                   -> std::string { return static_cast<P const*>(a)->task(b, offers); }) {}
};

/// What can be asked of a kernel, one text a kind, in the words of a prompt.
[[nodiscard]] std::vector<std::string> offers_of(evidence_offer const& offer,
                                                 tuned_kernel const& k);
/// Why a question cannot be answered, in a sentence that names what can; empty where it can.
[[nodiscard]] std::string
fault_in(evidence_wish const& w, evidence_offer const& offer, tuned_kernel const& k);
/// `code that contains 'LDG', around line 12`
[[nodiscard]] std::string question_words(evidence_wish const& w);

[[nodiscard]] result<void> inquire(state_ref const& s,
                                   std::vector<inquiry>& inquiries,
                                   tools_ref const& tools,
                                   gpu_ref gpu,
                                   model_ref model,
                                   inquiry_prompts_ref prompts,
                                   std::span<tuned_kernel* const> shown);

} // namespace detail

/// The best kernel so far, alone.
struct best_so_far {
    kept_kernels operator()(tuning_fields auto& s) const { return {{&s.best}, {}}; }
};

/// Lets the model ask about each kernel in `Kernels`, which it is to rewrite next, and finds the
/// answers: what the back end offers (`evidence_backend`), and the time of a variant, by way of the
/// normal evaluation. Prompts then show questions and answers among what was measured of the
/// kernel. A question that cannot be answered is told to the model, which may ask once more; what
/// cannot be answered after that is an answer that says so.
///
/// Writes `inquiries` and `usage`. Where the back end offers nothing, or the run does without
/// (`evaluation_options::evidence`), it does nothing. Errors: those of the model, if nothing was
/// asked before; a budget that is used up; cancelled. Cost, for each kernel at most
/// `inquiries_of_one_kernel` times, and not again once the model had no question: one model call,
/// two if the first answer cannot be used; for each of at most `evidence_wishes::most` questions
/// what the back end takes, or two evaluations of one configuration.
template <class Kernels = best_so_far,
          inquiry_prompt_set Prompts = default_inquiry_prompts,
          lkt::purpose Purpose = purpose::review>
struct inquire_fn {
    static constexpr std::string_view name = "inquire";

    template <inquiry_fields S, class Tools>
        requires tools_with_llm<Tools> && tools_with_gpu<Tools>
    auto operator()(S& s, Tools& tools) const -> result<void> {
        Prompts const prompts{};
        auto const kernels = Kernels{}(s);
        return detail::inquire(detail::state_ref(s),
                               s.inquiries,
                               detail::tools_ref(tools),
                               gpu_ref(tools.gpu),
                               detail::model_ref(tools.llm, Purpose),
                               detail::inquiry_prompts_ref(prompts),
                               kernels.shown);
    }
};
inline constexpr inquire_fn<> inquire{};

} // namespace lkt
