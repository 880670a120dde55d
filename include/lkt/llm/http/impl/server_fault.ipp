// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/retry_after.hpp>
#include <lkt/llm/http/detail/server_fault.hpp>
#include <lkt/llm/http/detail/words.hpp>

#include <lkt/llm/detail/excerpt.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/read_json.hpp>
#include <lkt/llm/detail/redact.hpp>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <system_error>
#include <utility>

namespace lkt::detail::http {

namespace faults {

/// The status that an error's name stands for, in streams that began with 200; 0: unknown.
int status_named(std::string_view name) {
    struct known {
        std::string_view word;
        int status;
    };
    static constexpr known names[]{{"overloaded", 529},
                                   {"rate_limit", 429},
                                   {"authentication", 401},
                                   {"invalid_api_key", 401},
                                   {"permission", 403},
                                   {"not_found", 404},
                                   {"request_too_large", 413},
                                   {"billing", 402},
                                   {"timeout", 504},
                                   {"unavailable", 503},
                                   {"invalid_request", 400},
                                   {"invalid_prompt", 400},
                                   {"bad_request", 400},
                                   {"api_error", 500},
                                   {"server_error", 500}};
    for (known const& k : names)
        if (says(name, {k.word})) return k.status;
    int number = 0;
    auto const [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
    bool const whole = failed == std::errc() && end == name.data() + name.size();
    return whole && number >= 400 && number < 600 ? number : 0;
}

std::string code_text(json const* code) { return code ? as_text(code) : std::string(); }

/// Google's services put it there (google.rpc.RetryInfo), and send no header. A duration is a text,
/// or an object where a gateway has taken the message apart.
std::optional<wait> retry_info(json const& e) {
    for (json const& detail : list_at(&e, "details")) {
        if (!text_at(&detail, "@type").ends_with("/google.rpc.RetryInfo")) continue;
        auto const* const delay = member(&detail, "retryDelay");
        if (auto const* const s = member(delay, "seconds"))
            if (auto const seconds = go_duration(as_text(s))) return seconds;
        return go_duration(text_of(delay));
    }
    return std::nullopt;
}

/// `Retry-After` as a member: gateways copy the header into what they send, or say it in its words.
/// A number is in seconds, unless the name says milliseconds; a text is also a date.
std::optional<wait> told_wait(json const& e) {
    struct known {
        std::string_view name;
        bool ms;
    };
    static constexpr known names[]{{"retry_after_ms", true},
                                   {"retry-after-ms", true},
                                   {"retryAfterMs", true},
                                   {"retry_after", false},
                                   {"retry-after", false},
                                   {"Retry-After", false},
                                   {"retryAfter", false},
                                   {"retry_after_seconds", false}};
    for (known const& k : names) {
        auto const* const value = member(&e, k.name);
        if (value == nullptr || !(value->is_string() || value->is_number())) continue;
        auto const text = as_text(value);
        // A plain number is of that unit; JSON may write it with an exponent.
        double number = value->is_number() ? value->to_number<double>() : -1;
        auto const whole = trimmed(text);
        if (value->is_string()) {
            auto const [end, failed] = std::from_chars(
                whole.data(), whole.data() + whole.size(), number, std::chars_format::fixed);
            if (failed != std::errc() || end != whole.data() + whole.size()) number = -1;
        }
        if (number >= 0) return wait_of_ms(k.ms ? number : number * 1000);
        if (!value->is_string()) continue;
        if (auto const duration = go_duration(whole)) return duration;
        auto moment = http_date(whole);
        if (!moment) moment = rfc3339(whole);
        if (moment) {
            auto const rest = *moment - std::chrono::system_clock::now();
            return wait_of_ms(std::chrono::duration<double, std::milli>(rest).count());
        }
    }
    return std::nullopt;
}

/// The wait that an error asks for, wherever in it; else nothing.
std::optional<wait> wait_in(json const& e) {
    if (auto const info = retry_info(e)) return info;
    if (auto const told = told_wait(e)) return told;
    for (std::string_view const name : {"metadata", "details", "headers", "error"})
        if (auto const* const inner = member(&e, name); inner != nullptr && inner->is_object())
            if (auto const told = wait_in(*inner)) return told;
    return std::nullopt;
}

server_fault from_object(json const& e) {
    server_fault fault;
    fault.type = text_at(&e, "type");
    fault.code = code_text(member(&e, "code"));
    // Anthropic says in the details why a limit is one that waiting does not lift.
    if (auto const why = text_at(member(&e, "details"), "error_code"); !why.empty())
        fault.code = why;
    for (std::string_view const name : {"message", "detail", "error", "msg"})
        if (fault.message.empty()) fault.message = as_text(member(&e, name));
    fault.wait = wait_in(e);
    fault.status = status_named(fault.code);
    if (fault.status == 0) fault.status = status_named(fault.type);
    return fault;
}

/// Ollama hands on what its runner answered: an envelope as the text of its own.
std::optional<server_fault> from_text(std::string_view text) {
    if (!trimmed(text).starts_with('{')) return std::nullopt;
    json_fault why_not;
    auto const inner = read_json(text, {.depth = 128}, why_not);
    return inner ? find_fault(*inner) : std::nullopt;
}

} // namespace faults

std::optional<server_fault> find_fault(json const& answer) {
    if (auto const* only = first(&answer)) return find_fault(*only);
    if (auto const* e = member(&answer, "error")) {
        if (e->is_object()) {
            auto fault = faults::from_object(*e);
            if (!fault.wait) fault.wait = faults::told_wait(answer);
            return fault;
        }
        if (e->is_string() ? e->get_string().empty() : e->is_bool() && !e->get_bool())
            return std::nullopt;
        if (e->is_string())
            if (auto inner = faults::from_text(e->get_string())) return inner;
        server_fault fault = faults::from_object(answer);
        fault.message = e->is_string() ? as_text(e) : fault.message;
        if (fault.message.empty()) fault.message = as_text(e);
        return fault;
    }
    if (text_at(&answer, "type") == "error" || text_at(&answer, "object") == "error")
        return faults::from_object(answer);
    if (auto const* detail = member(&answer, "detail")) {
        server_fault fault;
        fault.message = as_text(detail);
        return fault;
    }
    return std::nullopt;
}

server_fault as_fault(json const& e) {
    if (auto found = find_fault(e)) return *found;
    if (e.is_object()) return faults::from_object(e);
    return {.message = as_text(&e)};
}

std::string server_name(http_options const& options) {
    std::string_view url =
        options.base_url.empty() ? default_base_url(options.dialect) : options.base_url;
    if (auto const scheme = url.find("://"); scheme != url.npos) url.remove_prefix(scheme + 3);
    url = url.substr(0, url.find_first_of("/?#"));
    if (auto const user = url.rfind('@'); user != url.npos) url.remove_prefix(user + 1);
    return excerpt(url, 0, 80);
}

std::string plain_words(std::string_view body) {
    auto const text = trimmed(body.substr(0, 64 * 1024));
    if (!text.starts_with('<')) return std::string(text);
    std::string const small = lower(text);
    auto const open = small.find("<title>");
    auto const close = small.find("</title>", open == small.npos ? 0 : open);
    if (open == small.npos || close == small.npos) return std::string(text);
    return std::string(trimmed(text.substr(open + 7, close - open - 7)));
}

std::string quoted(std::string_view text, std::string_view key) {
    constexpr std::size_t longest = 300;
    constexpr std::size_t piece = 8; // letters of a key in a row that nothing else has
    std::string clean(trimmed(text).substr(0, 16 * longest));
    key = trimmed(key);
    static constexpr std::string_view left_out = "[key left out]";
    if (!key.empty() && key.size() < piece) {
        for (std::size_t at = 0; (at = clean.find(key, at)) != clean.npos;) {
            bool const word =
                (at == 0 || !is_key_letter(clean[at - 1])) &&
                (at + key.size() == clean.size() || !is_key_letter(clean[at + key.size()]));
            if (word) clean.replace(at, key.size(), left_out);
            at += word ? left_out.size() : 1;
        }
    }
    for (std::size_t at = 0; key.size() >= piece && at + piece <= clean.size();) {
        auto const begin = key.find(std::string_view(clean).substr(at, piece));
        if (begin == key.npos) {
            ++at;
            continue;
        }
        std::size_t length = piece;
        while (begin + length < key.size() && at + length < clean.size() &&
               key[begin + length] == clean[at + length])
            ++length;
        clean.replace(at, length, left_out);
        at += left_out.size();
    }
    return excerpt(without_keys(clean), 0, longest);
}

} // namespace lkt::detail::http
