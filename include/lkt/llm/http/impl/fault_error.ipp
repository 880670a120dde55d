// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/server_fault.hpp>
#include <lkt/llm/http/detail/words.hpp>

#include <lkt/llm/detail/excerpt.hpp>

#include <string>
#include <utility>

namespace lkt::detail::http {

namespace faults {

struct meaning {
    condition kind;
    std::string_view code;
    std::string hint;
};

bool is_about_length(server_fault const& f) {
    if (says(f.code, {"context_length"}) || says(f.type, {"exceed_context", "context_length"}))
        return true;
    // 502 is a gateway's, with the words of who is behind it.
    bool const possible = f.status == 0 || f.status == 400 || f.status == 413 || f.status == 422 ||
                          f.status == 500 || f.status == 502;
    return possible && says(f.message,
                            {"context length",
                             "context window",
                             "context size",
                             "context limit",
                             "prompt is too long",
                             "maximum context"});
}

/// Quota or money, which waiting does not bring back.
bool is_about_money(server_fault const& f) {
    auto const named = [](std::string_view name) {
        return says(
            name,
            {"insufficient_quota", "spend_limit", "billing", "credit", "insufficient_balance"});
    };
    return named(f.code) || named(f.type) ||
           says(f.message,
                {"credit balance",
                 "insufficient balance",
                 "insufficient credit",
                 "requires more credits",
                 "spend limit",
                 "spending limit",
                 "spend cap",
                 "spending cap"});
}

std::string where_the_key_is(http_options const& options) {
    if (options.key) return "the key that http_options::key returns";
    auto const variable = key_variable_of(options);
    if (variable.empty()) return "the key";
    return "the key in " + std::string(variable);
}

std::string key_hint(http_options const& options, std::string_view key) {
    if (!key.empty()) return "check " + where_the_key_is(options);
    if (options.key) return "no key was sent: http_options::key returned none";
    auto const variable = key_variable_of(options);
    if (variable.empty())
        return "no key was sent: name the variable that holds it in http_options::key_variable";
    return "no key was sent: put it into the environment variable " + std::string(variable);
}

std::string model_hint(http_options const& options) {
    std::string const model = "`" + excerpt(options.model, 0, 80) + "`";
    if (options.dialect == dialect::ollama) return "get the model: ollama pull " + model;
    std::string const hint = "check the model " + model + " and the base URL";
    return options.dialect == dialect::anthropic ? hint : hint + ", which usually ends in /v1";
}

meaning meaning_of(http_options const& o, server_fault const& f, std::string_view key) {
    if (is_about_money(f))
        return {condition::exhausted,
                "lkt.http.quota",
                "raise the limit or top up the account; waiting does not help"};
    if (is_about_length(f))
        return {condition::rejected,
                "lkt.http.context-length",
                o.dialect == dialect::ollama || o.dialect == dialect::llama_cpp
                    ? "shorten the conversation, or give the model a larger context (num_ctx of "
                      "Ollama, -c of llama.cpp)"
                    : "shorten the conversation, or take a model with a larger context"};
    switch (f.status) {
    case 401:
        return {condition::rejected, "lkt.http.unauthorized", key_hint(o, key)};
    case 402:
        return {condition::rejected, "lkt.http.payment", "check the account's billing"};
    case 403:
        return {condition::rejected,
                "lkt.http.forbidden",
                key.empty() ? key_hint(o, key)
                            : "check whether " + where_the_key_is(o) + " may use `" +
                                  excerpt(o.model, 0, 80) + "`"};
    case 404:
        return {condition::rejected, "lkt.http.not-found", model_hint(o)};
    case 405:
        return {condition::rejected, "lkt.http.not-found", "check the base URL and the dialect"};
    case 413:
        return {condition::rejected, "lkt.http.request-too-large", "shorten the conversation"};
    case 429:
        return {condition::transient, "lkt.http.rate-limit", "wait, or send fewer calls at once"};
    case 408:
    case 409:
        return {condition::transient, "lkt.http.server", "try again"};
    default:
        break;
    }
    if (f.status >= 400 && f.status < 500)
        return {condition::rejected,
                "lkt.http.bad-request",
                "change the refused field with http_options::body, or leave it out with null"};
    // 5xx, and what a stream calls an error without saying more.
    return {condition::transient, "lkt.http.server", "try again, or ask another server"};
}

} // namespace faults

error fault_error(http_options const& options,
                  server_fault const& fault,
                  std::string where,
                  std::string_view key) {
    auto meaning = faults::meaning_of(options, fault, key);
    if (!fault.retry && meaning.kind == condition::transient) {
        meaning.kind = fault.status == 429 ? condition::exhausted : condition::rejected;
        if (fault.status == 429) meaning.code = "lkt.http.quota";
        meaning.hint = "the server says that trying again does not help";
    }
    std::string name = fault.code.empty() ? fault.type : fault.code;
    if (name == std::to_string(fault.status)) name = fault.type;
    std::string message = std::move(where);
    if (!fault.message.empty()) message += ": " + quoted(fault.message, key);
    if (!name.empty()) message += " (" + quoted(name, key) + ")";
    error e{meaning.kind, std::string(meaning.code), std::move(message), std::move(meaning.hint)};
    if (e.kind == condition::transient) e.retry_after = fault.wait;
    return e;
}

} // namespace lkt::detail::http
