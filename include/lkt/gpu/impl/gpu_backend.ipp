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

std::string fault_in(run_request const& request, signature const& kernel) {
    std::size_t const n = kernel.arguments.size();
    if (request.arguments.size() != n || request.directions.size() != n)
        return "there are not as many arguments and directions as the signature has arguments";
    for (std::size_t k = 0; k < n; ++k)
        if (request.arguments[k].buffer != kernel.arguments[k].pointer)
            return "argument " + std::to_string(k + 1) +
                   " is a value where a buffer is needed, or the other way round";
    if (request.launches < 1 || request.warmups < 0) return "there is nothing to launch";
    auto const& keep = request.keep;
    if (!std::is_sorted(keep.begin(), keep.end()) ||
        std::adjacent_find(keep.begin(), keep.end()) != keep.end() ||
        (!keep.empty() && (keep.front() < 0 || keep.back() >= certain_launches(request))))
        return "the launches whose outputs are kept are not ascending or not certain";
    return {};
}

std::uint64_t fresh_contents() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace lkt
