// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lkt {

/// A way that a kernel's text has and no test took, as far as tests were watched.
struct unreached_branch {
    int line = 0;
    std::string text{};       ///< of that line
    bool in_original = false; ///< the original's text has the same line
};

/// How much of a kernel's text the tests reached.
struct branch_coverage {
    std::size_t branches = 0; ///< ways that its comparisons have
    std::vector<unreached_branch> unreached{};
    /// Why nothing is known; empty: it is.
    std::string unknown = "the branches were not watched";
    std::size_t unwatched = 0; ///< tests that were too large to be watched, if any is unreached
};

/// `all 57 branches were reached`, or which were not and where, as a line of a report.
[[nodiscard]] std::string to_string(branch_coverage const& seen);

/// `no test reaches a branch of line 12 (`if (sum == 77)`)`, of what is not the original's, too;
/// empty: nothing.
[[nodiscard]] std::string own_unreached(branch_coverage const& seen);

} // namespace lkt
