// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/cassette.hpp>
#include <lkt/llm/detail/cassette_fields.hpp>
#include <lkt/llm/detail/read_file.hpp>
#include <lkt/llm/detail/read_json.hpp>
#include <lkt/llm/request_key.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail {

inline constexpr std::string_view cassette_hint = "docs/llm.md describes the format of cassettes";

[[nodiscard]] inline chat_request read_request(json_fields fields) {
    chat_request request;
    if (auto messages = fields.required_list("messages")) {
        for (std::size_t i = 0; i < messages->size() && fields.good(); ++i) {
            auto each = fields.inner((*messages)[i], "messages[" + std::to_string(i) + "]");
            message m;
            m.role = each.one_of("role", {role::system, role::user, role::assistant});
            m.text = each.required_text("text");
            each.no_others();
            request.messages.push_back(std::move(m));
        }
    }
    request.temperature = fields.number("temperature");
    constexpr auto most = std::numeric_limits<int>::max();
    if (auto tokens = fields.whole("max_tokens", static_cast<std::uint64_t>(most)))
        request.max_tokens = static_cast<int>(*tokens);
    request.seed = fields.whole("seed", std::numeric_limits<std::uint64_t>::max());
    if (auto format = fields.object("format")) {
        answer_format f;
        f.kind = format->one_of(
            "kind", {answer_kind::json_object, answer_kind::json_schema, answer_kind::tool_call});
        f.name = format->text("name");
        f.description = format->text("description");
        f.schema = format->text("schema");
        format->no_others();
        request.format = std::move(f);
    }
    if (fields.has("effort"))
        request.effort =
            fields.one_of("effort", {effort::none, effort::low, effort::medium, effort::high});
    fields.no_others();
    return request;
}

[[nodiscard]] inline chat_reply read_reply(json_fields fields) {
    chat_reply reply;
    reply.text = fields.required_text("text");
    reply.reasoning = fields.text("reasoning");
    reply.model = fields.text("model");
    if (fields.has("finish"))
        reply.finish = fields.one_of(
            "finish", {finish::stop, finish::length, finish::filtered, finish::unknown});
    if (auto usage = fields.object("usage")) {
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        auto const count = [&](char const* name) {
            auto const n = usage->whole(name, static_cast<std::uint64_t>(most));
            return static_cast<std::int64_t>(n.value_or(0));
        };
        reply.usage = {count("input"), count("output"), count("cached"), count("reasoning")};
        reply.usage.estimated = usage->flag("estimated");
        usage->no_others();
    }
    fields.no_others();
    return reply;
}

[[nodiscard]] inline error read_error(json_fields fields) {
    error e;
    e.kind = fields.one_of("condition",
                           {condition::transient,
                            condition::rejected,
                            condition::exhausted,
                            condition::unavailable,
                            condition::cancelled,
                            condition::suspended});
    e.code = fields.text("code");
    e.message = fields.required_text("message");
    e.hint = fields.text("hint");
    constexpr std::uint64_t max_wait = 1'000'000'000'000; // 31 years
    if (auto const wait = fields.whole("retry_after_ms", max_wait))
        e.retry_after = std::chrono::milliseconds(*wait);
    if (auto const attempts = fields.whole("attempts", 1'000'000))
        e.attempts = static_cast<int>(*attempts);
    fields.no_others();
    return e;
}

[[nodiscard]] inline cassette_header read_header(json_fields fields) {
    cassette_header header;
    header.model = fields.text("model");
    header.origin =
        fields.one_of("origin", {cassette_origin::recorded, cassette_origin::written_by_hand});
    if (fields.has("match"))
        header.match = fields.one_of("match", {replay_match::exact, replay_match::in_order});
    header.note = fields.text("note");
    fields.no_others();
    switch (header.origin) {
    case cassette_origin::recorded:
        if (header.model.empty())
            fields.fail("\"model\" is missing: a recorded cassette names the model that answered");
        break;
    case cassette_origin::written_by_hand:
        if (!header.model.empty())
            fields.fail("\"model\" names a model, but the origin is written-by-hand");
        break;
    }
    return header;
}

