// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/strategies/impl/beam.ipp>
#include <lkt/strategies/impl/catalogue.ipp>
#include <lkt/strategies/impl/escalate.ipp>
#include <lkt/strategies/impl/evolve.ipp>
#include <lkt/strategies/impl/explicit_steps.ipp>
#include <lkt/strategies/impl/refine.ipp>
#include <lkt/strategies/impl/sample_n.ipp>
