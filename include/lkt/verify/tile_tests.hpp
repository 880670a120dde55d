// SPDX-License-Identifier: BSL-1.0
// Tests at which a kernel goes through many tiles, or has many blocks, small enough to be watched.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// A tile that overwrites what the eighth before it still reads races where there are nine: in a
/// block, if an extent is long, or in a launch, if it has many blocks. So for each extent there is
/// a test where it is as long as constraints and the limits allow, and the others are 2. Inputs are
/// the problem's. None without size constraints.
struct tile_tests {
    std::uint64_t seed = 1;
    /// How the kernel is launched, and in which configuration. Null: as the original.
    launch_formula const* launch = nullptr;
    configuration config{};
    std::uint64_t elements = std::uint64_t{1} << 18; ///< of all arguments of a test, at most
    std::uint64_t threads = std::uint64_t{1} << 13;  ///< of a launch: on a CPU they take turns
    std::uint64_t blocks = 80;                       ///< or so many, whatever threads these have
    double work = 0x1p23;                ///< operations of the original (`counted_work`), at most
    bytes limit{std::uint64_t{1} << 28}; ///< memory for the arguments of one test

    /// Errors: as those of `signature_tests::generate`.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
