// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lkt {

/// The SHA-256 (FIPS 180-4) of bytes that come piece by piece:
///
///     lkt::sha256().add("abc").hex() // "ba7816bf..."
class sha256 {
public:
    sha256& add(std::span<std::byte const> bytes);
    sha256& add(std::string_view text) { return add(std::as_bytes(std::span(text))); }
    /// A number as 8 bytes, little endian: lengths, so that pieces cannot be taken for others.
    sha256& add_number(std::uint64_t number);

    /// Of all that was added so far: 64 digits in lower case.
    [[nodiscard]] std::string hex() const;

private:
    void take_block(std::byte const* block);

    std::array<std::uint32_t, 8> state_{0x6a09e667U,
                                        0xbb67ae85U,
                                        0x3c6ef372U,
                                        0xa54ff53aU,
                                        0x510e527fU,
                                        0x9b05688cU,
                                        0x1f83d9abU,
                                        0x5be0cd19U};
    std::array<std::byte, 64> rest_{}; ///< the begun block
    std::uint64_t length_ = 0;         ///< bytes so far
};

} // namespace lkt
