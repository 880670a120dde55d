// SPDX-License-Identifier: BSL-1.0
// A request as it goes over the wire.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/http/detail/opening.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>

#include <optional>
#include <string>

namespace lkt::detail::http {

/// Why the headers cannot be sent: a name that is none, a value with a line's end in it, or one
/// that belongs to the connection. Names the header, never its value.
[[nodiscard]] std::optional<error> header_defect(header_list const& headers);

/// The whole request. Errors (rejected): `lkt.http.header`.
[[nodiscard]] result<std::string> request_text(route const& way, wire_request const& request);

} // namespace lkt::detail::http
