// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/lang/impl/definitions.ipp>
#include <lkt/lang/impl/expanded_text.ipp>
#include <lkt/lang/impl/find_kernel.ipp>
#include <lkt/lang/impl/fixed_block.ipp>
#include <lkt/lang/impl/similarity.ipp>
#include <lkt/lang/impl/unread_parameters.ipp>
