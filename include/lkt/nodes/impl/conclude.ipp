// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/conclude.hpp>

#include <algorithm>
#include <variant>

namespace lkt::detail {

concluded conclude(std::vector<setback> const& attempts) {
    bool const correct = std::any_of(attempts.begin(), attempts.end(), [](setback const& a) {
        return std::holds_alternative<no_improvement>(a.why);
    });
    return correct ? concluded::correct : concluded::nothing;
}

} // namespace lkt::detail
