// SPDX-License-Identifier: BSL-1.0
// The texts behind standard_headers.hpp. Each `#define` and `typedef` is one line: a text that uses
// one of them without an include gets that line alone.
#pragma once

#include <lkt/gpu/device/detail/standard_headers.hpp>

#include <array>
#include <string_view>

namespace lkt::device_detail::standard {

// NVRTC has no constant expression for infinity but this one.
inline constexpr std::string_view math_h = R"(#pragma once
#define INFINITY (__builtin_bit_cast(float, 0x7f800000))
#define NAN (__builtin_bit_cast(float, 0x7fc00000))
#define HUGE_VALF (__builtin_bit_cast(float, 0x7f800000))
#define HUGE_VAL (__builtin_bit_cast(double, 0x7ff0000000000000LL))
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_Ef 2.7182818284590452354f
#define M_LN2f 0.69314718055994530942f
#define M_PIf 3.14159265358979323846f
#define M_PI_2f 1.57079632679489661923f
#define M_SQRT2f 1.41421356237309504880f
typedef float float_t;
typedef double double_t;
)";

inline constexpr std::string_view limits_h = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
)";

inline constexpr std::string_view float_h = R"(#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_MIN 1.17549435e-38F
#define FLT_MAX 3.40282347e+38F
#define FLT_EPSILON 1.19209290e-07F
#define FLT_TRUE_MIN 1.40129846e-45F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_TRUE_MIN 4.9406564584124654e-324
)";

// The 64-bit types are those of cuda/std/cstdint: a text may include both.
inline constexpr std::string_view stdint_h = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed char int_least8_t;
typedef short int_least16_t;
typedef int int_least32_t;
typedef long long int_least64_t;
typedef unsigned char uint_least8_t;
typedef unsigned short uint_least16_t;
typedef unsigned int uint_least32_t;
typedef unsigned long long uint_least64_t;
typedef signed char int_fast8_t;
typedef short int_fast16_t;
typedef int int_fast32_t;
typedef long long int_fast64_t;
typedef unsigned char uint_fast8_t;
typedef unsigned short uint_fast16_t;
typedef unsigned int uint_fast32_t;
typedef unsigned long long uint_fast64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef long long intmax_t;
typedef unsigned long long uintmax_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295U
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define UINT64_MAX 18446744073709551615ULL
#define INTPTR_MIN (-9223372036854775807LL - 1)
#define INTPTR_MAX 9223372036854775807LL
#define UINTPTR_MAX 18446744073709551615ULL
#define PTRDIFF_MIN (-9223372036854775807LL - 1)
#define PTRDIFF_MAX 9223372036854775807LL
#define SIZE_MAX 18446744073709551615ULL
#define INT32_C(x) x
#define UINT32_C(x) x##U
#define INT64_C(x) x##LL
#define UINT64_C(x) x##ULL
)";

inline constexpr std::string_view types_h = R"(#pragma once
#include <stdint.h>
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef unsigned long u_int64_t;
typedef long ssize_t;
typedef long long time_t;
)";

/// The toolkit's declares host functions, which NVRTC refuses.
inline constexpr std::string_view cuda_h = R"(#pragma once
typedef struct CUtensorMap_st { alignas(64) unsigned long long opaque[16]; } CUtensorMap;
)";

inline constexpr std::string_view stdlib_h = R"(#pragma once
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
)";

inline constexpr std::string_view stddef_h = R"(#pragma once
#define offsetof(type, member) ((size_t)((char*)&((type*)0)->member - (char*)0))
typedef long double max_align_t;
)";

inline constexpr std::string_view cmath = R"(#pragma once
#include <math.h>
namespace std {
using ::float_t; using ::double_t; using ::abs; using ::acos; using ::acosh; using ::asin;
using ::asinh; using ::atan; using ::atan2; using ::atanh; using ::cbrt; using ::ceil;
using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp;
using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor; using ::fma;
using ::fmax; using ::fmin; using ::fmod; using ::frexp; using ::hypot; using ::ilogb;
using ::isfinite; using ::isinf; using ::isnan; using ::ldexp; using ::lgamma; using ::llrint;
using ::llround; using ::log; using ::log10; using ::log1p; using ::log2; using ::logb;
using ::lrint; using ::lround; using ::modf; using ::nearbyint; using ::nextafter; using ::pow;
using ::remainder; using ::remquo; using ::rint; using ::round; using ::scalbln; using ::scalbn;
using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh;
using ::tgamma; using ::trunc;
}
)";

