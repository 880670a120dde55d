// SPDX-License-Identifier: BSL-1.0
// Inputs, scalars and sizes that differ from those of a test in one place.
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/test_generator.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace lkt::detail {

/// What a comparison has had on either side, in all runs: one that stays the same is a number.
class fixed_side {
public:
    void add(comparison_seen const& c) {
        type_ = c.type;
        for (compared_pair const p : c.first) {
            if (!any_) kept_ = p;
            left_ = left_ && p.left == kept_.left;
            right_ = right_ && p.right == kept_.right;
            any_ = true;
        }
    }
    /// As a number of the operands' type, and of the type that has such bits.
    [[nodiscard]] std::vector<double> numbers() const {
        std::vector<double> all;
        auto const add_bits = [&](std::uint64_t bits) {
            double const value = operand_value(type_, bits);
            if (std::isfinite(value) && std::fabs(value) < 0x1p53) all.push_back(value);
            auto const low = static_cast<std::uint32_t>(bits);
            if (type_ != operand_type::bits32 || low < 0x800000) return;
            all.push_back(static_cast<double>(low));
            auto const like = static_cast<double>(std::bit_cast<float>(low));
            if (std::isfinite(like)) all.push_back(like);
        };
        if (any_ && left_) add_bits(kept_.left);
        if (any_ && right_) add_bits(kept_.right);
        return all;
    }

private:
    operand_type type_ = operand_type::steps;
    compared_pair kept_{};
    bool any_ = false, left_ = true, right_ = true;
};

/// Linear equations over bits: which of them to change.
class bit_system {
public:
    /// Changing that bit changes these.
    void add(unsigned bit, std::uint64_t changes) {
        std::uint64_t combination = std::uint64_t{1} << bit;
        for (unsigned k = 0; k < 64; ++k) {
            if ((changes >> k & 1) == 0) continue;
            if (rows_[k].first == 0) {
                rows_[k] = {changes, combination};
                return;
            }
            changes ^= rows_[k].first;
            combination ^= rows_[k].second;
        }
    }
    /// Bits whose change changes exactly `wanted`.
    [[nodiscard]] std::optional<std::uint64_t> solve(std::uint64_t wanted) const {
        std::uint64_t combination = 0;
        for (unsigned k = 0; k < 64; ++k) {
            if ((wanted >> k & 1) == 0) continue;
            if (rows_[k].first == 0) return std::nullopt;
            wanted ^= rows_[k].first;
            combination ^= rows_[k].second;
        }
        return combination;
    }

private:
    std::array<std::pair<std::uint64_t, std::uint64_t>, 64> rows_{}; ///< by their lowest bit
};

/// A lane of an input, and what it may become.
struct input_place {
    std::size_t argument = 0, lane = 0;
    double wanted = 0;
};

/// Makes tests, of values that are fair; nothing where they would not be.
class led_inputs {
public:
    led_inputs(problem const& task, std::uint64_t seed, call_context const& context)
        : task_(task), seed_(seed), context_(context) {}

    [[nodiscard]] bool
    may_change(test_case const& test, std::vector<direction> const& flow, std::size_t k) const {
        return test.arguments[k].buffer && flow[k] != direction::out && bounds(test, k) &&
               !test.arguments[k].bytes.empty();
    }

    /// Elements that are one of the operands, to become the other one: two of each argument.
    [[nodiscard]] std::vector<input_place> places_of(test_case const& test,
                                                     std::vector<direction> const& flow,
                                                     comparison_seen const& c) const {
        std::vector<input_place> found;
        auto pairs = c.first;
        pairs.resize(std::min<std::size_t>(pairs.size(), 2));
        pairs.push_back(c.nearest);
        for (std::size_t k = 0; k < test.arguments.size(); ++k) {
            if (!may_change(test, flow, k)) continue;
            argument_data const& data = test.arguments[k];
            std::size_t here = 0;
            for (compared_pair const p : pairs)
                for (auto const& [own, other] : {std::pair{p.left, p.right}, {p.right, p.left}}) {
                    if (own == other) continue;
                    for (std::size_t lane = 0; lane < data.lanes() && here < 2; ++lane) {
                        auto const wanted = becomes(data, lane, c.type, own, other);
                        if (!wanted) continue;
                        found.push_back({k, lane, *wanted});
                        ++here;
                        break;
                    }
                }
        }
        return found;
    }

    [[nodiscard]] std::optional<test_case>
    with(test_case const& test, input_place const& place, double value) const {
        auto made = test;
        if (!put(made, place, value)) return std::nullopt;
        return made;
    }
    [[nodiscard]] std::optional<test_case>
    with_bits(test_case const& test, input_place const& place, std::uint64_t change) const {
        auto made = test;
        auto& data = made.arguments[place.argument];
        if (is_half_byte(data.type.scalar)) return std::nullopt;
        std::size_t const size = size_of(data.type.scalar);
        std::uint64_t bits = 0;
        auto* const at = data.bytes.data() + place.lane * size;
        std::memcpy(&bits, at, size);
        bits ^= change;
        std::memcpy(at, &bits, size);
        double const value = lane_as_double(data, place.lane);
        if (!allows(test, place.argument, value)) return std::nullopt;
        return made;
    }
    /// Another value in each of these lanes.
    [[nodiscard]] std::optional<test_case> with_others(test_case const& test,
                                                       std::size_t argument,
                                                       std::size_t from,
                                                       std::size_t to) const {
        auto made = test;
        bool any = false;
        for (std::size_t lane = from; lane < to; ++lane) {
            input_place const place{argument, lane, 0};
            any |= put(made, place, other(test, place));
        }
        if (!any) return std::nullopt;
        return made;
    }
    /// Another fair value that is not far from the present one; that one, if there is none.
    [[nodiscard]] double other(test_case const& test, input_place const& place) const {
        argument_data const& data = test.arguments[place.argument];
        double const now = lane_as_double(data, place.lane);
        bool const real = is_floating(data.type.scalar);
        double const step = real ? std::max(std::fabs(now), 0.5) / 4 : 1;
        for (double const value : {now + step, now - step, now + step / 64, now - step / 64, 0.0})
            if (value != now && allows(test, place.argument, value) &&
                (real || value == std::trunc(value)))
                return value;
        return now;
    }
    /// The n-th value of the type from `value` on.
    [[nodiscard]] double
    beside(test_case const& test, input_place const& place, double value, int n) const {
        auto const type = test.arguments[place.argument].type.scalar;
        if (!is_floating(type)) return std::round(value) + n;
        value = rounded_to(type, value);
        for (int k = 0; k < std::abs(n); ++k) value = neighbour(type, value, n);
        return value;
    }

    /// As large (or small) as may be, in the argument of that number, or in all (their number);
    /// nothing where that is as it is with another number.
    [[nodiscard]] std::optional<test_case> at_bounds(test_case const& test,
                                                     std::vector<direction> const& flow,
                                                     std::size_t only,
                                                     int sign) const {
        auto made = test;
        std::size_t inputs = 0, changed = 0;
        for (std::size_t k = 0; k < made.arguments.size(); ++k) {
            if (!may_change(test, flow, k)) continue;
            ++inputs;
            if (only != k && only != made.arguments.size()) continue;
            auto& data = made.arguments[k];
            auto const fair = *bounds(test, k);
            double const large = large_value(data.type.scalar);
            double const value = sign > 0 ? std::min(fair.max, large) : std::max(fair.min, -large);
            if (!put(made, {k, 0, 0}, value)) continue;
            for (std::size_t lane = 1; lane < data.lanes(); ++lane) store_number(data, lane, value);
            ++changed;
        }
        if (changed == 0 || (only != made.arguments.size() && inputs < 2)) return std::nullopt;
        return made;
    }

    /// Of each input the first part is from `other`.
    [[nodiscard]] std::optional<test_case> mixed(test_case const& test,
                                                 test_case const& other,
                                                 std::vector<direction> const& flow,
                                                 double part) const {
        auto made = test;
        for (std::size_t k = 0; k < made.arguments.size(); ++k) {
            auto& data = made.arguments[k];
            if (!may_change(test, flow, k) || data.bytes.size() != other.arguments[k].bytes.size())
                continue;
            auto const values = static_cast<std::size_t>(part * static_cast<double>(data.count()));
            std::memcpy(
                data.bytes.data(), other.arguments[k].bytes.data(), values * data.type.bytes());
        }
        return made;
    }

    [[nodiscard]] std::optional<test_case>
    at_extent(problem_size size, std::size_t d, double extent) const {
        if (!(extent >= 1 && extent < 0x1p31)) return std::nullopt;
        size[d].second = static_cast<std::int64_t>(extent);
        return at_size(size);
    }
    [[nodiscard]] std::optional<test_case> at_size(problem_size const& size) const {
        constexpr std::uint64_t most = std::uint64_t{1} << 22; // elements
        auto const elements = elements_at(task_, size);
        if (!elements || *elements > most || !fair_size(task_, size)) return std::nullopt;
        auto made = inputs_at(
            task_, size, {seed_, first_explored_test, bytes{std::uint64_t{1} << 28}, {}}, context_);
        if (!made) return std::nullopt;
        return std::move(*made);
    }
    /// The nearest multiple of a power of two that is a fair extent; else the present one.
    [[nodiscard]] double fair_extent(problem_size size, std::size_t d, double extent) const {
        double const now = static_cast<double>(size[d].second);
        for (double step = 1; step <= 256; step *= 2)
            for (double const x :
                 {std::floor(extent / step) * step, std::ceil(extent / step) * step}) {
                if (!(x >= 1 && x < 0x1p31)) continue;
                size[d].second = static_cast<std::int64_t>(x);
                if (fair_size(task_, size)) return x;
            }
        return now;
    }

private:
    [[nodiscard]] std::optional<value_bounds> bounds(test_case const& test, std::size_t k) const {
        argument const& declared = task_.signature.arguments[k];
        if (!declared.pointer) return fair_scalar(task_, k);
        return fair_values(declared, task_.arguments[k], scope_of(test.size, {}));
    }
    /// What flushes denormal numbers may do so.
    [[nodiscard]] bool allows(test_case const& test, std::size_t k, double value) const {
        auto const fair = bounds(test, k);
        auto const type = test.arguments[k].type.scalar;
        if (!fair || !std::isfinite(value) || !fair->holds(value)) return false;
        if (!is_floating(type)) {
            auto const [low, high] = limits_of(type);
            return value >= static_cast<double>(low) && value <= static_cast<double>(high);
        }
        bool const half = type == scalar_type::float16 || type == scalar_type::float8_e5m2;
        if (type == scalar_type::float4_e2m1) return true;
        double const large = is_float8(type) && !half ? 32 : half ? 1024 : 0x1p40;
        double const least = is_float8(type) || half ? smallest_normal(type) : 0x1p-126;
        bool const own = std::isfinite(fair->min) && std::isfinite(fair->max);
        return value == 0 || ((own || std::fabs(value) <= large) && std::fabs(value) >= least);
    }
    bool put(test_case& test, input_place const& place, double value) const {
        auto& data = test.arguments[place.argument];
        if (is_floating(data.type.scalar)) value = rounded_to(data.type.scalar, value);
        if (!allows(test, place.argument, value)) return false;
        store_number(data, place.lane, value);
        return true;
    }
    /// The operand is the value of the lane, or has its bits.
    [[nodiscard]] static std::optional<double> becomes(argument_data const& data,
                                                       std::size_t lane,
                                                       operand_type type,
                                                       std::uint64_t own,
                                                       std::uint64_t other) {
        double const value = lane_as_double(data, lane);
        double const is = operand_value(type, own);
        if (value == is && value != 0 && (is_floating(data.type.scalar) || std::fabs(value) > 2))
            return operand_value(type, other);
        if (type == operand_type::bits32 && data.type.scalar == scalar_type::float32 &&
            data.lane<std::uint32_t>(lane) == static_cast<std::uint32_t>(own) && own != 0)
            return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(other)));
        return std::nullopt;
    }

    problem const& task_;
    std::uint64_t seed_;
    call_context const& context_;
};

} // namespace lkt::detail
