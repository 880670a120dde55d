// SPDX-License-Identifier: BSL-1.0
// What a product is made of: on the device, and as cuBLASLt describes it.
#pragma once

#include <lkt/scan/cublaslt/detail/session.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lkt::cublaslt_detail {

struct types_of_product {
    lt_type in, c, d, scale;
    lt_compute compute;
};
[[nodiscard]] types_of_product types_of(gemm_spec const& s);

/// A matrix as cuBLASLt sees it: column-major, perhaps to be transposed.
struct operand {
    std::int64_t rows, columns, stride, of_matrix;
    bool transposed;
};

[[nodiscard]] operand operand_of(detail::scan::matrix_place const& p, bool as_transpose);

/// Ends what cuBLASLt made.
template <class T>
struct made {
    T value{};
    lt_status (*end)(T) = nullptr;
    made() = default;
    made(made const&) = delete;
    ~made() {
        if (value != nullptr) (void)end(value);
    }
};

struct session::product {
    gemm_spec spec;
    device_memory a{}, b{}, c{}, d{}, bias{};
    std::size_t d_size = 0;
    std::vector<std::byte> result{}; ///< of the last launch that was checked
    made<lt_product> operation{};
    made<lt_matrix> first{}, second{}, old{}, output{};
    made<lt_preference> preference{};
    cu_pointer first_at = 0, second_at = 0, old_at = 0;
    std::optional<detail::scan::gemm_check> check{};
    std::size_t reference = 0; ///< the instance that later ones are compared with
    bool has_reference = false;
};

} // namespace lkt::cublaslt_detail
