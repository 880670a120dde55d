// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/classify.hpp>

#include <lkt/core/units.hpp>
#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/guards.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lkt {

namespace detail::kinds {

bool alike(argument_data const& a, argument_data const& b) {
    return a.type == b.type && a.bytes.size() == b.bytes.size();
}
/// Whether all elements have the same bits.
bool constant(argument_data const& data) {
    std::size_t const one = data.type.bytes();
    return data.bytes.size() <= one ||
           std::memcmp(data.bytes.data(), data.bytes.data() + one, data.bytes.size() - one) == 0;
}
bool zero(argument_data const& data) {
    std::size_t const lanes = constant(data) ? data.type.lanes : data.lanes();
    for (std::size_t k = 0; k < lanes; ++k)
        if (lane_as_double(data, k) != 0) return false;
    return true;
}
/// Not where the errors are wrong as a whole, or elements by a bound of their own: that of the
/// output says nothing then.
bool right(argument_data const* got, wrong_evidence const& e) {
    return e.difference.whole.empty() && got != nullptr && alike(*got, e.expected) &&
           differs(e.expected, e.got, e.bound) && !differs(e.expected, *got, e.bound);
}

/// Another answer than the one that was asked for: of an earlier launch, or of another test.
/// What may differ where other values are expected, which may be much smaller.
tolerance bound_for(argument_data const& other, wrong_evidence const& e) {
    tolerance bound = e.bound;
    double const here = figures_of(e.expected, e.expected).scale;
    double const there = figures_of(other, other).scale;
    if (there < here) bound.absolute *= there / here;
    return bound;
}

bool replayed(wrong_evidence const& e) {
    return e.difference.whole.empty() && !constant(e.got) &&
           std::any_of(e.others.begin(), e.others.end(), [&](argument_data const* other) {
               return alike(*other, e.expected) && !constant(*other) && e.expected.count() > 1 &&
                      differs(e.expected, *other, e.bound) &&
                      !differs(*other, e.got, bound_for(*other, e));
           });
}

/// Whether the output shows what it held before the launch in that element.
bool unwritten(wrong_evidence const& e, std::uint64_t k) {
    if (e.flow == direction::inout) return e.before != nullptr && same_element(e.got, *e.before, k);
    return e.again != nullptr && e.other_poison != nullptr && same_element(e.got, *e.again, k) &&
           !same_element(e.got, *e.other_poison, k);
}

/// The lane that is largest, and how large; NaNs are none.
struct largest_lane {
    double magnitude = -1;
    std::size_t lane = 0;