inline constexpr std::string_view cstdint = R"(#pragma once
#include <stdint.h>
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t;
using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::int_fast8_t; using ::int_fast16_t;
using ::int_fast32_t; using ::int_fast64_t; using ::uint_fast8_t; using ::uint_fast16_t;
using ::uint_fast32_t; using ::uint_fast64_t; using ::int_least8_t; using ::int_least16_t;
using ::int_least32_t; using ::int_least64_t; using ::uint_least8_t; using ::uint_least16_t;
using ::uint_least32_t; using ::uint_least64_t; using ::intptr_t; using ::uintptr_t;
using ::intmax_t; using ::uintmax_t;
}
)";

inline constexpr std::string_view cstddef = R"(#pragma once
#include <stddef.h>
namespace std {
using ::size_t; using ::ptrdiff_t; using ::max_align_t;
typedef decltype(nullptr) nullptr_t;
}
)";

inline constexpr std::string_view cstdlib = R"(#pragma once
#include <stdlib.h>
namespace std {
using ::size_t; using ::abs; using ::labs; using ::llabs; using ::malloc; using ::free;
}
)";

inline constexpr std::string_view cstring = R"(#pragma once
namespace std {
using ::size_t; using ::memcpy; using ::memset;
}
)";

inline constexpr std::string_view cstdio = R"(#pragma once
namespace std {
using ::size_t;
using ::printf;
}
)";

inline constexpr std::string_view algorithm = R"(#pragma once
namespace std {
template <class T> __host__ __device__ constexpr T const& min(T const& a, T const& b) {
    return b < a ? b : a;
}
template <class T> __host__ __device__ constexpr T const& max(T const& a, T const& b) {
    return a < b ? b : a;
}
template <class T> __host__ __device__ constexpr T const& clamp(T const& x, T const& a, T const& b) {
    return x < a ? a : b < x ? b : x;
}
}
#if __has_include(<cuda/std/utility>)
#include <utility>
#endif
)";

// Without CCCL there is no <limits>, and of <type_traits> what kernels use most.
inline constexpr std::string_view type_traits = R"(#pragma once
#if __has_include(<cuda/std/type_traits>)
)"
                                                "#include <cuda/std/type_traits>\n"
                                                R"(namespace std { using namespace ::cuda::std; }
#else
namespace std {
template <class T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    __host__ __device__ constexpr operator T() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <bool, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class A, class B> using conditional_t = typename conditional<b, A, B>::type;
#if __cplusplus >= 201703L
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
#endif
}
#endif
)";
inline constexpr std::string_view limits =
    "#pragma once\n#include <cuda/std/limits>\nnamespace std { using ::cuda::std::numeric_limits; "
    "}\n";
inline constexpr std::string_view utility =
    "#pragma once\n#include <cuda/std/utility>\nnamespace std { using namespace ::cuda::std; }\n";

inline constexpr std::string_view nothing = "#pragma once\n";

inline constexpr auto headers = std::to_array<header>({
    {"math.h", math_h},
    {"cmath", cmath},
    {"limits.h", limits_h},
    {"climits", "#include <limits.h>\n"},
    {"float.h", float_h},
    {"cfloat", "#include <float.h>\n"},
    {"stdint.h", stdint_h},
    {"cstdint", cstdint},
    {"inttypes.h", "#include <stdint.h>\n"},
    {"cinttypes", "#include <cstdint>\n"},
    {"sys/types.h", types_h},
    {"stddef.h", stddef_h},
    {"cstddef", cstddef},
    {"stdlib.h", stdlib_h},
    {"cstdlib", cstdlib},
    {"stdio.h", nothing},
    {"cstdio", cstdio},
    {"string.h", nothing},
    {"cstring", cstring},
    {"assert.h", nothing},
    {"cassert", nothing},
    {"stdbool.h", nothing},
    {"time.h", "#pragma once\ntypedef long long time_t;\n"},
    {"algorithm", algorithm},
    {"type_traits", type_traits},
    {"limits", limits},
    {"utility", utility},
    {"cuda.h", cuda_h},
    {"device_functions.h", nothing},
    {"math_functions.h", nothing},
    {"cuda_runtime.h", nothing, true},
    {"cuda_runtime_api.h", nothing, true},
    {"device_launch_parameters.h", nothing, true},
    {"device_atomic_functions.h", nothing, true},
    {"sm_30_intrinsics.h", nothing, true},
    {"sm_32_intrinsics.h", nothing, true},
    {"vector_types.h", nothing, true},
    {"vector_functions.h", nothing, true},
});

} // namespace lkt::device_detail::standard
