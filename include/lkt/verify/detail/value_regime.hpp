// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/draw.hpp>
#include <lkt/verify/random.hpp>

#include <cstddef>
#include <cstdint>

namespace lkt::detail {

/// Kinds of values on which a kernel may have another way. Lane k depends on the streams and on k
/// alone; integers are spread over their bounds.
enum class value_regime : unsigned char {
    scaled, ///< normal ones times a power of two, of each row or, in every second argument, of all
    exponents,     ///< each power of two as often as another, as far as squares stay finite
    all_exponents, ///< as far as sums stay finite
    negative,      ///< none is above 0
    vanishing,     ///< all small and positive: products of two are hardly any numbers of the type
    offset,        ///< one value, the same for all arguments, and a thousandth of it about it
    equal_rows,    ///< one value a row
    ties,          ///< three values
    shared,        ///< the same in all arguments
    opposite,      ///< the same in all, with the other sign, or nearly, in every second one
    rest,          ///< the same in all that a kernel updates, 0 in the others
    cancelling,    ///< each row, or each column, sums to 0
    denormals,
    regular,       ///< each row constant, in equal steps or periodic, most with an exception
    ranked,        ///< one large value a row, then much smaller ones, zeros, and the rest below
    upper_bounds,  ///< nearly all at the upper end of their bounds
    opposite_ends, ///< nearly all at the lower end, in every second argument at the upper one
    lower_bounds,  ///< nearly all at the lower end; as far as finite sums go, where there is none
    alternating_ends, ///< two at the one end, two at the other, so that sums of all stay small
    patches           ///< another of these, or what is usual, in each stretch
};

struct regime_drawing {
    value_regime what = value_regime::patches;
    value_bounds fair{};
    random_stream own{}, shared{}; ///< `shared`: the same for all arguments of a test
    std::size_t argument = 0;      ///< among those that get it
    std::uint64_t row = 1;         ///< lanes of a row, in which the argument can be cut
    bool updated = false;          ///< the argument is `inout`
    bool denormals = true;         ///< may be drawn: nothing says that they are flushed
    /// What is computed is compared, and large terms hide what decides: no exponents.
    bool decides = false;
    /// What is right comes from a function in float64, which overflows nowhere: exponents only as
    /// far as a kernel's squares do not, either.
    bool exact = false;
};

/// Whether the regime says anything that its type and bounds allow; then it was drawn.
[[nodiscard]] bool draw_regime(argument_data& data, regime_drawing const& how);

/// Whether a kernel that computes with denormal numbers may not take them for 0.
[[nodiscard]] bool keeps_denormals(problem const& task);

/// Whether whole numbers are computed from real ones: an index of the nearest, a bin.
[[nodiscard]] bool decides(problem const& task);

/// Whether a function says what is right, which computes in float64.
[[nodiscard]] bool judged_by_function(problem const& task);

/// An extent of the size, or a product of two, that cuts `lanes` into rows; 64 where none does.
[[nodiscard]] std::uint64_t
row_length(problem_size const& size, std::uint64_t lanes, random_stream const& stream);

} // namespace lkt::detail
