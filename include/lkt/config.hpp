// SPDX-License-Identifier: BSL-1.0
// The only macros of lkt, and the floor below which nothing is attempted.
#pragma once

#if defined(__CUDACC__)
#error "lkt: nvcc does not compile strategy graphs; move this code to a .cpp file"
#elif __cplusplus < 202002L
#error "lkt: C++20 is required; compile with -std=c++20"
#endif

// Fibres of the host back end switch by Boost.Context. A program that has Boost's headers but
// cannot link that library defines LKT_USE_UCONTEXT where it includes <lkt/src.hpp>.
#if !defined(LKT_USE_UCONTEXT) && !__has_include(<boost/context/detail/fcontext.hpp>)
#define LKT_USE_UCONTEXT
#endif
