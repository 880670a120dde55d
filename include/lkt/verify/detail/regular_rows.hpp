// SPDX-License-Identifier: BSL-1.0
// Rows of regular values, most of them with an exception: shortcuts look at some elements and take
// the others for granted.
#pragma once

#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cstdint>

namespace lkt::detail {

/// Positions in an ordered range of `count` values, two at least. Each row is constant, rises or
/// falls by equal steps (and begins again at the other end of the range), or repeats a few values.
/// In most rows one element deviates, often the first or the last; or two deviate so that the sum
/// of the row stays, or also all its bits, counted by place.
class regular_rows {
public:
    regular_rows(random_stream const& stream, std::uint64_t row, std::uint64_t count)
        : stream_(stream), row_(std::max<std::uint64_t>(row, 1)), count_(count) {}

    [[nodiscard]] std::uint64_t operator()(std::uint64_t lane, std::uint64_t lanes) {
        std::uint64_t const row = lane / row_, at = lane % row_;
        if (row != planned_) plan(row, std::min(row_, lanes - row * row_));
        std::uint64_t const value = regular(at);
        if (exception_ == exception::none || (at != one_ && at != two_)) return value;
        std::uint64_t const a = regular(one_), b = regular(two_);
        bool const first = at == one_;
        if (exception_ == exception::one) return moved(a, by_);
        if (exception_ == exception::sum) {
            std::uint64_t const by = std::min({by_, count_ - 1 - a, b});
            return first ? a + by : b - by;
        }
        std::uint64_t const mask = by_ | 1;
        std::uint64_t const now = first ? (a & ~mask) | (b & mask) : (b & ~mask) | (a & mask);
        return std::min(now, count_ - 1);
    }

private:
    enum class shape : unsigned char { constant, rising, falling, periodic };
    enum class exception : unsigned char { none, one, sum, bits };

    void plan(std::uint64_t row, std::uint64_t length) {
        planned_ = row;
        std::uint64_t next = row << 4;
        auto const draw = [&](std::uint64_t n) { return below(n, stream_.bits(next++)); };
        shape_ = static_cast<shape>(draw(4));
        std::uint64_t const edge = std::min<std::uint64_t>(draw(16) / 2, count_ - 1);
        start_ = edge < 2 ? edge : edge < 4 ? count_ - (edge - 1) : draw(count_);
        std::uint64_t const largest = std::max<std::uint64_t>(count_ / (2 * length), 1);
        step_ = draw(2) == 0 ? 1 + draw(std::min<std::uint64_t>(count_ - 1, 9)) : 1 + draw(largest);
        period_ = std::uint64_t{2} << draw(4);
        if (draw(4) == 0) ++period_;
        near_ = draw(2) == 0;
        bool const may_be_none = shape_ != shape::constant;
        exception_ = static_cast<exception>(may_be_none ? draw(4) : 1 + draw(3));
        std::uint64_t const place = draw(4);
        one_ = place == 0 ? 0 : place == 1 ? length - 1 : draw(length);
        two_ = draw(length);
        if (exception_ == exception::one) two_ = one_;
        if (exception_ > exception::one && one_ == two_) exception_ = exception::none;
        by_ = draw(2) == 0 ? 1 : 1 + draw(std::max<std::uint64_t>(count_ / 2, 1));
    }

    [[nodiscard]] std::uint64_t regular(std::uint64_t at) const {
        switch (shape_) {
        case shape::constant:
            return start_;
        case shape::rising:
            return (start_ + at % count_ * (step_ % count_)) % count_;
        case shape::falling:
            return (start_ + at % count_ * (count_ - step_ % count_)) % count_;
        case shape::periodic:
            break;
        }
        std::uint64_t const bits = stream_.bits(~(planned_ * 64 + at % period_));
        if (!near_) return below(count_, bits);
        std::uint64_t const least = start_ == 0 ? 0 : start_ - 1;
        return std::min(least + below(3, bits), count_ - 1);
    }
    [[nodiscard]] std::uint64_t moved(std::uint64_t value, std::uint64_t by) const {
        return value + by < count_ ? value + by : value >= by ? value - by : count_ - 1 - value;
    }

    random_stream stream_;
    std::uint64_t row_, count_, planned_ = ~std::uint64_t{0};
    std::uint64_t start_ = 0, step_ = 1, period_ = 2, one_ = 0, two_ = 0, by_ = 1;
    shape shape_ = shape::constant;
    exception exception_ = exception::none;
    bool near_ = false;
};

} // namespace lkt::detail