[[nodiscard]] inline cassette_exchange read_exchange(json_fields fields,
                                                     cassette_header const& header) {
    cassette_exchange exchange;
    if (auto request = fields.object("request")) exchange.request = read_request(*request);
    auto const key = fields.text("key");
    if (exchange.request && !key.empty() && fields.good())
        if (auto const real = request_key(*exchange.request); key != real)
            fields.fail("the key is " + excerpt(key, 0, 20) + ", but that of the request is " +
                        real + ": one of them was changed");
    if (auto texts = fields.list("expect"))
        for (std::size_t i = 0; i < texts->size(); ++i) {
            auto const* text = (*texts)[i].if_string();
            if (!text || text->empty())
                fields.fail("\"expect\" must be a list of strings that are not empty");
            else
                exchange.expect.emplace_back(text->data(), text->size());
        }
    exchange.note = fields.text("note");
    auto reply = fields.object("reply");
    auto failure = fields.object("error");
    if (reply.has_value() == failure.has_value())
        fields.fail(reply ? "there are both a \"reply\" and an \"error\""
                          : "\"reply\" and \"error\" are both missing");
    if (reply) {
        exchange.outcome = read_reply(*reply);
        if (exchange.outcome->model.empty())
            exchange.outcome->model = header.origin == cassette_origin::recorded
                                          ? header.model
                                          : std::string("written by hand");
    } else if (failure) {
        exchange.outcome = read_error(*failure);
    }
    if (!exchange.request && header.match == replay_match::exact)
        fields.fail("\"request\" is missing; only a cassette with \"match\": \"in-order\" in its "
                    "header may leave it out");
    fields.no_others();
    return exchange;
}

/// A cassette, and how much of the text is whole lines.
struct cassette_text {
    cassette tape;
    std::size_t whole = 0; ///< bytes up to the end of the last whole line
    std::size_t lines = 0; ///< whole lines
    bool has_header = false;
    bool cut_off = false; ///< behind the whole lines there is the beginning of another one
};

/// Reads line by line. The beginning of a line at the end of the text is not an error here.
[[nodiscard]] inline result<cassette_text> read_lines(std::string_view text, std::string name) {
    cassette_text found;
    std::size_t number = 0;
    auto const malformed = [&](std::string const& what, std::string code = "malformed") {
        return error{condition::rejected,
                     "lkt.cassette." + code,
                     name + ", line " + std::to_string(number) + ": " + what,
                     std::string(cassette_hint)};
    };
    std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (at < text.size()) {
        bool const terminated = text.find('\n', at) != text.npos;
        auto const line = line_at(text, at);
        ++number;
        if (!trimmed(line.text).empty()) {
            json_fault fault;
            auto json = read_json(line.text, {.unique_names = true}, fault);
            if (!json) {
                // What an interrupted write left: a line that would go on.
                bool const ours = found.has_header || line.text.starts_with("{\"lkt_cassette\"") ||
                                  std::string_view("{\"lkt_cassette\"").starts_with(line.text);
                if (!terminated && fault.incomplete && ours) {
                    found.cut_off = true;
                    break;
                }
                if (!found.has_header && !ours)
                    return malformed("this is not a cassette: the first line is not a JSON object");
                return malformed("not valid JSON: " + fault.words(true));
            }
            std::string defect;
            json_fields fields(*json, "the line", defect);
            if (!found.has_header) {
                auto const version = fields.whole("lkt_cassette", 1'000'000);
                if (!version && defect.empty())
                    defect = "the header lacks \"lkt_cassette\": 1, so this is not a cassette";
                else if (version && *version != cassette_version)
                    return malformed("the cassette has version " + std::to_string(*version) +
                                         "; this lkt reads version " +
                                         std::to_string(cassette_version),
                                     "version");
                if (defect.empty()) found.tape.header = read_header(fields);
                found.has_header = true;
            } else {
                auto exchange = read_exchange(fields, found.tape.header);
                exchange.line = number;
                found.tape.exchanges.push_back(std::move(exchange));
            }
            if (!defect.empty()) return malformed(defect);
        }
        at = line.next;
        found.whole = at;
        found.lines = number;
    }
    found.tape.name = std::move(name);
    return found;
}

} // namespace lkt::detail
