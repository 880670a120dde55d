// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>

#include <atomic>

namespace lkt {

std::uint64_t fresh_contents() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

} // namespace lkt
