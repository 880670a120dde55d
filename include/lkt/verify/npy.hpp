// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/byte_buffer.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/value_type.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// What one NumPy file (.npy) holds: the elements little endian, in C order.
struct npy_array {
    scalar_type type = scalar_type::float32; ///< one that NumPy has, too: see `npy_type`
    std::vector<std::uint64_t> shape;        ///< empty for a single value
    byte_buffer bytes;

    /// The product of the shape.
    [[nodiscard]] std::uint64_t count() const { return bytes.size() / size_of(type); }
    friend bool operator==(npy_array const&, npy_array const&) = default;
};

/// The type as which a NumPy array holds values of `t`: float32 for bfloat16 and floats of 8 bits,
/// int8 and uint8 for half bytes, which NumPy all lacks.
[[nodiscard]] scalar_type npy_type(scalar_type t);

/// Reads a .npy file of version 1, 2 or 3: bool, integers of 8 to 64 bits, floats of 16, 32 and 64,
/// of either byte order; Fortran order is turned into C order, a bool into 0 or 1. `file` may be
/// anything. Errors (rejected, `lkt.verify.npy`): no such file; complex numbers, text, dates,
/// structures, objects; a size that is not the shape's.
[[nodiscard]] result<npy_array> parse_npy(std::span<std::byte const> file);

/// The first of several arrays that follow one another, as `numpy.save` writes them into one file;
/// `rest` then begins behind it.
[[nodiscard]] result<npy_array> take_npy(std::span<std::byte const>& rest);

/// Appends a .npy file of version 1. `bytes` are the elements, little endian and in C order, as
/// many as the shape says, and written as `npy_type` says.
void append_npy(std::string& out,
                scalar_type type,
                std::span<std::uint64_t const> shape,
                std::span<std::byte const> bytes);

/// Files. Errors besides those above: of `read_text_file` (at most `limit` bytes) and
/// `write_text_file`.
[[nodiscard]] result<npy_array> read_npy(std::string const& path,
                                         std::size_t limit = std::size_t{8} << 30);
result<void> write_npy(std::string const& path, npy_array const& array);

} // namespace lkt
