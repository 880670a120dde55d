// SPDX-License-Identifier: BSL-1.0
// A device and cuBLASLt on it, in a worker.
#pragma once

#include <lkt/scan/cublaslt.hpp>
#include <lkt/scan/cublaslt/api.hpp>
#include <lkt/scan/cublaslt/detail/device_parts.hpp>
#include <lkt/scan/detail/gemm_check.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt::cublaslt_detail {

class session {
public:
    /// Errors (unavailable): as of `cublaslt_engine::measure`.
    [[nodiscard]] static result<std::unique_ptr<session>> open(cublaslt_options const& options);
    session(session const&) = delete;

    [[nodiscard]] std::string const& device() const { return device_; }
    /// Of the library: `13.1.0`.
    [[nodiscard]] std::string version() const;
    [[nodiscard]] result<scanned_product> measure(gemm_spec const& spec,
                                                  cublaslt_options const& options);

private:
    session() = default;

    /// What a product is made of on the device.
    struct product;
    /// Random matrices for it, on the device.
    [[nodiscard]] result<void> place(product& p, cublaslt_options const& options);
    /// Describes it to the library, and returns why that refuses it; empty: it does not.
    [[nodiscard]] std::string describe(product& p) const;
    /// What the heuristics have for it, the best first; where they refuse it, `refused` is why.
    [[nodiscard]] std::vector<lt_found> algorithms_of(product const& p, std::string& refused) const;
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
