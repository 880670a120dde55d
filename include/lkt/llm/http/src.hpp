// SPDX-License-Identifier: BSL-1.0
// The definitions of what is behind HTTP, with Boost.Asio, Boost.Beast and OpenSSL: for one
// translation unit of a program (CMake: lkt::http). lkt/src.hpp does not have them.
#pragma once

#include <lkt/llm/http/impl/address.ipp>
#include <lkt/llm/http/impl/anthropic.ipp>
#include <lkt/llm/http/impl/caller.ipp>
#include <lkt/llm/http/impl/connection.ipp>
#include <lkt/llm/http/impl/decode.ipp>
#include <lkt/llm/http/impl/dialer.ipp>
#include <lkt/llm/http/impl/encode.ipp>
#include <lkt/llm/http/impl/engine.ipp>
#include <lkt/llm/http/impl/event_stream.ipp>
#include <lkt/llm/http/impl/exchange.ipp>
#include <lkt/llm/http/impl/exchange_limits.ipp>
#include <lkt/llm/http/impl/fault_error.ipp>
#include <lkt/llm/http/impl/http_model.ipp>
#include <lkt/llm/http/impl/json_view.ipp>
#include <lkt/llm/http/impl/llama_cpp.ipp>
#include <lkt/llm/http/impl/lookup.ipp>
#include <lkt/llm/http/impl/make_chat_model.ipp>
#include <lkt/llm/http/impl/ndjson.ipp>
#include <lkt/llm/http/impl/ollama.ipp>
#include <lkt/llm/http/impl/openai_chat.ipp>
#include <lkt/llm/http/impl/openai_responses.ipp>
#include <lkt/llm/http/impl/opening.ipp>
#include <lkt/llm/http/impl/pool.ipp>
#include <lkt/llm/http/impl/proxy.ipp>
#include <lkt/llm/http/impl/request_text.ipp>
#include <lkt/llm/http/impl/retry_after.ipp>
#include <lkt/llm/http/impl/server_fault.ipp>
#include <lkt/llm/http/impl/status_error.ipp>
#include <lkt/llm/http/impl/stream_decoder.ipp>
#include <lkt/llm/http/impl/thinking_filter.ipp>
#include <lkt/llm/http/impl/tls.ipp>
#include <lkt/llm/http/impl/transport.ipp>
#include <lkt/llm/http/impl/vllm.ipp>
#include <lkt/llm/http/impl/wire.ipp>
