// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>

#include <lkt/core/plain_text.hpp>

#include <boost/json/array.hpp>

#include <string>
#include <utility>

namespace lkt::detail::http {

namespace openai_responses {

void put_format(checked_request const& r, boost::json::object& body) {
    if (!r.request.format) return;
    if (r.wants(answer_kind::json_object)) {
        body["text"] = {{"format", {{"type", "json_object"}}}};
        return;
    }
    bool const tool = r.wants(answer_kind::tool_call);
    boost::json::object form{{"type", tool ? "function" : "json_schema"},
                             {"name", r.name},
                             {tool ? "parameters" : "schema", r.schema},
                             {"strict", r.strict}};
    auto const description = well_formed_utf8(r.request.format->description);
    if (!description.empty()) form["description"] = description;
    if (tool) {
        body["tools"] = boost::json::array{std::move(form)};
        body["tool_choice"] = {{"type", "function"}, {"name", r.name}};
    } else {
        body["text"] = {{"format", std::move(form)}};
    }
}

/// All but the output, which a stream has sent already.
void read_end(json const& whole, answer& a) {
    if (auto const model = text_at(&whole, "model"); !model.empty()) a.model = model;
    auto const status = text_at(&whole, "status");
    auto const why = text_at(member(&whole, "incomplete_details"), "reason");
    if (status == "completed")
        a.finish = finish::stop;
    else if (status == "incomplete")
        a.finish = why == "max_output_tokens" ? finish::length
                   : why == "content_filter"  ? finish::filtered
                                              : finish::unknown;
    else if (status == "failed" || status == "cancelled")
        a.fault = find_fault(whole).value_or(
            server_fault{500, "", "", "the response is " + std::string(status)});
    auto const* usage = member(&whole, "usage");
    if (auto const n = count_at(usage, "input_tokens")) a.input = n;
    if (auto const n = count_at(usage, "output_tokens")) a.output = n;
    a.cached = count_at(member(usage, "input_tokens_details"), "cached_tokens").value_or(a.cached);
    a.thought =
        count_at(member(usage, "output_tokens_details"), "reasoning_tokens").value_or(a.thought);
}

void new_paragraph(std::string& text) {
    if (!text.empty()) text += "\n\n";
}

void read_output(json const& whole, answer& a) {
    for (json const& item : list_at(&whole, "output")) {
        auto const type = text_at(&item, "type");
        if (type == "message") {
            for (json const& part : list_at(&item, "content"))
                if (text_at(&part, "type") == "refusal")
                    a.refusal += text_at(&part, "refusal");
                else
                    a.content += text_at(&part, "text");
        } else if (type == "reasoning") {
            for (std::string_view const where : {"content", "summary"}) {
                for (json const& part : list_at(&item, where)) {
                    new_paragraph(a.reasoning);
                    a.reasoning += words_of(&part);
                }
            }
        } else if (type == "function_call" && !a.call) {
            a.call = 0;
            a.arguments = as_text(member(&item, "arguments"));
        }
    }
}

} // namespace openai_responses

boost::json::object openai_responses_body(checked_request const& r) {
    boost::json::object body{{"model", well_formed_utf8(r.options.model)}};
    if (auto system = r.system(); !system.empty()) body["instructions"] = std::move(system);
    boost::json::array input;
    for (message const& m : r.request.messages) {
        if (m.role == role::system) continue;
        // What the model said is an output's text; an input's is what it is told.
        auto const* const type = m.role == role::assistant ? "output_text" : "input_text";
        boost::json::array parts{{{"type", type}, {"text", well_formed_utf8(m.text)}}};
        input.push_back(boost::json::object{
            {"type", "message"}, {"role", to_string(m.role)}, {"content", std::move(parts)}});
    }
    if (input.empty()) { // instructions alone are no input
        input.push_back(boost::json::object{
            {"type", "message"}, {"role", "user"}, {"content", body["instructions"]}});
        body.erase("instructions");
    }
    body["input"] = std::move(input);
    body["store"] = false;
    if (r.request.temperature) body["temperature"] = *r.request.temperature;
    if (r.request.max_tokens) body["max_output_tokens"] = *r.request.max_tokens;
    if (r.request.effort) body["reasoning"] = {{"effort", to_string(*r.request.effort)}};
    openai_responses::put_format(r, body);
    body["stream"] = r.options.stream;
    return body;
}

void read_openai_responses(json const& whole, answer& a) {
    openai_responses::read_end(whole, a);
    openai_responses::read_output(whole, a);
    a.ended = true;
}

void read_openai_responses_event(std::string_view name, json const& event, answer& a) {
    auto const type = text_at(&event, "type").empty() ? name : text_at(&event, "type");
    auto const delta = text_at(&event, "delta");
    auto const* response = member(&event, "response");
    if (type == "response.output_text.delta") {
        a.content += delta;
    } else if (type == "response.refusal.delta") {
        a.refusal += delta;
    } else if (type == "response.reasoning_text.delta" ||
               type == "response.reasoning_summary_text.delta") {
        a.reasoning += delta;
    } else if (type == "response.reasoning_summary_part.added") {
        openai_responses::new_paragraph(a.reasoning);
    } else if (type == "response.function_call_arguments.delta") {
        auto const index = count_at(&event, "output_index").value_or(0);
        if (!a.call) a.call = index;
        if (*a.call == index) a.arguments += delta;
    } else if (type == "response.completed" || type == "response.incomplete" ||
               type == "response.failed") {
        if (!response) return;
        openai_responses::read_end(*response, a);
        // A server that only imitates the stream sends everything at its end.
        if (a.content.empty() && a.refusal.empty() && a.arguments.empty()) {
            answer all;
            openai_responses::read_output(*response, all);
            a.content = std::move(all.content);
            a.refusal = std::move(all.refusal);
            a.arguments = std::move(all.arguments);
            if (a.reasoning.empty()) a.reasoning = std::move(all.reasoning);
        }
        if (!a.finish) a.finish = finish::unknown;
        a.ended = true;
    } else if (auto const model = text_at(response, "model"); !model.empty()) {
        a.model = model;
    }
}

} // namespace lkt::detail::http
