// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/trial.hpp>
#include <lkt/gpu/sampling.hpp>

#include <concepts>
#include <cstdint>
#include <memory>

namespace lkt {

struct evaluation_setup;

/// Timed launches that are asked for.
struct timed_series {
    int launches = 1; ///< at most, as `sampling` says
    int warmups = 0;
    lkt::sampling sampling{};
    std::uint64_t pattern = 0; ///< fills memory before the launches
};

/// Times trials. `take` adds the times of a series to those of the trial, or sets `failed` if the
/// kernel is wrong or does not run; that is not an error.
template <class T>
concept trial_timer =
    requires(T& timer, evaluation_setup const& in, trial& t, timed_series const& s) {
        { timer.take(in, t, s) } -> std::same_as<result<void>>;
    };

/// Launches on the timed test, or others like it; the outputs of one launch in ten, picked by the
/// pattern, are checked.
struct backend_timer {
    [[nodiscard]] result<void>
    take(evaluation_setup const& in, trial& t, timed_series const& series) const;
};

/// A timer of any type, borrowed; without one, a backend_timer.
class timer_ref {
public:
    timer_ref();
    template <trial_timer T>
        requires(!std::same_as<T, timer_ref>)
    explicit timer_ref(T& timer)
        : timer_(std::addressof(timer)),
          take_([](void const* of, evaluation_setup const& in, trial& t, timed_series const& s) {
              return const_cast<T*>(static_cast<T const*>(of))->take(in, t, s);
          }) {}

    [[nodiscard]] result<void>
    take(evaluation_setup const& in, trial& t, timed_series const& series) const {
        return take_(timer_, in, t, series);
    }

private:
    void const* timer_;
    result<void> (*take_)(void const*, evaluation_setup const&, trial&, timed_series const&);
};

} // namespace lkt
