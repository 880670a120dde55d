// SPDX-License-Identifier: BSL-1.0
// Every word that a model is sent when it is asked what a kernel is called with.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/declaration.hpp>

#include <concepts>
#include <optional>
#include <string>

namespace lkt {

struct declaration_rules_words {
    std::string language; ///< `CUDA`
    std::string rules;    ///< what an answer may hold
    using state_fields =
        fields<&declaration_rules_words::language, &declaration_rules_words::rules>;
};
struct purpose_words {
    std::string kernel; ///< fenced
    using state_fields = fields<&purpose_words::kernel>;
    using required_fields = state_fields;
};
struct description_words {
    std::string kernel;               ///< fenced
    std::string open, settled;        ///< lists: what to describe, and what stands
    std::optional<std::string> notes; ///< of the user, fenced
    std::string example;              ///< of an answer, out of the kernel's own names
    std::string format;               ///< what the fields of an answer mean
    using state_fields = fields<&description_words::kernel,
                                &description_words::open,
                                &description_words::settled,
                                &description_words::notes,
                                &description_words::example,
                                &description_words::format>;
    using required_fields = fields<&description_words::kernel, &description_words::open>;
};
struct wanted_tests_words {
    std::string kernel; ///< fenced
    std::string arguments, sizes;
    std::string format; ///< an example, and what the fields of an answer mean
    using state_fields = fields<&wanted_tests_words::kernel,
                                &wanted_tests_words::arguments,
                                &wanted_tests_words::sizes,
                                &wanted_tests_words::format>;
    using required_fields = fields<&wanted_tests_words::kernel>;
};
struct unusable_words {
    std::string why;
    std::optional<std::string> advice; ///< where there is some
    using state_fields = fields<&unusable_words::why, &unusable_words::advice>;
    using required_fields = fields<&unusable_words::why>;
};

/// The texts of these turns. A new object has the library's.
struct test_prompt_texts {
    prompt<purpose_words> purpose;
    prompt<declaration_rules_words> system;
    prompt<description_words> describe;
    prompt<wanted_tests_words> tests;
    prompt<unusable_words> again;

    test_prompt_texts();
    friend bool operator==(test_prompt_texts const&, test_prompt_texts const&) = default;
};

/// The turns of a conversation about sizes, arguments and tests. To use other words, assign to
/// `texts`; write your own by deriving from it, or from nothing.
struct default_test_prompts {
    test_prompt_texts texts = {};

    /// Asks what the kernel computes; a conversation of its own.
    [[nodiscard]] std::string purpose(problem_draft const& draft) const;
    [[nodiscard]] std::string system(problem_draft const& draft) const;
    /// Asks for the missing parts.
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
        { p.purpose(draft) } -> std::convertible_to<std::string>;
        { p.system(draft) } -> std::convertible_to<std::string>;
        { p.describe(draft) } -> std::convertible_to<std::string>;
        { p.tests(task) } -> std::convertible_to<std::string>;
        { p.again(why) } -> std::convertible_to<std::string>;
    };

} // namespace lkt
