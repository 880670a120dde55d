// SPDX-License-Identifier: BSL-1.0
// A model is asked whether a step makes sense for a kernel, before anybody writes it.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/answer_mode.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/step_ledger.hpp>
#include <lkt/nodes/toolbox.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

enum class gated {
    yes,
    no,      ///< the step is over: declined, or present
    unclear, ///< the answer was of no use: see `ledger.gate_attempts`
};

struct gate_again_words {
    std::vector<std::string> faults;
    using state_fields = fields<&gate_again_words::faults>;
    using required_fields = state_fields;
};

/// The turns of the question. It has its own `texts.system` and `texts.task`; `task` has the same
/// placeholders as a request for a kernel, so the model sees kernel, launch, measurements, and the
/// text of the step.
struct default_gate_prompts : default_prompts {
    prompt<gate_again_words> unclear;

    default_gate_prompts();
    /// Answers a reply that could not be used.
    [[nodiscard]] std::string again(std::vector<std::string> const& faults) const;
    friend bool operator==(default_gate_prompts const&, default_gate_prompts const&) = default;
};

template <class P>
concept gate_prompt_set =
    detail::opening_prompts<P> && requires(P const& p, std::vector<std::string> const& faults) {
        { p.again(faults) } -> std::convertible_to<std::string>;
    };

namespace detail {

using gate_turns = conversation (*)(void const* prompts,
                                    brief const& b,
                                    std::span<gate_attempt const> attempts);

[[nodiscard]] result<gated> ask_gate(state_ref const& s,
                                     step_ledger& l,
                                     tools_ref const& tools,
                                     model_ref model,
                                     void const* prompts,
                                     gate_turns turns,
                                     answer_mode mode);

template <gate_prompt_set Prompts>
[[nodiscard]] conversation
gate_conversation(void const* address, brief const& b, std::span<gate_attempt const> attempts) {
    auto const& p = *static_cast<Prompts const*>(address);
    conversation turns{{role::system, p.system(b)}, {role::user, p.task(b)}};
    for (gate_attempt const& a : attempts) {
        // Servers refuse an empty turn.
        turns.push_back({role::assistant, a.reply.empty() ? "(no text)" : a.reply});
        turns.push_back({role::user, p.again(a.faults)});
    }
    return turns;
}

} // namespace detail

/// Asks whether the selected step makes sense for the best kernel so far. The answer is
/// `{"should_run": bool, "why": text, "already_there": bool or null}`; a no ends the step, as
/// `present` if the kernel already does what it asks for. Writes `ledger`, `usage` and, after a no,
/// `notes`. An error of the model is not an answer and changes nothing. A question that is too long
/// for the model is asked with only the latest steps. Cost: one model call; in the mode `automatic`
/// one more for each form that the server refuses.
template <answer_mode Mode = answer_mode::automatic, class Prompts = default_gate_prompts>
struct ask_gate_fn {
    static_assert(gate_prompt_set<Prompts>,
                  "[lkt.nodes.prompts] Prompts lacks std::string system(lkt::brief const&) const, "
                  "task(lkt::brief const&) const or again(std::vector<std::string> const&) const");
    static constexpr std::string_view name = "ask_gate";

    template <step_list_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<gated> {
        Prompts const prompts{};
        return detail::ask_gate(detail::state_ref(s),
                                s.ledger,
                                detail::tools_ref(tools),
                                detail::model_ref(tools.llm, purpose::review),
                                std::addressof(prompts),
                                &detail::gate_conversation<Prompts>,
                                Mode);
    }
};
inline constexpr ask_gate_fn<> ask_gate{};

} // namespace lkt
