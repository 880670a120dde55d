// SPDX-License-Identifier: BSL-1.0
// Which ways a kernel's comparisons have, and which of them were taken.
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace lkt::detail {

/// By how much the left one exceeds the right one.
[[nodiscard]] inline double difference(operand_type type, compared_pair p) {
    return operand_value(type, p.left) - operand_value(type, p.right);
}

[[nodiscard]] inline comparison_seen const* seen_at(branches_seen const& seen, std::uint32_t at) {
    auto const found = std::find_if(seen.comparisons.begin(),
                                    seen.comparisons.end(),
                                    [&](comparison_seen const& c) { return c.at == at; });
    return found == seen.comparisons.end() ? nullptr : &*found;
}

/// The ways of the comparisons that stand in a kernel's text. One whose result is a value has two:
/// that it holds, and that it does not.
class branch_goals {
public:
    explicit branch_goals(std::vector<branch_site> const& sites) {
        for (branch_site const& s : sites) {
            if (s.line == 0) continue;
            sites_.push_back(&s);
            total_ += s.ways.empty() ? 2 : s.ways.size();
        }
    }

    /// True if some way was taken for the first time.
    bool take(branches_seen const& seen) {
        auto const before = taken_.size();
        std::set<std::pair<std::uint32_t, std::uint32_t>> const went(seen.taken.begin(),
                                                                     seen.taken.end());
        for (branch_site const* const s : sites_) {
            for (std::uint32_t const way : s->ways)
                if (went.contains({s->at, way})) taken_.insert({s->at, way});
            comparison_seen const* const c = seen_at(seen, s->at);
            if (c != nullptr && s->ways.empty()) take(*s, *c);
        }
        return taken_.size() > before;
    }

    [[nodiscard]] std::size_t total() const { return total_; }
    [[nodiscard]] std::size_t taken() const { return taken_.size(); }
    /// Whether a way of it was not taken.
    [[nodiscard]] bool open(branch_site const& s) const { return missing(s) > 0; }
    [[nodiscard]] std::size_t missing(branch_site const& s) const {
        std::size_t n = s.ways.empty() ? 2 : s.ways.size();
        auto const from = taken_.lower_bound({s.at, 0});
        for (auto one = from; one != taken_.end() && one->first == s.at; ++one) --n;
        return n;
    }
    [[nodiscard]] std::vector<branch_site const*> const& sites() const { return sites_; }

private:
    void take(branch_site const& s, comparison_seen const& c) {
        int const relations = int{c.less} + int{c.equal} + int{c.greater};
        bool const both = s.equality ? c.equal && relations > 1 : relations > 1;
        if (both || !c.equal) taken_.insert({s.at, 1});
        if (both || c.equal) taken_.insert({s.at, 2});
    }

    std::vector<branch_site const*> sites_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> taken_;
    std::size_t total_ = 0;
};

} // namespace lkt::detail
