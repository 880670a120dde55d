// SPDX-License-Identifier: BSL-1.0
// Whether a result is an element-wise function of arrays of random numbers.
#pragma once

#include <lkt/scan/detail/gemm_check.hpp>
#include <lkt/scan/elementwise_spec.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace lkt::detail::scan {

/// In double precision.
[[nodiscard]] double value_of(elementwise_function function, std::array<double, 3> const& of);

/// Compares each element with the function in double precision. The bound: each of the function's
/// operations may lose 16 roundings of a value up to 1 or the result (exp, tanh and the like are
/// good to a few units in the last place), of types of 16 and 8 bits two, and the output is
/// rounded.
class elementwise_check {
public:
    /// `inputs` fill the arrays, and outlive this.
    elementwise_check(elementwise_spec const& spec, std::vector<gemm_values const*> inputs)
        : spec_(spec), inputs_(std::move(inputs)) {}

    /// `unchecked` for `elementwise_function::other`.
    [[nodiscard]] gemm_check::answer judge(std::span<std::byte const> d) const;

private:
    elementwise_spec spec_;
    std::vector<gemm_values const*> inputs_;
};

} // namespace lkt::detail::scan
