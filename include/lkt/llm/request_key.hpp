// SPDX-License-Identifier: BSL-1.0
// What makes two requests the same request.
#pragma once

#include <lkt/llm/chat_model.hpp>

#include <string>

namespace lkt {

/// The request as files can hold it: bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] chat_request canonical(chat_request request);

/// The request with `#` for each measured figure outside fenced code: requests that differ only in
/// these are the same. A figure is a number before `ns`, `us`, `ms`, `s`, `B/s` or `FLOP/s` (with
/// or without a prefix), `x` or `%`; of times and rates, the unit belongs to it.
[[nodiscard]] chat_request without_measured(chat_request request);

/// A hash of the canonical request as 16 hexadecimal digits: 64-bit FNV-1a over, for each message,
/// `ROLE BYTES\nTEXT\n`, then for each parameter that is set `NAME VALUE\n` in the order
/// temperature (shortest decimal form), max_tokens, seed; then of a format `format KIND\n` and
/// `BYTES\nTEXT\n` for its name, description and schema, and `effort VALUE\n`. Equal requests have
/// equal keys; who must know the reverse compares the requests too.
[[nodiscard]] std::string request_key(chat_request const& request);

} // namespace lkt
