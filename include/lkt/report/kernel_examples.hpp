// SPDX-License-Identifier: BSL-1.0
// What earlier runs learnt about operations like one that there is no kernel for yet.
#pragma once

#include <lkt/kernel/problem.hpp>
#include <lkt/store/kernel_store.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// What a problem is like, sorted: the functions that its operation calls (`calls conv`, for all
/// dimensions), its inputs and outputs, their types, and whether it has an output for each input.
[[nodiscard]] std::vector<std::string> features_of(problem const& task);

/// How much of it is shown.
struct example_limits {
    std::size_t right = 2;      ///< kernels that passed, of different operations
    std::size_t wrong = 2;      ///< rejected ones
    std::size_t bytes = 12'000; ///< of all of these texts; a longer kernel is not shown
};

/// How alike two lists of features are, from 0 to 1: the weight of what they share in that of what
/// they have together, where a function counts four times as much as anything else. 0 where they
/// share no function although one of them calls some.
[[nodiscard]] double likeness(std::span<std::string const> a, std::span<std::string const> b);

/// The kernels of a store that are most alike and in the same language, none for this very key, and
/// none whose likeness is below 0.3. Entries are untrusted, and so is what they say they are like.
[[nodiscard]] std::vector<kernel_example> examples_for(problem const& task,
                                                       kernel_key const& key,
                                                       std::span<kernel_entry const> entries,
                                                       example_limits const& limits = {});

} // namespace lkt
