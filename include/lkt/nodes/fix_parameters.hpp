// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

struct fix_parameters_words {
    std::string kernel;     ///< fenced
    std::string parameters; ///< the reply's, fenced, as it gave them
    std::string why;        ///< what is wrong
    using state_fields = fields<&fix_parameters_words::kernel,
                                &fix_parameters_words::parameters,
                                &fix_parameters_words::why>;
    using required_fields = fields<&fix_parameters_words::kernel, &fix_parameters_words::why>;
};

struct fix_restrictions_words {
    std::string kernel;                                 ///< fenced
    std::vector<std::string> parameters, launch, sizes; ///< of the kernel
    std::string restrictions;                           ///< the reply's, fenced, as it gave them
    std::string why;                                    ///< what is wrong with them
    using state_fields = fields<&fix_restrictions_words::kernel,
                                &fix_restrictions_words::parameters,
                                &fix_restrictions_words::launch,
                                &fix_restrictions_words::sizes,
                                &fix_restrictions_words::restrictions,
                                &fix_restrictions_words::why>;
    using required_fields = fields<&fix_restrictions_words::kernel,
                                   &fix_restrictions_words::parameters,
                                   &fix_restrictions_words::why>;
};

/// The one turn of a conversation about the tunable parameters of a reply, or their restrictions.
struct default_fix_prompts {
    prompt<fix_parameters_words> text;
    prompt<fix_restrictions_words> restrictions;

    default_fix_prompts();
    friend bool operator==(default_fix_prompts const&, default_fix_prompts const&) = default;
};

/// Answers about restrictions that are read, one after the other.
inline constexpr int answers_of_fix = 2;

enum class parameters_fixed {
    yes, ///< `proposal` holds the kernel, with its parameters put right
    no,  ///< nothing was to be put right, or the answer could not be used
};

namespace detail {
[[nodiscard]] result<parameters_fixed> fix_parameters(state_ref const& s,
                                                      tools_ref const& tools,
                                                      model_ref model,
                                                      default_fix_prompts const& prompts);
} // namespace detail

/// Behind a reply that could not be used: where all that is wrong with it are its tunable
/// parameters, in a way that the text does not settle (`reply_reading::unsettled`), the model is
/// asked for these, once and in a conversation of its own. Then the last of `attempts` is none any
/// more. Where all that is wrong are its restrictions (`reply_reading::unrestricted`), these alone
/// are asked for: an answer in which one is no expression, has an unknown name, cannot be evaluated
/// or excludes the parameters' first values, or that leaves no configuration, is sent back with the
/// reason. Writes `proposal`, `history`, `attempts` and `usage`. `Prompts` derives from
/// `default_fix_prompts`. Cost: at most one model call, about restrictions `answers_of_fix`.
template <class Prompts = default_fix_prompts>
struct fix_parameters_fn {
    static constexpr std::string_view name = "fix_parameters";

    template <tuning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<parameters_fixed> {
        return detail::fix_parameters(detail::state_ref(s),
                                      detail::tools_ref(tools),
                                      detail::model_ref(tools.llm),
                                      Prompts{});
    }
};
inline constexpr fix_parameters_fn<> fix_parameters{};

} // namespace lkt
