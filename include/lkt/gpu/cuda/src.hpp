// SPDX-License-Identifier: BSL-1.0
// The definitions of the CUDA back end; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/gpu/cuda/impl/cuda.ipp>
#include <lkt/gpu/cuda/impl/device_session.ipp>
#include <lkt/gpu/cuda/impl/driver.ipp>
#include <lkt/gpu/cuda/impl/job.ipp>
