// SPDX-License-Identifier: BSL-1.0
// The definitions of the HIP back end; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/gpu/hip/impl/hip.ipp>
#include <lkt/gpu/hip/impl/hip_job.ipp>
#include <lkt/gpu/hip/impl/hiprtc.ipp>
#include <lkt/gpu/hip/impl/runtime.ipp>
