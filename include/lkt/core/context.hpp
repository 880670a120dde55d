// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <functional>
#include <stop_token>
#include <string_view>

namespace lkt {

/// Handed to every call that can take long: how to end it early, and where its progress goes.
struct call_context {
    std::stop_token stop;
    std::function<void(std::string_view)> on_text; ///< called with text as it arrives; may be empty
};

} // namespace lkt
