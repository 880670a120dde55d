// SPDX-License-Identifier: BSL-1.0
// What the WebGPU library hands out, with an owner each.
#pragma once

#include <lkt/gpu/webgpu/api.hpp>

#include <cstdint>
#include <utility>

namespace lkt::webgpu_detail {

/// An object of the library, given back with `Release`, a member of `api`.
template <class Handle, auto Release>
class owned {
public:
    owned() = default;
    owned(api const& library, Handle handle) : library_(&library), handle_(handle) {}
    owned(owned&& other) noexcept
        : library_(other.library_), handle_(std::exchange(other.handle_, nullptr)) {}
    owned& operator=(owned&& other) noexcept {
        std::swap(library_, other.library_);
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~owned() {
        if (handle_ != nullptr) (library_->*Release)(handle_);
    }
    [[nodiscard]] Handle get() const { return handle_; }
    [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }

private:
    api const* library_ = nullptr;
    Handle handle_ = nullptr;
};

using owned_instance = owned<wg_instance, &api::release_instance>;
using owned_adapter = owned<wg_adapter, &api::release_adapter>;
using owned_device = owned<wg_device, &api::release_device>;
using owned_queue = owned<wg_queue, &api::release_queue>;
using owned_buffer = owned<wg_buffer, &api::release_buffer>;
using owned_shader = owned<wg_shader, &api::release_shader>;
using owned_group_layout = owned<wg_group_layout, &api::release_group_layout>;
using owned_pipeline_layout = owned<wg_pipeline_layout, &api::release_pipeline_layout>;
using owned_pipeline = owned<wg_pipeline, &api::release_pipeline>;
using owned_bind_group = owned<wg_bind_group, &api::release_bind_group>;
using owned_queries = owned<wg_query_set, &api::release_queries>;
using owned_encoder = owned<wg_encoder, &api::release_encoder>;
using owned_pass = owned<wg_pass, &api::release_pass>;
using owned_commands = owned<wg_commands, &api::release_commands>;

} // namespace lkt::webgpu_detail
