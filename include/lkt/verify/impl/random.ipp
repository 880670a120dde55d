// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/random.hpp>

#include <cmath>

namespace lkt {

namespace detail {

// The C library's log and cos may differ in the last bit from one machine to the next, and so may
// `a * b + c`, which a compiler may contract. These use explicit fused multiply-adds only.

double portable_log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent); // in [1/2, 1)
    if (m < 0.70710678118654752) {
        m *= 2;
        --exponent;
    }
    double const s = (m - 1) / (m + 1); // |s| < 0.172
    double const q = s * s;
    double sum = 1.0 / 23;
    // Quotients of constants: dividing here would cost more than all the rest.
    for (double c : {1.0 / 21,
                     1.0 / 19,
                     1.0 / 17,
                     1.0 / 15,
                     1.0 / 13,
                     1.0 / 11,
                     1.0 / 9,
                     1.0 / 7,
                     1.0 / 5,
                     1.0 / 3,
                     1.0})
        sum = std::fma(sum, q, c);
    return std::fma(exponent, 0.69314718055994531, 2 * s * sum);
}

double portable_cos_turns(double x) {
    int const quarter = static_cast<int>(std::fma(x, 4, 0.5));              // 0 to 4
    double const angle = std::fma(-0.25, quarter, x) * 6.28318530717958648; // |angle| <= pi / 4
    double const q = angle * angle;
    double sum = 1;
    if (quarter % 2 == 0) {
        for (double c : {-1.0 / 306,
                         -1.0 / 240,
                         -1.0 / 182,
                         -1.0 / 132,
                         -1.0 / 90,
                         -1.0 / 56,
                         -1.0 / 30,
                         -1.0 / 12,
                         -1.0 / 2})
            sum = std::fma(sum * q, c, 1);
    } else {
        for (double c : {-1.0 / 342,
                         -1.0 / 272,
                         -1.0 / 210,
                         -1.0 / 156,
                         -1.0 / 110,
                         -1.0 / 72,
                         -1.0 / 42,
                         -1.0 / 20,
                         -1.0 / 6})
            sum = std::fma(sum * q, c, 1);
        sum *= -angle; // cos(y + pi / 2) = -sin y
    }
    return quarter == 2 || quarter == 3 ? -sum : sum;
}

} // namespace detail

double standard_normal(std::array<std::uint64_t, 2> block) {
    double const u = (static_cast<double>(block[0] >> 11) + 1) * 0x1p-53; // (0, 1]: log is finite
    double const radius = std::sqrt(-2 * detail::portable_log(u));
    return radius * detail::portable_cos_turns(unit_interval(block[1]));
}

} // namespace lkt
