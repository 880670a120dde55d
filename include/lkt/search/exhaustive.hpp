// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/search_policy.hpp>
#include <lkt/search/space.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace lkt {

/// Every configuration once, in the order of the space's walk: the last parameter changes fastest.
/// It ignores the results.
class exhaustive {
public:
    exhaustive();
    exhaustive(exhaustive const&);
    exhaustive(exhaustive&&) noexcept;
    exhaustive& operator=(exhaustive const&);
    exhaustive& operator=(exhaustive&&) noexcept;
    ~exhaustive();

    void start(search_space const& space);
    [[nodiscard]] std::optional<configuration> ask();
    void tell(configuration const&, std::optional<seconds>) {}
    [[nodiscard]] std::vector<configuration> ask(std::size_t most);

private:
    std::optional<search_space::cursor> cursor_;
};

static_assert(batch_search_policy<exhaustive>);

} // namespace lkt
