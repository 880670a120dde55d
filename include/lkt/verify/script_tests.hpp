// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/python_script.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lkt {

/// Tests that a Python function makes; its text may come from a model, because it runs in a
/// confined process. It is called once for each size of the problem (`sizes`), the timed one first:
///
///     def generate(sizes: dict, rng: numpy.random.Generator) -> dict | list[dict]
///
/// `sizes` is `{"N": 256}`, `rng` is seeded by `seed` and the number of the size. A dictionary is
/// one test: arrays (or numbers) by the name of the argument, of any shape with the right number of
/// elements, the lanes of a vector type last. Every buffer that the kernel reads must be there.
/// Buffers that it only writes may be left out, and so may values, which follow from the problem.
/// Types are the arguments' own; float64 is rounded to float32, and any float to what NumPy lacks;
/// otherwise any type is accepted whose values the conversion keeps.
///
/// A model's script (`script.of_model`) can only add to what is judged. An input that it leaves out
/// is filled as the problem says; the others must have values that are fair to test
/// (`fair_values`), or else the test is a fault of the script. Its tests are of the origin `menu`,
/// so that those on which the original is unsound are dropped (`keep_sound_tests`).
///
/// Errors (rejected), written for the author of the script, who may be a model: `lkt.verify.script`
/// with the end of the traceback, or what the function should have returned;
/// `lkt.verify.script_tests` with every argument that does not fit. `lkt.verify.python`
/// (unavailable); `cancelled`.
struct script_tests {
    python_script script;       ///< `script.function` empty: `generate`
    std::uint64_t seed = 1;     ///< of `rng`
    std::size_t max_tests = 64; ///< that it may return in all
    /// Elements of all arguments: it is called for the sizes that have no more, or for the smallest
    /// where none does. 0: for all sizes.
    std::uint64_t max_elements = 0;

    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
    /// The sizes that the function is called for, in this order.
    [[nodiscard]] std::vector<problem_size> sizes(problem const& task) const;
};

static_assert(test_generator<script_tests>);

} // namespace lkt
