// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>

#include <string_view>

namespace lkt {

/// The code of the rejection of a request for its length, for all servers.
inline constexpr std::string_view context_length_code = "lkt.http.context-length";

/// Whether a request was refused because its model reads no conversations as long as that: a
/// shorter one, or another model, may do.
[[nodiscard]] inline bool exceeds_context(error const& e) { return e.code == context_length_code; }

} // namespace lkt
