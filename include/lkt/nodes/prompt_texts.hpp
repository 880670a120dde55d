// SPDX-License-Identifier: BSL-1.0
// The texts that models are sent while a kernel is tuned, each a template that can be replaced.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/llm/prompt.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// The constant part of a run: the rules, and the device.
struct rules_words {
    std::string language;            ///< `CUDA`
    std::string rules;               ///< of the game, with the format of the answer
    std::vector<std::string> device; ///< what is known of it
    using state_fields = fields<&rules_words::language, &rules_words::rules, &rules_words::device>;
};

/// The problem, the kernel that is to become faster, and what was measured of it.
struct task_words {
    std::string name;                      ///< of the kernel, in backticks
    std::vector<std::string> arguments;    ///< what each is
    std::vector<std::string> sizes;        ///< the timed one, and the others
    std::optional<std::string> notes;      ///< of the user, fenced
    std::string kernel;                    ///< its text, fenced
    std::vector<std::string> launch;       ///< grid, block, shared memory
    std::vector<std::string> parameters;   ///< the tunable ones, and their restrictions
    std::vector<std::string> measurements; ///< times, resources, the roofline, the profile
    std::vector<std::string> device;       ///< as in `rules_words`
    std::vector<std::string> past;         ///< earlier steps and their results
    std::optional<std::string> step;       ///< the requested change, if any
    using state_fields = fields<&task_words::name,
                                &task_words::arguments,
                                &task_words::sizes,
                                &task_words::notes,
                                &task_words::kernel,
                                &task_words::launch,
                                &task_words::parameters,
                                &task_words::measurements,
                                &task_words::device,
                                &task_words::past,
                                &task_words::step>;
    using required_fields = fields<&task_words::kernel>;
};

// What came of a reply.

struct reason_words {
    std::string why;
    using state_fields = fields<&reason_words::why>;
    using required_fields = state_fields;
};
struct place_words {
    std::string what;
    std::string where; ///< ` (line 4 of your kernel)`, or empty
    using state_fields = fields<&place_words::what, &place_words::where>;
    using required_fields = fields<&place_words::what>;
};
struct refused_words {
    std::string what, where, why;
    using state_fields = fields<&refused_words::what, &refused_words::where, &refused_words::why>;
    using required_fields = fields<&refused_words::what>;
};
struct signature_words {
    std::string expected, got; ///< fenced
    using state_fields = fields<&signature_words::expected, &signature_words::got>;
    using required_fields = fields<&signature_words::expected>;
};
struct log_words {
    std::string log; ///< of the compiler, fenced, without the middle of a long one
    using state_fields = fields<&log_words::log>;
    using required_fields = state_fields;
};
struct limit_words {
    std::string limit;
    using state_fields = fields<&limit_words::limit>;
};
struct mismatch_words {
    std::string test, output; ///< in backticks
    std::uint64_t wrong = 0, total = 0, first = 0;
    std::string expected, got; ///< of the first wrong element
    std::string pattern;       ///< ` Where they lie: ...`, or empty
    using state_fields = fields<&mismatch_words::test,
                                &mismatch_words::output,
                                &mismatch_words::wrong,
                                &mismatch_words::total,
                                &mismatch_words::first,
                                &mismatch_words::expected,
                                &mismatch_words::got,
                                &mismatch_words::pattern>;
};
struct times_words {
    std::string time, best; ///< of a launch; `best` is what was to be beaten
    using state_fields = fields<&times_words::time, &times_words::best>;
};

/// One text for each turn that is ours. A new object has the library's; the members are there to be
/// assigned to, and what is wrong with a text does not compile.
struct prompt_texts {
    prompt<rules_words> system;
    prompt<task_words> task;
    prompt<no_words> again; ///< ends every answer to a reply

    prompt<reason_words> no_code;
    prompt<refused_words> refused;
    prompt<signature_words> wrong_signature;
    prompt<log_words> compile_failed;
    prompt<reason_words> launch_failed;
    prompt<place_words> crashed, out_of_bounds;
    prompt<limit_words> compile_timed_out, launch_timed_out;
    prompt<reason_words> race;
    prompt<mismatch_words> wrong_output;
    prompt<reason_words> implausible, no_configuration;
    prompt<times_words> slower, not_faster;

    using state_fields = fields<&prompt_texts::system,
                                &prompt_texts::task,
                                &prompt_texts::again,
                                &prompt_texts::no_code,
                                &prompt_texts::refused,
                                &prompt_texts::wrong_signature,
                                &prompt_texts::compile_failed,
                                &prompt_texts::launch_failed,
                                &prompt_texts::crashed,
                                &prompt_texts::out_of_bounds,
                                &prompt_texts::compile_timed_out,
                                &prompt_texts::launch_timed_out,
                                &prompt_texts::race,
                                &prompt_texts::wrong_output,
                                &prompt_texts::implausible,
                                &prompt_texts::no_configuration,
                                &prompt_texts::slower,
                                &prompt_texts::not_faster>;

    prompt_texts();

    /// Replaces the text called `name` (`"system"`, `"race"`, ...) by one that is known at run time
    /// only. Errors: those of `prompt::parse`; `lkt.prompt.name` for a name that is not one of
    /// these.
    [[nodiscard]] result<void> replace(std::string_view name, std::string_view text);

    friend bool operator==(prompt_texts const&, prompt_texts const&) = default;
};

} // namespace lkt
