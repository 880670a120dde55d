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
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt {

/// The configurations of a candidate, or why there are none to try.
[[nodiscard]] std::variant<search_space, failure>
space_of(candidate const& k, problem_size const& size, evaluation_options const& options);

/// What a search among configurations is given; functions may be empty.
struct search_scope {
    search_ref policy{};
    /// What became of a configuration in an earlier proposal, or null.
    std::function<tried_configuration const*(configuration const&)> known{};
    /// Why the search must end now.
    std::function<std::optional<error>()> must_end{};
    /// How many configurations were tried, and what became of the last one.
    std::function<void(std::size_t, std::string_view)> on_progress{};
};

/// What became of a candidate's configurations.
struct searched_configurations {
    std::vector<tried_configuration> tried; ///< in their order
    std::vector<trial> correct;             ///< timed ones
    std::vector<std::string> notes;
    std::vector<explained_output> explained; ///< of those that are wrong
};

/// Goes through the space as the search policy says, in batches of as many as the back end runs at
/// once: all are built, then checked, then timed, one after the other. A wrong one is never timed,
/// and one that cannot win any more is launched no further. Of those that come next
/// `evaluation_options::compile_ahead` are compiled ahead.
///
/// A verdict that is `known` stays; what is known to be right is only built, for the finals. Where
/// failures are alike and nothing has worked yet, values that had no chance come first, and the
/// search ends when there are none. `must_end` is asked before each batch: it ends the search when
/// something has worked, and is the error otherwise. `k` and `declared` must outlive the trials.
[[nodiscard]] result<searched_configurations> search_configurations(evaluation& in,
                                                                    candidate const& k,
                                                                    signature const& declared,
                                                                    search_space const& space,
                                                                    search_scope scope = {});

} // namespace lkt
