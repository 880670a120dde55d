// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/device.hpp>

#include <doctest/doctest.h>

TEST_CASE("a launch within the limits") {
    lkt::device_description d;
    d.name = "test device";
    CHECK(limit_exceeded(d, {{32, 32, 1}, {16, 16, 4}, 49152}).empty());
    CHECK(limit_exceeded(d, {{2147483647, 65535, 65535}, {1024, 1, 1}, 0}).empty());
}

TEST_CASE("the first limit broken, as a sentence") {
    lkt::device_description d;
    d.name = "test device";
    CHECK(limit_exceeded(d, {{1, 1, 1}, {2048, 1, 1}, 0}) ==
          "the block has 2048 threads, but test device allows 1024");
    CHECK(limit_exceeded(d, {{1, 1, 1}, {1, 1, 128}, 0}) ==
          "the block's extent in z is 128, and test device allows 64");
    CHECK(limit_exceeded(d, {{1, 70000, 1}, {1, 1, 1}, 0}) ==
          "the grid's extent in y is 70000, and test device allows 65535");
    CHECK(limit_exceeded(d, {{1, 1, 1}, {1, 1, 1}, 65536}) ==
          "a block asks for 64 KiB of dynamic shared memory, but test device has 48 KiB");
    CHECK(limit_exceeded(d, {{0, 1, 1}, {1, 1, 1}, 0}) == "the grid's extent in x is 0");
    CHECK(limit_exceeded(d, {{1, 1, 1}, {1, 0, 1}, 0}) == "the block's extent in y is 0");
}

TEST_CASE("a count of threads that wraps in 64 bits is still too many") {
    lkt::device_description const d;
    CHECK(limit_exceeded(d, {{}, {0x80000000U, 0x80000000U, 4}, 0}).find("more than") !=
          std::string::npos);
    CHECK_FALSE(limit_exceeded(d, {{}, {65536, 65536, 0xffffffffU}, 0}).empty());
}