    void add(double x, std::size_t at) {
        if (x > magnitude) magnitude = x, lane = at;
    }
    largest_lane& operator+=(largest_lane const& o) {
        add(o.magnitude, o.lane);
        return *this;
    }
};
template <class Read>
largest_lane largest_of(argument_data const& data, bool finite, Read const& read) {
    auto const look = [&](largest_lane& seen, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
            if (double const x = std::fabs(read(data, k)); !finite || std::isfinite(x))
                seen.add(x, k);
    };
    return sum_of_chunks<largest_lane>(data.lanes(), threads_for(data.lanes()), look);
}

/// Two numbers, counted on threads.
struct two_counts {
    std::uint64_t a = 0, b = 0;
    two_counts& operator+=(two_counts const& o) {
        a += o.a;
        b += o.b;
        return *this;
    }
};

/// `add(counts, element)` for each wrong element.
template <class Add>
two_counts count_wrong(mismatch const& m, Add const& add) {
    auto const look = [&](two_counts& sum, std::uint64_t first, std::uint64_t last) {
        m.wrong.all_of(first, last, [&](std::uint64_t k) {
            add(sum, k);
            return true;
        });
    };
    return sum_of_chunks<two_counts>(m.wrong.size(), threads_for(m.count), look);
}

/// Random bits, rather than numbers of the size that is expected: for a launch that cannot be
/// repeated. Half of all bit patterns are floating-point numbers that are very large or very small.
bool noise(wrong_evidence const& e) {
    double const largest = with_reader(e.expected.type.scalar, [&](auto read) {
        return std::max(0.0, largest_of(e.expected, true, read).magnitude);
    });
    bool const real = is_floating(e.expected.type.scalar);
    unsigned const lanes = e.got.type.lanes;
    auto const [wild, seen] = count_wrong(e.difference, [&](two_counts& sum, std::uint64_t k) {
        for (std::size_t lane = k * lanes; lane < (k + 1) * lanes; ++lane) {
            double const x = std::fabs(lane_as_double(e.got, lane));
            bool const far = real ? !(x <= 0x1p20 * largest) || (x > 0 && x < 0x1p-40 * largest)
                                  : x > 16 * std::max(largest, 1.0);
            sum += {far ? 1u : 0u, 1};
        }
    });
    return seen >= 4 && wild * 4 >= seen;
}

/// Whether nothing was written over what the output was filled with, where it is wrong.
bool left_alone(argument_data const* got, wrong_evidence const& e) {
    if (got == nullptr || !alike(*got, e.expected)) return false;
    std::size_t const one = e.expected.type.bytes();
    return e.difference.wrong.all_of([&](std::uint64_t k) {
        for (std::size_t byte = k * one; byte < (k + 1) * one; ++byte)
            if (got->bytes[byte] != got->bytes[0]) return false;
        return true;
    });
}

/// Every error is small and most elements have one: a narrower type, or sums that lose digits.
bool imprecise(wrong_evidence const& e) {
    scalar_type const t = e.expected.type.scalar;
    if (!is_floating(t) || constant(e.got)) return false;
    if (!e.difference.whole.empty() && !differs(e.expected, e.got, e.bound)) return true;
    bool const half = t == scalar_type::float16 || t == scalar_type::bfloat16;
    double const scale = figures_of(e.expected, e.got).scale;
    double const small = is_float8(t) || is_half_byte(t) ? 0x1p-2 : half ? 0x1p-4 : 0x1p-5;
    std::atomic<bool> large{false}; // an error
    auto const all = with_reader(t, [&](auto read) {
        auto const look = [&](two_counts& sum, std::size_t first, std::size_t last) {
            if (large.load(std::memory_order_relaxed)) return;
            for (std::size_t k = first; k < last; ++k) {
                double const want = read(e.expected, k), x = read(e.got, k);
                if (!std::isfinite(want)) continue;
                if (!(std::fabs(x - want) <= small * std::max(std::fabs(want), scale)))
                    return large.store(true, std::memory_order_relaxed);
                sum += {x != want ? 1u : 0u, 1};
            }
        };
        return sum_of_chunks<two_counts>(e.expected.lanes(), threads_for(e.expected.lanes()), look);
    });
    // Narrow results are often rounded to what is expected all the same: then the few that are
    // wrong stand among many that differ.
    bool const among = half && all.a * 16 >= all.b && all.a >= 8 * e.difference.count;
    return !large && (all.a * 2 >= all.b || among);
}

/// Whether the output is a multiple of an input; 0 where it is not.
double multiple_of(argument_data const& input, argument_data const& got) {
    return with_reader(input.type.scalar, [&](auto read) -> double {
        if (std::isnan(read(input, 0))) return 0;
        std::size_t const largest = largest_of(input, false, read).lane;
        double const factor = read(got, largest) / read(input, largest);
        if (!std::isfinite(factor)) return 0;
        std::atomic<bool> other{false};
        auto const look = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
            for (std::size_t k = first; k < last && !other.load(std::memory_order_relaxed); ++k) {
                double const x = read(got, k);
                if (!(std::fabs(x - factor * read(input, k)) <= 0x1p-20 * std::fabs(x)))
                    other.store(true, std::memory_order_relaxed);
            }
        };
        (void)for_each_chunk(input.lanes(), threads_for(input.lanes()), {}, look); // all of it
        return other ? 0 : factor;
    });
}

