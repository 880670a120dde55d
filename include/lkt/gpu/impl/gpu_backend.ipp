// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include <algorithm>
#include <atomic>

namespace lkt {

int certain_launches(run_request const& request) {
    auto const& s = request.sampling;
    bool const may_end_early = s.precision > 0 || s.time.count() > 0 || s.give_up_above.count() > 0;
    return may_end_early ? std::clamp(s.least, 1, std::max(1, request.launches)) : request.launches;
}

std::uint64_t fresh_contents() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace lkt
