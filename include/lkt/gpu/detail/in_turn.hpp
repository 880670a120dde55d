// SPDX-License-Identifier: BSL-1.0
// A batch for a back end that compiles one kernel after the other.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <span>
#include <vector>

namespace lkt::gpu_detail {

/// All are begun first, where it compiles ahead.
template <class Gpu>
[[nodiscard]] std::vector<result<compile_outcome>>
compile_in_turn(Gpu& gpu, std::span<compile_request const> requests, call_context const& context) {
    if (requests.size() > 1)
        for (compile_request const& request : requests) gpu.prefetch(request);
    std::vector<result<compile_outcome>> all;
    all.reserve(requests.size());
    for (compile_request const& request : requests)
        if (context.stop.stop_requested())
            all.push_back(cancelled("a compilation"));
        else
            all.push_back(gpu.compile(request, context));
    return all;
}

} // namespace lkt::gpu_detail
