// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>
#include <lkt/llm/http/detail/retry_after.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>
#include <lkt/llm/http/detail/words.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/detail/read_json.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace lkt::detail::http {

namespace statuses {

std::string_view phrase(int status) {
    switch (status) {
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 402:
        return "Payment Required";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 409:
        return "Conflict";
    case 413:
        return "Content Too Large";
    case 422:
        return "Unprocessable Content";
    case 429:
        return "Too Many Requests";
    case 500:
        return "Internal Server Error";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    case 529:
        return "Overloaded";
    default:
        return "";
    }
}

server_fault fault_in(std::string_view body) {
    json_fault why_not;
    auto const value = read_json(well_formed_utf8(body), {.depth = 128}, why_not);
    if (value) {
        if (auto fault = find_fault(*value)) return *fault;
        if (!text_at(&*value, "message").empty()) return as_fault(*value);
    }
    return {.message = plain_words(body)};
}

} // namespace statuses

error status_error(http_options const& options,
                   wire_response const& response,
                   std::string_view key) {
    auto const phrase = statuses::phrase(response.status);
    std::string where = server_name(options) + " answered " + std::to_string(response.status);
    if (!phrase.empty()) where.append(" (").append(phrase).append(")");
    if (response.status < 400) {
        auto const location = response.header("location");
        if (location) where += ", which leads to `" + quoted(*location, key) + "`";
        if (response.status >= 300)
            return {condition::rejected,
                    "lkt.http.redirect",
                    std::move(where),
                    "lkt does not follow redirects, because they would receive the key: set "
                    "http_options::base_url to the server's address"};
        return {condition::rejected,
                "lkt.http.status",
                std::move(where),
                "check the base URL and the dialect"};
    }
    for (std::string_view const name : {"x-request-id", "request-id"}) {
        if (auto const id = response.header(name); id && !id->empty()) {
            where += ", request " + quoted(*id, key);
            break;
        }
    }
    auto fault = statuses::fault_in(response.body);
    fault.status = response.status;
    auto const should = lower(response.header("x-should-retry").value_or(""));
    fault.retry = should != "false";
    error e = fault_error(options, fault, std::move(where), key);
    if (should == "true" && e.kind == condition::rejected) e.kind = condition::transient;
    if (e.kind != condition::transient) return e;
    auto const told = retry_after(response, std::chrono::system_clock::now());
    e.retry_after = told ? told : fault.wait;
    return e;
}

} // namespace lkt::detail::http
