// SPDX-License-Identifier: BSL-1.0
// The problem as it is understood, before anything is spent.
#pragma once

#include "../common/tests.hpp"
#include "options.hpp"

#include <lkt/nodes/declaration.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lkt_tune {

/// The problem: kernel, arguments, sizes, launch, parameters, tests; and what would make its
/// verification stronger.
[[nodiscard]] std::string description_text(lkt::problem_draft const& draft,
                                           lkt_apps::chosen_tests const& tests,
                                           options const& o);

/// Parts of it, which a plan has, too.
[[nodiscard]] std::string sizes_text(lkt::problem const& task);
[[nodiscard]] std::string parameters_text(lkt::problem const& task, options const& o);
[[nodiscard]] std::string tests_text(lkt::problem const& task, lkt_apps::chosen_tests const& tests);
[[nodiscard]] std::string expected_text(lkt::problem const& task, options const& o);

/// A label, and lines behind it.
[[nodiscard]] std::string row(std::string label, std::string_view text);
/// Two digits behind the point, four below a cent.
[[nodiscard]] std::string dollars(double usd);
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view one, std::string_view many);

} // namespace lkt_tune
