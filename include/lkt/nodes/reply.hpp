// SPDX-License-Identifier: BSL-1.0
// From a model's reply to a candidate.
#pragma once

#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/llm/chat_model.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lkt {

/// What a reply came to: a candidate with the reference's name and parameters, or why there is
/// none.
struct reply_reading {
    std::variant<candidate, failure> what;
    std::vector<std::string> notes; ///< what was left out, and why
    /// The failure is one of the tunable parameters alone, which the text does not settle: see
    /// `fix_parameters`.
    bool unsettled = false;
    /// The failure is one of the restrictions alone; the kernel that has none of them is this one.
    std::optional<candidate> unrestricted{};
};

/// Tunable parameters, and the kernel's text with them in it.
struct corrected_kernel {
    std::string text;
    std::vector<tunable_parameter> parameters;
};

/// What is wrong with restrictions for a kernel: one that is no expression, or has a name that is
/// neither a size nor a parameter, or cannot be evaluated; or that no configuration is left.
/// Nothing where they can be used. Whether so many can be tried is another question.
[[nodiscard]] std::optional<failure> restrictions_fault(candidate const& k, problem const& task);

/// Reads the kernel and its description (parameters, restrictions, launch) from `reply`. Missing
/// parts are taken from `before`, the kernel to be rewritten.
///
/// Before anything is compiled, the parameters are compared with the text: their definitions are
/// removed from it, two spellings of one name become one, and an unused one is left out, each with
/// a note. A second declaration of a parameter, an ambiguous name, or restrictions that cannot be
/// used or that no configuration meets, are a failure.
[[nodiscard]] reply_reading
read_reply(chat_reply const& reply, problem const& task, candidate const& before);

/// The same with another text and other parameters, and with the launch and the restrictions that
/// the reply gives.
[[nodiscard]] reply_reading read_corrected(chat_reply const& reply,
                                           corrected_kernel corrected,
                                           problem const& task,
                                           candidate const& before);

} // namespace lkt
