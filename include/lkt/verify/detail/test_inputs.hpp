// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/draw.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lkt::detail {

/// Numbers of tests, by which they draw from streams of their own. The lower ones are those of
/// `signature_tests`, those from 0x80000000 on are the oracle's.
inline constexpr std::uint32_t first_hidden_test = 0x20000000;
inline constexpr std::uint32_t first_declared_test = 0x40000000;
inline constexpr std::uint32_t first_corner_test = 0x50000000;
inline constexpr std::uint32_t first_region_test = 0x54000000;
inline constexpr std::uint32_t first_long_test = 0x58000000;
inline constexpr std::uint32_t first_swept_test = 0x5c000000;
inline constexpr std::uint32_t first_threshold_test = 0x60000000;
inline constexpr std::uint32_t first_explored_test = 0x70000000;
inline constexpr std::uint32_t first_tiled_test = 0x78000000;

/// How an argument is filled, whatever the problem says of it.
struct input_fill {
    std::size_t argument = 0;
    declared_fill how{};
    value_bounds within{};
    std::optional<value_regime> regime{}; ///< instead of `how`
};

/// How the inputs of one test are made.
struct input_plan {
    std::uint64_t seed = 1;
    std::uint32_t number = 0;        ///< of the test, among those of this seed
    bytes limit{};                   ///< memory for all arguments
    std::vector<input_fill> fills{}; ///< what is not named is filled as the problem says
    bool other_scalars = false;      ///< scalars that may vary do, but at the timed size
};

/// A test at a size. Errors: see `signature_tests::generate`.
[[nodiscard]] result<test_case> inputs_at(problem const& task,
                                          problem_size const& size,
                                          input_plan const& plan,
                                          call_context const& context);

/// Integer inputs nearly all of which are as large as is fair: each row is full, where they are
/// lengths. `all`: floating inputs with a largest value, too. Nothing for inputs with a structure
/// that a kernel may rely on.
[[nodiscard]] std::vector<input_fill>
full_inputs(problem const& task, problem_size const& size, bool all = false);

/// Whether inputs cannot be made because a type or a domain lacks the values: a domain too narrow
/// for a distribution, a size that a type cannot count to. A test that lkt chose is left out then.
[[nodiscard]] inline bool lacks_values(error const& e) {
    return e.code == "lkt.verify.distribution";
}

/// The values that scalars have at a size; nothing for buffers and for scalars that are drawn.
[[nodiscard]] result<std::vector<std::optional<argument_data>>>
scalars_at(problem const& task, problem_size const& size);

/// Why some argument cannot be made at this size; `inputs_at` would say the same.
[[nodiscard]] std::optional<error> arguments_fault(problem const& task, problem_size const& size);

/// Elements of all buffers together; nothing where some argument cannot be made at this size.
[[nodiscard]] std::optional<std::uint64_t> elements_at(problem const& task,
                                                       problem_size const& size);

/// Extents that lkt chooses are no larger: where an original in WGSL loops, a device in software
/// may end the loop after 65535 iterations, and says nothing.
[[nodiscard]] std::int64_t largest_extent(problem const& task);

/// A size to test at, and how a test calls it: a generated one is not told, since the name goes to
/// the model that writes the kernel.
struct named_size {
    std::string name;
    problem_size size;
    bool hidden = false;
};
/// The problem's own size, the further ones, and so many generated ones; each once.
[[nodiscard]] std::vector<named_size>
sizes_to_test(problem const& task, std::uint64_t seed, int hidden);

/// Of these the one that tests beside the problem's own are made at: the problem's own, else the
/// largest with at most so many elements, else the smallest.
[[nodiscard]] named_size
small_size(problem const& task, std::uint64_t seed, int hidden, std::uint64_t max_elements);

} // namespace lkt::detail
