// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/random.hpp>

#include <lkt/verify/detail/numbers_at_once.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using counter = std::array<std::uint32_t, 4>;

TEST_CASE("philox gives the known answers that its authors published") {
    CHECK(lkt::philox4x32({0, 0, 0, 0}, {0, 0}) ==
          counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    std::uint32_t const ones = 0xffffffff;
    CHECK(lkt::philox4x32({ones, ones, ones, ones}, {ones, ones}) ==
          counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(lkt::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          {0xa4093822, 0x299f31d0}) ==
          counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
    static_assert(lkt::philox4x32({1, 0, 0, 0}, {0, 0}) != lkt::philox4x32({0, 0, 0, 0}, {0, 0}));
}

TEST_CASE("a stream's numbers depend on seed, test, argument and index, and on nothing else") {
    lkt::random_stream const stream{7, 1, 2};
    std::vector<std::uint64_t> forward, backward;
    for (std::uint64_t k = 0; k < 100; ++k) forward.push_back(stream.bits(k));
    for (std::uint64_t k = 100; k-- > 0;) backward.push_back(stream.bits(k));
    std::reverse(backward.begin(), backward.end());
    CHECK(forward == backward);
    std::set<std::uint64_t> seen(forward.begin(), forward.end());
    for (auto other : {lkt::random_stream{8, 1, 2},
                       lkt::random_stream{7, 2, 2},
                       lkt::random_stream{7, 1, 3},
                       lkt::random_stream{7, 2, 1}})
        for (std::uint64_t k = 0; k < 100; ++k) seen.insert(other.bits(k));
    CHECK(seen.size() == 500);
    // Pinned, so that a change of the layout, which would change every recorded test, is seen.
    CHECK(forward[0] == lkt::random_stream{7, 1, 2}.block(0)[0]);
    CHECK(forward[1] == lkt::random_stream{7, 1, 2}.block(0)[1]);
    auto const words = lkt::philox4x32({0, 0, 2, 1}, {7, 0});
    CHECK(forward[0] == (words[0] | std::uint64_t{words[1]} << 32));
}

TEST_CASE("numbers read at once are those read one by one, with vectors and without") {
    lkt::random_stream const stream{0x123456789abcdef, 3, 4};
    for (std::uint64_t const first : std::array<std::uint64_t, 4>{0, 1001, 0xfffffff1, ~0ull - 9}) {
        std::array<std::uint64_t, 64> fast{}, plain{};
        lkt::detail::read_numbers(stream, first, fast);
        lkt::detail::read_by_blocks(stream, first, plain);
        for (std::uint64_t k = 0; k < fast.size(); ++k) {
            CAPTURE(first);
            CAPTURE(k);
            auto const block = stream.block(first + k / 2);
            CHECK(fast[k] == block[k % 2]);
            CHECK(plain[k] == block[k % 2]);
        }
    }
}

TEST_CASE("whole numbers below a bound are even, also near 2^64") {
    std::vector<int> hits(6);
    lkt::random_stream const stream{3, 0, 0};
    for (std::uint64_t k = 0; k < 60000; ++k) ++hits.at(lkt::below(6, stream.bits(k)));
    for (int n : hits) CHECK(std::abs(n - 10000) < 400); // four standard deviations are 365
    std::uint64_t const ones = ~std::uint64_t{0};
    CHECK(lkt::below(10, 0) == 0);
    CHECK(lkt::below(10, ones) == 9);
    CHECK(lkt::below(ones, ones) == ones - 1);
    CHECK(lkt::below(0, 12345) == 12345);
    CHECK(lkt::below(std::uint64_t{1} << 63, ones) == (std::uint64_t{1} << 63) - 1);
}

TEST_CASE("the portable logarithm and cosine agree with the C library") {
    double worst_log = 0, worst_cos = 0;
    for (int k = 1; k <= 20000; ++k) {
        double const u = k / 20000.0;
        double const small = std::ldexp(u, -(k % 50));
        double const log_error = std::fabs(lkt::detail::portable_log(small) - std::log(small));
        worst_log = std::max(worst_log, log_error / std::max(1.0, std::fabs(std::log(small))));
        double const x = (k - 1) / 20000.0;
        worst_cos = std::max(
            worst_cos,
            std::fabs(lkt::detail::portable_cos_turns(x) - std::cos(6.283185307179586477 * x)));
    }
    CHECK(worst_log < 1e-15);
    CHECK(worst_cos < 1e-15);
    CHECK(lkt::detail::portable_log(1) == 0);
    CHECK(lkt::detail::portable_cos_turns(0) == 1);
    CHECK(lkt::detail::portable_cos_turns(0.5) == -1);
}

TEST_CASE("normal numbers have the moments and the tails of a normal distribution") {
    lkt::random_stream const stream{11, 0, 0};
    constexpr int n = 100000;
    double sum = 0, squares = 0, fourth = 0;
    int beyond_two = 0;
    for (std::uint64_t k = 0; k < n; ++k) {
        double const z = lkt::standard_normal(stream.block(k));
        REQUIRE(std::isfinite(z));
        sum += z;
        squares += z * z;
        fourth += z * z * z * z;
        beyond_two += std::fabs(z) > 2 ? 1 : 0;
    }
    CHECK(std::fabs(sum / n) < 0.013);         // four times 1 / sqrt(n)
    CHECK(std::fabs(squares / n - 1) < 0.018); // four times sqrt(2 / n)
    CHECK(std::fabs(fourth / n - 3) < 0.13);   // four times sqrt(96 / n)
    CHECK(std::fabs(beyond_two / double{n} - 0.0455) < 0.0027);
    CHECK(std::isfinite(lkt::standard_normal({0, 0})));
    CHECK(std::fabs(lkt::standard_normal({0, 0})) < 8.6);
}
