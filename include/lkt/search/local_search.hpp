// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/search_policy.hpp>
#include <lkt/search/space.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lkt {

/// How much of a space is tried; the smaller of the two counts.
struct search_budget {
    std::uint64_t configurations = 0; ///< at most so many; 0: no limit
    double share = 1;                 ///< at most this share of the space, above 0

    /// Of a space of `count` configurations; one at least, where there is one.
    [[nodiscard]] std::uint64_t of(std::uint64_t count) const;
    friend bool operator==(search_budget const&, search_budget const&) = default;
};

/// Tries a share of the space: the default configuration and others at random for the first half of
/// the budget, then those that differ from the fastest in one parameter alone, near values first;
/// where all of these were tried, the neighbours of the next fastest. A space within the budget is
/// tried whole, in its order.
///
/// What it asks for follows from the seed and from what it is told.
class local_search {
public:
    explicit local_search(search_budget budget = {}, std::uint64_t seed = 1)
        : budget_(budget), seed_(seed) {}

    void start(search_space const& space);
    [[nodiscard]] std::optional<configuration> ask();
    void tell(configuration const& c, std::optional<seconds> time);
    [[nodiscard]] std::vector<configuration> ask(std::size_t most);
    [[nodiscard]] std::uint64_t most_of(std::uint64_t count) const { return budget_.of(count); }

private:
    struct timed {
        configuration config;
        seconds time;
        bool left = false; ///< its neighbours were asked for
    };

    void draw();
    void refill();
    void enqueue(configuration const& c);
    void enqueue_neighbours(configuration const& c);

    search_budget budget_;
    std::uint64_t seed_;
    std::optional<search_space> space_;
    std::optional<search_space::cursor> walk_; ///< where the whole space is tried
    std::uint64_t left_ = 0;                   ///< of the budget
    std::deque<configuration> drawn_;          ///< at random, in the order of their turn
    std::deque<configuration> next_;
    std::set<std::string> seen_;
    std::vector<timed> told_;
    std::size_t untold_ = 0;
};

static_assert(batch_search_policy<local_search>);

} // namespace lkt
