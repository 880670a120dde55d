// SPDX-License-Identifier: BSL-1.0
// The definitions of this folder; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/lang/cuda/impl/cuda_kernels.ipp>
#include <lkt/lang/cuda/impl/includes.ipp>
#include <lkt/lang/cuda/impl/inline_ptx.ipp>
#include <lkt/lang/cuda/impl/instantiation.ipp>
#include <lkt/lang/cuda/impl/named_numbers.ipp>
#include <lkt/lang/cuda/impl/preprocess.ipp>
#include <lkt/lang/cuda/impl/scope_walker.ipp>
#include <lkt/lang/cuda/impl/tokens.ipp>
