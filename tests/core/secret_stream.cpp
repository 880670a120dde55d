// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/secret_stream.hpp>

#include <doctest/doctest.h>

#include <set>
#include <vector>

TEST_CASE("A block of ChaCha20 is that of RFC 8439, 2.3.2") {
    // There the counter has 32 bits and the nonce 96: our counter's upper half is its first word.
    std::array<std::uint32_t, 8> key{};
    for (std::uint32_t k = 0; k < 8; ++k)
        key[k] = 4 * k | (4 * k + 1) << 8 | (4 * k + 2) << 16 | (4 * k + 3) << 24;
    auto const block = lkt::detail::chacha<20>(
        key, 1 | std::uint64_t{0x09000000} << 32, 0x4a000000 | std::uint64_t{0} << 32);
    CHECK(block[0] == 0xe4e7f110U);
    CHECK(block[1] == 0x15593bd1U);
    CHECK(block[4] == 0xc7f4d1c7U);
    CHECK(block[15] == 0x4e3c50a2U);
}

TEST_CASE("Keys for other purposes, numbers and seeds are others") {
    std::set<std::array<std::uint32_t, 8>> seen;
    int made = 0;
    for (std::uint64_t seed : {0U, 1U, 2U})
        for (char const* purpose : {"", "fill", "fills", "a purpose with a long n", "canary"})
            for (std::uint64_t a : {0U, 1U, 2U})
                for (std::uint64_t b : {0U, 1U, 2U}) {
                    seen.insert(lkt::derived(lkt::secret_of(seed), purpose, a, b).words);
                    ++made;
                }
    CHECK(seen.size() == static_cast<std::size_t>(made));
    CHECK(lkt::drawn(lkt::secret_of(1), "x") == lkt::drawn(lkt::secret_of(1), "x"));
    CHECK(lkt::drawn(lkt::secret_of(1), "x") != lkt::drawn(lkt::secret_of(1), "y"));
}

TEST_CASE("A stream can be written from any byte on") {
    auto const key = lkt::secret_of(7);
    std::vector<std::byte> whole(1000), part(777);
    lkt::fill(whole, key);
    for (std::size_t const offset : {0U, 1U, 63U, 64U, 65U, 200U}) {
        lkt::fill(part, key, offset);
        CHECK(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(offset)));
    }
}
