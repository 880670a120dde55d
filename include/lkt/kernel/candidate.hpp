// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <string>
#include <vector>

namespace lkt {

/// A kernel that claims to solve a problem: text, what may be tuned in it, and how it is launched.
/// Name and signature are the reference's.
struct candidate {
    kernel_source source;
    std::vector<tunable_parameter> parameters;
    std::vector<expression> restrictions;
    launch_formula launch;
    std::string description; ///< what was changed, in the author's words

    friend bool operator==(candidate const&, candidate const&) = default;
};

} // namespace lkt
