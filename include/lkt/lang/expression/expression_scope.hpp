// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/parameters.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// The names that an expression may use. Later entries of `values` do not hide earlier ones.
struct expression_scope {
    std::vector<std::pair<std::string, parameter_value>> values;
    std::vector<std::int64_t> problem_size; ///< `ProblemSize[0]`, `ProblemSize[1]`, ...
};

} // namespace lkt
