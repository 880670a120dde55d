// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/gpu/impl/any_gpu_backend.ipp>
#include <lkt/gpu/impl/code_object.ipp>
#include <lkt/gpu/impl/compile_cache.ipp>
#include <lkt/gpu/impl/fill.ipp>
#include <lkt/gpu/impl/gpu_backend.ipp>
#include <lkt/gpu/impl/gpu_ref.ipp>
#include <lkt/gpu/impl/host.ipp>
#include <lkt/gpu/impl/host_shim.ipp>
#include <lkt/gpu/impl/sampling.ipp>
