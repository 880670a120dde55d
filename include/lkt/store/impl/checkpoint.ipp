// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/checkpoint.hpp>

namespace lkt {

namespace detail {

error not_resumed(std::string const& journal) {
    return {condition::rejected,
            "lkt.journal.not-resumed",
            journal + " already holds a run",
            "resume it (lkt::resume) first, or start a new journal"};
}

error undecodable(std::string const& journal, std::string_view part, error why) {
    return {condition::rejected,
            "lkt.journal.value",
            "the " + std::string(part) + " in " + journal + " cannot be read" +
                (why.message.empty() ? "" : ": " + why.message),
            "start a new journal"};
}

} // namespace detail

result<void> checkpoint::finish(error const* failure) {
    running_ = false;
    if (failure != nullptr && failure->kind == condition::rejected && begun_)
        if (auto ok = journal_.forget_replies(); !ok) return ok;
    return journal_.sync();
}

} // namespace lkt
