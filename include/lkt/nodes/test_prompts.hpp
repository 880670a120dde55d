// SPDX-License-Identifier: BSL-1.0
// Every word that a model is sent when it is asked what a kernel is called with.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/nodes/declaration.hpp>

#include <concepts>
#include <string>

namespace lkt {

/// The turns of a conversation about sizes, arguments and tests. Write your own by deriving from
/// it, or from nothing.
struct default_test_prompts {
    [[nodiscard]] std::string system(problem_draft const& draft) const;
    /// Asks for what is open.
    [[nodiscard]] std::string describe(problem_draft const& draft) const;
    /// Asks for tests of a problem that is complete.
    [[nodiscard]] std::string tests(problem const& task) const;
    /// Answers a reply that could not be used.
    [[nodiscard]] std::string again(error const& why) const;
    friend bool operator==(default_test_prompts const&, default_test_prompts const&) = default;
};

template <class P>
concept test_prompt_set =
    requires(P const& p, problem_draft const& draft, problem const& task, error const& why) {
        { p.system(draft) } -> std::convertible_to<std::string>;
        { p.describe(draft) } -> std::convertible_to<std::string>;
        { p.tests(task) } -> std::convertible_to<std::string>;
        { p.again(why) } -> std::convertible_to<std::string>;
    };

} // namespace lkt
