// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/classify.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/draw.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace {

using lkt::verdict;

lkt::argument_data drawn(std::uint32_t argument, std::size_t n = 256, double low = -1) {
    lkt::argument_data data{{}, true, lkt::byte_buffer(n * 4)};
    REQUIRE(lkt::draw(data, lkt::uniform{low, 1}, {}, {7, 0, argument}).has_value());
    return data;
}
lkt::argument_data reals(std::size_t n, std::function<double(std::size_t)> const& value) {
    lkt::argument_data data{{}, true, lkt::byte_buffer(n * 4)};
    for (std::size_t k = 0; k < n; ++k) lkt::detail::store_real(data, k, value(k));
    return data;
}
double at(lkt::argument_data const& data, std::size_t k) { return lkt::lane_as_double(data, k); }

/// An expected output and what came instead, with what it takes to name the difference.
struct wrong {
    lkt::argument_data expected, got;
    lkt::tolerance bound{0x1p-16, 0x1p-13};
    lkt::mismatch difference{};

    wrong(lkt::argument_data e, lkt::argument_data g) : expected(std::move(e)), got(std::move(g)) {
        auto found = lkt::find_mismatch(expected, got, bound);
        REQUIRE(found.has_value());
        difference = std::move(*found);
    }
    /// `e` with each element changed.
    wrong(lkt::argument_data const& e, std::function<double(std::size_t, double)> const& change)
        : wrong(e, reals(e.lanes(), [&](std::size_t k) { return change(k, at(e, k)); })) {}

    [[nodiscard]] lkt::wrong_evidence evidence() const {
        return {expected, got, difference, bound};
    }
    [[nodiscard]] verdict kind() const { return lkt::classify(evidence()).as; }
};

/// Dot products of `terms` terms out of `k`; `low` is that of the inputs.
lkt::argument_data dot(std::size_t k, std::size_t terms, double low) {
    auto const a = drawn(1, 128 * k, low), b = drawn(2, 128 * k, low);
    return reals(128, [&](std::size_t o) {
        double sum = 0;
        for (std::size_t i = 0; i < terms; ++i) sum += at(a, o * k + i) * at(b, o * k + i);
        return sum;
    });
}

} // namespace

TEST_CASE("what took no work is trivial") {
    CHECK(wrong(drawn(0), [](auto, double) { return 0.0; }).kind() == verdict::trivial_output);
    CHECK(wrong(drawn(0), [](auto, double) { return -3.5; }).kind() == verdict::trivial_output);
    // A constant that is nearly right everywhere, as the mean of many terms is.
    wrong const mean(reals(256, [](auto k) { return 1 + 1e-3 * std::sin(k); }),
                     [](auto, double) { return 1.0; });
    CHECK(mean.kind() == verdict::trivial_output);
    auto const input = drawn(3);
    for (double factor : {1.0, 0.5}) {
        wrong const handed(drawn(0), [&](auto k, double) { return factor * at(input, k); });
        auto e = handed.evidence();
        CHECK(lkt::classify(e).as != verdict::trivial_output);
        e.inputs = {&input};
        CHECK(lkt::classify(e).as == verdict::trivial_output);
    }
    // Where a multiple of the input is asked for, a wrong factor is only wrong.
    wrong const factor(reals(256, [&](auto k) { return 2 * at(input, k); }),
                       [](auto, double y) { return 1.5 * y; });
    auto e = factor.evidence();
    e.inputs = {&input};
    CHECK(lkt::classify(e).as == verdict::wrong_output);
    CHECK(lkt::classify(e).why.empty());
}

TEST_CASE("what is right in part is partial") {
    CHECK(wrong(drawn(0), [](auto k, double y) { return k < 128 ? y : 0; }).kind() ==
          verdict::partial);
    for (double low : {-1.0, 0.0}) {
        CAPTURE(low);
        for (std::size_t terms : {32u, 57u}) {
            CAPTURE(terms);
            CHECK(wrong(dot(64, 64, low), dot(64, terms, low)).kind() == verdict::partial);
        }
    }
    // Something else altogether, a constant factor, an offset, a single element.
    CHECK(wrong(drawn(0), drawn(1)).kind() == verdict::wrong_output);
    CHECK(wrong(drawn(0), [](auto, double y) { return 0.75 * y; }).kind() == verdict::wrong_output);
    CHECK(wrong(drawn(0), [](auto, double y) { return y + 2; }).kind() == verdict::wrong_output);
    CHECK(wrong(drawn(0), [](auto k, double y) { return k == 77 ? 9 : y; }).kind() ==
          verdict::wrong_output);
}

