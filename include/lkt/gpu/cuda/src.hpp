// SPDX-License-Identifier: BSL-1.0
// The definitions of the CUDA back end; <lkt/src.hpp> gathers all layers.
#pragma once
