// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/search_policy.hpp>
#include <lkt/search/space.hpp>

#include <optional>

namespace lkt {

/// Every configuration once, in the order of the space's walk: the last parameter changes fastest.
/// What it is told changes nothing.
class exhaustive {
public:
    void start(search_space const& space) {
        cursor_ = space.configurations();
        ahead_ = space.configurations();
    }
    [[nodiscard]] std::optional<configuration> ask() {
        return cursor_ ? cursor_->next() : std::nullopt;
    }
    void tell(configuration const&, std::optional<seconds>) {}
    [[nodiscard]] std::optional<configuration> next_known() {
        return ahead_ ? ahead_->next() : std::nullopt;
    }

private:
    std::optional<search_space::cursor> cursor_, ahead_;
};

static_assert(lookahead_policy<exhaustive>);

} // namespace lkt
