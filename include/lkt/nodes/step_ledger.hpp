// SPDX-License-Identifier: BSL-1.0
// What a strategy that works off a list of steps keeps beside the tuning fields.
#pragma once

#include <lkt/nodes/default_steps.hpp>
#include <lkt/nodes/step_list.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// When a step may run whose `depends_on` names others. A step that was declined, is for another
/// language or was itself left out lets nothing run.
enum class dependency_rule : unsigned char {
    improved,  ///< each of them made the kernel faster, so it is in the kernel
    applied,   ///< each of them gave a correct kernel, faster or not
    attempted, ///< each of them was requested, with any result
};

enum class step_outcome : unsigned char {
    improved, ///< its kernel was accepted
    no_gain,  ///< correct, but not faster: the kernel is what it was
    failed,   ///< no correct kernel came
    declined, ///< the model sees no use in it for this kernel
    present,  ///< the kernel has it already: all of its parameters, or so the model says
    unmet,    ///< a step that it depends on came to too little
    foreign,  ///< for another language
};

[[nodiscard]] constexpr std::string_view to_string(step_outcome o) {
    switch (o) {
    case step_outcome::improved:
        return "improved";
    case step_outcome::no_gain:
        return "no-gain";
    case step_outcome::failed:
        return "failed";
    case step_outcome::declined:
        return "declined";
    case step_outcome::present:
        return "present";
    case step_outcome::unmet:
        return "unmet";
    case step_outcome::foreign:
        return "foreign";
    }
    return "unknown";
}

enum class gate_verdict : unsigned char {
    not_asked,
    yes,
    no,
    unclear, ///< no usable answer came; the step runs
};

/// A step that is over; or the one at work, whose outcome means nothing yet.
struct step_record {
    std::string id;
    step_outcome outcome = step_outcome::failed;
    gate_verdict gate = gate_verdict::not_asked;
    std::string why;              ///< in the words of the model, of a failure, of a measurement
    std::size_t first_record = 0; ///< its attempts, in the history
    std::size_t records = 0;
};

/// An answer of the gate that could not be used.
struct gate_attempt {
    std::string reply;
    std::vector<std::string> faults; ///< the model is told so
};

/// How much a list of steps may take.
struct step_list_limits {
    int gate_attempts = 3;
    int max_configurations = 200;

    [[nodiscard]] static constexpr auto allowed() {
        using l = step_list_limits;
        return std::array{
            number_of<&l::gate_attempts>(
                1, 1'000, "answers to whether a step makes sense; without a usable one it runs"),
            number_of<&l::max_configurations>(1, 1'000'000, "configurations of one candidate")};
    }
    friend bool operator==(step_list_limits const&, step_list_limits const&) = default;
};

/// The list, and how far it has been worked off.
struct step_ledger {
    std::vector<optimization_step> steps = default_steps();
    std::vector<step_record> records; ///< in the order in which they ended
    /// What gate and executor are about, both: its request is `step` of the tuning fields. Without
    /// an id between steps.
    step_record current;
    std::vector<gate_attempt> gate_attempts; ///< of the step at work
    step_list_limits limits;

    [[nodiscard]] optimization_step const* find(std::string_view id) const;
    [[nodiscard]] step_record const* record_of(std::string_view id) const;
};

/// The State of a strategy with a list of steps.
struct explicit_state : tuning_state {
    step_ledger ledger;

    /// Each step is selected once at most, and then there is none.
    [[nodiscard]] std::int64_t max_selections() const {
        return static_cast<std::int64_t>(ledger.steps.size()) + 1;
    }

    using state_fields = fields_of<tuning_state, &explicit_state::ledger>;
};

/// The documented names that the nodes of a step list read and write.
template <class S>
concept step_list_fields = tuning_fields<S> && requires(S& s) {
    { s.ledger } -> std::same_as<step_ledger&>;
};

// Written and read in one place, so that who includes this need not compile it.
template <>
struct value_codec<step_ledger> : compiled_codec<step_ledger> {};
extern template struct compiled_codec<step_ledger>;

} // namespace lkt
