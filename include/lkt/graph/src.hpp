// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/graph/impl/checkpointer.ipp>
#include <lkt/graph/impl/mermaid.ipp>
#include <lkt/graph/impl/observe.ipp>
#include <lkt/graph/impl/picture.ipp>
#include <lkt/graph/impl/suspended.ipp>
