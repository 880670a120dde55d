// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// The class of a failure, which tells callers how to react. Retry policies see only this.
enum class condition : unsigned char {
    transient, ///< may succeed when tried again (time-out of a server, worker killed from outside)
    rejected,  ///< the request itself is at fault; trying it again cannot help (bad file, bad flag)
    exhausted, ///< a budget, quota, disk or memory is used up
    unavailable, ///< something that is needed is not there (compiler, driver, cassette entry)
    cancelled,   ///< the stop token was triggered
    suspended,   ///< the run waits for something outside and is resumed later
};

[[nodiscard]] constexpr std::string_view to_string(condition c) {
    switch (c) {
    case condition::transient:
        return "transient";
    case condition::rejected:
        return "rejected";
    case condition::exhausted:
        return "exhausted";
    case condition::unavailable:
        return "unavailable";
    case condition::cancelled:
        return "cancelled";
    case condition::suspended:
        return "suspended";
    }
    return "unknown";
}

/// A failure of the world (not of a kernel: that is a domain result, see `kernel/failure.hpp`).
struct error {
    condition kind = condition::rejected;
    std::string code;    ///< stable and documented, `lkt.area.defect`
    std::string message; ///< one sentence that says what happened, to what
    std::string hint;    ///< the next step to take; may be empty
    /// How long the other side asks us to wait before we try again, if it does.
    std::optional<std::chrono::milliseconds> retry_after = {};
    /// How many attempts were made before this was returned. A layer that retries adds the attempts
    /// of the layers below, so that layers share one number of attempts instead of multiplying
    /// them.
    int attempts = 1;

    friend bool operator==(error const&, error const&) = default;
};

/// `message [code]` and, on a second line, the hint.
[[nodiscard]] std::string to_string(error const& e);

[[nodiscard]] error cancelled(std::string what);

} // namespace lkt
