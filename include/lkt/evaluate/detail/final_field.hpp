// SPDX-License-Identifier: BSL-1.0
// Who takes part in the finals.
#pragma once

#include <lkt/evaluate/detail/hopeless.hpp>
#include <lkt/evaluate/finals.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace lkt::detail {

/// The same text, launch and configuration: whatever their times say, neither is faster.
[[nodiscard]] inline bool same_kernel(trial const& a, tuned_kernel const& b) {
    return a.kernel->source.text == b.kernel.source.text && a.config == b.config &&
           a.dimensions == b.dimensions;
}

/// The same binary of another text.
[[nodiscard]] inline bool same_binary(trial const& a, trial const& b) {
    return a.compiled.digest != 0 && a.compiled.digest == b.compiled.digest &&
           a.dimensions == b.dimensions;
}

/// The slowest launch of a was faster than the fastest of b, by more than a clock wavers.
[[nodiscard]] inline bool apart(measurement const& a, measurement const& b) {
    constexpr std::size_t enough = 3;
    auto const slowest = *std::max_element(a.samples.begin(), a.samples.end());
    return a.samples.size() >= enough && b.samples.size() >= enough &&
           b.minimum() > slowest * 1.005;
}

/// A candidate in the finals, and what is known of it so far.
struct final_candidate {
    searched_configurations all;
    final_result found{};
    std::optional<failure> first_failure{};
    trial const* fastest = nullptr; ///< of its configurations, when each was timed briefly
    bool settled = false;
    std::vector<trial const*> measured{}; ///< side by side
    std::vector<trial const*> failed{};   ///< in these finals
    std::optional<failure> last_failure{};
    int alike_so_far = 0; ///< failures in a row
    bool one_passes = false, given_up = false;
    char const* equal = nullptr; ///< whose binary its fastest configuration is too

    void fail(trial const& t, failure why) {
        alike_so_far = last_failure && alike(*last_failure, why) ? alike_so_far + 1 : 1;
        last_failure = why;
        failed.push_back(&t);
        for (tried_configuration& one : all.tried)
            if (one.config == t.config) one.outcome = why;
        if (first_failure) return;
        first_failure = std::move(why);
        found.seen_in = t.config;
    }
    [[nodiscard]] bool has_failed(trial const& t) const {
        return std::find(failed.begin(), failed.end(), &t) != failed.end();
    }
    [[nodiscard]] bool is_open() const { return !settled && !given_up; }

    /// Null when all have failed. Of several that are as far from the failed ones, the fastest.
    [[nodiscard]] trial* most_unlike_failed() {
        trial* best = nullptr;
        double farthest = -1;
        for (trial& t : all.correct) {
            double nearest = std::numeric_limits<double>::infinity();
            for (trial const* other : failed)
                nearest = std::min(nearest, unlikeness(*t.kernel, t.config, other->config));
            bool const again = nearest == 0; // failed itself
            bool const wins = nearest > farthest || (nearest == farthest && best != nullptr &&
                                                     t.time.median() < best->time.median());
            if (!again && wins) farthest = nearest, best = &t;
        }
        return best;
    }
};

struct finalist {
    trial* what;
    final_candidate* of;
};

[[nodiscard]] inline bool sooner(finalist const& x, finalist const& y) {
    // One that failed has no median.
    bool const fx = x.what->failed.has_value(), fy = y.what->failed.has_value();
    return fx != fy ? fy : !fx && x.what->time.median() < y.what->time.median();
}

/// The configurations of all candidates by rank, and those that are measured now.
class final_field {
public:
    explicit final_field(evaluation_setup const& setup)
        : most_(static_cast<std::size_t>(std::max(1, setup.options.finalists))) {}

    std::vector<finalist> picked{};

    /// The fastest configurations, at most `finalists`, none much slower than the first; on a
    /// device that interleaves launches, none that was slower in each of its launches. Before any
    /// candidate has a second configuration in the field, each has its first; in any case enough of
    /// them that `min_verified` are left when some do not pass.
    void pick_first(std::vector<final_candidate>& candidates,
                    evaluation_setup const& setup,
                    tuned_kernel const& best,
                    std::size_t min_verified) {
        for (final_candidate& c : candidates)
            for (trial& t : c.all.correct)
                if (!same_kernel(t, best)) ranked_.push_back({&t, &c});
        std::sort(ranked_.begin(), ranked_.end(), sooner);
        if (ranked_.empty()) return;
        trial const& first = *ranked_.front().what;
        seconds const slowest = first.time.median() * std::max(1.0, setup.options.finalist_range);
        auto const far = [&](finalist const& f) {
            return f.what->time.median() > slowest ||
                   (setup.drops_slow_ones() && apart(first.time, f.what->time));
        };
        std::vector<finalist> others;
        for (finalist const& f : ranked_) {
            bool const first_of_its = f.of->fastest == nullptr;
            if (first_of_its) f.of->fastest = f.what;
            if (!first_of_its)
                others.push_back(f);
            else if (picked.size() < 2 * min_verified || !far(f))
                picked.push_back(f);
        }
        for (finalist const& f : others) {
            if (picked.size() >= most_ || far(f)) break;
            picked.push_back(f);
        }
        drop_picked();
    }

    /// The next configurations of candidates of which none has passed.
    void pick_next() {
        picked.clear();
        for (finalist const& f : ranked_)
            if (picked.size() < most_ && f.of->is_open() && f.of->first_failure &&
                !f.of->has_failed(*f.what))
                picked.push_back(f);
        drop_picked();
    }

    /// Equal binaries never meet: whichever won would owe it to luck.
    void drop_equal_binaries(trial const& best) {
        std::vector<finalist> different;
        for (finalist const& f : picked) {
            bool const duplicate =
                std::any_of(different.begin(), different.end(), [&](finalist const& other) {
                    return other.of != f.of && same_binary(*other.what, *f.what);
                });
            if (same_binary(*f.what, best))
                f.of->equal = "the kernel to beat";
            else if (duplicate)
                f.of->equal = "another candidate";
            else
                different.push_back(f);
        }
        picked = std::move(different);
    }

private:
    void drop_picked() {
        std::erase_if(ranked_, [&](finalist const& f) {
            return std::any_of(picked.begin(), picked.end(), [&](finalist const& other) {
                return other.what == f.what;
            });
        });
    }

    std::size_t most_;
    std::vector<finalist> ranked_; ///< all that were not picked, the fastest first
};

} // namespace lkt::detail
