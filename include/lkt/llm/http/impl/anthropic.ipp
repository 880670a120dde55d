// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>
#include <lkt/llm/http/detail/words.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/detail/fence_line.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace lkt::detail::http {

namespace anthropic {

// The protocol demands a limit; this is room for a long kernel with its explanation, and for
// reasoning where it is asked for.
constexpr int default_max_tokens = 8192;
constexpr int default_max_tokens_with_reasoning = 32768;

/// Models from 4.6 on choose for themselves how long they think; those before, and other servers
/// with this dialect, are told a number of tokens.
bool takes_effort(std::string_view model) {
    return says(model, {"claude"}) &&
           !says(model,
                 {"claude-2", "claude-3", "-4-0", "-4-1", "-4-5", "-4-20", "-4.0", "-4.1", "-4.5"});
}

int thinking_budget(effort e, int max_tokens) {
    int const wished = e == effort::low ? 2048 : e == effort::medium ? 8192 : 24576;
    return std::min(wished, max_tokens / 2);
}

void put_effort(checked_request const& r, int max_tokens, boost::json::object& body) {
    if (!r.request.effort) return;
    bool const levels = takes_effort(r.options.model);
    if (!r.reasons()) {
        body["thinking"] = {{"type", "disabled"}};
        return;
    }
    if (levels) body["output_config"] = {{"effort", to_string(*r.request.effort)}};
    // A tool that must be called and reasoning exclude each other here.
    if (r.wants(answer_kind::tool_call)) return;
    int const budget = thinking_budget(*r.request.effort, max_tokens);
    if (levels)
        body["thinking"] = {{"type", "adaptive"}};
    else if (budget >= 1024) // less is refused
        body["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget}};
    if (body.contains("thinking")) body.erase("temperature"); // a model that thinks has its own
}

void put_format(checked_request const& r, boost::json::object& body) {
    if (r.wants(answer_kind::json_schema)) {
        auto& config = body["output_config"];
        if (!config.is_object()) config.emplace_object();
        config.as_object()["format"] = {{"type", "json_schema"}, {"schema", r.schema}};
    } else if (r.wants(answer_kind::tool_call)) {
        boost::json::object tool{{"name", r.name}, {"input_schema", r.schema}};
        auto const description = well_formed_utf8(r.request.format->description);
        if (!description.empty()) tool["description"] = description;
        body["tools"] = boost::json::array{std::move(tool)};
        body["tool_choice"] = {
            {"type", "tool"}, {"name", r.name}, {"disable_parallel_tool_use", true}};
    }
}

/// Turns alternate, the first is the user's, none is empty, and the last does not end in a blank.
boost::json::array turns(checked_request const& r, std::string& system) {
    conversation merged;
    for (message const& m : r.request.messages) {
        if (m.role == role::system || trimmed(m.text).empty()) continue;
        if (!merged.empty() && merged.back().role == m.role)
            merged.back().text += "\n\n" + m.text;
        else
            merged.push_back(m);
    }
    if (merged.empty()) merged.push_back({role::user, std::exchange(system, {})});
    if (auto& last = merged.back(); last.role == role::assistant)
        last.text.resize(last.text.find_last_not_of(" \t\r\n\f\v") + 1);
    boost::json::array list;
    for (message const& m : merged)
        list.push_back(boost::json::object{{"role", to_string(m.role)},
                                           {"content", well_formed_utf8(m.text)}});
    return list;
}

finish reason(std::string_view name) {
    if (name == "end_turn" || name == "stop_sequence" || name == "tool_use") return finish::stop;
    if (name == "max_tokens" || name == "model_context_window_exceeded") return finish::length;
    if (name == "refusal") return finish::filtered;
    return finish::unknown;
}

/// Numbers of a stream are sums up to then, and a later one may tell the input again.
void read_usage(json const* usage, answer& a) {
    if (auto const n = count_at(usage, "input_tokens")) {
        a.cached = count_at(usage, "cache_read_input_tokens").value_or(0);
        a.input = *n + a.cached + count_at(usage, "cache_creation_input_tokens").value_or(0);
    }
    if (auto const n = count_at(usage, "output_tokens")) a.output = n;
}

void read_message(json const* m, answer& a) {
    if (auto const model = text_at(m, "model"); !model.empty()) a.model = model;
    if (auto const* why = member(m, "stop_reason")) a.finish = reason(text_of(why));
    read_usage(member(m, "usage"), a);
}

/// A block, or the beginning of one: what a stream has of it by then.
void read_block(json const* block, std::int64_t index, answer& a) {
    auto const type = text_at(block, "type");
    if (type == "text") a.content += text_at(block, "text");
    if (type == "thinking") {
        if (!a.reasoning.empty()) a.reasoning += "\n\n";
        a.reasoning += text_at(block, "thinking");
    }
    if (type != "tool_use" || a.call) return;
    a.call = index;
    auto const* input = member(block, "input");
    if (input && input->is_object() && !input->get_object().empty()) a.arguments = as_text(input);
}

} // namespace anthropic

boost::json::object anthropic_body(checked_request const& r) {
    int const max_tokens = r.request.max_tokens.value_or(
        r.reasons() ? anthropic::default_max_tokens_with_reasoning : anthropic::default_max_tokens);
    boost::json::object body{{"model", well_formed_utf8(r.options.model)},
                             {"max_tokens", max_tokens}};
    std::string system = r.system();
    auto turns = anthropic::turns(r, system);
    if (!system.empty()) body["system"] = std::move(system);
    body["messages"] = std::move(turns);
    if (r.request.temperature) body["temperature"] = *r.request.temperature;
    anthropic::put_effort(r, max_tokens, body);
    anthropic::put_format(r, body);
    body["stream"] = r.options.stream;
    return body;
}

void read_anthropic(json const& whole, answer& a) {
    anthropic::read_message(&whole, a);
    std::int64_t index = 0;
    for (json const& block : list_at(&whole, "content")) {
        anthropic::read_block(&block, index, a);
        if (a.call == index && a.arguments.empty()) a.arguments = "{}";
        ++index;
    }
    a.ended = true;
}

void read_anthropic_event(std::string_view name, json const& event, answer& a) {
    auto const type = text_at(&event, "type").empty() ? name : text_at(&event, "type");
    auto const index = count_at(&event, "index").value_or(0);
    auto const* delta = member(&event, "delta");
    if (type == "message_start") {
        anthropic::read_message(member(&event, "message"), a);
    } else if (type == "content_block_start") {
        anthropic::read_block(member(&event, "content_block"), index, a);
    } else if (type == "content_block_delta") {
        a.content += text_at(delta, "text");
        a.reasoning += text_at(delta, "thinking");
        if (a.call == index) a.arguments += text_at(delta, "partial_json");
    } else if (type == "content_block_stop") {
        if (a.call == index && a.arguments.empty()) a.arguments = "{}";
    } else if (type == "message_delta") {
        if (auto const* why = member(delta, "stop_reason"))
            a.finish = anthropic::reason(text_of(why));
        anthropic::read_usage(member(&event, "usage"), a);
    } else if (type == "message_stop") {
        if (!a.finish) a.finish = finish::unknown;
        a.ended = true;
    }
}

} // namespace lkt::detail::http
