// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/search/impl/exhaustive.ipp>
#include <lkt/search/impl/local_search.ipp>
#include <lkt/search/impl/search_ref.ipp>
#include <lkt/search/impl/space.ipp>
