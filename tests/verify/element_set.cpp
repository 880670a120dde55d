// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/element_set.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace {

/// The same set, element by element.
struct pair_of_sets {
    lkt::element_set fast;
    std::vector<bool> slow;
};
pair_of_sets drawn(std::size_t size, double share, std::mt19937& random) {
    pair_of_sets s{lkt::element_set(size), std::vector<bool>(size)};
    std::bernoulli_distribution marked(share);
    for (std::size_t k = 0; k < size; ++k)
        if (marked(random)) {
            s.fast.mark(k);
            s.slow[k] = true;
        }
    return s;
}
std::vector<std::uint64_t> members(lkt::element_set const& s, std::uint64_t a, std::uint64_t b) {
    std::vector<std::uint64_t> in;
    CHECK(s.all_of(a, b, [&](std::uint64_t k) {
        in.push_back(k);
        return true;
    }));
    return in;
}

} // namespace

TEST_CASE("A set of elements answers as a list of them does, around the borders of words too") {
    std::mt19937 random(7);
    for (std::size_t size : {0, 1, 2, 63, 64, 65, 127, 128, 129, 200, 1000})
        for (double share : {0.0, 0.01, 0.5, 0.99, 1.0}) {
            CAPTURE(size);
            CAPTURE(share);
            auto const [fast, slow] = drawn(size, share, random);
            CHECK(fast.size() == size);
            CHECK(fast.empty() == (size == 0));
            std::vector<std::uint64_t> in;
            for (std::size_t k = 0; k < size; ++k) {
                CHECK(fast[k] == slow[k]);
                if (slow[k]) in.push_back(k);
            }
            CHECK(fast.count() == in.size());
            CHECK(fast.last() == (in.empty() ? size : in.back()));
            CHECK(members(fast, 0, size) == in);
            CHECK(members(fast.others(), 0, size).size() == size - in.size());
            CHECK(fast.others().others() == fast);
            for (std::size_t from = 0; from <= size; from += 7) {
                std::size_t next = from;
                while (next < size && !slow[next]) ++next;
                CHECK(fast.next(from) == next);
                std::uint64_t bits = 0;
                for (std::size_t k = 0; k < 64 && from + k < size; ++k)
                    bits |= std::uint64_t{slow[from + k]} << k;
                CHECK(fast.bits_from(from) == bits);
                std::vector<std::uint64_t> some;
                for (std::uint64_t k : in)
                    if (k >= from && k < from + 70) some.push_back(k);
                CHECK(members(fast, from, from + 70) == some);
            }
        }
}

TEST_CASE("Whoever has heard enough of a set hears no more") {
    lkt::element_set s(300);
    for (std::uint64_t k : {3, 70, 71, 299}) s.mark(k);
    std::vector<std::uint64_t> received;
    CHECK_FALSE(s.all_of([&](std::uint64_t k) {
        received.push_back(k);
        return k != 70;
    }));
    CHECK(received == std::vector<std::uint64_t>{3, 70});
    s.mark_word(128, 0x5);
    CHECK(s[128]);
    CHECK_FALSE(s[129]);
    CHECK(s[130]);
    CHECK(s.count() == 6);
}
