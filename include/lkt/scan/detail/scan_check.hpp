// SPDX-License-Identifier: BSL-1.0
// The operands of any operation, and whether a result is right.
#pragma once

#include <lkt/scan/detail/elementwise_check.hpp>
#include <lkt/scan/detail/gemm_check.hpp>
#include <lkt/scan/scan_spec.hpp>

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

namespace lkt::detail::scan {

/// How many elements a spec's inputs have, of which types, and its output. Of a product: A, B, and
/// the bias if it has one.
struct spec_operands {
    std::vector<double> inputs;
    std::vector<gemm_type> types;
    double output = 0;
};
[[nodiscard]] spec_operands operands_of(scan_spec const& spec);

/// The result of any operation, compared.
class scan_check {
public:
    /// `inputs` fill the operands, and outlive this. Needs as many as the spec has, and a
    /// convolution that is `comparable`.
    scan_check(scan_spec const& spec, std::vector<gemm_values> const& inputs);
    [[nodiscard]] gemm_check::answer judge(std::span<std::byte const> d);

private:
    std::variant<gemm_check, elementwise_check> check_;
};

} // namespace lkt::detail::scan
