// SPDX-License-Identifier: BSL-1.0
// What a model says of a problem, in the format of problem files: one reader serves both.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace lkt {

/// An incomplete problem.
struct problem_draft {
    /// Kernel, signature, parameters and everything else that the user gave. Without a `size` the
    /// sizes are missing: the timed one, further ones, and constraints on them.
    problem known;
    std::vector<std::size_t> open; ///< arguments, by position, of which the user said nothing
    bool launch_is_open = false;   ///< it follows from the sizes, as `default_launch` says

    [[nodiscard]] bool complete() const { return !known.size.empty() && open.empty(); }
};

/// Reads the missing parts of `draft` from a reply: T1's `ProblemSize` and `Arguments`, and of the
/// `lkt` object `sizes`, `size_constraints`, `scalars`, `domain` and `scratch`. Names and types are
/// checked against the signature, expressions against all sizes; a reply cannot change what the
/// user gave. Sizes are called `ProblemSize[0]`, ... Errors (rejected): as `extract_json` and
/// `parse_problem_file`; `lkt.declaration.field` for a field that was not requested, `.flow` for an
/// output that is declared as an input.
[[nodiscard]] result<problem> read_problem_declaration(std::string_view reply,
                                                       problem_draft const& draft);

/// Takes the tests out of a reply, `lkt.tests`: at least one, and at most `most`.
/// Errors: as above, `.tests` where there are none or too many, and `.flow` where one fills an
/// argument that is only written.
[[nodiscard]] result<std::vector<declared_test>>
read_test_declaration(std::string_view reply, problem const& task, std::size_t most = 16);

} // namespace lkt
