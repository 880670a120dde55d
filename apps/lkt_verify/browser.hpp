// SPDX-License-Identifier: BSL-1.0
// Kernels in a visitor's browser: judged on the tests, and timed.
#pragma once

#include "browser_job.hpp"
#include "page_server.hpp"

#include <lkt/core/result.hpp>
#include <lkt/kernel/measurement.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lkt_verify {

/// What became of one kernel in a browser.
struct browser_finding {
    std::optional<lkt::failure> wrong;
    std::string unjudged;  ///< why there is no verdict; empty if there is one
    std::size_t right = 0; ///< tests
    /// Tests that this GPU has no room for, with what it lacks.
    std::vector<std::pair<std::size_t, std::string>> left_out;
    lkt::measurement time; ///< one sample for each round: the mean of its launches
    int launches = 0;      ///< timed ones of a round

    [[nodiscard]] bool judged() const { return unjudged.empty(); }
    [[nodiscard]] bool accepted() const { return judged() && !wrong; }
};

/// What a browser found, and which one it was.
struct browser_findings {
    std::vector<browser_finding> of; ///< each kernel, in their order
    std::string agent, adapter, clock;
    bool software = false; ///< no GPU ran the kernels
    std::string remark;    ///< of the page: why there are no times, ...
};

/// All that a run in a browser needs; what it refers to must outlive it.
struct browser_run {
    lkt::problem const& task;
    lkt::test_suite const& suite;
    std::vector<browser_kernel> kernels; ///< the original first, where there is one
    std::string expected_by;             ///< who computed the expected outputs
    int rounds = 20;                     ///< of timed launches
    std::uint64_t seed = 0;
    bool quiet = false;
};

/// Serves the page until a browser has delivered a result. What comes from a browser is not
/// trusted: all of it is checked, and it decides nothing but what is said of this run. Errors:
/// cancelled.
[[nodiscard]] lkt::result<browser_findings>
run_in_browser(browser_run const& run, page_server& server, std::stop_token stop);

/// Of candidates: `rejected` if one is wrong, else `environment` if one was not judged.
[[nodiscard]] int browser_status(browser_run const& run, browser_findings const& found);
[[nodiscard]] std::string browser_text(browser_run const& run, browser_findings const& found);
[[nodiscard]] boost::json::object browser_json(browser_run const& run,
                                               browser_findings const& found);

} // namespace lkt_verify
