// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/report/impl/json.ipp>
#include <lkt/report/impl/text.ipp>
#include <lkt/report/impl/verification.ipp>
