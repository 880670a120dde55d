// SPDX-License-Identifier: BSL-1.0
// Numbers in float64 of which products behave as on tensor cores.
#pragma once

#include <cstdint>
#include <string_view>

namespace lkt::detail::float64 {

/// CUDA or HIP text of the type `float64_factor`, a double whose last bits say whether it is an
/// element of a narrow argument, and of how many digits. Where a product of such an element and a
/// computed number is added to something computed, the computed factor is rounded to as many
/// digits: units for matrix products take both factors in the type of the arguments, and add in a
/// wider one. Whatever else is computed is exact: a product that nothing is added to, a sum, a
/// product of two computed numbers. Arithmetic loses the mark; copies, changes of sign and
/// multiplications by a power of two keep it.
constexpr std::string_view factor_type = R"(
struct float64_factor {
    double marked;
    float64_factor() = default;
    template <class T> __device__ constexpr float64_factor(T x) : marked((double)x) {}
    __device__ int mark() const {
        long long const bits = __double_as_longlong(marked);
        return (bits & 0xffffffffc0ll) == 0x5a6c93d740ll ? (int)(bits & 63) : 0;
    }
    __device__ double exact() const {
        long long const bits = __double_as_longlong(marked);
        return mark() == 0 ? marked : __longlong_as_double(bits & ~0xffffffffffll);
    }
    template <class T> __device__ explicit operator T() const { return (T)exact(); }
    __device__ double rounded(int mark) const {
        int const drop = 53 - (mark & 15);
        double const other = 1 + 0.37 * (mark >> 4), x = exact() * other;
        long long const bits = __double_as_longlong(x);
        if ((bits >> 52 & 0x7ff) == 0x7ff) return exact();
        return __longlong_as_double((bits + (1ll << (drop - 1))) & ~((1ll << drop) - 1)) / other;
    }
    __device__ float64_factor operator-() const { return -marked; }
    __device__ float64_factor operator+() const { return *this; }
    template <class T> __device__ float64_factor& operator+=(T x) { return *this = *this + x; }
    template <class T> __device__ float64_factor& operator-=(T x) { return *this = *this - x; }
    template <class T> __device__ float64_factor& operator*=(T x) { return *this = *this * x; }
    template <class T> __device__ float64_factor& operator/=(T x) { return *this = *this / x; }
};
struct float64_product {
    float64_factor product;
    double rounded;
    __device__ operator float64_factor() const { return product; }
    template <class T> __device__ explicit operator T() const { return (T)product.exact(); }
    __device__ float64_product operator-() const { return {-product, -rounded}; }
};
template <class T> struct float64_is { static constexpr bool own = false; };
template <> struct float64_is<float64_factor> { static constexpr bool own = true; };
template <> struct float64_is<float64_product> { static constexpr bool own = true; };
template <bool, class R> struct float64_if {};
template <class R> struct float64_if<true, R> { using type = R; };
template <class A, class B, class R> using float64_of =
    typename float64_if<(float64_is<A>::own || float64_is<B>::own), R>::type;
template <class T> __device__ inline double float64_exact(T x) { return (double)x; }
template <class T> __device__ inline double float64_added(T x, bool) { return (double)x; }
__device__ inline double float64_added(float64_product x, bool computed) {
    return computed ? x.rounded : x.product.exact();
}
template <class T> __device__ inline bool float64_computed(T) { return true; }
__device__ inline bool float64_computed(float64_factor x) { return x.mark() == 0; }
template <class A, class B>
__device__ inline float64_of<A, B, float64_factor> operator+(A a, B b) {
    return float64_added(a, float64_computed(b)) + float64_added(b, float64_computed(a));
}
template <class A, class B>
__device__ inline float64_of<A, B, float64_factor> operator-(A a, B b) {
    return float64_added(a, float64_computed(b)) - float64_added(b, float64_computed(a));
}
template <class A, class B>
__device__ inline float64_of<A, B, float64_product> operator*(A one, B other) {
    float64_factor const a = one, b = other;
    double const product = a.exact() * b.exact();
    int const of_a = a.mark(), of_b = b.mark();
    if ((of_a == 0) == (of_b == 0)) return {product, product};
    long long const computed = __double_as_longlong(of_a == 0 ? a.marked : b.marked);
    if ((computed & 0xfffffffffffffll) == 0) return {a.marked * b.marked, product};
    return {product, of_a != 0 ? a.exact() * b.rounded(of_a) : a.rounded(of_b) * b.exact()};
}
template <class A, class B>
__device__ inline float64_of<A, B, float64_factor> operator/(A a, B b) {
    return float64_exact(a) / float64_exact(b);
}
#define FLOAT64_COMPARE(op)                                        \
    template <class A, class B>                                    \
    __device__ inline float64_of<A, B, bool> operator op(A a, B b) { \
        return float64_exact(a) op float64_exact(b);               \
    }
FLOAT64_COMPARE(<) FLOAT64_COMPARE(>) FLOAT64_COMPARE(<=) FLOAT64_COMPARE(>=)
FLOAT64_COMPARE(==) FLOAT64_COMPARE(!=)
#undef FLOAT64_COMPARE
__device__ inline bool operator!(float64_factor x) { return x.exact() == 0; }
template <class A, class B, class C>
__device__ inline float64_factor fma(A a, B b, C c) {
    return float64_factor(a) * float64_factor(b) + float64_factor(c);
}
__device__ inline float64_factor atomicAdd(float64_factor* to, float64_factor x) {
    return ::atomicAdd(&to->marked, x.exact());
}
)";

/// Functions of one number and of two, which are exact.
constexpr std::string_view factor_functions[] = {
    "abs",  "isnan", "isinf", "isfinite", "signbit", "exp",   "exp2",     "exp10", "expm1", "log",
    "log2", "log10", "log1p", "sin",      "cos",     "tan",   "asin",     "acos",  "atan",  "sinh",
    "cosh", "tanh",  "sqrt",  "rsqrt",    "cbrt",    "fabs",  "floor",    "ceil",  "round", "trunc",
    "rint", "erf",   "erfc",  "asinh",    "acosh",   "atanh", "nearbyint"};
constexpr std::string_view factor_functions_of_two[] = {
    "max", "min", "fmax", "fmin", "pow", "fmod", "atan2", "hypot", "fdim", "copysign"};

/// The last bits of an element that has so many digits, 1 to 15; `draw`, 0 to 3, makes for another
/// rounding of what it is multiplied by.
[[nodiscard]] constexpr std::uint64_t factor_mark(unsigned digits, unsigned draw) {
    return 0x5a6c93d740ULL | draw << 4 | digits;
}

} // namespace lkt::detail::float64
