// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/make_chat_model.hpp>

#include <lkt/core/near_name.hpp>
#include <lkt/core/retry.hpp>
#include <lkt/llm/http.hpp>
#include <lkt/llm/mailbox.hpp>
#include <lkt/llm/replay.hpp>
#include <lkt/llm/with_retry.hpp>
#include <lkt/llm/without_thinking.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace lkt {

namespace detail::model_names {

constexpr std::string_view replay = "replay", mailbox = "mailbox";

constexpr provider known[] = {
    {"openai", dialect::openai_chat, "https://api.openai.com/v1", "OPENAI_API_KEY"},
    {"responses", dialect::openai_responses, "https://api.openai.com/v1", "OPENAI_API_KEY"},
    {"anthropic", dialect::anthropic, "https://api.anthropic.com", "ANTHROPIC_API_KEY"},
    {"gemini",
     dialect::openai_chat,
     "https://generativelanguage.googleapis.com/v1beta/openai",
     "GEMINI_API_KEY"},
    {"deepseek", dialect::openai_chat, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"},
    {"groq", dialect::openai_chat, "https://api.groq.com/openai/v1", "GROQ_API_KEY"},
    {"mistral", dialect::openai_chat, "https://api.mistral.ai/v1", "MISTRAL_API_KEY"},
    {"openrouter", dialect::openai_chat, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"},
    {"together", dialect::openai_chat, "https://api.together.xyz/v1", "TOGETHER_API_KEY"},
    {"xai", dialect::openai_chat, "https://api.x.ai/v1", "XAI_API_KEY"},
    {"ollama", dialect::ollama, "http://127.0.0.1:11434", "OLLAMA_API_KEY"},
    {"llama.cpp", dialect::llama_cpp, "http://127.0.0.1:8080/v1", "LLAMA_API_KEY"},
    {"vllm", dialect::vllm, "http://127.0.0.1:8000/v1", "VLLM_API_KEY"},
};

std::string names() {
    std::string all;
    for (provider const& p : known) all.append(p.name).append(", ");
    return all.append(replay).append(", ").append(mailbox);
}

error wrong_name(std::string message) {
    return {condition::rejected,
            "lkt.llm.model-name",
            std::move(message),
            "name it as PROVIDER:MODEL[@BASE_URL], e.g. anthropic:claude-opus-4-5 or "
            "openai:tiny@http://127.0.0.1:8080/v1; providers: " +
                names()};
}

/// Where `@http://` or `@https://` begins; a model's name may have other `@`.
std::size_t address_in(std::string_view text) {
    return std::max(text.rfind("@http://") + 1, text.rfind("@https://") + 1) - 1;
}

/// The address that a model's name ends in, where `http://` was left out.
std::optional<std::string_view> bare_address_in(std::string_view model) {
    auto const at = model.rfind('@');
    if (at == model.npos) return std::nullopt;
    std::string_view address = model.substr(at + 1);
    if (auto const scheme = address.find("//"); scheme != address.npos)
        address.remove_prefix(scheme + 2);
    auto const all = [](std::string_view text, std::string_view of) {
        return !text.empty() && text.find_first_not_of(of) == text.npos;
    };
    auto const slash = address.find('/');
    auto const colon = address.rfind(':', slash);
    std::string_view const host = address.substr(0, std::min(colon, slash));
    std::string_view const port =
        colon == address.npos ? "" : address.substr(colon + 1, slash - colon - 1);
    bool const numbers = std::count(host.begin(), host.end(), '.') == 3;
    if (host == "localhost" || (numbers && all(host, "0123456789.")) ||
        (!host.empty() && port.size() <= 5 && all(port, "0123456789")) ||
        (at > 0 && model.find('/', at) != model.npos)) // names may begin with it: `@cf/meta/llama`
        return address;
    return std::nullopt;
}

} // namespace detail::model_names

std::span<provider const> providers() { return detail::model_names::known; }

result<http_options> parse_model_name(std::string_view name, http_options others) {
    using namespace detail::model_names;
    auto const colon = name.find(':');
    std::string_view const who = name.substr(0, colon);
    auto const* const found =
        std::find_if(std::begin(known), std::end(known), [&](auto& p) { return p.name == who; });
    if (colon == name.npos || found == std::end(known))
        return wrong_name("`" + std::string(name) + "` does not begin with a known provider" +
                          did_you_mean(who, names()));
    std::string_view model = name.substr(colon + 1);
    auto const at = address_in(model);
    others.dialect = found->dialect;
    if (at < model.size()) {
        others.base_url = std::string(model.substr(at + 1));
        if (others.key_variable.empty()) others.key_variable = std::string(other_key_variable);
        model = model.substr(0, at);
    } else if (auto const address = bare_address_in(model)) {
        return wrong_name("the address in `" + std::string(name) +
                          "` does not begin with http:// or https://; did you mean `" +
                          std::string(name.substr(0, name.rfind('@') + 1)) + "http://" +
                          std::string(*address) + "`?");
    } else if (others.base_url.empty()) {
        others.base_url = std::string(found->base_url);
        if (others.key_variable.empty()) others.key_variable = std::string(found->key_variable);
    }
    if (model.empty()) return wrong_name("`" + std::string(name) + "` does not name a model");
    others.model = std::string(model);
    return others;
}

result<any_chat_model> make_chat_model(std::string_view name, http_options others) {
    using namespace detail::model_names;
    auto const colon = name.find(':');
    std::string_view const who = name.substr(0, colon);
    if (colon != name.npos && (who == replay || who == mailbox)) {
        std::string const where(name.substr(colon + 1));
        if (where.empty())
            return wrong_name("`" + std::string(name) + "` does not say which " +
                              (who == replay ? "file" : "folder"));
        if (auto wrong = thinking_defect(others.thinking)) return std::move(*wrong);
        auto const apart = [&](any_chat_model model) -> any_chat_model {
            if (others.thinking.empty()) return model;
            return without_thinking(std::move(model), std::move(others.thinking));
        };
        if (who == mailbox) return apart(mailbox_model(where, {.suspend = false}));
        replay_model tape(where);
        if (auto const& e = tape.defect()) return *e;
        return apart(std::move(tape));
    }
    auto options = parse_model_name(name, std::move(others));
    if (!options) return options.error();
    // Servers on this machine mostly ask for none.
    if (!options->key && options->key_variable != other_key_variable &&
        options->base_url.starts_with("https://") && !options->key_variable.empty()) {
        char const* const key = std::getenv(options->key_variable.c_str());
        if (key == nullptr || *key == '\0')
            return error{condition::unavailable,
                         "lkt.llm.no-key",
                         std::string(who) + " needs a key, but " + options->key_variable +
                             " is not set",
                         "set it to your key for " + options->base_url};
    }
    http_model server(std::move(*options));
    if (auto const e = server.defect()) return *e;
    return any_chat_model(with_retry<transport_retry>(std::move(server)));
}

std::string model_name_help() {
    std::string help = "PROVIDER:MODEL[@BASE_URL] asks a server, with the key in the variable that "
                       "is named here (";
    std::string_view separator;
    for (provider const& p : detail::model_names::known) {
        help.append(separator).append(p.name).append(" ").append(p.key_variable);
        separator = ", ";
    }
    return help + "; with a BASE_URL " + std::string(other_key_variable) +
           "); replay:FILE answers from a cassette; mailbox:FOLDER writes each question to "
           "KEY.request.md there and waits until a person or a program writes KEY.reply.md";
}

} // namespace lkt
