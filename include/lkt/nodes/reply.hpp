// SPDX-License-Identifier: BSL-1.0
// From a model's reply to a candidate.
#pragma once

#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/llm/chat_model.hpp>

#include <string>
#include <variant>
#include <vector>

namespace lkt {

/// What a reply came to: a candidate with the reference's name and parameters, or why there is
/// none.
struct reply_reading {
    std::variant<candidate, failure> what;
    std::vector<std::string> notes; ///< what was left out, and why
};

/// Takes the kernel and what the reply says of it (parameters, restrictions, launch) out of
/// `reply`. What it leaves out is taken from `before`, the kernel that was to be rewritten.
[[nodiscard]] reply_reading
read_reply(chat_reply const& reply, problem const& task, candidate const& before);

} // namespace lkt
