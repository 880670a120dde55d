// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/bytes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

TEST_CASE("numbers lie in files as little endian, whatever the machine") {
    std::string out;
    lkt::byte_writer w(out);
    w.number(std::uint32_t{0x01020304});
    w.number(true);
    w.number(1.0);
    CHECK(out == std::string("\x04\x03\x02\x01\x01\0\0\0\0\0\0\xf0\x3f", 13));
}

TEST_CASE("counts take as many bytes as they need and come back") {
    for (std::uint64_t const n : {std::uint64_t{0},
                                  std::uint64_t{127},
                                  std::uint64_t{128},
                                  std::uint64_t{16383},
                                  std::uint64_t{16384},
                                  std::uint64_t{1} << 63,
                                  std::numeric_limits<std::uint64_t>::max()}) {
        CAPTURE(n);
        std::string out;
        lkt::byte_writer(out).count(n);
        lkt::byte_reader r(out);
        CHECK(r.count() == n);
        CHECK(r.complete());
    }
    std::string one;
    lkt::byte_writer(one).count(127);
    CHECK(one.size() == 1);
}

TEST_CASE("what does not fit is empty from then on, and the first reason is kept") {
    lkt::byte_reader r(std::string_view("\x05hell", 5));
    CHECK(r.text().empty());
    CHECK_FALSE(r.good());
    CHECK(r.why() == "the bytes end too early");
    CHECK(r.fault() == 1);
    CHECK(r.number<int>() == 0);
    CHECK(r.why() == "the bytes end too early");

    std::string const ones(20, '\xff');
    lkt::byte_reader endless(ones);
    CHECK(endless.count() == 0);
    CHECK_FALSE(endless.good());
    std::string const large = ones.substr(0, 9) + "\x02";
    lkt::byte_reader too_large(large);
    CHECK(too_large.count() == 0);
    CHECK_FALSE(too_large.good());

    lkt::byte_reader truth(std::string_view("\x02", 1));
    CHECK_FALSE(truth.number<bool>());
    CHECK_FALSE(truth.good());
}

TEST_CASE("nesting has an end") {
    lkt::byte_reader r("");
    int depth = 0;
    while (r.enter()) ++depth;
    CHECK(depth == lkt::byte_reader::max_depth);
    CHECK(r.why() == "values are nested too deeply");
}
