// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/draw.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lkt {

namespace detail {
enum class value_regime : unsigned char;
}

/// The tests that a problem declares (`problem::tests`), and lkt's own menu of inputs on which
/// wrong kernels give themselves away; see `input_menu`. The declared ones and the first two of the
/// menu are made at the problem's own size if it is small, else at the largest small one of the
/// further and the generated sizes, else at the smallest of all; the others take turns, in an order
/// that the seed draws, at all small sizes. At each of these follows a test with all kinds of
/// values side by side. Away from the timed size, scalars vary as well (`fair_scalar`). Combine
/// them with `signature_tests`, whose first test is the one that is timed.
struct declared_tests {
    std::uint64_t seed = 1;
    bool menu = true;
    int hidden_sizes = 6; ///< as in `signature_tests`; of the same seed they are the same
    std::uint64_t small = std::uint64_t{1} << 22; ///< elements of all arguments
    /// Elements of all tests of the menu together, one test excepted: the first ones find most.
    std::uint64_t menu_elements = std::uint64_t{1} << 24;
    bytes limit{std::uint64_t{4} << 30}; ///< memory for the arguments of one test

    /// Errors: those of `signature_tests`; a declared test that an argument's type or domain cannot
    /// follow, by its name. A test of the menu that does not suit a problem is left out.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

/// The values of an input that are fair to test: its domain; without one, what its `fill` draws;
/// any, where the fill is the default and the type a floating one. Nothing: the fill is a structure
/// that the kernel may rely on (a permutation, ascending values, a constant), so it stays.
[[nodiscard]] std::optional<value_bounds>
fair_values(argument const& declared, argument_spec const& spec, expression_scope const& scope);

/// The values of a scalar argument that are fair to test beside the usual one: those of its domain
/// (of whole numbers, where it has one end: up to 64 times that end or the usual value, whichever
/// is larger, beyond it); without one any, where it is a floating one or a `bool`, and of a whole
/// number those from 1 up to it, unless it is an extent, a count of elements or a block's (what
/// lies beyond may lead out of a buffer). Nothing: its value follows from the size.
[[nodiscard]] std::optional<value_bounds> fair_scalar(problem const& task, std::size_t argument);

/// One kind of input. `fill` gives nothing where type and bounds exclude it.
struct menu_item {
    std::string_view name;
    /// Which inputs get it in one test, the others being as the problem says: all that it suits;
    /// each of them, in a test of its own; one, another one for another item. Where all inputs had
    /// the same sign or value everywhere, so had most outputs.
    enum class reach : unsigned char { all, each, one } inputs = reach::all;
    std::optional<declared_fill> (*fill)(scalar_type t,
                                         value_bounds fair,
                                         kernel_properties const& properties) = nullptr;
    /// Instead of `fill`: values of a kind that no distribution has.
    std::optional<detail::value_regime> regime{};
};

/// In this order: normal, zeros and ones (sums of which are exact), one-hot (a sum that leaves a
/// term out is wrong), cancellation (pairs up to 1e4 where the problem promises compensated sums,
/// else up to 4), large values, small ones, small factors, the same in all inputs, wide exponents,
/// a small spread about an offset, one small or large scale, rows that sum to 0, spikes (one
/// element decides a maximum), regular rows with exceptions, extremes, all at the ends of their
/// bounds, negative values, ties, opposite inputs, all exponents, a state at rest (equal in what is
/// updated, 0 elsewhere), denormals, sparse, ones (of integers), signed zeros; and where the
/// problem says that NaN and infinity propagate, these.
[[nodiscard]] std::vector<menu_item> const& input_menu();

} // namespace lkt
