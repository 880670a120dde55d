// SPDX-License-Identifier: BSL-1.0
// Numbers with their dimension in the type: FLOP, bytes, joules, what is done of them in a second,
// FLOP for each byte or joule. Products and quotients have the dimension that they have in physics;
// sums of different ones do not compile. A quantity is one double, always in the unit without a
// prefix.
#pragma once

#include <lkt/core/units.hpp>

#include <compare>
#include <string>
#include <string_view>
#include <type_traits>

namespace lkt {

template <int Second, int Flop, int Byte, int Joule = 0>
class quantity;

/// A number where all powers are 0, `seconds` for a time, and else a `quantity`.
template <int Second, int Flop, int Byte, int Joule = 0>
using quantity_of =
    std::conditional_t<Flop != 0 || Byte != 0 || Joule != 0 || (Second != 0 && Second != 1),
                       quantity<Second, Flop, Byte, Joule>,
                       std::conditional_t<Second == 1, seconds, double>>;

/// Powers of second, FLOP, byte and joule. Comparison is that of `double`.
template <int Second, int Flop, int Byte, int Joule>
class quantity {
public:
    constexpr quantity() = default;
    /// In the unit without a prefix: `flop_rate(1e12)` is a TFLOP/s.
    explicit constexpr quantity(double count) : count_(count) {}
    [[nodiscard]] constexpr double count() const { return count_; }

    friend constexpr auto operator<=>(quantity, quantity) = default;
    friend constexpr quantity operator+(quantity x, quantity y) {
        return quantity(x.count_ + y.count_);
    }
    friend constexpr quantity operator-(quantity x, quantity y) {
        return quantity(x.count_ - y.count_);
    }
    friend constexpr quantity operator*(quantity x, double factor) {
        return quantity(x.count_ * factor);
    }
    friend constexpr quantity operator*(double factor, quantity x) { return x * factor; }
    friend constexpr quantity operator/(quantity x, double by) { return quantity(x.count_ / by); }
    friend constexpr quantity_of<Second - 1, Flop, Byte, Joule> operator/(quantity x, seconds t) {
        return quantity_of<Second - 1, Flop, Byte, Joule>(x.count_ / t.count());
    }
    friend constexpr quantity_of<Second + 1, Flop, Byte, Joule> operator*(quantity x, seconds t) {
        return quantity_of<Second + 1, Flop, Byte, Joule>(x.count_ * t.count());
    }
    friend constexpr quantity_of<Second + 1, Flop, Byte, Joule> operator*(seconds t, quantity x) {
        return x * t;
    }
    template <int S, int F, int B, int J>
    friend constexpr quantity_of<Second + S, Flop + F, Byte + B, Joule + J>
    operator*(quantity x, quantity<S, F, B, J> y) {
        return quantity_of<Second + S, Flop + F, Byte + B, Joule + J>(x.count_ * y.count());
    }
    template <int S, int F, int B, int J>
    friend constexpr quantity_of<Second - S, Flop - F, Byte - B, Joule - J>
    operator/(quantity x, quantity<S, F, B, J> y) {
        return quantity_of<Second - S, Flop - F, Byte - B, Joule - J>(x.count_ / y.count());
    }

    // What has another dimension is neither added nor compared.
    template <int S, int F, int B, int J>
    friend constexpr void operator+(quantity, quantity<S, F, B, J>)
        requires(!std::is_same_v<quantity, quantity<S, F, B, J>>)
    = delete;
    template <int S, int F, int B, int J>
    friend constexpr void operator-(quantity, quantity<S, F, B, J>)
        requires(!std::is_same_v<quantity, quantity<S, F, B, J>>)
    = delete;

private:
    double count_ = 0;
};

/// Operations; of integers, too, where others say OPs.
using flop_count = quantity<0, 1, 0>;
/// Bytes that are moved, which need not be whole: `bytes` is for sizes in memory.
using byte_count = quantity<0, 0, 1>;
using flop_rate = quantity<-1, 1, 0>;
using byte_rate = quantity<-1, 0, 1>;
/// Arithmetic intensity.
using flop_per_byte = quantity<0, 1, -1>;
using joules = quantity<0, 0, 0, 1>;
/// Joules in a second.
using watts = quantity<-1, 0, 0, 1>;
/// FLOP/s for each watt.
using flop_per_joule = quantity<0, 1, 0, -1>;

/// `rate / teraflop_per_second` is a number of them.
inline constexpr flop_rate teraflop_per_second{1e12};
inline constexpr byte_rate gigabyte_per_second{1e9};

/// `989.4 TFLOP/s`, `3.35 TB/s`, `96 FLOP`: four significant digits, the prefix that fits.
[[nodiscard]] std::string to_string(flop_count q);
[[nodiscard]] std::string to_string(byte_count q);
[[nodiscard]] std::string to_string(flop_rate q);
[[nodiscard]] std::string to_string(byte_rate q);
[[nodiscard]] std::string to_string(joules q);
[[nodiscard]] std::string to_string(watts q);
[[nodiscard]] std::string to_string(flop_per_joule q);
/// `1365 FLOP/B`: a ratio has no prefix.
[[nodiscard]] std::string to_string(flop_per_byte q);

} // namespace lkt
