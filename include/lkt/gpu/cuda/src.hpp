// SPDX-License-Identifier: BSL-1.0
// The definitions of the CUDA back end; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/gpu/cuda/impl/checked_run.ipp>
#include <lkt/gpu/cuda/impl/compile_job.ipp>
#include <lkt/gpu/cuda/impl/compile_log.ipp>
#include <lkt/gpu/cuda/impl/compile_options.ipp>
#include <lkt/gpu/cuda/impl/cuda.ipp>
#include <lkt/gpu/cuda/impl/device_service.ipp>
#include <lkt/gpu/cuda/impl/driver.ipp>
#include <lkt/gpu/cuda/impl/evidence.ipp>
#include <lkt/gpu/cuda/impl/kernel_inspector.ipp>
#include <lkt/gpu/cuda/impl/mig.ipp>
#include <lkt/gpu/cuda/impl/nvrtc.ipp>
#include <lkt/gpu/cuda/impl/nvrtc_place.ipp>
#include <lkt/gpu/cuda/impl/peaks.ipp>
#include <lkt/gpu/cuda/impl/profiler.ipp>
#include <lkt/gpu/cuda/impl/profiler_log.ipp>
#include <lkt/gpu/cuda/impl/profiler_run.ipp>
#include <lkt/gpu/cuda/impl/sanitizer.ipp>
#include <lkt/gpu/cuda/impl/sanitizer_log.ipp>
#include <lkt/gpu/cuda/impl/sanitizer_run.ipp>
#include <lkt/gpu/cuda/impl/toolkit.ipp>
