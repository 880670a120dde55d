// SPDX-License-Identifier: BSL-1.0
// `verify --problem FILE`: the accepted kernels of a problem, judged on this device.
#pragma once

#include "options.hpp"

#include <lkt/core/result.hpp>
#include <lkt/store/kernel_store.hpp>

#include <cstddef>
#include <string>

namespace lkt_store {

/// How many kernels were judged, and how many of them are wrong.
struct judged_kernels {
    std::size_t all = 0, wrong = 0;
    std::string text; ///< a line for each
};

/// Judges those of `found`. One that is wrong on its own device is rejected in the store. Errors:
/// those of the problem and of the device; cancelled after Ctrl-C.
[[nodiscard]] lkt::result<judged_kernels>
judge_all(lkt::kernel_store& store, lkt::stored_kernels const& found, options const& o);

} // namespace lkt_store
