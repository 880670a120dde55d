// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/summarize_search.hpp>

#include <lkt/nodes/detail/evaluation_result.hpp>

#include <algorithm>

namespace lkt::detail {

search_end summarize_search(std::span<attempt_record const> history) {
    auto const any = [&](evaluated how) {
        return std::any_of(history.begin(), history.end(), [&](attempt_record const& a) {
            return ended_as(a) == how;
        });
    };
    if (any(evaluated::faster)) return search_end::improved;
    return any(evaluated::slower) ? search_end::correct : search_end::nothing;
}

} // namespace lkt::detail
