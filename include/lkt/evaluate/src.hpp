// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/evaluate/impl/builder.ipp>
#include <lkt/evaluate/impl/check.ipp>
#include <lkt/evaluate/impl/checked_mode.ipp>
#include <lkt/evaluate/impl/decision.ipp>
#include <lkt/evaluate/impl/evaluation.ipp>
#include <lkt/evaluate/impl/finals.ipp>
#include <lkt/evaluate/impl/many_tiles.ipp>
#include <lkt/evaluate/impl/rebuild.ipp>
#include <lkt/evaluate/impl/search_configurations.ipp>
#include <lkt/evaluate/impl/standard_checks.ipp>
#include <lkt/evaluate/impl/test_runner.ipp>
#include <lkt/evaluate/impl/test_schedule.ipp>
#include <lkt/evaluate/impl/timer.ipp>
#include <lkt/evaluate/impl/timing_rounds.ipp>
#include <lkt/evaluate/impl/trial_log.ipp>
