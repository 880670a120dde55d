// SPDX-License-Identifier: BSL-1.0
// The part of the CPU's CUDA that stands in for the standard library.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// The few names of namespace std that kernels use.
inline constexpr std::string_view shim_std = R"lkt(
namespace std {
using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t; using ::intptr_t;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::exp; using ::exp2; using ::expm1; using ::log;
using ::log2; using ::log10; using ::log1p; using ::sqrt; using ::cbrt; using ::pow; using ::fabs;
using ::abs; using ::floor; using ::ceil; using ::trunc; using ::round; using ::fmod; using ::fma;
using ::fmax; using ::fmin; using ::hypot; using ::erf; using ::erfc; using ::isnan; using ::isinf;
using ::isfinite; using ::copysign; using ::min; using ::max; using ::memcpy; using ::memset;
/* What compilers make of braces: for (int i : {1, 2}). */
template <class T> class initializer_list {
    T const* from_ = nullptr;
    size_t count_ = 0;
    constexpr initializer_list(T const* from, size_t count) : from_(from), count_(count) {}
public:
    using value_type = T;
    using iterator = T const*;
    constexpr initializer_list() = default;
    constexpr size_t size() const { return count_; }
    constexpr T const* begin() const { return from_; }
    constexpr T const* end() const { return from_ + count_; }
};
template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    using type = integral_constant;
    constexpr operator T() const { return V; }
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <class A, class B> struct is_same : integral_constant<bool, ::lkt_same<A, B>> {};
template <class A, class B> inline constexpr bool is_same_v = ::lkt_same<A, B>;
template <class T> inline constexpr bool is_integral_v = ::lkt_integer<T>;
template <class T> inline constexpr bool is_floating_point_v = is_same_v<T, float> || is_same_v<T, double>;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { using type = T; };
template <class T, class F> struct conditional<false, T, F> { using type = F; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_cv { using type = T; };
template <class T> struct remove_cv<T const> { using type = T; };
template <class T> struct remove_cv<T volatile> { using type = T; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> constexpr remove_reference_t<T>&& move(T&& t) noexcept { return (remove_reference_t<T>&&)t; }
template <class T> constexpr T&& forward(remove_reference_t<T>& t) noexcept { return (T&&)t; }
template <class T> constexpr void swap(T& a, T& b) { T t = move(a); a = move(b); b = move(t); }
template <class T> struct numeric_limits {
    static constexpr bool is_signed = (T)-1 < (T)0;
    static constexpr T min() { return is_signed ? (T)((T)1 << (8 * sizeof(T) - 1)) : (T)0; }
    static constexpr T lowest() { return min(); }
    static constexpr T max() { return (T)~min(); }
};
template <> struct numeric_limits<float> {
    static constexpr float min() { return __FLT_MIN__; }
    static constexpr float max() { return __FLT_MAX__; }
    static constexpr float lowest() { return -__FLT_MAX__; }
    static constexpr float epsilon() { return __FLT_EPSILON__; }
    static constexpr float infinity() { return __builtin_inff(); }
    static constexpr float quiet_NaN() { return __builtin_nanf(""); }
};
template <> struct numeric_limits<double> {
    static constexpr double min() { return __DBL_MIN__; }
    static constexpr double max() { return __DBL_MAX__; }
    static constexpr double lowest() { return -__DBL_MAX__; }
    static constexpr double epsilon() { return __DBL_EPSILON__; }
    static constexpr double infinity() { return __builtin_inf(); }
    static constexpr double quiet_NaN() { return __builtin_nan(""); }
};
}
namespace cuda { namespace std { using namespace ::std; } }
)lkt";

} // namespace lkt::host_detail
