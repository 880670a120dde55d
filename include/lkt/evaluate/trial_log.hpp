// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/tried_configuration.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/store/journal.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace lkt {

/// The results of configurations, kept one by one, so that a search that is interrupted goes on
/// where it stood: in this process, and, with a journal, in any other.
///
/// A search is identified by a number, a digest of what determines its results.
class trial_log {
public:
    /// With the results that the journal has of the interrupted node.
    explicit trial_log(std::optional<journal> in = std::nullopt);

    /// Null where there is none.
    [[nodiscard]] tried_configuration const* find(std::uint64_t search,
                                                  configuration const& c) const;
    /// A compiler that took too long or crashed gives no result. Errors: those of the journal.
    [[nodiscard]] result<void> keep(std::uint64_t search, tried_configuration const& t);
    /// In the order in which they came.
    [[nodiscard]] std::vector<tried_configuration> all(std::uint64_t search) const;
    /// A transition was saved, with which the journal forgets results: those that are still needed,
    /// of a search that comes later in a run that was cut short, are written again. Errors: those
    /// of the journal.
    [[nodiscard]] result<void> keep_again() const;
    /// The state has them now.
    void clear() { kept_.clear(); }

    /// A limit ended a search, or a round of questions, before its end. From then on the run is not
    /// saved any more, so that who resumes it goes on there, with what is kept here.
    void cut_short() { cut_short_ = true; }
    [[nodiscard]] bool is_cut_short() const { return cut_short_; }

private:
    mutable std::optional<journal> journal_;
    std::deque<std::pair<std::uint64_t, tried_configuration>> kept_;
    bool cut_short_ = false;
};

} // namespace lkt
