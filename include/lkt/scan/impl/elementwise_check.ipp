// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/core/units.hpp>
#include <lkt/scan/detail/check_parts.hpp>
#include <lkt/scan/detail/elementwise_check.hpp>
#include <lkt/scan/detail/gemm_elements.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace lkt::detail::scan {

double value_of(elementwise_function function, std::array<double, 3> const& of) {
    auto const [a, b, c] = of;
    switch (function) {
    case elementwise_function::add:
        return a + b;
    case elementwise_function::multiply:
        return a * b;
    case elementwise_function::multiply_add:
        return a * b + c;
    case elementwise_function::relu:
        return std::max(a, 0.0);
    case elementwise_function::exp:
        return std::exp(a);
    case elementwise_function::tanh:
        return std::tanh(a);
    case elementwise_function::sigmoid:
        return 1 / (1 + std::exp(-a));
    case elementwise_function::silu:
        return a / (1 + std::exp(-a));
    case elementwise_function::gelu:
        return a * (1 + std::erf(a / std::sqrt(2.0))) / 2;
    case elementwise_function::other:
        break;
    }
    return std::nan("");
}

gemm_check::answer elementwise_check::judge(std::span<std::byte const> d) const {
    using namespace check_parts;
    if (spec_.function() == elementwise_function::other)
        return {scan_verdict::unchecked, {}, false};
    double const roundings =
        static_cast<double>(spec_.flops()) * (bits_of(spec_.type()) < 32 ? 2 : 16);
    auto const exact_at = [&](std::size_t i) {
        std::array<double, 3> of{};
        for (std::size_t n = 0; n < inputs_.size(); ++n)
            of[n] = inputs_[n]->values()[i % gemm_values::period];
        return value_of(spec_.function(), of);
    };
    std::atomic<std::int64_t> wrong{std::numeric_limits<std::int64_t>::max()};
    with_type(spec_.output(), [&]<gemm_type T>() {
        in_pieces(spec_.elements(),
                  static_cast<double>(spec_.elements()) * 16,
                  [&](std::int64_t first, std::int64_t last) {
                      for (std::int64_t i = first; i < last; ++i) {
                          auto const at = static_cast<std::size_t>(i);
                          double const exact = exact_at(at);
                          double const allowed =
                              roundings * unit_of(spec_.type()) * std::max(1.0, std::abs(exact)) +
                              unit_of(T) * std::abs(exact) + least_step(T);
                          if (std::abs(element<T>(d.data(), at) - exact) <= allowed) continue;
                          auto least = wrong.load();
                          while (i < least && !wrong.compare_exchange_weak(least, i)) {
                          }
                          return;
                      }
                  });
    });
    auto const i = wrong.load();
    if (i == std::numeric_limits<std::int64_t>::max()) return {};
    auto const at = static_cast<std::size_t>(i);
    return {scan_verdict::wrong,
            "element " + std::to_string(i) + " is " +
                significant(element_of(spec_.output(), d.data(), at)) + " instead of " +
                significant(exact_at(at)),
            false};
}

} // namespace lkt::detail::scan
