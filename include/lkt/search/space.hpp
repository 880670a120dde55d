// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/detail/walk_state.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
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
    struct contents;

public:
    /// Walks through the space once, to count it. Restrictions may use the parameters, the names of
    /// `size` and `ProblemSize[k]`. Without parameters there is one configuration, the empty one.
    /// A space without any configuration is not an error, see `unsatisfiable`.
    ///
    /// Errors (all rejected, except the last): `lkt.search.no_values`, `.too_many_values` (above
    /// 4096), `.duplicate_parameter`, `.duplicate_value`, `.bad_value` (NaN or infinite),
    /// `.ambiguous_name` (a parameter named like an extent), `.unknown_name` in a restriction,
    /// `.bad_restriction` (one that cannot be evaluated; the message shows with which values),
    /// `.too_large` (exhausted).
    [[nodiscard]] static result<search_space> make(std::span<tunable_parameter const> parameters,
                                                   std::span<expression const> restrictions = {},
                                                   problem_size const& size = {},
                                                   space_limits const& limits = {});

    /// Configurations that meet the restrictions.
    [[nodiscard]] std::uint64_t count() const;
    [[nodiscard]] bool empty() const { return count() == 0; }
    /// Combinations without the restrictions; nothing when 2^64 do not hold it.
    [[nodiscard]] std::optional<std::uint64_t> unrestricted_count() const;
    [[nodiscard]] std::vector<tunable_parameter> const& parameters() const;
    /// The texts of restrictions that excluded nothing of what the ones before them had left;
    /// likely a mistake.
    [[nodiscard]] std::vector<std::string> const& useless_restrictions() const;
    /// Why there is no configuration, naming the restrictions; nothing when there is one.
    [[nodiscard]] std::optional<no_configuration> unsatisfiable() const;

    /// Whether `c` binds exactly the parameters, in their order, each to one of its values, and
    /// meets the restrictions.
    [[nodiscard]] bool contains(configuration const& c) const;

    /// A walk through the configurations: the last parameter changes fastest, values in their
    /// order, so the first configuration is the default one where it is valid.
    class cursor {
    public:
        explicit cursor(search_space space);
        /// The next configuration; nothing when all have been seen.
        [[nodiscard]] std::optional<configuration> next();

    private:
        std::shared_ptr<search_space::contents const> contents_;
        detail::walk_state state_;
    };
    [[nodiscard]] cursor configurations() const { return cursor(*this); }

private:
    explicit search_space(std::shared_ptr<contents const> c);
    std::shared_ptr<contents const> contents_;
};

} // namespace lkt
