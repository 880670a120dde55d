// SPDX-License-Identifier: BSL-1.0
// A device and cuBLASLt on it, in a worker.
#pragma once

#include <lkt/gpu/cuda/driver.hpp>
#include <lkt/scan/cublaslt.hpp>
#include <lkt/scan/cublaslt/api.hpp>
#include <lkt/scan/detail/gemm_check.hpp>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

class session {
public:
    /// Errors (unavailable): as of `cublaslt_engine::measure`.
    [[nodiscard]] static result<std::unique_ptr<session>> open(cublaslt_options const& options);
    session(session const&) = delete;

    [[nodiscard]] result<scanned_product> measure(gemm_spec const& spec,
                                                  cublaslt_options const& options);

private:
    session() = default;

    /// What a product is made of on the device.
    struct product;
    [[nodiscard]] result<device_memory> allocate(std::size_t size) const;
    [[nodiscard]] result<device_memory> filled(std::size_t size,
                                               detail::scan::gemm_values const& values) const;
    [[nodiscard]] result<void> wait() const;
    [[nodiscard]] lt_status launch(product const& p, lt_found const& with) const;
    [[nodiscard]] result<seconds> between(std::size_t first, std::size_t last) const;
    /// Adds an instance with its verdict, unless the algorithm does not run.
    [[nodiscard]] result<void> first_launch(product& p,
                                            lt_found const& with,
                                            cublaslt_options const& options,
                                            scanned_product& found);
    /// For a tenth of the time where it is far behind `best`.
    [[nodiscard]] result<void> time(product const& p,
                                    lt_found const& with,
                                    std::optional<seconds> best,
                                    bool longer,
                                    cublaslt_options const& options,
                                    scanned_instance& one);
    [[nodiscard]] detail::scan::gemm_values const& values_of(gemm_type type, std::uint64_t seed);
    /// One of those of 32 bits.
    [[nodiscard]] int choice_of(lt_algorithm const& algorithm, lt_choice which) const;
    [[nodiscard]] std::string name_of(lt_algorithm const& algorithm) const;
    [[nodiscard]] error failed(char const* doing, cu_status status) const;

    driver_api driver_;
    cublaslt_api lt_;
    lt_handle handle_ = nullptr;
    cu_stream stream_ = nullptr;
    std::array<cu_event, 11> events_{};
    std::string device_;
    clock_reader clock_;
    static constexpr std::size_t staging_size = std::size_t{32} << 20;
    void* staging_ = nullptr;
    device_memory workspace_;
    std::size_t workspace_size_ = 0;
    std::map<std::pair<gemm_type, std::uint64_t>, std::unique_ptr<detail::scan::gemm_values>>
        values_;
};

} // namespace lkt::cublaslt_detail
