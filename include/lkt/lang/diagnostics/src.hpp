// SPDX-License-Identifier: BSL-1.0
// The definitions of this folder; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/lang/diagnostics/impl/diagnostic_words.ipp>
#include <lkt/lang/diagnostics/impl/diagnostics.ipp>
#include <lkt/lang/diagnostics/impl/own_text.ipp>
