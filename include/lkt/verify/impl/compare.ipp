// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/compare.hpp>

#include <lkt/core/units.hpp>
#include <lkt/verify/detail/parallel.hpp>
#include <lkt/verify/detail/within.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace lkt {

namespace detail {

/// How far off a value is that differs too much, NaN counting as infinite; `lane_is_right` where it
/// does not.
constexpr double lane_is_right = -1;
inline double error_of(double expected, double got) {
    double const error = std::fabs(got - expected);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

void mark(std::optional<mismatch>& found,
          argument_data const& expected,
          std::size_t lane,
          double error) {
    if (!found) found = mismatch{element_set(expected.count()), 0, 0, 0, -1, {}};
    std::uint64_t const element = lane / expected.type.lanes;
    if (!found->wrong[element]) {
        found->wrong[element] = true;
        if (found->count++ == 0) found->first = element;
    }
    if (error > found->worst_error) {
        found->worst_error = error;
        found->worst = element;
    }
}

/// `error_at(lane)` of every lane. Nearly every comparison finds all of them right, so that is what
/// many threads find out; whatever is wrong is then recorded in the order of the lanes.
template <class ErrorAt>
[[nodiscard]] std::optional<mismatch>
compare_lanes(unsigned threads, argument_data const& expected, ErrorAt const& error_at) {
    std::vector<unsigned char> wrong(chunks_in(expected.lanes()));
    auto const look = [&](std::size_t chunk, std::size_t first, std::size_t last) noexcept {
        while (first < last && error_at(first) == lane_is_right) ++first;
        wrong[chunk] = first < last ? 1 : 0;
    };
    (void)for_each_chunk(expected.lanes(), threads, {}, look); // nobody stops it
    std::optional<mismatch> found;
    for (std::size_t chunk = 0; chunk < wrong.size(); ++chunk) {
        if (wrong[chunk] == 0) continue;
        std::size_t const first = chunk * lanes_in_chunk;
        std::size_t const last = std::min(first + lanes_in_chunk, expected.lanes());
        for (std::size_t lane = first; lane < last; ++lane)
            if (double const error = error_at(lane); error != lane_is_right)
                mark(found, expected, lane, error);
    }
    return found;
}

/// For the two types that large outputs have; the others go lane by lane through a switch.
template <class Real>
[[nodiscard]] std::optional<mismatch> compare_reals(unsigned threads,
                                                    argument_data const& expected,
                                                    argument_data const& got,
                                                    tolerance bound,
                                                    bool nonfinite) {
    return compare_lanes(threads, expected, [&](std::size_t lane) {
        auto const e = static_cast<double>(expected.lane<Real>(lane));
        auto const g = static_cast<double>(got.lane<Real>(lane));
        if (!nonfinite && !std::isfinite(e)) return lane_is_right;
        return element_within(bound, e, g) ? lane_is_right : error_of(e, g);
    });
}

std::optional<mismatch> mismatch_on_threads(unsigned threads,
                                            argument_data const& expected,
                                            argument_data const& got,
                                            tolerance bound,
                                            bool nonfinite) {
    scalar_type const t = expected.type.scalar;
    if (t == scalar_type::float32)
        return compare_reals<float>(threads, expected, got, bound, nonfinite);
    if (t == scalar_type::float64)
        return compare_reals<double>(threads, expected, got, bound, nonfinite);
    // Integers without a bound are exact; a difference in the 64th bit must not depend on doubles.
    bool const exact = !is_floating(t) && bound == tolerance{};
    std::size_t const size = size_of(t);
    return compare_lanes(threads, expected, [&](std::size_t lane) {
        std::size_t const at = lane * size;
        if (std::memcmp(expected.bytes.data() + at, got.bytes.data() + at, size) == 0)
            return lane_is_right;
        double const e = lane_as_double(expected, lane), g = lane_as_double(got, lane);
        if (!nonfinite && !std::isfinite(e)) return lane_is_right;
        return !exact && element_within(bound, e, g) ? lane_is_right : error_of(e, g);
    });
}

/// What the figures of the errors are made of.
struct error_sums {
    double expected = 0, expected_squares = 0, errors = 0, squares = 0, products = 0;
    std::uint64_t lanes = 0;

    error_sums& operator+=(error_sums const& o) {
        expected += o.expected;
        expected_squares += o.expected_squares;
        errors += o.errors;
        squares += o.squares;
        products += o.products;
        lanes += o.lanes;
        return *this;
    }
};
template <class Value>
error_sums sums_of(std::size_t first,
                   std::size_t last,
                   Value value,
                   argument_data const& expected,
                   argument_data const& got) {
    error_sums s;
    for (std::size_t lane = first; lane < last; ++lane) {
        double const e = value(expected, lane), d = value(got, lane) - e;
        if (!std::isfinite(d)) continue; // of what is not finite, or beside it
        s += {e, e * e, d, d * d, d * e, 1};
    }
    return s;
}

/// Whether so few elements are wrong that the share covers them; a NaN is no jump.
bool excused(mismatch const& m,
             argument_data const& expected,
             argument_data const& got,
             double share) {
    if (static_cast<double>(m.count) > share * static_cast<double>(m.wrong.size())) return false;
    unsigned const lanes = expected.type.lanes;
    for (std::size_t lane = 0; lane < expected.lanes(); ++lane)
        if (m.wrong[lane / lanes] && std::isnan(lane_as_double(got, lane)) &&
            !std::isnan(lane_as_double(expected, lane)))
            return false;
    return true;
}

/// Elements that are right one by one, judged together.
std::optional<mismatch> wrong_as_a_whole(argument_data const& expected,
                                         argument_data const& got,
                                         error_limits const& limits) {
    constexpr std::uint64_t enough = 64; // few errors need not cancel
    constexpr double alike = 0x1p-10;    // nor do those of sums of the same terms
    error_figures const f = figures_of(expected, got);
    if (f.lanes < enough || !(f.scale > 0) || f.spread < alike) return std::nullopt;
    double const bias = std::max(std::fabs(f.mean), std::fabs(f.factor));
    bool const by_rms = f.rms > limits.rms;
    if (!by_rms && !(bias > limits.bias)) return std::nullopt;
    double const limit = (by_rms ? limits.rms : limits.bias) * f.scale;
    std::optional<mismatch> found;
    std::size_t worst = 0;
    double worst_error = -1;
    for (std::size_t lane = 0; lane < expected.lanes(); ++lane) {
        double const error = std::fabs(lane_as_double(got, lane) - lane_as_double(expected, lane));
        if (error > limit) mark(found, expected, lane, error);
        if (error > worst_error) worst = lane, worst_error = error;
    }
    if (!found) mark(found, expected, worst, worst_error);
    found->whole = by_rms ? "no element is far off, but the root mean square of all errors is " +
                                significant(f.rms) + " of that of the expected values, where " +
                                significant(limits.rms) + " is allowed"
                          : "no element is far off, but all err in one direction, by " +
                                significant(bias) + " of the expected values on average, where " +
                                significant(limits.bias) + " is allowed";
    return found;
}

/// What the wrong values have in common, or nothing.
std::string
describe_values(mismatch const& m, argument_data const& expected, argument_data const& got) {
    bool zero = true, same = true, finite = true, scaled = m.count > 1;
    double ratio = 0, first_got = 0;
    std::uint64_t seen = 0, nans = 0;
    for (std::uint64_t k = 0; k < m.wrong.size(); ++k) {
        if (!m.wrong[k]) continue;
        for (unsigned lane = 0; lane < expected.type.lanes; ++lane) {
            std::size_t const at = k * expected.type.lanes + lane;
            double const e = lane_as_double(expected, at), g = lane_as_double(got, at);
            if (seen++ == 0) {
                first_got = g;
                ratio = g / e;
            }
            nans += std::isnan(g) ? 1 : 0;
            zero = zero && g == 0;
            same = same && g == first_got;
            finite = finite && std::isfinite(g) && std::isfinite(e);
            scaled = scaled && std::isfinite(ratio) && ratio != 0 && ratio != 1 &&
                     std::fabs(g - ratio * e) <= 1e-3 * std::fabs(g);
        }
    }
    std::string const all = m.count == 1 ? "it is " : "each of them is ";
    if (nans == seen) return all + "NaN";
    if (zero) return all + "0";
    if (same && m.count > 1) return all + value_text(got, m.first);
    if (finite && scaled && m.count > 2)
        return all + significant(ratio) + " times what is expected";
    if (nans > 0) return std::to_string(nans) + " of them " + (nans == 1 ? "is" : "are") + " NaN";
    return {};
}

/// Whether a square matrix came out transposed; meant for outputs with wrong elements.
bool transposed(mismatch const& m,
                argument_data const& expected,
                argument_data const& got,
                tolerance bound) {
    auto const side =
        static_cast<std::uint64_t>(std::llround(std::sqrt(static_cast<double>(m.wrong.size()))));
    if (side < 3 || side * side != m.wrong.size() || expected.type.lanes != 1 || m.count < 3)
        return false;
    for (std::uint64_t k = 0; k < m.wrong.size(); ++k)
        if (m.wrong[k] && !element_within(bound,
                                          lane_as_double(expected, k % side * side + k / side),
                                          lane_as_double(got, k)))
            return false;
    return true;
}

/// An element as text; a boolean that is neither 0 nor 1 shows its byte.
std::string element_text(argument_data const& data, std::uint64_t k) {
    if (data.type == value_type{scalar_type::boolean, 1} && data.lane<std::uint8_t>(k) > 1)
        return "byte " + std::to_string(data.lane<std::uint8_t>(k)) + " (neither true nor false)";
    return value_text(data, k);
}

} // namespace detail

std::optional<mismatch>
find_mismatch(argument_data const& expected, argument_data const& got, tolerance bound) {
    return detail::mismatch_on_threads(detail::threads_for(expected.lanes()), expected, got, bound);
}

error_figures figures_of(argument_data const& expected, argument_data const& got) {
    std::vector<detail::error_sums> parts(detail::chunks_in(expected.lanes()));
    scalar_type const t = expected.type.scalar;
    auto const part = [&](std::size_t chunk, std::size_t first, std::size_t last) noexcept {
        if (t == scalar_type::float32)
            parts[chunk] = detail::sums_of(
                first,
                last,
                [&](argument_data const& d, auto lane) {
                    return static_cast<double>(d.lane<float>(lane));
                },
                expected,
                got);
        else
            parts[chunk] = detail::sums_of(
                first,
                last,
                [](argument_data const& d, auto lane) { return lane_as_double(d, lane); },
                expected,
                got);
    };
    (void)detail::for_each_chunk(
        expected.lanes(), detail::threads_for(expected.lanes()), {}, part); // nobody stops it
    detail::error_sums all;
    for (detail::error_sums const& p : parts) all += p;
    error_figures f;
    f.lanes = all.lanes;
    if (all.lanes == 0) return f;
    auto const n = static_cast<double>(all.lanes);
    f.scale = std::sqrt(all.expected_squares / n);
    if (!(f.scale > 0) || !std::isfinite(f.scale)) return f;
    double const mean = all.expected / n / f.scale;
    f.spread = std::sqrt(std::max(0.0, 1 - mean * mean));
    f.rms = std::sqrt(all.squares / n) / f.scale;
    f.mean = all.errors / n / f.scale;
    f.factor = all.products / all.expected_squares;
    return f;
}

std::optional<mismatch> judge_output(argument_data const& expected,
                                     argument_data const& got,
                                     tolerance bound,
                                     error_limits const& limits) {
    auto found = detail::mismatch_on_threads(
        detail::threads_for(expected.lanes()), expected, got, bound, limits.nonfinite);
    if (found && bound.share > 0 && detail::excused(*found, expected, got, bound.share))
        return std::nullopt;
    if (found || !limits.any() || !is_floating(expected.type.scalar)) return found;
    return detail::wrong_as_a_whole(expected, got, limits);
}

wrong_output describe_mismatch(mismatch const& m,
                               argument_data const& expected,
                               argument_data const& got,
                               tolerance bound,
                               problem_size const& size) {
    std::vector<std::int64_t> extents;
    for (auto const& [name, extent] : size) extents.push_back(extent);
    wrong_output w;
    w.index = m.first;
    w.expected = detail::element_text(expected, m.first);
    w.got = detail::element_text(got, m.first);
    w.wrong = m.count;
    w.total = m.wrong.size();
    w.pattern = m.whole;
    if (!m.whole.empty()) w.pattern += "; the errors lie in ";
    w.pattern += describe_location(m.wrong, extents);
    auto const add = [&](std::string const& text) {
        if (!text.empty()) w.pattern += "; " + text;
    };
    add(detail::describe_values(m, expected, got));
    if (detail::transposed(m, expected, got, bound)) add("the matrix is transposed");
    if (m.worst != m.first)
        add("worst is element " + std::to_string(m.worst) + ": expected " +
            detail::element_text(expected, m.worst) + ", got " +
            detail::element_text(got, m.worst));
    if (is_floating(expected.type.scalar) && m.whole.empty()) {
        double const allowed =
            bound.absolute +
            bound.relative * std::fabs(lane_as_double(expected, m.worst * expected.type.lanes));
        if (std::isfinite(m.worst_error) && std::isfinite(allowed))
            add("the worst is off by " + significant(m.worst_error) + " where " +
                significant(allowed) + " is allowed");
    }
    return w;
}

} // namespace lkt
