// SPDX-License-Identifier: BSL-1.0
// What tests want to see and do.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/webgpu.hpp>
#include <lkt/gpu/webgpu/device_service.hpp>

namespace lkt {

class webgpu_inspector {
public:
    /// Of the worker's library.
    [[nodiscard]] static result<webgpu_detail::object_counts> objects(webgpu& gpu);
    /// Destroys the device under the back end, as a driver may.
    [[nodiscard]] static result<void> lose_device(webgpu& gpu);
    [[nodiscard]] static webgpu_detail::device_facts facts(webgpu const& gpu);
};

} // namespace lkt
