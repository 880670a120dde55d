// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/kernel/measurement.hpp>

#include <concepts>
#include <memory>

namespace lkt {

/// Who is faster, by the times of two kernels that were measured side by side. `compare`: whether
/// the first one is beyond doubt. `is_gain`: whether one that is faster is so by enough to take the
/// other's place.
template <class D>
concept timing_decision = requires(
    D& d, measurement const& one, measurement const& other, evaluation_options const& options) {
    { d.compare(one, other) } -> std::same_as<comparison>;
    { d.is_gain(one, other, options) } -> std::same_as<bool>;
};

/// Medians whose 95 % intervals do not overlap, and a gain of `evaluation_options::min_gain`.
struct disjoint_intervals {
    [[nodiscard]] comparison compare(measurement const& one, measurement const& other) const;
    [[nodiscard]] bool is_gain(measurement const& one,
                               measurement const& other,
                               evaluation_options const& options) const;
};

/// A decision of any type, borrowed; without one, disjoint_intervals.
class decision_ref {
public:
    decision_ref();
    template <timing_decision D>
        requires(!std::same_as<D, decision_ref>)
    explicit decision_ref(D& decision)
        : decision_(std::addressof(decision)), calls_(&calls_of<D>) {}

    [[nodiscard]] comparison compare(measurement const& one, measurement const& other) const {
        return calls_->compare(decision_, one, other);
    }
    [[nodiscard]] bool is_gain(measurement const& one,
                               measurement const& other,
                               evaluation_options const& options) const {
        return calls_->is_gain(decision_, one, other, options);
    }

private:
    struct calls {
        comparison (*compare)(void const*, measurement const&, measurement const&);
        bool (*is_gain)(void const*,
                        measurement const&,
                        measurement const&,
                        evaluation_options const&);
    };
    template <class D>
    static D& as(void const* decision) {
        return *const_cast<D*>(static_cast<D const*>(decision));
    }
    template <class D>
    static constexpr calls calls_of{
        [](void const* d, measurement const& one, measurement const& other) {
            return as<D>(d).compare(one, other);
        },
        [](void const* d,
           measurement const& one,
           measurement const& other,
           evaluation_options const& options) { return as<D>(d).is_gain(one, other, options); }};

    void const* decision_;
    calls const* calls_;
};

} // namespace lkt
