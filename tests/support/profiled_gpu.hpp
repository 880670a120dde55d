// SPDX-License-Identifier: BSL-1.0
// The fake back end with a profiler, whose every profile is another one.
#pragma once

#include "fake_gpu.hpp"

namespace lkt_test {

struct profiled_gpu : fake_gpu {
    using fake_gpu::fake_gpu;

    int profiles = 0; ///< that were asked for
    std::optional<lkt::error> fails;

    bool can_profile() const { return true; }
    lkt::result<lkt::kernel_profile>
    profile(lkt::compiled_kernel const&, lkt::run_request const& r, lkt::call_context const&) {
        ++profiles;
        if (fails) return *fails;
        lkt::kernel_profile p;
        p.compute_percent = profiles;
        p.dram_percent = 80;
        p.dram_bytes = static_cast<double>(r.arguments.size());
        return p;
    }
};
static_assert(lkt::profiling_backend<profiled_gpu>);

} // namespace lkt_test
