// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/llm/http/detail/exchange.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail::http {

void exchange::enter(phase next) {
    // Once it parts, for whatever reason, nothing prolongs it.
    if (phase_ == phase::parting) return;
    phase_ = next;
    auto const& limits = session_.limits;
    seconds longest{0};
    switch (next) {
    case phase::connect:
        longest = limits.connect;
        break;
    case phase::request:
    case phase::idle:
        longest = limits.idle;
        break;
    case phase::first_byte:
        longest = limits.first_byte;
        break;
    case phase::paused: // we are slow, not the server
        break;
    case phase::parting:
        longest = seconds{0.5};
        break;
    }
    limit_->set(std::min(deadline::after(longest), total_));
}

error late_error(char const* code, std::string message, char const* field) {
    std::string hint = std::string("if that is usual there, raise timeouts.") + field;
    if (std::string_view(field) != "connect") {
        std::string option = std::string("--timeout-") + field;
        std::replace(option.begin(), option.end(), '_', '-');
        hint += " (of lkt-tune: " + option + ")";
    }
    return {condition::transient, code, std::move(message), std::move(hint)};
}

void exchange::late() {
    if (done_) return;
    auto const where = session_.way.server.endpoint();
    auto const& limits = session_.limits;
    if (deadline::clock::now() >= total_)
        return finish(
            late_error("lkt.http.total",
                       where + " has not finished its answer within " + to_string(limits.total),
                       "total"));
    switch (phase_) {
    case phase::connect:
        return finish(late_error("lkt.http.connect-timeout",
                                 "no connection within " + to_string(limits.connect) + ", while " +
                                     (opening_ ? opening_->phase() : "waiting"),
                                 "connect"));
    case phase::request:
        return finish(
            late_error("lkt.http.idle",
                       where + " has read nothing of the request for " + to_string(limits.idle),
                       "idle"));
    case phase::first_byte:
        return finish(
            late_error("lkt.http.first-byte",
                       where + " has not started to answer within " + to_string(limits.first_byte),
                       "first_byte"));
    case phase::idle:
        return finish(late_error("lkt.http.idle",
                                 where + " has sent nothing more for " + to_string(limits.idle),
                                 "idle"));
    case phase::paused:
    case phase::parting:
        break;
    }
    finish(error{condition::transient,
                 "lkt.http.connection",
                 where + " stopped reading before the request's end",
                 ""});
}

} // namespace lkt::detail::http
