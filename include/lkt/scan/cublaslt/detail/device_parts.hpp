// SPDX-License-Identifier: BSL-1.0
// Memory and clock of a device, in a worker.
#pragma once

#include <lkt/gpu/cuda/driver.hpp>

#include <utility>

namespace lkt::cublaslt_detail {

using cuda_detail::cu_context;
using cuda_detail::cu_device;
using cuda_detail::cu_event;
using cuda_detail::cu_pointer;
using cuda_detail::cu_status;
using cuda_detail::cu_stream;
using cuda_detail::driver_api;

/// Memory of the device.
class device_memory {
public:
    device_memory() = default;
    device_memory(driver_api const& driver, cu_pointer at) : driver_(&driver), at_(at) {}
    device_memory(device_memory&& o) noexcept
        : driver_(std::exchange(o.driver_, nullptr)), at_(std::exchange(o.at_, 0)) {}
    device_memory& operator=(device_memory&& o) noexcept {
        std::swap(driver_, o.driver_);
        std::swap(at_, o.at_);
        return *this;
    }
    ~device_memory() {
        if (driver_ != nullptr) (void)driver_->release(at_);
    }
    [[nodiscard]] cu_pointer at() const { return at_; }

private:
    driver_api const* driver_ = nullptr;
    cu_pointer at_ = 0;
};

/// NVML, where it is: the clock of the multiprocessors.
struct clock_reader {
    int (*read)(void*, int, unsigned*) = nullptr;
    void* device = nullptr;
    /// In MHz; 0: not known.
    [[nodiscard]] double now() const;
};
[[nodiscard]] clock_reader find_clock(driver_api const& driver, cu_device device);

} // namespace lkt::cublaslt_detail
