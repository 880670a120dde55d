// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/core/units.hpp>
#include <lkt/nodes/declare_tests.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/verify/torch_times.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// Where the replies of a run came from.
struct model_origin {
    std::string name; ///< of the model that answered, or was asked in vain; empty: none was asked
    std::string
        origin; ///< `live`, `recorded`, `written-by-hand`, `stored`; empty when none was asked
    std::string remark; ///< the model's own description of it, such as how it was replayed
};

/// The result of a run. `best` is the fastest kernel that passed every test, or the original if
/// none was faster, no matter how the run ended.
struct tuning_outcome {
    problem task;
    device_description device;
    std::string strategy;
    tuned_kernel baseline;  ///< the original as the user launches it
    tuned_kernel best;      ///< both measured side by side at the end, unless that was cut short
    bool confirmed = false; ///< that last measurement took place
    /// What a user would call instead, where who runs the tuner timed it (`time_torch`).
    std::vector<alternative_time> alternatives;
    std::vector<attempt_record> history;
    std::vector<inquiry> inquiries; ///< what a model asked about kernels, and the answers
    /// The replies until there was a first kernel, which is the baseline; empty where one was
    /// given.
    std::vector<attempt_record> written;
    declaration_log declared;        ///< what a model said of the problem, where it was asked
    planning_record planning;        ///< the steps that were planned, where the strategy plans
    std::vector<std::string> tests;  ///< names, the timed one first
    std::vector<problem_size> sizes; ///< of the tests, each once, the timed one first
    /// Of each output, on the timed test.
    std::vector<std::pair<std::string, tolerance>> tolerances;
    std::uint64_t seed = 0;
    std::string terminal;            ///< name of the strategy's outcome; empty when it was stopped
    std::optional<error> stopped_by; ///< what ended the run before a terminal
    model_usage usage;
    std::optional<double> cost; ///< of `usage` in US dollars; set by who knows prices (`cost_of`)
    model_origin model;
    std::vector<std::string> notes;
    std::int64_t started = 0; ///< of this session, seconds since 1970; 0: unknown
    seconds wall_time{};      ///< of this session
    seconds total_time{};     ///< of all sessions of a journalled run
    std::uint64_t sessions = 1;

    // Defined in one place, so that who includes this need not compile it.
    tuning_outcome();
    tuning_outcome(tuning_outcome const&);
    tuning_outcome(tuning_outcome&&) noexcept;
    tuning_outcome& operator=(tuning_outcome const&);
    tuning_outcome& operator=(tuning_outcome&&) noexcept;
    ~tuning_outcome();

    /// A rewrite or a configuration other than the user's is in `best`.
    [[nodiscard]] bool improved() const;
    /// How many times faster the best kernel is; 1 when it is the original.
    [[nodiscard]] double speedup() const;
};

/// The outcome with the terminal as a value, for programs that branch on it.
template <class Terminals>
struct typed_outcome : tuning_outcome {
    std::optional<Terminals> reached;
};

} // namespace lkt
