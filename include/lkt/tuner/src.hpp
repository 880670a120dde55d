// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/tuner/impl/attack_judge.ipp>
#include <lkt/tuner/impl/problem_from.ipp>
#include <lkt/tuner/impl/progress.ipp>
#include <lkt/tuner/impl/run_journal.ipp>
#include <lkt/tuner/impl/tuner.ipp>
#include <lkt/tuner/impl/tuning_outcome.ipp>
