// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/compare.hpp>

#include <lkt/core/units.hpp>
#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/within.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lkt {

namespace detail {

/// What wrong values have in common.
struct common_values {
    bool zero = true, same = true, scaled = true;
    std::uint64_t nans = 0;

    common_values& operator+=(common_values const& o) {
        zero = zero && o.zero;
        same = same && o.same;
        scaled = scaled && o.scaled;
        nans += o.nans;
        return *this;
    }
};

/// The same in words, or nothing.
std::string
describe_values(mismatch const& m, argument_data const& expected, argument_data const& got) {
    unsigned const lanes = expected.type.lanes;
    double const first_got = lane_as_double(got, m.first * lanes);
    double const ratio = first_got / lane_as_double(expected, m.first * lanes);
    bool const a_ratio = m.count > 2 && std::isfinite(ratio) && ratio != 0 && ratio != 1;
    bool const reals = is_floating(got.type.scalar); // only these count NaNs
    auto const look = [&](common_values& seen, std::uint64_t from, std::uint64_t to) {
        seen.scaled = a_ratio;
        m.wrong.all_of(from, to, [&](std::uint64_t k) {
            for (std::size_t lane = k * lanes; lane < (k + 1) * lanes; ++lane) {
                double const e = lane_as_double(expected, lane), g = lane_as_double(got, lane);
                seen.nans += std::isnan(g) ? 1 : 0;
                seen.zero = seen.zero && g == 0;
                seen.same = seen.same && g == first_got;
                seen.scaled = seen.scaled && std::isfinite(g) && std::isfinite(e) &&
                              std::fabs(g - ratio * e) <= 1e-3 * std::fabs(g);
            }
            return reals || seen.zero || seen.same || seen.scaled;
        });
    };
    auto const all =
        sum_of_chunks<common_values>(m.wrong.size(), threads_for(m.count * lanes), look);
    std::string const text = m.count == 1 ? "it is " : "each of them is ";
    if (all.nans == m.count * lanes) return text + "NaN";
    if (all.zero) return text + "0";
    if (all.same && m.count > 1) return text + value_text(got, m.first);
    if (all.scaled) return text + significant(ratio) + " times what is expected";
    if (all.nans > 0)
        return std::to_string(all.nans) + " of them " + (all.nans == 1 ? "is" : "are") + " NaN";
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
    return m.wrong.all_of([&](std::uint64_t k) {
        return element_within(
            bound, lane_as_double(expected, k % side * side + k / side), lane_as_double(got, k));
    });
}

/// An element as text; a boolean that is neither 0 nor 1 shows its byte.
std::string element_text(argument_data const& data, std::uint64_t k) {
    if (data.type == value_type{scalar_type::boolean, 1} && data.lane<std::uint8_t>(k) > 1)
        return "byte " + std::to_string(data.lane<std::uint8_t>(k)) + " (neither true nor false)";
    return value_text(data, k);
}

} // namespace detail

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
        double const allowed = m.allowed.value_or(
            bound.absolute +
            bound.relative * std::fabs(lane_as_double(expected, m.worst * expected.type.lanes)));
        if (std::isfinite(m.worst_error) && std::isfinite(allowed))
            add("the worst is off by " + significant(m.worst_error) + " where " +
                significant(allowed) + " is allowed");
    }
    return w;
}

} // namespace lkt
