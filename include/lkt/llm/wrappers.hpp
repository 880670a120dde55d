// SPDX-License-Identifier: BSL-1.0
// All models over models; docs/llm-wrappers.md says in which order to nest them.
#pragma once

#include <lkt/llm/budgeted.hpp>
#include <lkt/llm/by_purpose.hpp>
#include <lkt/llm/cached.hpp>
#include <lkt/llm/circuit_breaker.hpp>
#include <lkt/llm/fallback.hpp>
#include <lkt/llm/logged.hpp>
#include <lkt/llm/rate_limited.hpp>
#include <lkt/llm/recorded.hpp>
#include <lkt/llm/sample.hpp>
#include <lkt/llm/with_retry.hpp>
#include <lkt/llm/with_settings.hpp>
#include <lkt/llm/without_thinking.hpp>
