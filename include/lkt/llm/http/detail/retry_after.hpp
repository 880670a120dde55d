// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/wire_messages.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace lkt::detail::http {

using time_point = std::chrono::system_clock::time_point;
using wait = std::chrono::milliseconds;

/// A date of HTTP in any of its three forms (RFC 9110, 5.6.7).
[[nodiscard]] std::optional<time_point> http_date(std::string_view text);
/// `2026-11-22T02:30:00.5Z`, also with an offset (RFC 3339).
[[nodiscard]] std::optional<time_point> rfc3339(std::string_view text);
/// `1m30.5s`, `20ms`, as Go writes durations, or a plain number of seconds.
[[nodiscard]] std::optional<wait> go_duration(std::string_view text);

/// Longer ones than a year are as good as for ever, and do not overflow; none is below 0.
[[nodiscard]] wait wait_of_ms(double ms);

/// How long the server asks to wait: `retry-after-ms`, else `retry-after`, else (of a 429) when the
/// limits that are used up are reset. A date is compared with the answer's own, or with `now`.
[[nodiscard]] std::optional<wait> retry_after(wire_response const& response, time_point now);

} // namespace lkt::detail::http
