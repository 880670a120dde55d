// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/mig.hpp>
#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/gpu/cuda/driver.hpp>

#include <string>
#include <utility>
#include <vector>

namespace lkt::cuda_detail {

device_kind const& cuda_devices() {
    static constexpr device_kind kind{
        .name = "cuda",
        .title = "CUDA",
        .load = &load_driver,
        .how_to_name = "give an index, or a UUID as nvidia-smi -L prints it",
        .how_to_look = "check whether nvidia-smi shows the device",
        .when_too_new = "the compiler is newer than the driver: install a newer driver, or an "
                        "older NVRTC and point LKT_NVRTC to it",
        .parts = "MIG-",
        .chosen_by = "CUDA_VISIBLE_DEVICES",
        .list_parts = [] {
            std::vector<std::pair<std::string, std::string>> all;
            for (auto& [name, uuid] : mig_instances())
                all.emplace_back(std::move(name), std::move(uuid));
            return all;
        }};
    return kind;
}

result<worker_message> serve_device(worker_message request) {
    return serve_module_device(cuda_devices(), std::move(request));
}

} // namespace lkt::cuda_detail
