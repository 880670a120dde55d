// SPDX-License-Identifier: BSL-1.0
// Values of long rows, each of which follows from its place.
#pragma once

#include <lkt/verify/detail/ranked_values.hpp>
#include <lkt/verify/draw.hpp>
#include <lkt/verify/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace lkt::detail {

/// What the values of a row have in common. Each kind has several forms, by the row's number.
enum class row_pattern : unsigned char {
    ends,   ///< all at the lower end, all at the upper one, by turns
    low,    ///< all at the lower end
    high,   ///< all at the upper end
    cancel, ///< as large as may be, and their sum is small: in halves, or in groups of 1 to 32
    ones,   ///< four at the lower end, four hardly more than 0, and so on
    peak,   ///< the last one at the upper end, the others lower by the same
    steps,  ///< small ones, then large ones
    sparse, ///< 0, but for up to four of each 32; then pairs of opposite ones, at equal distances
    ranks,  ///< see `ranked_value`
    crowd   ///< the largest ones lie at multiples of a distance, the others are drawn
};

/// A row of `length` values between two bounds, both finite.
class patterned_row {
public:
    patterned_row(row_pattern what,
                  bool real,
                  value_bounds within,
                  std::uint64_t row,
                  std::uint64_t length,
                  random_stream const& stream)
        : what_(what), real_(real), low_(within.min), high_(within.max), row_(row), length_(length),
          chance_{stream.seed ^ (row * 0x9e3779b97f4a7c15), stream.test, stream.argument} {
        magnitude_ = std::min(-low_, high_);
        // Whose multiples take all digits.
        odd_ = real_ ? magnitude_ * 0.9472135 : magnitude_;
        rest_ = real_ ? high_ * 0x1p-10 : 1;
        place_ = below(length_, chance_.bits(~std::uint64_t{0}));
    }

    /// Whether bounds allow for it.
    [[nodiscard]] static bool suits(row_pattern what, bool real, value_bounds within) {
        bool const signs = within.min < 0 && within.max > 0;
        if (what == row_pattern::cancel) return signs;
        if (what == row_pattern::ones || what == row_pattern::sparse)
            return within.min <= 0 && within.max >= 1;
        if (what == row_pattern::ranks) return real && within.min <= 0 && within.max > 0;
        return what != row_pattern::steps || (real && within.max > 0);
    }

    [[nodiscard]] double operator()(std::uint64_t at) const {
        switch (what_) {
        case row_pattern::ends:
            return row_ % 2 == 0 ? low_ : high_;
        case row_pattern::low:
            return low_;
        case row_pattern::high:
            return high_;
        case row_pattern::cancel:
            return cancelling(at);
        case row_pattern::ones:
            return at % 8 < 4 ? low_ : rest_;
        case row_pattern::peak:
            return peaked(at);
        case row_pattern::steps:
            return stepped(at);
        case row_pattern::sparse:
            return 2 * at < length_ ? sparse(at) : paired(at);
        case row_pattern::ranks:
            return ranked_value(at, row_, length_, {low_, high_}, 0x1p-24, chance_);
        case row_pattern::crowd:
            return crowded(at);
        }
        return low_;
    }

private:
    /// In the first row halves; in the third some at the lower end and twice as many of half as
    /// much with the other sign, since that end may have no opposite; in others as many of either.
    [[nodiscard]] double cancelling(std::uint64_t at) const {
        if (at + 1 == length_) return rest_;
        std::uint64_t const form = row_ % 4;
        if (form == 2) {
            double const end = real_ ? low_ : std::ceil(low_ / 2) * 2;
            std::uint64_t const group = length_ / 768 * 64 + 32; // longer than a block's share
            std::uint64_t const whole = (length_ - 1) / (3 * group) * 3 * group;
            if (at < whole && -end / 2 <= high_) return at % (3 * group) < group ? end : -end / 2;
            return 0;
        }
        std::uint64_t const group = form == 0 ? (length_ - 1) / 16 * 8
                                              : std::uint64_t{1}
                                                    << below(6, chance_.bits(~std::uint64_t{1}));
        std::uint64_t const whole = group == 0 ? 0 : (length_ - 1) / (2 * group) * 2 * group;
        return at >= whole ? 0 : at / group % 2 == 0 ? odd_ : -odd_;
    }
    /// By how much: about where exponentials are too small for a half, for a float's last digit,
    /// and for anything; a multitude of them counts in a sum all the same. Behind the largest one
    /// they would be lost in an honest sum, too.
    [[nodiscard]] double peaked(std::uint64_t at) const {
        static constexpr double by[] = {17.4, 16.6, 30, 15.5, 9.8, 7.7, 12, 4};
        double const lower = real_ ? by[row_ % std::size(by)] : std::exp2(row_ % 8);
        return at + 1 == length_ ? high_ : std::max(low_, high_ - lower);
    }
    [[nodiscard]] double stepped(std::uint64_t at) const {
        static constexpr int by[] = {66, 100, 30, 12};
        if (at > place_) return high_;
        return std::ldexp(high_, -by[row_ % std::size(by)]);
    }
    [[nodiscard]] double drawn(std::uint64_t at, double low, double high) const {
        double const u = unit_interval(chance_.bits(at));
        double const value = low + (high - low) * u;
        return real_ ? value : std::floor(value);
    }
    [[nodiscard]] double sparse(std::uint64_t at) const {
        std::uint64_t const chosen = chance_.bits(~(at / 32)), many = chosen % 5;
        for (std::uint64_t k = 0; k < many; ++k)
            if ((chosen >> (8 + 5 * k)) % 32 == at % 32) return drawn(at, low_, high_);
        return 0;
    }
    [[nodiscard]] double paired(std::uint64_t at) const {
        std::uint64_t const apart = std::uint64_t{1} << (at / 64 % 6);
        std::uint64_t const chosen = chance_.bits(~(at / 64)), one = chosen % 64;
        double const value = std::floor(1 + static_cast<double>(chosen >> 40) * 0x1p-24 *
                                                std::max(0.0, magnitude_ - 1));
        if (at % 64 == one) return value;
        return (at % 64) == one + apart && -value >= low_ ? -value : 0;
    }
    [[nodiscard]] double crowded(std::uint64_t at) const {
        std::uint64_t const apart[] = {
            length_ / 4, 32, 65536, 128, length_ / 8, 256, length_ / 16, length_ / 2};
        std::uint64_t const by = std::max<std::uint64_t>(2, apart[row_ % std::size(apart)]);
        double const above = low_ + (high_ - low_) * 0.75;
        std::uint64_t const lane = place_ % by;
        bool const second = row_ % 2 == 0 && at % by == (lane + 1) % by;
        bool const among = at % by == lane || second;
        return among ? drawn(at, real_ ? above : std::ceil(above), high_) : drawn(at, low_, above);
    }

    row_pattern what_;
    bool real_;
    double low_, high_, magnitude_ = 0, odd_ = 0, rest_ = 0;
    std::uint64_t row_, length_, place_ = 0;
    random_stream chance_;
};

} // namespace lkt::detail
