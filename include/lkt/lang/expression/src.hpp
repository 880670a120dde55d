// SPDX-License-Identifier: BSL-1.0
// The definitions of this folder; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/lang/expression/impl/cpp_text.ipp>
#include <lkt/lang/expression/impl/expression.ipp>
#include <lkt/lang/expression/impl/parameters.ipp>
#include <lkt/lang/expression/impl/parse_parameter.ipp>
