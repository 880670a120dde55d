// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/random.hpp>

#include <limits>

namespace lkt {

/// What drawn values keep: an argument's domain.
struct value_bounds {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();

    [[nodiscard]] bool holds(double value) const { return min <= value && value <= max; }
    friend bool operator==(value_bounds, value_bounds) = default;
};
[[nodiscard]] value_bounds bounds_of(argument_spec const& spec);

/// Overwrites every lane of `data`, whose size says how many are wanted, with values of `how` from
/// `stream`, between the bounds: lane k depends on the stream and k alone (in a `permutation`,
/// `ascending`, `one_hot` and `cancellation` on the number of lanes too), and is never NaN or
/// infinite. Bounds hold whatever the type: a uniform is drawn where it meets them, and what a
/// normal draws outside becomes the nearest value inside. Integers are rounded between the bounds.
///
/// Where there are no bounds, `extremes` go to +-1e4 (+-16 in float16, +-1000 in integers, as far
/// as the type has them), so that products and sums of a kernel stay finite; `ascending` goes from
/// 0 to 1, in integers from -1000 to 1000.
///
/// Errors (rejected, `lkt.verify.distribution`): what the type or the bounds cannot follow (an
/// `alternating` unsigned, a `permutation` of more elements than the type can count); an expression
/// that fails; `cancelled`. Cost at -O3: 3 to 7 ns a lane, normal 30 ns, cancellation 60 ns, which
/// from a million lanes on up to 16 threads share.
result<void> draw(argument_data& data,
                  distribution const& how,
                  expression_scope const& scope,
                  random_stream const& stream,
                  call_context const& context = {},
                  value_bounds const& within = {});

/// The same, with special values strewn in afterwards: as many as `fraction` says, but each of them
/// once where there is room, at drawn places. Errors besides: special values for integers, or
/// outside the bounds (a domain excludes NaN).
result<void> draw(argument_data& data,
                  declared_fill const& how,
                  expression_scope const& scope,
                  random_stream const& stream,
                  call_context const& context = {},
                  value_bounds const& within = {});

namespace detail {
/// The first on so many threads: no value depends on how many there are.
result<void> draw_on_threads(unsigned threads,
                             argument_data& data,
                             distribution const& how,
                             expression_scope const& scope,
                             random_stream const& stream,
                             call_context const& context,
                             value_bounds const& within = {});
} // namespace detail

} // namespace lkt
