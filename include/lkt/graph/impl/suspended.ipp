// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/suspended.hpp>

#include <utility>

namespace lkt {

namespace detail {
inline constexpr std::string_view suspended_code = "lkt.suspended.";
}

error suspended(std::string_view state, std::string awaited, std::string hint) {
    return {condition::suspended,
            std::string(detail::suspended_code) + std::string(state),
            "the run waits until " + std::move(awaited),
            std::move(hint)};
}

std::string_view waiting_state(error const& e) {
    std::string_view const code = e.code;
    bool const waits = e.kind == condition::suspended && code.starts_with(detail::suspended_code);
    return waits ? code.substr(detail::suspended_code.size()) : std::string_view{};
}

} // namespace lkt
