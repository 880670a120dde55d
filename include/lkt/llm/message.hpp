// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lkt {

enum class role : unsigned char { system, user, assistant };

[[nodiscard]] constexpr std::string_view to_string(role r) {
    switch (r) {
    case role::system:
        return "system";
    case role::user:
        return "user";
    case role::assistant:
        return "assistant";
    }
    return "unknown";
}

/// One turn of a conversation; `text` is UTF-8.
struct message {
    lkt::role role = lkt::role::user;
    std::string text;
    friend bool operator==(message const&, message const&) = default;
};

/// Turns in order. Derived from a strategy's state, never stored in it.
using conversation = std::vector<message>;

} // namespace lkt
