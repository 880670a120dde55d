// SPDX-License-Identifier: BSL-1.0
// Rows of two values: a sum that is small although its parts are large, a crowd of small terms
// beside a large one, all the largest values in one place.
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lkt::detail {

/// What values the rows may have.
struct contrast_range {
    double low = -1, high = 1; ///< the ends
    double unit = 1;           ///< of small differences; 1 for whole numbers
    int exponents = 0;         ///< binary digits below an end that a row may span
    bool whole = false;
    enum class forms : unsigned char { any, cancelling, others } rows = forms::any;
};

/// One number for each place of each row. A row has one of these forms:
///   - parts of opposite sign, as halves or in turns of 1 to 64, which cancel but for a few units,
///     of one size or of several;
///   - the two ends, or one end and 0, in turns, in a residue class or in a short stretch, where
///     the second value falls by units, so that the largest few lie together;
///   - one value at an end, and all others so small that together they count about as much, as
///     terms of a sum or of a sum of exponentials, or that they are far below it;
///   - one value throughout.
class row_contrasts {
public:
    row_contrasts(random_stream const& stream, std::uint64_t row, contrast_range range)
        : stream_(stream), row_(std::max<std::uint64_t>(row, 1)), range_(range) {}

    [[nodiscard]] double operator()(std::uint64_t lane, std::uint64_t lanes) {
        std::uint64_t const row = lane / row_, at = lane % row_;
        if (row != planned_) plan(row, std::min(row_, lanes - row * row_));
        if (at == moved_) return moved_to_;
        std::uint64_t const half = length_ / 2;
        switch (places_) {
        case places::none:
            return first_;
        case places::halves:
            return at < half ? near(first_, at) : near(second_, at - half);
        case places::turns:
            return near(at / period_ % 2 == 0 ? first_ : second_,
                        at / period_ / 2 * period_ + at % period_);
        case places::residue:
            return at % period_ == begin_ % period_ ? fallen(at / period_) : first_;
        case places::stretch:
            return at - begin_ < period_ ? fallen(at - begin_) : first_;
        }
        return first_;
    }

private:
    enum class places : unsigned char { none, halves, turns, residue, stretch };

    void plan(std::uint64_t row, std::uint64_t length) {
        planned_ = row, length_ = length;
        std::uint64_t next = row << 4;
        auto const draw = [&](std::uint64_t n) { return below(n, stream_.bits(next++)); };
        bool const signs = range_.low < 0 && range_.high > 0;
        begin_ = draw(4) == 0 ? 0 : draw(4) == 0 ? length - 1 : draw(length);
        period_ = std::uint64_t{1} << draw(7);
        fall_ = steps_ = 0;
        moved_ = ~std::uint64_t{0};
        // One after the other, from a drawn one on.
        bool const cancels = range_.rows != contrast_range::forms::others;
        std::uint64_t const first = cancels ? 0 : 4;
        std::uint64_t const count =
            range_.rows == contrast_range::forms::cancelling ? 4 : 10 - first;
        std::uint64_t const form =
            first + (row + below(count, stream_.bits(~std::uint64_t{0}))) % count;
        bool const one = form >= 6 && form < 9; // mostly the largest: what is below it may vanish
        bool const upper = one ? draw(4) != 0 : draw(2) == 0;
        double const end = upper ? range_.high : range_.low;
        double const other = upper ? range_.low : range_.high;
        if (form < 4 && signs) {
            cancel(upper, draw(4), draw(2) == 0, draw(2) == 0, draw(length), draw(4));
        } else if (form < 6) {
            first_ = signs && draw(3) == 0 ? 0 : other;
            second_ = end;
            places_ = static_cast<places>(2 + draw(3));
            if (places_ == places::residue) period_ *= 2;
            if (places_ != places::turns) fall_ = (upper ? -1 : 1) * range_.unit;
        } else if (one) {
            second_ = end;
            first_ = beside(end, other, draw(5), draw(10), draw(64));
            places_ = places::stretch;
            period_ = 1;
        } else {
            first_ = draw(2) == 0 ? end : rounded(end / 2);
            places_ = places::none;
        }
    }

    void cancel(bool upper,
                std::uint64_t size,
                bool halves,
                bool varied,
                std::uint64_t place,
                std::uint64_t rest) {
        double const far = std::fmin(-range_.low, range_.high);
        double const part[] = {far, far, rounded(far / 2), std::fmin(range_.unit, far)};
        first_ = part[size] * (upper ? 1 : -1);
        second_ = -first_;
        places_ = halves ? places::halves : places::turns;
        if (varied && part[size] >= 8 * range_.unit) steps_ = range_.unit;
        bool const odd = length_ % (halves ? 2 : 2 * period_) != 0;
        moved_ = odd ? length_ - 1 : place;
        moved_to_ = static_cast<double>(rest) * range_.unit * (upper ? 1 : -1);
    }
    /// What all but one of a row are; of the kinds 0 to 2 all together count about as much as it.
    [[nodiscard]] double beside(double one,
                                double other,
                                std::uint64_t kind,
                                std::uint64_t doublings,
                                std::uint64_t digits) const {
        double const share = std::ldexp(static_cast<double>(length_), static_cast<int>(doublings));
        double value = other;
        if (kind < 2 && !range_.whole)
            value = one - std::copysign(std::log(share), one - other);
        else if (kind == 2)
            value = rounded(one * 32 / share);
        else if (kind == 3)
            value = rounded(std::ldexp(
                one, -1 - static_cast<int>(digits) % std::max(1, range_.exponents)));
        return value >= range_.low && value <= range_.high ? value : other;
    }
    /// A number of the size of `v`, the same for pairs that cancel.
    [[nodiscard]] double near(double v, std::uint64_t pair) const {
        if (steps_ == 0) return v;
        double const by = steps_ * static_cast<double>(stream_.bits(~(planned_ << 32 ^ pair)) % 4);
        return v < 0 ? v + by : v - by;
    }
    /// The `k`th of the second values.
    [[nodiscard]] double fallen(std::uint64_t k) const {
        return second_ + fall_ * static_cast<double>(std::min<std::uint64_t>(k, 64));
    }
    [[nodiscard]] double rounded(double v) const { return range_.whole ? std::trunc(v) : v; }

    random_stream stream_;
    std::uint64_t row_, planned_ = ~std::uint64_t{0}, length_ = 1;
    contrast_range range_;
    places places_ = places::none;
    std::uint64_t period_ = 1, begin_ = 0, moved_ = 0;
    double first_ = 0, second_ = 0, fall_ = 0, steps_ = 0, moved_to_ = 0;
};

} // namespace lkt::detail
