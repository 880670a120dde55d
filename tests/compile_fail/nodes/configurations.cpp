// expect: \[lkt\.nodes\.configurations\] fit_parameters_fn<Most> needs room for a configuration
// offending: fit_parameters_fn<0
// SPDX-License-Identifier: BSL-1.0
// Candidates that may have no configuration at all.
#include <lkt/nodes/fit_parameters.hpp>

#ifdef LKT_FIXED
constexpr lkt::fit_parameters_fn<1> fit{};
#else
constexpr lkt::fit_parameters_fn<0> fit{};
#endif

static_assert(sizeof fit > 0);
