// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/units.hpp>
#include <lkt/evaluate/tried_configuration.hpp>
#include <lkt/evaluate/tuned_kernel.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/profile.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/model_usage.hpp>
#include <lkt/nodes/numbers.hpp>
#include <lkt/store/value_codec.hpp>
#include <lkt/verify/suite.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace lkt {

/// How often a model is asked within one step.
struct step_limits {
    int attempts = 3;

    [[nodiscard]] static constexpr auto allowed() {
        return std::array{
            number_of<&step_limits::attempts>(1, 1'000, "replies to ask for in one step")};
    }
    friend bool operator==(step_limits const&, step_limits const&) = default;
};

/// The run ended before the proposal could be judged.
struct not_evaluated {};

using attempt_outcome = std::variant<not_evaluated, improvement, no_improvement, failure>;

/// The record of one proposal in the history.
struct attempt_record {
    std::string step;   ///< the requested change; empty: anything that makes the kernel faster
    std::string model;  ///< who wrote it; empty when no model was asked
    std::string reply;  ///< the whole reply
    candidate proposal; ///< its text is empty when the reply held none
    std::vector<tried_configuration> configurations; ///< that were tried
    std::uint64_t space = 0; ///< how many the proposal has; 0: they were not counted
    attempt_outcome outcome;
    std::string context;            ///< where a failure was seen: the configuration; may be empty
    std::vector<std::string> notes; ///< what a reader should know: configurations left out, ...
    seconds thinking{};             ///< time that the model took
    seconds testing{};              ///< time that compiling, verifying and timing took
    token_usage usage;
    /// A digest of what determined the verdict besides the proposal: the same kernel under the same
    /// conditions is not judged again. 0: nothing was judged.
    std::uint64_t conditions = 0;
    /// The attempt whose kernel it rewrites, counted from 1; 0: the original.
    std::uint64_t parent = 0;
    /// Of proposals that were asked for and judged together, counted from 1; 0: one at a time.
    std::uint64_t round = 0;
};

/// A question about a kernel, and what was found.
struct evidence_answer {
    std::string question; ///< in words: `code around line 12`
    std::string text;     ///< lines
    bool answered = true; ///< false: `text` says why there is no answer
    seconds took{};
};

/// What a model asked about a kernel before it was to be rewritten.
struct inquiry {
    std::uint64_t kernel = 0;  ///< a digest of its text, its launch and its configuration
    std::uint64_t attempt = 0; ///< that brought it, counted from 1; 0: the original
    configuration config;
    std::string model, reply;
    std::vector<std::string> faults; ///< why the reply was of no use
    std::vector<evidence_answer> answers;
    seconds thinking{}; ///< time that the model took
    token_usage usage;
};

/// Why the model is asked again within one step.
struct rejected_attempt {
    std::string reply;
    std::variant<failure, no_improvement> why;
    std::string context; ///< as in `attempt_record`
};

/// The State of a strategy, or its base. Library nodes find these names through `tuning_fields`;
/// a State with other names hands a part of itself to them by `focus<&mine::tuning>(node)`.
struct tuning_state {
    problem task;              ///< what to tune; its reference says what is right
    device_description device; ///< what it is tuned for
    test_suite tests;          ///< inputs and expected outputs; the first one is timed
    tuned_kernel baseline;     ///< the reference as the user launches it
    tuned_kernel best;         ///< starts as the baseline
    candidate proposal;        ///< under evaluation
    std::string step; ///< the requested change; empty: anything that makes the kernel faster
    std::vector<rejected_attempt> attempts; ///< of this step; conversations are derived from them
    std::vector<attempt_record> history;    ///< of the whole run, in order
    model_usage usage;
    /// On the run: what a reader of its result should know. One that `is_warning` stands at the top
    /// of reports; notes of attempts likewise.
    std::vector<std::string> notes;
    bool checked_mode = true; ///< false when the original itself fails in checked mode
    step_limits per_step;
    std::vector<inquiry> inquiries; ///< of the whole run, in order

    /// The journalled members: all except the tests, which are made again from the seed. A state
    /// derived from this one adds its own members with `fields_of`.
    using state_fields = fields<&tuning_state::task,
                                &tuning_state::device,
                                &tuning_state::baseline,
                                &tuning_state::best,
                                &tuning_state::proposal,
                                &tuning_state::step,
                                &tuning_state::attempts,
                                &tuning_state::history,
                                &tuning_state::usage,
                                &tuning_state::notes,
                                &tuning_state::checked_mode,
                                &tuning_state::per_step,
                                &tuning_state::inquiries>;
    using base_fields = state_fields; ///< what each derived State has to list

    // Defined in one place, so that who includes this need not compile it.
    tuning_state();
    tuning_state(tuning_state const&);
    tuning_state(tuning_state&&) noexcept;
    tuning_state& operator=(tuning_state const&);
    tuning_state& operator=(tuning_state&&) noexcept;
    ~tuning_state();
};

/// The documented names that library nodes read and write.
template <class S>
concept tuning_fields = requires(S& s) {
    { s.task } -> std::same_as<problem&>;
    { s.device } -> std::same_as<device_description&>;
    { s.tests } -> std::same_as<test_suite&>;
    { s.baseline } -> std::same_as<tuned_kernel&>;
    { s.best } -> std::same_as<tuned_kernel&>;
    { s.proposal } -> std::same_as<candidate&>;
    { s.step } -> std::same_as<std::string&>;
    { s.attempts } -> std::same_as<std::vector<rejected_attempt>&>;
    { s.history } -> std::same_as<std::vector<attempt_record>&>;
    { s.usage } -> std::same_as<model_usage&>;
    { s.notes } -> std::same_as<std::vector<std::string>&>;
    { s.checked_mode } -> std::same_as<bool&>;
};

namespace detail {

/// What was asked about kernels, where a State keeps it; else null.
template <class S>
[[nodiscard]] auto* inquiries_of(S& s) {
    using list =
        std::conditional_t<std::is_const_v<S>, std::vector<inquiry> const, std::vector<inquiry>>;
    if constexpr (requires {
                      { s.inquiries } -> std::same_as<list&>;
                  })
        return &s.inquiries;
    else
        return static_cast<list*>(nullptr);
}

/// The documented fields of a state of any type.
struct state_ref {
    template <tuning_fields S>
        requires(!std::same_as<S, state_ref>)
    explicit state_ref(S& s)
        : task(s.task), device(s.device), tests(s.tests), baseline(s.baseline), best(s.best),
          proposal(s.proposal), step(s.step), attempts(s.attempts), history(s.history),
          usage(s.usage), notes(s.notes), checked_mode(s.checked_mode), inquiries(inquiries_of(s)) {
    }

    /// Whether nothing has taken the original's place.
    [[nodiscard]] bool kept_original() const;

    problem& task;
    device_description& device;
    test_suite& tests;
    tuned_kernel& baseline;
    tuned_kernel& best;
    candidate& proposal;
    std::string& step;
    std::vector<rejected_attempt>& attempts;
    std::vector<attempt_record>& history;
    model_usage& usage;
    std::vector<std::string>& notes;
    bool& checked_mode;
    std::vector<inquiry>* inquiries; ///< null where the State keeps none
};

} // namespace detail

// Written and read in one place, so that who includes this need not compile it.
template <>
struct value_codec<problem> : compiled_codec<problem> {};
template <>
struct value_codec<device_description> : compiled_codec<device_description> {};
template <>
struct value_codec<candidate> : compiled_codec<candidate> {};
template <>
struct value_codec<tuned_kernel> : compiled_codec<tuned_kernel> {};
template <>
struct value_codec<rejected_attempt> : compiled_codec<rejected_attempt> {};
template <>
struct value_codec<attempt_record> : compiled_codec<attempt_record> {};
template <>
struct value_codec<std::vector<rejected_attempt>> : compiled_codec<std::vector<rejected_attempt>> {
};
template <>
struct value_codec<std::vector<attempt_record>> : compiled_codec<std::vector<attempt_record>> {};
template <>
struct value_codec<model_usage> : compiled_codec<model_usage> {};
template <>
struct value_codec<std::vector<inquiry>> : compiled_codec<std::vector<inquiry>> {};
extern template struct compiled_codec<problem>;
extern template struct compiled_codec<device_description>;
extern template struct compiled_codec<candidate>;
extern template struct compiled_codec<tuned_kernel>;
extern template struct compiled_codec<rejected_attempt>;
extern template struct compiled_codec<attempt_record>;
extern template struct compiled_codec<std::vector<rejected_attempt>>;
extern template struct compiled_codec<std::vector<attempt_record>>;
extern template struct compiled_codec<model_usage>;
extern template struct compiled_codec<std::vector<inquiry>>;

} // namespace lkt