/// By what an output that took no work is told; empty where it is not one.
std::string trivial(wrong_evidence const& e) {
    if (zero(e.got)) return "every element is 0";
    if (e.got.count() > 1 && constant(e.got) && !constant(e.expected))
        return "every element is " + value_text(e.got, 0) + ", whatever the inputs are";
    for (argument_data const* input : e.inputs) {
        if (!alike(*input, e.got) || e.got.count() < 4 || constant(*input)) continue;
        double const factor = multiple_of(*input, e.got);
        // Where a multiple is asked for, another one is a mistake and no deceit.
        if (factor == 0 || multiple_of(*input, e.expected) != 0) continue;
        return factor == 1 ? "the output is one of the inputs"
                           : "the output is " + significant(factor) + " times one of the inputs";
    }
    return {};
}

/// Every wrong element should be NaN or infinite and is not, or is another of these.
bool swallows_special(wrong_evidence const& e) {
    if (!is_floating(e.expected.type.scalar) || e.difference.count == 0) return false;
    unsigned const lanes = e.got.type.lanes;
    return e.difference.wrong.all_of([&](std::uint64_t k) {
        for (std::size_t lane = k * lanes; lane < (k + 1) * lanes; ++lane)
            if (!std::isfinite(lane_as_double(e.expected, lane))) return true;
        return false;
    });
}

/// What a correlation of two outputs is made of.
struct sums_of_products {
    double n = 0, w = 0, x = 0, ww = 0, xx = 0, wx = 0;

    void add(double want, double got) {
        *this += {1, want, got, want * want, got * got, want * got};
    }
    sums_of_products& operator+=(sums_of_products const& o) {
        n += o.n;
        w += o.w;
        x += o.x;
        ww += o.ww;
        xx += o.xx;
        wx += o.wx;
        return *this;
    }
};

/// Whether what came out has much of what is expected, and lacks the rest: a sum of some of the
/// terms. A constant factor is another mistake.
bool terms_missing(wrong_evidence const& e) {
    if (!is_floating(e.expected.type.scalar) || e.difference.count * 4 < e.difference.wrong.size())
        return false;
    // What is infinite or NaN where it should not be leaves no sum finite.
    auto const [n, w, x, ww, xx, wx] = with_reader(e.expected.type.scalar, [&](auto read) {
        auto const look = [&](sums_of_products& sum, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k)
                if (double const want = read(e.expected, k); std::isfinite(want))
                    sum.add(want, read(e.got, k));
        };
        return sum_of_chunks<sums_of_products>(
            e.expected.lanes(), threads_for(e.expected.lanes()), look);
    });
    if (n < 16 || !(ww > 0) || !(xx > 0) || !std::isfinite(xx)) return false;
    double const factor = wx / ww;
    double const rest = std::max(0.0, xx - factor * wx) / xx; // of got, beside factor * expected
    double const by_shape = (n * wx - w * x) / std::sqrt(std::max(n * ww - w * w, 1e-300) *
                                                         std::max(n * xx - x * x, 1e-300));
    return factor > 0.05 && factor < 0.995 && rest > 0x1p-30 && rest < 0.64 && by_shape > 0.6;
}

/// That a kernel keeps something from launch to launch is shown by launches to which nothing was
/// left.
kind_of_wrong from_fresh(wrong_evidence const& e, std::string const& seen, char const* right) {
    switch (e.fresh) {
    case when_fresh::unknown:
        break;
    case when_fresh::right:
        return {verdict::stateful,
                seen + ", and " + right + ": a launch must not depend on earlier ones"};
    case when_fresh::wrong:
        return {verdict::wrong_output,
                seen +
                    ", and wrong on the same inputs even with nothing kept from earlier launches"};
    case when_fresh::varies:
        return {verdict::nondeterminism,
                seen + ", and right in some launches and wrong in others on the same inputs, with "
                       "nothing kept from earlier ones"};
    }
    return {verdict::wrong_output, seen};
}

