// SPDX-License-Identifier: BSL-1.0
// The worker that measures products with cuBLASLt or hipBLASLt: what it is asked, and what it says.
#pragma once

#include <lkt/process/service.hpp>
#include <lkt/scan/cublaslt.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace lkt::cublaslt_detail {

inline constexpr service_key product_key{"lkt.scan.cublaslt", layout_hash("3")};

/// One product; the device stays open from one to the next.
struct product_request {
    gemm_draft product;
    cublaslt_options options;
};
[[nodiscard]] std::string pack(product_request const& r);
[[nodiscard]] std::optional<product_request> unpack_request(std::string_view bytes);
[[nodiscard]] std::string pack(scanned_product const& p);
[[nodiscard]] std::optional<scanned_product> unpack_product(std::string_view bytes);

inline constexpr service_key setup_key{"lkt.scan.cublaslt.setup", layout_hash("3")};

/// Of the device that options choose, and of cuBLASLt there.
[[nodiscard]] std::string pack(scan_setup const& s);
[[nodiscard]] std::optional<scan_setup> unpack_setup(std::string_view bytes);

/// Serve requests in a worker; see process/service.hpp. Both are asked with a `product_request`;
/// that for a setup needs no product.
[[nodiscard]] result<worker_message> serve_product(worker_message request);
[[nodiscard]] result<worker_message> serve_setup(worker_message request);
inline service_entry const product_entry{product_key, &serve_product};
inline service_entry const setup_entry{setup_key, &serve_setup};

} // namespace lkt::cublaslt_detail
