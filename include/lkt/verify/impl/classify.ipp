// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/classify.hpp>

#include <lkt/core/units.hpp>
#include <lkt/verify/guards.hpp>

#include <algorithm>
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
    for (std::size_t k = 0; k < data.lanes(); ++k)
        if (lane_as_double(data, k) != 0) return false;
    return true;
}
/// Not where the errors are wrong as a whole: the bound of single elements says nothing then.
bool right(argument_data const* got, wrong_evidence const& e) {
    return e.difference.whole.empty() && got != nullptr && alike(*got, e.expected) &&
           !find_mismatch(e.expected, *got, e.bound);
}

/// Another answer than the one that was asked for: of an earlier launch, or of another test.
bool replayed(wrong_evidence const& e) {
    return e.difference.whole.empty() &&
           std::any_of(e.others.begin(), e.others.end(), [&](argument_data const* other) {
               return alike(*other, e.expected) && !constant(*other) && e.expected.count() > 1 &&
                      find_mismatch(e.expected, *other, e.bound) &&
                      !find_mismatch(*other, e.got, e.bound);
           });
}

/// Whether the output shows what it held before the launch in that element.
bool unwritten(wrong_evidence const& e, std::uint64_t k) {
    if (e.flow == direction::inout) return e.before != nullptr && same_element(e.got, *e.before, k);
    return e.again != nullptr && e.other_poison != nullptr && same_element(e.got, *e.again, k) &&
           !same_element(e.got, *e.other_poison, k);
}

/// Random bits, rather than numbers of the size that is expected: for a launch that cannot be
/// repeated. Half of all bit patterns are floating-point numbers that are very large or very small.
bool noise(wrong_evidence const& e) {
    double largest = 0;
    for (std::size_t k = 0; k < e.expected.lanes(); ++k)
        if (double const x = std::fabs(lane_as_double(e.expected, k)); std::isfinite(x))
            largest = std::max(largest, x);
    bool const real = is_floating(e.expected.type.scalar);
    std::uint64_t wild = 0, seen = 0;
    for (std::size_t k = 0; k < e.got.lanes(); ++k) {
        if (!e.difference.wrong[k / e.got.type.lanes]) continue;
        double const x = std::fabs(lane_as_double(e.got, k));
        bool const far = real ? !(x <= 0x1p20 * largest) || (x > 0 && x < 0x1p-40 * largest)
                              : x > 16 * std::max(largest, 1.0);
        wild += far ? 1 : 0;
        ++seen;
    }
    return seen >= 4 && wild * 4 >= seen;
}

/// Whether nothing was written over what the output was filled with, where it is wrong.
bool left_alone(argument_data const* got, wrong_evidence const& e) {
    if (got == nullptr || !alike(*got, e.expected)) return false;
    std::size_t const one = e.expected.type.bytes();
    for (std::size_t k = 0; k < e.expected.count(); ++k)
        for (std::size_t byte = k * one; e.difference.wrong[k] && byte < (k + 1) * one; ++byte)
            if (got->bytes[byte] != got->bytes[0]) return false;
    return true;
}

/// Every error is small and most elements have one: a narrower type, or sums that lose digits.
bool imprecise(wrong_evidence const& e) {
    scalar_type const t = e.expected.type.scalar;
    if (!is_floating(t) || constant(e.got)) return false;
    bool const half = t == scalar_type::float16 || t == scalar_type::bfloat16;
    double const scale = figures_of(e.expected, e.got).scale;
    double const small = half ? 0x1p-4 : 0x1p-5;
    std::uint64_t off = 0, seen = 0;
    for (std::size_t k = 0; k < e.expected.lanes(); ++k) {
        double const want = lane_as_double(e.expected, k), x = lane_as_double(e.got, k);
        if (!std::isfinite(want)) continue;
        if (!(std::fabs(x - want) <= small * std::max(std::fabs(want), scale))) return false;
        off += x != want ? 1 : 0;
        ++seen;
    }
    return off * 2 >= seen;
}