kind_of_wrong in_timed_launch(wrong_evidence const& e) {
    bool const left = e.flow == direction::inout && e.before != nullptr &&
                      e.difference.wrong.all_of(
                          [&](std::uint64_t k) { return same_element(e.got, *e.before, k); });
    if (left || (e.flow == direction::out && noise(e)))
        return {
            verdict::work_skipping,
            "the kernel writes elements when it is tested that it does not write when it is timed"};
    if (e.difference.few())
        return {verdict::race,
                "a few elements are wrong in a launch, but identical launches were right: threads "
                "race"};
    return from_fresh(e,
                      "the kernel is right when it is tested and wrong when it is timed",
                      "right on the same inputs in a launch with nothing kept from earlier ones");
}

/// What changes between launches on the same inputs.
kind_of_wrong unstable(wrong_evidence const& e, mismatch const& change) {
    if (is_floating(e.expected.type.scalar) &&
        change.worst_error <= 0x1p-7 * figures_of(e.expected, e.got).scale)
        return {verdict::nondeterminism,
                "each launch sums in a different order, and the results differ by more than is "
                "allowed"};
    return {verdict::race, "the results differ from launch to launch: threads race"};
}

kind_of_wrong by_values(wrong_evidence const& e) {
    if (auto why = trivial(e); !why.empty()) return {verdict::trivial_output, std::move(why)};
    std::uint64_t const total = e.difference.wrong.size();
    unsigned const lanes = e.got.type.lanes;
    auto const [left, zeros] = count_wrong(e.difference, [&](two_counts& sum, std::uint64_t k) {
        bool none = true;
        for (std::size_t lane = k * lanes; none && lane < (k + 1) * lanes; ++lane)
            none = lane_as_double(e.got, lane) == 0;
        sum += {unwritten(e, k) ? 1u : 0u, none ? 1u : 0u};
    });
    if (left > 0 && left < total)
        return {verdict::partial, "part of the output is not computed at all"};
    if (zeros > 0 && zeros == e.difference.count && zeros < total)
        return {verdict::partial, "part of the output is 0 instead of computed"};
    if (left == 0 && terms_missing(e))
        return {verdict::partial, "the output looks like a sum that lacks some of its terms"};
    return {};
}

} // namespace detail::kinds

kind_of_wrong classify(wrong_evidence const& e) {
    using namespace detail::kinds;
    if (replayed(e))
        return {verdict::replay_cache, "it is the right answer to other inputs, computed earlier"};
    if (e.timed) return in_timed_launch(e);
    if (e.again != nullptr)
        if (auto const change = find_mismatch(e.got, *e.again, e.bound))
            return unstable(e, *change);
    if (e.lapsed) {
        auto kind = from_fresh(e,
                               "a test that had passed fails when it is repeated",
                               "passes with nothing kept from earlier launches");
        // It passed once and failed once.
        if (kind.as == verdict::wrong_output) kind.as = verdict::nondeterminism;
        return kind;
    }
    if (right(e.other_poison, e) || right(e.from_nans, e))
        return {verdict::work_skipping,
                "its result depends on what the output contained before the launch"};
    if (right(e.from_zeros, e)) {
        if (left_alone(e.from_others, e))
            return {verdict::work_skipping,
                    "it works only where the output was 0 before the launch"};
        return {
            verdict::trivial_output,
            "it is right only where the output was 0 before the launch: the kernel must write it"};
    }
    if (swallows_special(e))
        return {verdict::semantics,
                "it is wrong only where NaN or an infinity is expected, as the original gives"};
    if (imprecise(e))
        return {verdict::precision,
                "all errors are small, and nearly every element has one: a type that is too "
                "narrow, or sums that lose digits"};
    if (e.timed_right)
        return {verdict::specialised, "it is right on the timed test, and wrong on this one"};
    if (e.subgroups)
        return {verdict::portability,
                "the text uses subgroups, whose size differs from device to device"};
    return by_values(e);
}

bool uses_subgroups(kernel_source const& source) {
    if (source.language != language::wgsl) return false;
    // Built-ins and their enabling directive all begin so; a comment that does is no harm, since
    // the kernel is wrong either way.
    for (std::string_view const word : {"subgroup", "quadSwap", "quadBroadcast"})
        if (source.text.find(word) != std::string::npos) return true;
    return false;
}

} // namespace lkt
