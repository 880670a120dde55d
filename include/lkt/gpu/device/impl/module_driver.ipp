// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/detail/module_driver.hpp>

namespace lkt::device_detail {

std::string driver_api::describe(cu_status s) const {
    char const* name = nullptr;
    char const* text = nullptr;
    if (error_name != nullptr) error_name(s, &name);
    if (error_text != nullptr) error_text(s, &text);
    return std::string(name != nullptr
                           ? name
                           : std::string(title) + " error " + std::to_string(static_cast<int>(s))) +
           (text != nullptr ? std::string(": ") + text : "");
}

bool is_fatal(cu_status s) {
    switch (s) {
    case cu_status::illegal_address:
    case cu_status::launch_timeout:
    case cu_status::assert_failed:
    case cu_status::hardware_stack_error:
    case cu_status::illegal_instruction:
    case cu_status::misaligned_address:
    case cu_status::invalid_address_space:
    case cu_status::invalid_pc:
    case cu_status::launch_failed:
    case cu_status::ecc_uncorrectable:
    case cu_status::deinitialized:
    case cu_status::device_unavailable:
        return true;
    case cu_status::success:
    case cu_status::invalid_value:
    case cu_status::out_of_memory:
    case cu_status::not_initialized:
    case cu_status::stub_library:
    case cu_status::no_device:
    case cu_status::invalid_device:
    case cu_status::invalid_image:
    case cu_status::no_binary_for_gpu:
    case cu_status::not_found:
    case cu_status::not_ready:
    case cu_status::launch_out_of_resources:
    case cu_status::cooperative_launch_too_large:
    case cu_status::system_driver_mismatch:
    case cu_status::invalid_cluster_size:
        return false;
    }
    return true; // one that lkt does not know
}

} // namespace lkt::device_detail