TEST_CASE("what was not written is known by two further launches") {
    auto const poison = drawn(4), other = drawn(5);
    auto const half = [](lkt::argument_data const& rest, std::size_t from) {
        auto const right = drawn(0);
        return reals(256, [&](auto k) { return k < from ? at(right, k) : at(rest, k); });
    };
    auto const kind = [&](std::size_t from) {
        wrong const w(drawn(0), half(poison, from));
        auto const again = half(poison, from), elsewhere = half(other, from);
        auto e = w.evidence();
        e.again = &again;
        e.other_poison = &elsewhere;
        return lkt::classify(e).as;
    };
    CHECK(kind(128) == verdict::partial);
    CHECK(kind(0) == verdict::wrong_output); // nothing at all
    wrong const left(drawn(0), half(poison, 128));
    auto e = left.evidence();
    e.flow = lkt::direction::inout;
    e.before = &poison;
    CHECK(lkt::classify(e).as == verdict::partial);
}

TEST_CASE("small errors everywhere are a matter of precision; in a few elements they are not") {
    auto const tf32 = [](auto, double y) {
        int exponent = 0;
        double const m = std::frexp(y, &exponent);
        return std::ldexp(std::nearbyint(std::ldexp(m, 11)), exponent - 11);
    };
    CHECK(wrong(drawn(0), tf32).kind() == verdict::precision);
    CHECK(wrong(drawn(0), [](auto k, double y) { return k % 8 ? y : y + 1e-3; }).kind() !=
          verdict::precision);
    CHECK(wrong(drawn(0), [](auto, double y) { return 0.9 * y; }).kind() != verdict::precision);
    // Half results are often the same all the same: one is wrong, and more differ.
    auto const halves = [](lkt::argument_data const& from, auto const& change) {
        lkt::argument_data data{
            {lkt::scalar_type::float16, 1}, true, lkt::byte_buffer(2 * from.lanes())};
        for (std::size_t k = 0; k < from.lanes(); ++k)
            lkt::detail::store_real(data, k, change(k, at(from, k)));
        return data;
    };
    auto const ones = drawn(0, 256, 0.75);
    auto const as_they_are = halves(ones, [](auto, double y) { return y; });
    auto const some = [&](std::size_t each) {
        wrong w(drawn(0), [](auto, double y) { return y + 1; });
        w.expected = as_they_are;
        w.got = halves(ones, [&](auto k, double y) {
            return k == 7 ? y + 0x1p-6 : k % each == 0 ? y + 0x1p-10 : y;
        });
        w.bound = {0x1p-9, 0x1p-8};
        w.difference = lkt::find_mismatch(w.expected, w.got, w.bound).value();
        return w.kind();
    };
    CHECK(some(8) == verdict::precision);
    CHECK(some(64) != verdict::precision);
    // Where each element is within its bound, what is wrong with all of them is their digits.
    auto whole = wrong(drawn(0), [](auto k, double y) { return k % 8 ? y : y + 1e-3; });
    whole.bound = {0, 2e-3};
    whole.difference.whole = "they err in one direction";
    CHECK(whole.kind() == verdict::precision);
    // The kind does not depend on the size, but that it is right elsewhere says more of others.
    auto const late = wrong(
        drawn(0), [](auto k, double y) { return k < 250 ? y : 7.0 + static_cast<double>(k); });
    auto e = late.evidence();
    e.timed_right = true;
    CHECK(lkt::classify(e).as == verdict::specialised);
    auto const narrow = wrong(drawn(0), tf32);
    auto p = narrow.evidence();
    p.timed_right = true;
    CHECK(lkt::classify(p).as == verdict::precision);
}

TEST_CASE("what changes between identical launches races, or adds up in another order") {
    wrong const w(drawn(0), [](auto k, double y) { return k < 9 ? 7.0 : y; });
    auto const again = reals(256, [&](auto k) { return k < 9 ? -3.0 : at(w.expected, k); });
    auto e = w.evidence();
    e.again = e.other_poison = &again;
    CHECK(lkt::classify(e).as == verdict::race);
    wrong const sums(drawn(0), [](auto k, double y) { return y + 1e-3 * std::sin(k); });
    auto const others = reals(256, [&](auto k) { return at(sums.expected, k) - 1e-3; });
    auto s = sums.evidence();
    s.again = s.other_poison = &others;
    CHECK(lkt::classify(s).as == verdict::nondeterminism);
}