/// Whether the output is a multiple of an input; 0 where it is not.
double multiple_of(argument_data const& input, argument_data const& got) {
    std::size_t largest = 0;
    for (std::size_t k = 0; k < input.lanes(); ++k)
        if (std::fabs(lane_as_double(input, k)) > std::fabs(lane_as_double(input, largest)))
            largest = k;
    double const factor = lane_as_double(got, largest) / lane_as_double(input, largest);
    if (!std::isfinite(factor)) return 0;
    for (std::size_t k = 0; k < input.lanes(); ++k) {
        double const x = lane_as_double(got, k);
        if (!(std::fabs(x - factor * lane_as_double(input, k)) <= 0x1p-20 * std::fabs(x))) return 0;
    }
    return factor;
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

/// Whether what came out has much of what is expected, and lacks the rest: a sum of some of the
/// terms. A constant factor is another mistake.
bool terms_missing(wrong_evidence const& e) {
    if (!is_floating(e.expected.type.scalar)) return false;
    double n = 0, w = 0, x = 0, ww = 0, xx = 0, wx = 0;
    for (std::size_t k = 0; k < e.expected.lanes(); ++k) {
        double const want = lane_as_double(e.expected, k), got = lane_as_double(e.got, k);
        if (!std::isfinite(want)) continue;
        if (!std::isfinite(got)) return false;
        ++n, w += want, x += got, ww += want * want, xx += got * got, wx += want * got;
    }
    if (n < 16 || !(ww > 0) || !(xx > 0) || e.difference.count * 4 < e.difference.wrong.size())
        return false;
    double const factor = wx / ww;
    double const rest = std::max(0.0, xx - factor * wx) / xx; // of got, beside factor * expected
    double const by_shape = (n * wx - w * x) / std::sqrt(std::max(n * ww - w * w, 1e-300) *
                                                         std::max(n * xx - x * x, 1e-300));
    return factor > 0.05 && factor < 0.995 && rest > 0x1p-30 && rest < 0.64 && by_shape > 0.6;
}

kind_of_wrong in_timed_launch(wrong_evidence const& e) {
    bool left = e.flow == direction::inout && e.before != nullptr;
    for (std::uint64_t k = 0; left && k < e.difference.wrong.size(); ++k)
        left = !e.difference.wrong[k] || same_element(e.got, *e.before, k);
    if (left || (e.flow == direction::out && noise(e)))
        return {verdict::work_skipping,
                "what was written when the kernel was tested is not written when it is timed"};
    if (e.difference.count * 64 <= e.difference.wrong.size())
        return {verdict::race,
                "few elements are wrong in a launch like others that were right: threads race"};
    return {verdict::stateful,
            "the kernel is right when it is tested and wrong when it is timed: a launch must not "
            "depend on earlier ones"};
}

/// What changes between launches on the same inputs.
kind_of_wrong unstable(wrong_evidence const& e, mismatch const& change) {
    double const scale = figures_of(e.expected, e.got).scale;
    if (is_floating(e.expected.type.scalar) && change.worst_error <= 0x1p-7 * scale)
        return {verdict::nondeterminism,
                "sums in another order in each launch differ by more than is allowed"};
    return {verdict::race, "what is computed differs from launch to launch: threads race"};
}

kind_of_wrong by_values(wrong_evidence const& e) {
    if (auto why = trivial(e); !why.empty()) return {verdict::trivial_output, std::move(why)};
    std::uint64_t const total = e.difference.wrong.size();
    std::uint64_t left = 0, zeros = 0;
    for (std::uint64_t k = 0; k < total; ++k) {
        if (!e.difference.wrong[k]) continue;
        left += unwritten(e, k) ? 1 : 0;
        bool none = true;
        for (std::size_t lane = 0; lane < e.got.type.lanes; ++lane)
            none = none && lane_as_double(e.got, k * e.got.type.lanes + lane) == 0;
        zeros += none ? 1 : 0;
    }
    if (left > 0 && left < total)
        return {verdict::partial, "part of the output is not computed at all"};
    if (zeros > 0 && zeros == e.difference.count && zeros < total)
        return {verdict::partial, "part of the output is 0 instead of computed"};
    if (left == 0 && terms_missing(e))
        return {verdict::partial,
                "the output resembles what is expected as a sum does that lacks some of its terms"};
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
    if (e.lapsed)
        return {verdict::stateful,
                "a test that had passed fails when it is repeated: a launch must not depend on "
                "earlier ones"};
    if (right(e.other_poison, e) || right(e.from_nans, e))
        return {verdict::work_skipping,
                "whether it is right depends on what the output held before the launch"};
    if (right(e.from_zeros, e)) {
        if (left_alone(e.from_others, e))
            return {verdict::work_skipping,
                    "it works only where the output was 0 before the launch"};
        return {verdict::trivial_output,
                "it is right only where the output was 0 before the launch: it has to be written"};
    }
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
