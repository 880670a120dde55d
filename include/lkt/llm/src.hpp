// SPDX-License-Identifier: BSL-1.0
// The definitions of this layer; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/llm/impl/any_chat_model.ipp>
#include <lkt/llm/impl/ask.ipp>
#include <lkt/llm/impl/budgeted.ipp>
#include <lkt/llm/impl/cached.ipp>
#include <lkt/llm/impl/cassette.ipp>
#include <lkt/llm/impl/circuit_breaker.ipp>
#include <lkt/llm/impl/complete_all.ipp>
#include <lkt/llm/impl/extract_code.ipp>
#include <lkt/llm/impl/extract_json.ipp>
#include <lkt/llm/impl/fallback.ipp>
#include <lkt/llm/impl/fenced_blocks.ipp>
#include <lkt/llm/impl/from_json.ipp>
#include <lkt/llm/impl/logged.ipp>
#include <lkt/llm/impl/mailbox.ipp>
#include <lkt/llm/impl/prices.ipp>
#include <lkt/llm/impl/prompt.ipp>
#include <lkt/llm/impl/rate_limited.ipp>
#include <lkt/llm/impl/recorded.ipp>
#include <lkt/llm/impl/replay.ipp>
#include <lkt/llm/impl/request_key.ipp>
#include <lkt/llm/impl/sample.ipp>
#include <lkt/llm/impl/schema.ipp>
#include <lkt/llm/impl/scripted.ipp>
#include <lkt/llm/impl/search_replace.ipp>
#include <lkt/llm/impl/thinking.ipp>
#include <lkt/llm/impl/with_retry.ipp>
#include <lkt/llm/impl/without_thinking.ipp>