TEST_CASE("answers to other questions, and launches that depend on earlier ones") {
    auto const answer = drawn(6);
    wrong const replay(drawn(0), answer);
    for (bool timed : {false, true}) {
        auto e = replay.evidence();
        e.timed = timed;
        e.others = {&answer};
        CHECK(lkt::classify(e).as == verdict::replay_cache);
    }
    // Zeros are no answer to a test whose answer is nearly 0.
    auto const tiny = reals(256, [](auto k) { return 1e-9 * static_cast<double>(k); });
    wrong const nothing(drawn(0), [](auto, double) { return 0.0; });
    auto n = nothing.evidence();
    n.others = {&tiny};
    CHECK(lkt::classify(n).as == verdict::trivial_output);
    auto e = replay.evidence();
    e.lapsed = true;
    CHECK(lkt::classify(e).as == verdict::nondeterminism);
    e.fresh = lkt::when_fresh::wrong;
    CHECK(lkt::classify(e).as == verdict::nondeterminism);
    e.fresh = lkt::when_fresh::right;
    CHECK(lkt::classify(e).as == verdict::stateful);
    auto const kind_from = [&](auto which) {
        auto f = replay.evidence();
        f.*which = &replay.expected;
        return lkt::classify(f).as;
    };
    CHECK(kind_from(&lkt::wrong_evidence::from_nans) == verdict::work_skipping);
    CHECK(kind_from(&lkt::wrong_evidence::other_poison) == verdict::work_skipping);
    CHECK(kind_from(&lkt::wrong_evidence::from_zeros) == verdict::trivial_output);
    auto z = replay.evidence();
    z.from_zeros = &replay.expected;
    lkt::argument_data filled = replay.expected;
    std::fill(filled.bytes.begin(), filled.bytes.end(), std::byte{0x3f});
    z.from_others = &filled;
    CHECK(lkt::classify(z).as == verdict::work_skipping);
}

TEST_CASE("what goes wrong only when it is timed") {
    auto const timed = [](wrong const& w) {
        auto e = w.evidence();
        e.timed = true;
        return lkt::classify(e).as;
    };
    lkt::argument_data noise{{}, true, lkt::byte_buffer(256 * 4)};
    lkt::random_stream const stream{3, 0, 0};
    for (std::size_t k = 0; k < noise.bytes.size(); ++k)
        noise.bytes[k] = static_cast<std::byte>(stream.bits(k) & 0xff);
    CHECK(timed({drawn(0), noise}) == verdict::work_skipping);
    wrong const other(drawn(0), drawn(1));
    CHECK(timed(other) == verdict::wrong_output);
    auto const after = [&](lkt::when_fresh fresh) {
        auto e = other.evidence();
        e.timed = true;
        e.fresh = fresh;
        return lkt::classify(e).as;
    };
    CHECK(after(lkt::when_fresh::right) == verdict::stateful);
    CHECK(after(lkt::when_fresh::wrong) == verdict::wrong_output);
    CHECK(after(lkt::when_fresh::varies) == verdict::nondeterminism);
    CHECK(timed(wrong(drawn(0), [](auto k, double y) { return k == 3 ? 7 : y; })) == verdict::race);
    wrong const idle(drawn(0), drawn(1));
    auto e = idle.evidence();
    e.timed = true;
    e.flow = lkt::direction::inout;
    e.before = &idle.got;
    CHECK(lkt::classify(e).as == verdict::work_skipping);
    lkt::argument_data counts{{lkt::scalar_type::int32, 1}, true, lkt::byte_buffer(1024)};
    auto wild = counts;
    wild.bytes = noise.bytes;
    wrong const unwritten(counts, wild);
    auto u = unwritten.evidence();
    u.timed = true;
    CHECK(lkt::classify(u).as == verdict::work_skipping);
}

TEST_CASE("a NaN or an infinity that gets lost is another semantics") {
    double const nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();
    // Every eighth element is special, and comes out as `given`; the first is off by `other`.
    auto const as = [](double special, double given, double other) {
        auto const y = drawn(0);
        auto const with = [&](double x, double more) {
            return reals(y.lanes(), [&](std::size_t k) {
                return k % 8 == 3 ? x : at(y, k) + (k == 0 ? more : 0);
            });
        };
        auto const expected = with(special, 0), got = with(given, other);
        return wrong(expected, got).kind();
    };
    CHECK(as(nan, 0, 0) == verdict::semantics);
    CHECK(as(infinity, 3e38, 0) == verdict::semantics);
    CHECK(as(infinity, -infinity, 0) == verdict::semantics);
    CHECK(as(nan, 0, 1) != verdict::semantics);
}

TEST_CASE("subgroups are a word of WGSL") {
    using lkt::language;
    CHECK(lkt::uses_subgroups({language::wgsl, "x = subgroupAdd(y);", ""}));
    CHECK(lkt::uses_subgroups({language::wgsl, "x = quadSwapX(y);", ""}));
    CHECK_FALSE(lkt::uses_subgroups({language::wgsl, "x = y;", ""}));
    CHECK_FALSE(lkt::uses_subgroups({language::cuda, "x = subgroupAdd(y);", ""}));
    wrong const w(drawn(0), drawn(1));
    auto e = w.evidence();
    e.subgroups = true;
    CHECK(lkt::classify(e).as == verdict::portability);
}
