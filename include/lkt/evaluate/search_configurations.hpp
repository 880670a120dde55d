// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/tried_configuration.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/search_ref.hpp>
#include <lkt/search/space.hpp>
#include <lkt/verify/verify.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt {

/// The configurations of a candidate, or why there are none to try: also where the policy would try
/// more than `evaluation_options::max_configurations`.
[[nodiscard]] std::variant<search_space, failure> space_of(candidate const& k,
                                                           problem_size const& size,
                                                           evaluation_options const& options,
                                                           search_ref const& policy = search_ref());

/// What a search among configurations is given; functions may be empty.
struct search_scope {
    search_ref policy{};
    /// The result of a configuration in an earlier proposal, or null.
    std::function<tried_configuration const*(configuration const&)> known{};
    /// Its result in this search, before that was interrupted, or null.
    std::function<tried_configuration const*(configuration const&)> resumed{};
    /// Keeps the result of a configuration as soon as it is known.
    std::function<result<void>(tried_configuration const&)> keep{};
    /// Why the search must end now.
    std::function<std::optional<error>()> must_end{};
    /// How many configurations have a result, how many of these from before, and what the last one
    /// is.
    std::function<void(std::size_t, std::size_t, std::string_view)> on_progress{};
};

/// The results of a candidate's configurations.
struct searched_configurations {
    std::vector<tried_configuration> tried; ///< in their order
    std::uint64_t space = 0;                ///< how many the candidate has
    std::vector<trial> correct;             ///< timed ones
    std::vector<std::string> notes;
    std::vector<explained_output> explained; ///< of those that are wrong
    /// The place in `tried` of the one whose cause was found, where all give wrong results.
    std::optional<std::size_t> with_cause{};
};

/// Goes through the space as the search policy says, in batches of as many as the back end runs at
/// once: all are built, then checked, then timed, one after the other. A wrong one is never timed,
/// and one that can no longer win is not launched again. The next
/// `evaluation_options::compile_ahead` configurations are compiled ahead.
///
/// Where all give wrong results, the first runs once more, in checked mode, which may find the
/// cause: that is then its failure.
///
/// What is `known` or `resumed` is not tried again; where it is correct, the finals build it. If
/// failures are of the same kind and nothing has worked yet, untried values come first, and the
/// search ends when there are none. `must_end` is asked before each batch: it ends the search when
/// something has worked, and is the error otherwise. `k` and `declared` must outlive the trials.
[[nodiscard]] result<searched_configurations> search_configurations(evaluation& in,
                                                                    candidate const& k,
                                                                    signature const& declared,
                                                                    search_space const& space,
                                                                    search_scope scope = {});

} // namespace lkt
