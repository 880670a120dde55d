// SPDX-License-Identifier: BSL-1.0
// The definitions of this folder; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/lang/wgsl_as_cpp/impl/wgsl_as_cpp.ipp>
