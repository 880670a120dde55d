// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/expression.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/parameters.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/search/detail/plan.hpp>
#include <lkt/search/detail/walk.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// How large a space may be, and how long it may take to find out.
struct space_limits {
    std::uint64_t configurations = 1'000'000; ///< that meet the restrictions
    std::uint64_t visited = 10'000'000;       ///< values bound on the way to them
};

/// The configurations of some parameters that meet some restrictions. They are never stored: a
/// walk in depth binds one parameter after the other and evaluates a restriction as soon as its
/// last parameter is bound, so that what it excludes costs nothing further. A value; copies share.
class search_space {
    struct contents {
        detail::walk walk;
        std::uint64_t count = 0;
        std::optional<std::uint64_t> unrestricted;
        std::vector<std::uint64_t> excluded; ///< by each restriction
        std::vector<std::string> useless;
    };

public:
    /// Walks through the space once, to count it. Restrictions may use the parameters, the names of
    /// `size` and `ProblemSize[k]`. Without parameters there is one configuration, the empty one.
    /// A space without any configuration is not an error, see `unsatisfiable`.
    ///
    /// Errors (all rejected, but for the last): `lkt.search.no_values`, `.too_many_values` (above
    /// 4096), `.duplicate_parameter`, `.duplicate_value`, `.bad_value` (NaN or infinite),
    /// `.ambiguous_name` (a parameter named like an extent), `.unknown_name` in a restriction,
    /// `.bad_restriction` (one that cannot be evaluated; the message shows with which values),
    /// `.too_large` (exhausted).
    [[nodiscard]] static result<search_space> make(std::span<tunable_parameter const> parameters,
                                                   std::span<expression const> restrictions = {},
                                                   problem_size const& size = {},
                                                   space_limits const& limits = {});

    /// Configurations that meet the restrictions.
    [[nodiscard]] std::uint64_t count() const { return contents_->count; }
    [[nodiscard]] bool empty() const { return count() == 0; }
    /// Combinations without the restrictions; nothing when 2^64 do not hold it.
    [[nodiscard]] std::optional<std::uint64_t> unrestricted_count() const {
        return contents_->unrestricted;
    }
    [[nodiscard]] std::vector<tunable_parameter> const& parameters() const {
        return contents_->walk.parameters;
    }
    /// The texts of restrictions that excluded nothing of what the ones before them had left;
    /// likely a mistake.
    [[nodiscard]] std::vector<std::string> const& useless_restrictions() const {
        return contents_->useless;
    }
    /// Why there is no configuration, naming the restrictions; nothing when there is one.
    [[nodiscard]] std::optional<no_configuration> unsatisfiable() const;

    /// Whether `c` binds exactly the parameters, in their order, each to one of its values, and
    /// meets the restrictions.
    [[nodiscard]] bool contains(configuration const& c) const;

    /// A walk through the configurations: the last parameter changes fastest, values in their
    /// order, so the first configuration is the default one where it is valid.
    class cursor {
    public:
        explicit cursor(search_space space)
            : contents_(std::move(space.contents_)), state_(contents_->walk.begin()) {}
        /// The next configuration; nothing when all have been seen.
        [[nodiscard]] std::optional<configuration> next() {
            // `make` has been everywhere, so evaluation cannot fail any more.
            if (!contents_->walk.advance(state_, nullptr).value()) return std::nullopt;
            return contents_->walk.current(state_);
        }

    private:
        std::shared_ptr<search_space::contents const> contents_;
        detail::walk_state state_;
    };
    [[nodiscard]] cursor configurations() const { return cursor(*this); }

private:
    explicit search_space(std::shared_ptr<contents const> c) : contents_(std::move(c)) {}
    std::shared_ptr<contents const> contents_;
};

inline result<search_space> search_space::make(std::span<tunable_parameter const> parameters,
                                               std::span<expression const> restrictions,
                                               problem_size const& size,
                                               space_limits const& limits) {
    if (auto ok = detail::check_parameters(parameters, size); !ok) return ok.error();
    auto plan = detail::plan_walk(parameters, restrictions, size);
    if (!plan) return plan.error();
    auto made = std::make_shared<contents>();
    made->walk = std::move(*plan);
    std::uint64_t combinations = 1;
    bool countable = true;
    for (auto const& p : parameters) {
        countable = countable &&
                    combinations <= std::numeric_limits<std::uint64_t>::max() / p.values.size();
        if (countable) combinations *= p.values.size();
    }
    if (countable) made->unrestricted = combinations;

    detail::walk_statistics seen{
        0, limits.visited, std::vector<std::uint64_t>(restrictions.size())};
    for (auto state = made->walk.begin();;) {
        auto const more = made->walk.advance(state, &seen);
        if (!more) return more.error();
        if (!*more) break;
        if (++made->count > limits.configurations)
            return error{condition::exhausted,
                         "lkt.search.too_large",
                         "the search space has more than " + std::to_string(limits.configurations) +
                             " configurations",
                         "Give fewer values, add restrictions, or raise the limit."};
    }
    // Where nothing is left, some were never asked.
    for (std::size_t r = 0; r < restrictions.size() && made->count > 0; ++r)
        if (seen.excluded[r] == 0) made->useless.push_back(restrictions[r].text());
    made->excluded = std::move(seen.excluded);
    return search_space(std::move(made));
}

inline std::optional<no_configuration> search_space::unsatisfiable() const {
    if (!empty()) return std::nullopt;
    std::string why = "no configuration meets the restrictions";
    if (auto const all = unrestricted_count())
        why += " (" + std::to_string(*all) + " without them)";
    char const* separator = ": ";
    for (std::size_t r = 0; r < contents_->excluded.size(); ++r) {
        if (contents_->excluded[r] == 0) continue;
        why += separator + ("`" + contents_->walk.restrictions[r].text()) + "` fails " +
               std::to_string(contents_->excluded[r]) +
               (contents_->excluded[r] == 1 ? " time" : " times");
        separator = ", ";
    }
    return no_configuration{std::move(why)};
}

inline bool search_space::contains(configuration const& c) const {
    detail::walk const& walk = contents_->walk;
    if (c.values.size() != walk.parameters.size()) return false;
    auto state = walk.begin();
    if (auto const holds = walk.hold(walk.at_once, state, nullptr); !holds || !*holds) return false;
    for (std::size_t p = 0; p < walk.parameters.size(); ++p) {
        auto const& [name, values] = walk.parameters[p];
        if (c.values[p].first != name) return false;
        std::size_t v = 0;
        while (v < values.size() && values[v] != c.values[p].second) ++v;
        if (v == values.size()) return false;
        walk.bind(p, v, state);
        auto const holds = walk.hold(walk.completed_by[p], state, nullptr);
        if (!holds || !*holds) return false;
    }
    return true;
}

} // namespace lkt
