// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/evaluate/evaluation_setup.hpp>
#include <lkt/evaluate/timer.hpp>
#include <lkt/evaluate/trial.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/measurement.hpp>

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace lkt {

/// Times trials: briefly to rank them, in turns to compare them, and longer where noise hides who
/// is faster. The timer takes the times, the decision says who is faster. A trial that fails when
/// it is timed gets no further launch.
class timing_rounds {
public:
    /// Called after each round with the number of rounds done and of all.
    using rounds_sink = std::function<void(int, int)>;

    timing_rounds(evaluation_setup const& setup, launch_patterns& patterns)
        : setup_(setup), patterns_(patterns) {}

    /// The first timed launches of a configuration that was just verified. One that cannot win any
    /// more, `fastest` being the shortest median so far, gets no further launch.
    [[nodiscard]] result<void> screen(trial& t, std::optional<seconds> fastest);

    /// Adds `launches` timed launches to the trial's samples, or sets what went wrong.
    [[nodiscard]] result<void> time(trial& t, int launches);

    /// How many launches of a kernel that takes `one` a launch each round gets.
    [[nodiscard]] int launches_a_round(seconds one) const;
    [[nodiscard]] int rounds() const;

    /// Measures all of them in turns, so that a drift of the device affects all of them equally. If
    /// slow ones are dropped, a trial that is clearly slower than the leader is not measured again,
    /// and the rounds end when nothing is undecided.
    [[nodiscard]] result<void> side_by_side(std::span<trial*> all, rounds_sink const& after_round);

    /// Which of the two is faster, after `side_by_side`. Where their medians differ by more than
    /// 5 % and the noise still hides it, both are measured longer, twice at most: on a machine that
    /// does other work, too.
    [[nodiscard]] result<comparison>
    decide(trial& one, trial& other, rounds_sink const& after_round);

    /// Whether `one`, which was `chosen` for its time, is faster than `other` by enough to take its
    /// place. The fastest of several is partly the luckiest: if the two are close, both are
    /// measured again, and only the new samples, which were not used for the choice, decide.
    [[nodiscard]] result<comparison>
    beats(trial& one, trial& other, rounds_sink const& after_round);

    /// Whether a kernel that takes `slower` is beyond the reach of any drift from one of `faster`.
    [[nodiscard]] bool far_apart(measurement const& faster, measurement const& slower) const;

    /// Why the times of a trial cannot be.
    [[nodiscard]] std::optional<failure> implausible_time(trial const& t) const;

private:
    [[nodiscard]] result<void> take(trial& t, timed_series series);
    [[nodiscard]] result<void> rounds_of(std::span<trial*> all,
                                         std::vector<int> const& launches,
                                         rounds_sink const& after_round);

    evaluation_setup const& setup_;
    launch_patterns& patterns_;
};

} // namespace lkt
