// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include "fake_backend.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace test {

/// A device whose launches take so long for each element of the grid, whatever the kernel does.
struct steady_backend {
    test::fake_backend fake;
    double seconds_for_each = 1e-9;
    std::int64_t most = std::int64_t{1} << 40; ///< elements beyond which a launch fails
    std::vector<double> seen;                  ///< elements of each run

    lkt::result<lkt::device_description> device(lkt::call_context const& c) {
        auto described = fake.device(c);
        if (described) described->simulated = true;
        return described;
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& r,
                                              lkt::call_context const& c) {
        return fake.compile(r, c);
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const&,
                                      lkt::run_request const& request,
                                      lkt::call_context const& context) {
        if (context.stop.stop_requested()) return lkt::cancelled("the run");
        double work = 1;
        for (auto const& a : request.arguments)
            if (!a.buffer) work *= a.lane<std::int32_t>(0);
        if (work > static_cast<double>(most))
            return lkt::run_outcome(lkt::failure(lkt::launch_failed{"too large"}));
        seen.push_back(work);
        lkt::run_report report;
        // The first launch is slower, as it is on most devices.
        for (double factor : {3.0, 1.1, 1.0})
            report.samples.push_back(lkt::seconds{factor * seconds_for_each * work});
        return lkt::run_outcome(std::move(report));
    }
};
static_assert(lkt::gpu_backend<steady_backend>);

} // namespace test
