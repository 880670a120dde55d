// SPDX-License-Identifier: BSL-1.0
// What was found of the kernels, as the report, the JSON and the exit status say it.
#pragma once

#include "options.hpp"

#include <lkt/kernel/problem.hpp>
#include <lkt/report/certificate.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt_verify {

/// What was found of each candidate, in their order, and what the only one is compared with.
struct findings {
    std::vector<std::pair<std::string, lkt::verification>> of; ///< by file
    std::optional<lkt::certificate> now;
    std::vector<lkt::certificate_line> compared;
    std::uint64_t seed = 0;
    std::string backend_choice, conditions;

    [[nodiscard]] bool kept() const { return compared.empty() || holds(compared); }
};

[[nodiscard]] int status_of(options const& o, findings const& all);

/// A line of each tolerance that the problem sets, since the verdict rests on it, and of the
/// settings that look for less than usual.
[[nodiscard]] std::string conditions_text(lkt::problem const& task,
                                          lkt::certified_settings const& used,
                                          lkt::certified_settings const& usual);

/// One kernel: its report. Several: `kernels`, each with its `file`, and whether all that were
/// given are accepted.
[[nodiscard]] boost::json::object json_of(options const& o, findings const& all);
[[nodiscard]] std::string text_of(options const& o, findings const& all);

} // namespace lkt_verify
