// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/wire_messages.hpp>

#include <lkt/llm/detail/fence_line.hpp>

namespace lkt::detail::http {

std::optional<std::string_view> wire_response::header(std::string_view name) const {
    for (auto const& [known, value] : headers)
        if (known == name) return trimmed(value);
    return std::nullopt;
}

} // namespace lkt::detail::http
