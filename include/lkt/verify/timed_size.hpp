// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace lkt {

/// What a fair size to take times at is.
struct timed_size_options {
    seconds min_time{2e-4};               ///< what one launch of the original takes, at least
    seconds max_time{2e-2};               ///< and at most
    bytes memory{std::uint64_t{1} << 30}; ///< for all arguments together
    std::optional<lkt::configuration>
        configuration{};       ///< of the original; its default where absent
    std::uint64_t seed = 1;    ///< of the inputs
    seconds compile_limit{60}; ///< for the original
    seconds launch_limit{60};  ///< for one launch of it
    int steps = 40;            ///< sizes that are tried, at most
    /// Operations a second. If set, a launch counts as what its operations take (`counted_work`),
    /// so that slow machines come to the same size; unless it takes twice as long.
    double rate = 0;
};

/// What a launch has to do at a test's size: the operations that the problem states, or else a term
/// for each element of an output and each input that it may be a sum of (`reduction_length`).
[[nodiscard]] double counted_work(problem const& task, test_case const& test);

/// A size, and what a launch of the original takes there.
struct sized_launch {
    problem_size size;
    seconds time{};
    bool inside = false; ///< the window
    std::string why;     ///< it is not: what stopped the search
};

namespace detail {
[[nodiscard]] result<sized_launch> timed_size(gpu_ref backend,
                                              problem const& task,
                                              call_context const& context,
                                              timed_size_options const& options);
} // namespace detail

/// The size at which a launch of the original takes as long as times can be told by: the problem's
/// own if it does, else one that is reached by doubling or halving its extents, all of them
/// together, and where that is not fair (`fair_size`) or does not fit the memory, one of them. For
/// problems whose size is a guess, or too small; a size that a user gave is his.
///
/// Errors: the original does not compile or fails at its own size (`lkt.verify.reference`); inputs
/// that cannot be made there; what the back end returns. A launch that fails at another size ends
/// the search in that direction. Cost: one compilation; three launches at each size.
template <gpu_backend B>
[[nodiscard]] result<sized_launch> timed_size(B& backend,
                                              problem const& task,
                                              call_context const& context,
                                              timed_size_options const& options = {}) {
    return detail::timed_size(gpu_ref(backend), task, context, options);
}

} // namespace lkt
