// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/suite.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lkt {

/// How much is done to check properties.
struct property_options {
    std::uint64_t seed = 0x85ebca6b; ///< of the poison and of permutations
    int launches = 100;              ///< identical ones; 0: neither they nor leftovers in outputs
    /// Fewer launches than that, three at least, once they took so long together; 0: all.
    seconds launching{};
    /// The largest test whose arguments take no more than so many bytes is launched again and
    /// again; the smallest one where all are larger.
    std::size_t test_bytes = std::size_t{1} << 20;
    seconds time_limit{}; ///< for one launch; 0: `launch_limit` of the test
    /// Receives notes: differences that are not errors, and properties that could not be checked.
    std::vector<std::string>* notes = nullptr;
};

namespace detail {
[[nodiscard]] result<std::optional<failure>> check_properties(gpu_ref backend,
                                                              compiled_kernel const& kernel,
                                                              problem const& task,
                                                              launch_formula const& launch,
                                                              configuration const& config,
                                                              test_suite const& suite,
                                                              call_context const& context,
                                                              property_options const& options);
} // namespace detail

/// Checks further properties of a kernel that passed its tests: `launches` identical launches are
/// right, every one of them, and have the same bits where the problem says that it is
/// deterministic; they do not depend on what earlier launches of it left in scratch memory and
/// outputs; outputs are linear in the arguments that it says they are linear in (they scale by
/// powers of two, and the mean of two inputs gives the mean of their outputs), and do not change
/// when those arguments are permuted whose order does not matter. What the outputs should be
/// follows from the original's. Inputs stay in the arguments' domains.
///
/// Nothing: the kernel passed. A failure: `wrong_output` with the kind `nondeterminism` for
/// launches that differ, `race` with it for bits that do. An error: the environment's. Cost: one
/// call of the back end for each ten launches; three for what is left in outputs, where two tests
/// have one size, and two for scratch; three for each linear set; one for the permutation.
template <gpu_backend B>
[[nodiscard]] result<std::optional<failure>>
check_properties(B& backend,
                 compiled_kernel const& kernel,
                 problem const& task,
                 launch_formula const& launch,
                 configuration const& config,
                 test_suite const& suite,
                 call_context const& context,
                 property_options const& options = {}) {
    return detail::check_properties(
        gpu_ref(backend), kernel, task, launch, config, suite, context, options);
}

} // namespace lkt
