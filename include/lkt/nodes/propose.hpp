// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

namespace lkt {

enum class answer {
    code, ///< `proposal` holds a kernel with the right name and parameters
    none, ///< the reply held none: see the last of `attempts`
};

namespace detail {

using turns_call = conversation (*)(void const* prompts,
                                    brief const& b,
                                    std::span<rejected_attempt const> attempts);

[[nodiscard]] result<answer> propose(state_ref const& s,
                                     tools_ref const& tools,
                                     model_ref model,
                                     void const* prompts,
                                     turns_call turns);

/// Tools that bring prompts of this very type.
template <class Tools, class Prompts>
concept tools_with_prompts = requires(Tools& t) {
    requires std::same_as<std::remove_cvref_t<decltype(t.prompts)>, Prompts>;
};

} // namespace detail

/// Asks the model for a rewrite of the best kernel so far, in a conversation rendered from this
/// step's attempts, and takes a candidate from its reply. Writes `proposal`, `usage`, an open
/// record in `history`, and `attempts` if the reply is unusable. The prompts are `tools.prompts` if
/// that is a `Prompts`, else `Prompts{}`. If the conversation is too long for the model, it
/// contains only the latest attempt and steps (`recall`), and a note of the record says so. Cost:
/// one model call; two if the server refused the first for its length.
template <class Prompts = default_prompts>
struct propose_fn {
    static constexpr std::string_view name = "propose";

    template <tuning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<answer> {
        if constexpr (detail::tools_with_prompts<Tools, Prompts>)
            return ask(s, tools, tools.prompts);
        else
            return ask(s, tools, Prompts{});
    }

private:
    template <class S, class Tools>
    static result<answer> ask(S& s, Tools& tools, Prompts const& prompts) {
        return detail::propose(
            detail::state_ref(s),
            detail::tools_ref(tools),
            detail::model_ref(tools.llm),
            std::addressof(prompts),
            [](void const* address, brief const& b, std::span<rejected_attempt const> attempts) {
                return conversation_of(b, attempts, *static_cast<Prompts const*>(address));
            });
    }
};

/// `propose` with the library's prompts, and with prompts of your own.
inline constexpr propose_fn<> propose{};
template <class Prompts>
inline constexpr propose_fn<Prompts> propose_with{};

} // namespace lkt
