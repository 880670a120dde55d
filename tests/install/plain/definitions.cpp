// SPDX-License-Identifier: BSL-1.0
// The one file of a program without CMake that brings the definitions of lkt and of Boost.JSON.
#include <lkt/src.hpp>
