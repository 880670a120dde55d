// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/request_key.hpp>

#include <lkt/llm/detail/utf8.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lkt {

chat_request canonical(chat_request request) {
    request.purpose = {};
    for (message& m : request.messages) m.text = detail::well_formed(m.text);
    if (request.format)
        for (std::string* each :
             {&request.format->name, &request.format->description, &request.format->schema})
            *each = detail::well_formed(*each);
    return request;
}

std::string request_key(chat_request const& request) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    auto const add = [&](std::string_view text) {
        for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    };
    for (message const& m : request.messages) {
        std::string const text = detail::well_formed(m.text);
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
            std::string const text = detail::well_formed(*each);
            add(std::to_string(text.size()) + "\n" + text + "\n");
        }
    }
    if (request.effort) add("effort " + std::string(to_string(*request.effort)) + "\n");

    std::string key(16, '0');
    for (std::size_t i = 16; i-- > 0; hash >>= 4) key[i] = "0123456789abcdef"[hash & 15];
    return key;
}

} // namespace lkt
