// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/certify.hpp>
#include <lkt/tuner/tuning_outcome.hpp>

#include <boost/json/fwd.hpp>

namespace lkt {

/// The whole result of a run, for programs; `docs/reports.md` describes the fields. Times are in
/// seconds. Callers must include `<boost/json/object.hpp>`.
[[nodiscard]] boost::json::object json_report(tuning_outcome const& out);
/// `{accepted, verdict, reason, evidence: {...}, stages: [...], seconds}`.
[[nodiscard]] boost::json::object json_report(verification const& found);

} // namespace lkt
