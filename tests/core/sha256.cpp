// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/sha256.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

TEST_CASE("SHA-256 gives the digests of FIPS 180-4's examples") {
    CHECK(lkt::sha256().hex() ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(lkt::sha256().add("abc").hex() ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(lkt::sha256().add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(lkt::sha256().add(std::string(1'000'000, 'a')).hex() ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("Pieces make no difference, and lengths around a block pad as they must") {
    // Lengths 55, 56, 63, 64, 65, 119 and 120 of 'a', by another implementation.
    std::pair<std::size_t, char const*> const known[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    };
    for (auto const& [length, digest] : known) {
        CHECK(lkt::sha256().add(std::string(length, 'a')).hex() == digest);
        lkt::sha256 pieces;
        for (std::size_t k = 0; k < length; k += 7)
            pieces.add(std::string(std::min<std::size_t>(7, length - k), 'a'));
        CHECK(pieces.hex() == digest);
    }
    CHECK(lkt::sha256().add_number(0x6261).hex() ==
          lkt::sha256().add(std::string("ab\0\0\0\0\0\0", 8)).hex());
}
