// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/request_key.hpp>

#include <lkt/core/plain_text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace lkt {

namespace detail {

std::string text_without_measured(std::string_view text) {
    static constexpr std::string_view times[] = {" ns", " us", " ms", " s", "x", "%"};
    auto const in_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    auto const unit_of = [&](std::string_view rest) { // behind the digits
        auto const is = [&](std::size_t size) {
            return rest.size() == size || (rest.size() > size && !in_word(rest[size]));
        };
        for (std::string_view const unit : times)
            if (rest.starts_with(unit) && is(unit.size())) return unit;
        bool const prefixed =
            rest.size() > 1 && std::string_view("kMGTPE").find(rest[1]) != rest.npos;
        std::size_t const prefix = prefixed ? 2 : 1;
        for (std::string_view const rate : {"B/s", "FLOP/s"})
            if (rest.starts_with(' ') && rest.substr(prefix).starts_with(rate) &&
                is(prefix + rate.size()))
                return rest.substr(0, prefix + rate.size());
        return std::string_view();
    };
    std::string out;
    bool code = false;
    for (std::size_t at = 0; at < text.size();) {
        bool const line_begins = at == 0 || text[at - 1] == '\n';
        if (line_begins && text.substr(at).starts_with("```")) code = !code;
        char const c = text[at];
        bool const number = c >= '0' && c <= '9' && (at == 0 || !in_word(text[at - 1]));
        auto const end = number ? text.find_first_not_of("0123456789.", at) : at;
        auto const unit = code || !number || end == text.npos ? "" : unit_of(text.substr(end));
        if (unit.empty()) {
            auto const next = number ? std::min(end, text.size()) : at + 1;
            out.append(text.substr(at, next - at));
            at = next;
        } else {
            out += '#';
            // The same time may be 999 us and, measured again, 1 ms.
            at = unit.ends_with('s') ? end + unit.size() : end;
        }
    }
    return out;
}

} // namespace detail

chat_request without_measured(chat_request request) {
    for (message& m : request.messages) m.text = detail::text_without_measured(m.text);
    return request;
}

chat_request canonical(chat_request request) {
    request.purpose = {};
    for (message& m : request.messages) m.text = well_formed_utf8(m.text);
    if (request.format)
        for (std::string* each :
             {&request.format->name, &request.format->description, &request.format->schema})
            *each = well_formed_utf8(*each);
    return request;
}

std::string request_key(chat_request const& request) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    auto const add = [&](std::string_view text) {
        for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    };
    for (message const& m : request.messages) {
        std::string const text = well_formed_utf8(m.text);
        add(to_string(m.role));
        add(" " + std::to_string(text.size()) + "\n");
        add(text);
        add("\n");
    }
    if (request.temperature) {
        std::array<char, 32> digits{};
        auto const end =
            std::to_chars(digits.data(), digits.data() + digits.size(), *request.temperature).ptr;
        add("temperature ");
        add({digits.data(), static_cast<std::size_t>(end - digits.data())});
        add("\n");
    }
    if (request.max_tokens) add("max_tokens " + std::to_string(*request.max_tokens) + "\n");
    if (request.seed) add("seed " + std::to_string(*request.seed) + "\n");
    if (request.format) {
        answer_format const& f = *request.format;
        add("format " + std::string(to_string(f.kind)) + "\n");
        for (std::string const* each : {&f.name, &f.description, &f.schema}) {
            std::string const text = well_formed_utf8(*each);
            add(std::to_string(text.size()) + "\n" + text + "\n");
        }
    }
    if (request.effort) add("effort " + std::string(to_string(*request.effort)) + "\n");

    std::string key(16, '0');
    for (std::size_t i = 16; i-- > 0; hash >>= 4) key[i] = "0123456789abcdef"[hash & 15];
    return key;
}

} // namespace lkt
