// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <span>
#include <string_view>

namespace lkt {

enum class answer {
    code, ///< `proposal` holds a kernel with the right name and parameters
    none, ///< the reply held none: see the last of `attempts`
};

namespace detail {

using turns_call = conversation (*)(brief const& b, std::span<setback const> attempts);

[[nodiscard]] result<answer>
propose(state_ref const& s, tools_ref const& tools, model_ref model, turns_call turns);

} // namespace detail

/// Asks the model for a rewrite of the best kernel so far, in a conversation rendered from this
/// step's attempts, and takes a candidate from its reply. Writes `proposal`, `usage`, an open
/// record in `history`, and `attempts` when the reply is of no use. Cost: one model call.
template <class Prompts = default_prompts>
struct propose_fn {
    static constexpr std::string_view name = "propose";

    template <tuning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<answer> {
        return detail::propose(detail::state_ref(s),
                               detail::tools_ref(tools),
                               detail::model_ref(tools.llm),
                               [](brief const& b, std::span<setback const> attempts) {
                                   return conversation_of(b, attempts, Prompts{});
                               });
    }
};

/// `propose` with the library's prompts, and with prompts of your own.
inline constexpr propose_fn<> propose{};
template <class Prompts>
inline constexpr propose_fn<Prompts> propose_with{};

} // namespace lkt
