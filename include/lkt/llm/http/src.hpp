// SPDX-License-Identifier: BSL-1.0
// The definitions of what is behind HTTP; one file of a program compiles them (CMake: lkt::http).
#pragma once

#include <lkt/llm/http/impl/anthropic.ipp>
#include <lkt/llm/http/impl/decode.ipp>
#include <lkt/llm/http/impl/encode.ipp>
#include <lkt/llm/http/impl/event_stream.ipp>
#include <lkt/llm/http/impl/fault_error.ipp>
#include <lkt/llm/http/impl/json_view.ipp>
#include <lkt/llm/http/impl/llama_cpp.ipp>
#include <lkt/llm/http/impl/ndjson.ipp>
#include <lkt/llm/http/impl/ollama.ipp>
#include <lkt/llm/http/impl/openai_chat.ipp>
#include <lkt/llm/http/impl/openai_responses.ipp>
#include <lkt/llm/http/impl/retry_after.ipp>
#include <lkt/llm/http/impl/server_fault.ipp>
#include <lkt/llm/http/impl/status_error.ipp>
#include <lkt/llm/http/impl/stream_decoder.ipp>
#include <lkt/llm/http/impl/thinking_filter.ipp>
#include <lkt/llm/http/impl/vllm.ipp>
#include <lkt/llm/http/impl/wire.ipp>
