// SPDX-License-Identifier: BSL-1.0
// One question about a plan, put to a model: one call, in a conversation derived from the answers
// that could not be used.
#pragma once

#include <lkt/nodes/planning_prompts.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/nodes/toolbox.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail {

/// Prompts of any type.
struct planning_prompts_ref {
    void const* prompts;
    std::string (*system)(void const*, planning_brief const&);
    std::string (*question)(void const*, planning_question, planning_brief const&);
    std::string (*again)(void const*, std::vector<std::string> const&);

    template <planning_prompt_set P>
    explicit planning_prompts_ref(P const& p)
        : prompts(std::addressof(p)),
          system([](void const* a, planning_brief const& b) -> std::string {
              return static_cast<P const*>(a)->system(b);
          }),
          question(
              [](void const* a, planning_question what, planning_brief const& b) -> std::string {
                  return static_cast<P const*>(a)->question(what, b);
              }),
          again([](void const* a, std::vector<std::string> const& faults) -> std::string {
              return static_cast<P const*>(a)->again(faults);
          }) {}
};

/// What a question works with.
struct questioning {
    state_ref const& s;
    planning_record& planning;
    tools_ref const& tools;
    model_ref model;
    planning_prompts_ref prompts;
};

/// Tools that bring planning prompts of this very type.
template <class Tools, class Prompts>
concept tools_with_planning = requires(Tools& t) {
    requires std::same_as<std::remove_cvref_t<decltype(t.planning_prompts)>, Prompts>;
};

/// Calls `ask` with what a question of these types works with.
template <class Prompts, class S, class Tools, class Ask>
auto with_questioning(S& s, Tools& tools, Ask ask) {
    state_ref const state(s);
    tools_ref const settings(tools);
    if constexpr (tools_with_planning<Tools, Prompts>)
        return ask(questioning{state,
                               s.planning,
                               settings,
                               model_ref(tools.llm, purpose::review),
                               planning_prompts_ref(tools.planning_prompts)});
    else {
        Prompts const prompts{};
        return ask(questioning{state,
                               s.planning,
                               settings,
                               model_ref(tools.llm, purpose::review),
                               planning_prompts_ref(prompts)});
    }
}

} // namespace lkt::detail
