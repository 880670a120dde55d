// SPDX-License-Identifier: BSL-1.0
// Numbers in float64 that are rounded as others are: factors of products, or each result.
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
///
/// What rounding makes of a factor depends on what a text refers it to: where that is the maximum
/// so far, most of them are 1 and exact, or off by the same share. Of another text nothing is known
/// but the most that each is off by. So in all draws but the first each factor is off by that much,
/// up or down as the draw and the element say. In the first, factors are rounded beside one that is
/// hardly less than halfway between two numbers for 1: what a row may have in common.
///
/// Where `float64_rounds` is set, what is computed without a double is off by up to 2^-24 besides,
/// by a share that its bits draw: float32 rounds as much, and another formula rounds elsewhere.
constexpr std::string_view factor_type = R"(
struct float64_factor {
    double marked;
    float64_factor() = default;
    template <class T> __device__ constexpr float64_factor(T x) : marked((double)x) {}
    __device__ int mark() const {
        long long const bits = __double_as_longlong(marked);
        return (bits & 0xffffffff00ll) == 0x5a6c93d700ll ? (int)(bits & 255) : 0;
    }
    __device__ double exact() const {
        long long const bits = __double_as_longlong(marked);
        return mark() == 0 ? marked : __longlong_as_double(bits & ~0xffffffffffll);
    }
    template <class T> __device__ explicit operator T() const { return (T)exact(); }
    __device__ double rounded(float64_factor beside) const {
        int const mark = beside.mark(), drop = 53 - (mark & 15);
        double const most = 1.0 / (1ll << (mark & 15));
        unsigned long long const of = (unsigned long long)__double_as_longlong(beside.marked);
        bool const down = (of ^ of >> 40) * 0x9e3779b97f4a7c15ull >> 63;
        if (mark >> 4 != 0) return exact() * (down ? 1 - most : 1 + most);
        double const other = 1 + 0.9 * most, x = exact() * other;
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
template <class T> struct float64_is { static constexpr bool own = false, wide = false; };
template <> struct float64_is<double> { static constexpr bool own = false, wide = true; };
template <> struct float64_is<float64_factor> { static constexpr bool own = true, wide = false; };
template <> struct float64_is<float64_product> { static constexpr bool own = true, wide = false; };
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
template <class A, class B = A> __device__ inline double float64_result(double x) {
    if (!float64_rounds || float64_is<A>::wide || float64_is<B>::wide) return x;
    unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ bits >> 32) * 0x94d049bb133111ebull;
    return x * (1 + ((double)(bits >> 40) - 8388607.5) * 0x1p-47);
}
template <class A, class B>
__device__ inline float64_of<A, B, float64_factor> operator+(A a, B b) {
    return float64_result<A, B>(float64_added(a, float64_computed(b)) +
                                float64_added(b, float64_computed(a)));
}
template <class A, class B>
__device__ inline float64_of<A, B, float64_factor> operator-(A a, B b) {
    return float64_result<A, B>(float64_added(a, float64_computed(b)) -
                                float64_added(b, float64_computed(a)));
}
template <class A, class B>
__device__ inline float64_of<A, B, float64_product> operator*(A one, B other) {
    float64_factor const a = one, b = other;
    double const product = float64_result<A, B>(a.exact() * b.exact());
    int const of_a = a.mark(), of_b = b.mark();
    if ((of_a == 0) == (of_b == 0)) return {product, product};
    long long const computed = __double_as_longlong(of_a == 0 ? a.marked : b.marked);
    double const rounded = of_a != 0 ? a.exact() * b.rounded(a) : a.rounded(b) * b.exact();
    bool const power = (computed & 0xfffffffffffffll) == 0;
    return {power ? float64_factor(a.marked * b.marked) : float64_factor(product), rounded};
}
template <class A, class B>
__device__ inline float64_of<A, B, float64_factor> operator/(A a, B b) {
    return float64_result<A, B>(float64_exact(a) / float64_exact(b));
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

/// Functions of one number and of two; `exact` where float32 rounds nothing.
struct factor_function {
    std::string_view name;
    unsigned numbers;
    bool exact = false;
};
constexpr factor_function factor_functions[] = {{"abs", 1, true},
                                                {"fabs", 1, true},
                                                {"floor", 1, true},
                                                {"ceil", 1, true},
                                                {"round", 1, true},
                                                {"trunc", 1, true},
                                                {"rint", 1, true},
                                                {"nearbyint", 1, true},
                                                {"isnan", 1, true},
                                                {"isinf", 1, true},
                                                {"isfinite", 1, true},
                                                {"signbit", 1, true},
                                                {"max", 2, true},
                                                {"min", 2, true},
                                                {"fmax", 2, true},
                                                {"fmin", 2, true},
                                                {"fmod", 2, true},
                                                {"copysign", 2, true},
                                                {"exp", 1},
                                                {"exp2", 1},
                                                {"exp10", 1},
                                                {"expm1", 1},
                                                {"log", 1},
                                                {"log2", 1},
                                                {"log10", 1},
                                                {"log1p", 1},
                                                {"sin", 1},
                                                {"cos", 1},
                                                {"tan", 1},
                                                {"asin", 1},
                                                {"acos", 1},
                                                {"atan", 1},
                                                {"sinh", 1},
                                                {"cosh", 1},
                                                {"tanh", 1},
                                                {"asinh", 1},
                                                {"acosh", 1},
                                                {"atanh", 1},
                                                {"sqrt", 1},
                                                {"rsqrt", 1},
                                                {"cbrt", 1},
                                                {"erf", 1},
                                                {"erfc", 1},
                                                {"pow", 2},
                                                {"atan2", 2},
                                                {"hypot", 2},
                                                {"fdim", 2}};

/// The last bits of an element that has so many digits, 1 to 15; `draw`, 0 to 15, makes for another
/// rounding of what it is multiplied by.
[[nodiscard]] constexpr std::uint64_t factor_mark(unsigned digits, unsigned draw) {
    return 0x5a6c93d700ULL | draw << 4 | digits;
}

} // namespace lkt::detail::float64
