// SPDX-License-Identifier: BSL-1.0
// The definitions of this folder; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/lang/wgsl/impl/wgsl.ipp>
#include <lkt/lang/wgsl/impl/wgsl_defaults.ipp>
#include <lkt/lang/wgsl/impl/wgsl_kernel.ipp>
#include <lkt/lang/wgsl/impl/wgsl_zeros.ipp>
