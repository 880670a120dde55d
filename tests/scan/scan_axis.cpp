// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/scan_axis.hpp>

#include <doctest/doctest.h>

TEST_CASE("scan_axis: ranges") {
    using numbers = std::vector<std::int64_t>;
    CHECK(lkt::parse_range("512").value() == numbers{512});
    CHECK(lkt::parse_range("1,2,5").value() == numbers{1, 2, 5});
    CHECK(lkt::parse_range("128..512:+128").value() == numbers{128, 256, 384, 512});
    CHECK(lkt::parse_range("1..100:x2").value() == numbers{1, 2, 4, 8, 16, 32, 64});
    CHECK(lkt::parse_range(" 1..4 , 3, 8..8").value() == numbers{1, 2, 3, 4, 8});
    CHECK(lkt::parse_range("1073741824..2147483647:x2").value() == numbers{1073741824});
    for (char const* wrong : {"",
                              "x",
                              "1..",
                              "1..4:",
                              "1..4:2",
                              "1..4:x1",
                              "1..4:+0",
                              "4..1",
                              "0",
                              "-1",
                              "1,,2",
                              "1..99999999",
                              "2147483648",
                              "1.5",
                              "1..4:x2:x2"}) {
        CAPTURE(wrong);
        auto const read = lkt::parse_range(wrong);
        REQUIRE_FALSE(read.has_value());
        CHECK(read.error().code == "lkt.scan.range");
    }
}

TEST_CASE("scan_axis: numbers from the least that can be; factors do not begin at 0") {
    CHECK(lkt::parse_range("0..2", 0).value() == std::vector<std::int64_t>{0, 1, 2});
    CHECK(lkt::parse_range("0..2").error().message.find("below 1") != std::string::npos);
    CHECK(lkt::parse_range("0..8:x2", 0).error().message.find("begin at 1") != std::string::npos);
    CHECK(lkt::scan_axis::parse("0,1", 0)->values.size() == 2);
    CHECK(lkt::scan_axis::parse("4*M")->formula.has_value());
}
