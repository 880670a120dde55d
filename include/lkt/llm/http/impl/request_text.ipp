// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/request_text.hpp>
#include <lkt/version.hpp>

#include <algorithm>
#include <string_view>

namespace lkt::detail::http {

bool is_header_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}

bool is_same_name(std::string_view one, std::string_view lower) {
    return std::ranges::equal(one, lower, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
    });
}

/// What the transport says itself, or does not understand in an answer.
constexpr std::string_view of_the_connection[] = {"host",
                                                  "connection",
                                                  "keep-alive",
                                                  "content-length",
                                                  "transfer-encoding",
                                                  "te",
                                                  "trailer",
                                                  "upgrade",
                                                  "expect",
                                                  "accept-encoding",
                                                  "proxy-authorization",
                                                  "proxy-connection"};

std::optional<error> header_defect(header_list const& headers) {
    for (auto const& [name, value] : headers) {
        if (!is_header_name(name))
            return error{condition::rejected,
                         "lkt.http.header",
                         "a header of the request has an invalid name",
                         "use letters, digits and `-`"};
        for (char const c : value)
            if (static_cast<unsigned char>(c) < 0x20 ? c != '\t' : c == 0x7f)
                return error{condition::rejected,
                             "lkt.http.header",
                             "the header " + name +
                                 " contains a line break or another control character",
                             "check how its value was read: a key file may end with a line feed"};
        for (auto const reserved : of_the_connection)
            if (is_same_name(name, reserved))
                return error{condition::rejected,
                             "lkt.http.header",
                             "lkt writes the header " + name + " itself",
                             "leave it out"};
    }
    return std::nullopt;
}

result<std::string> request_text(route const& way, wire_request const& request) {
    if (auto defect = header_defect(request.headers)) return *defect;
    auto const& server = way.server;
    std::string text = "POST ";
    // A proxy that makes no tunnel is told whom to ask.
    if (way.by && !way.tls) text += "http://" + server.authority();
    text += server.target(request.target);
    text += " HTTP/1.1\r\nHost: " + server.authority() + "\r\n";
    bool names_itself = false;
    for (auto const& [name, value] : request.headers) {
        names_itself = names_itself || is_same_name(name, "user-agent");
        text += name + ": " + value + "\r\n";
    }
    if (!names_itself) text += "User-Agent: lkt/" + std::string(lkt::version) + "\r\n";
    if (way.by && !way.tls && !way.by->authorization.empty())
        text += "Proxy-Authorization: " + way.by->authorization + "\r\n";
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n";
    text += request.body;
    return text;
}

} // namespace lkt::detail::http
