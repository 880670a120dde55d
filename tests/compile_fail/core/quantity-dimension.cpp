// expect: operator ?'?\+
// offending: quantity
// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/quantity.hpp>

#ifdef LKT_FIXED
constexpr lkt::byte_rate more(1e9);
#else
constexpr lkt::flop_rate more(1e9);
#endif

constexpr auto sum = lkt::byte_rate(1e9) + more;

int main() { return sum.count() > 0 ? 0 : 1; }
