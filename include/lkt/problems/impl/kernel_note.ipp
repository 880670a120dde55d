// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/problems/kernel_note.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/definitions.hpp>
#include <lkt/lang/expression/parse_parameter.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/problems/detail/json_fields.hpp>

#include <boost/json/serialize.hpp>

#include <array>
#include <utility>
#include <vector>

namespace lkt {

namespace detail::problems {

constexpr std::string_view note_mark = "// lkt-kernel {", text_mark = "// lkt-text ";

json::value note_value(parameter_value const& value) {
    return std::visit([](auto const& v) { return json::value(v); }, value);
}

json::array note_extents(std::array<expression, 3> const& extents) {
    json::array all;
    for (expression const& e : extents) all.push_back(json::string(e.text()));
    return all;
}

/// The place behind the line feed at or after `at`.
std::size_t line_after(std::string_view text, std::size_t at) {
    auto const end = text.find('\n', at);
    return end == text.npos ? text.size() : end + 1;
}

/// Where a line begins with `what`, from `at`, which begins one.
std::size_t find_line(std::string_view text, std::string_view what, std::size_t at = 0) {
    for (; at < text.size(); at = line_after(text, at))
        if (text.substr(at).starts_with(what)) return at;
    return text.npos;
}

std::array<expression, 3> read_extents(json_field const& list) {
    std::array<expression, 3> extents{1, 1, 1};
    auto const items = list.items();
    if (items.empty() || items.size() > 3) list.wrong_value("1 to 3 expressions are needed");
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto e = expression::parse(items[i].text());
        if (!e) items[i].wrong_value(e.error().message);
        extents[i] = std::move(*e);
    }
    return extents;
}

parameter_value read_note_value(json_field const& f) {
    json::value const& v = f.value();
    if (v.is_bool()) return v.get_bool();
    if (v.is_string()) return f.text();
    if (v.is_double()) return v.get_double();
    return f.integer();
}

/// What a person made of the value in the text: `#define NAME VALUE`, `override NAME = VALUE;`.
std::optional<parameter_value> value_in_text(kernel_source const& source, std::string const& name) {
    if (source.language == language::wgsl) {
        auto const module = reflect_wgsl(source);
        if (!module) return {};
        for (wgsl_override const& o : module->overrides)
            if (o.name == name && o.value)
                if (auto v = o.value->evaluate({})) return *v;
        return {};
    }
    auto const tokens = tokenize(source.text);
    if (!tokens) return {};
    for (std::size_t i = 2; i + 1 < tokens->size(); ++i) {
        auto const& t = (*tokens)[i];
        if (!t.directive || !t.is(name) || !(*tokens)[i - 1].is("define")) continue;
        std::size_t last = i;
        while (last + 1 < tokens->size() && (*tokens)[last + 1].directive &&
               !(*tokens)[last + 1].first)
            ++last;
        if (last == i) return {};
        std::size_t const begin = (*tokens)[i + 1].begin;
        std::string const text = source.text.substr(begin, (*tokens)[last].end - begin);
        auto const read = parse_parameter(name + "=" + text);
        if (read && read->values.size() == 1) return read->values.front();
        return parameter_value(text);
    }
    return {};
}

/// Whether it is a header: its functions launch the kernel with the values that won.
bool has_launch_functions(std::string_view text) {
    return text.find("inline launch_dimensions dimensions_at(") != text.npos;
}

candidate read_note(kernel_source const& file, std::string const& line) {
    json::value const parsed = parse_json(line, "the line `// lkt-kernel`");
    json_field const note(parsed, "lkt-kernel");
    if (note.at("format").integer() != 1)
        note.at("format").wrong_value("this version of lkt reads format 1");
    candidate kernel;
    json_field const launch = note.at("launch");
    kernel.launch.grid = read_extents(launch.at("grid"));
    kernel.launch.block = read_extents(launch.at("block"));
    auto shared = expression::parse(launch.at("shared_bytes").text());
    if (!shared) launch.at("shared_bytes").wrong_value(shared.error().message);
    kernel.launch.shared_bytes = std::move(*shared);

    std::string_view const text = file.text;
    auto const begin = find_line(text, text_mark);
    if (begin == text.npos) reject("note", "the line `// lkt-text ... begins` is missing");
    std::string const mark(text.substr(begin, text.find(' ', begin + text_mark.size()) - begin));
    auto const first = line_after(text, begin);
    auto const last = find_line(text, mark + " ends", first);
    if (last == text.npos)
        reject("note", "the line `" + plain_line(mark, 40) + " ends` is missing");
    kernel.source = {file.language, std::string(text.substr(first, last - first)), file.origin};
    std::vector<std::string> names;
    for (auto const& [name, value] : note.at("parameters").members()) {
        auto said = read_note_value(value);
        auto const read = value_in_text(kernel.source, name);
        if (read && definition_text(*read) != definition_text(said)) {
            // A launch that is not the one that the header's own functions make.
            if (has_launch_functions(text))
                reject(
                    "note",
                    "`" + plain_line(name, 40) + "` is " + plain_line(definition_text(*read), 40) +
                        " in the text and was tuned as " + plain_line(definition_text(said), 40) +
                        ", for which `dimensions_at` and `source` of this header are written");
            said = *read;
        }
        kernel.parameters.push_back({name, {std::move(said)}});
        names.push_back(name);
    }
    if (file.language != language::wgsl)
        kernel.source.text = without_definitions(kernel.source.text, names);
    return kernel;
}

} // namespace detail::problems

std::string kernel_note(configuration const& config, launch_formula const& launch) {
    namespace json = boost::json;
    using detail::problems::note_extents;
    json::object parameters;
    for (auto const& [name, value] : config.values)
        parameters[name] = detail::problems::note_value(value);
    json::object const note{{"format", 1},
                            {"parameters", std::move(parameters)},
                            {"launch",
                             {{"grid", note_extents(launch.grid)},
                              {"block", note_extents(launch.block)},
                              {"shared_bytes", launch.shared_bytes.text()}}}};
    return "// lkt-kernel " + plain_json(json::serialize(note)) + "\n";
}

std::string between_marks(tuned_text const& kernel) {
    std::string mark;
    for (unsigned k = 0;; ++k) {
        mark = std::string(detail::problems::text_mark) + std::to_string(k);
        if (kernel.text.find(mark) == std::string::npos) break;
    }
    std::string text = mark + " begins\n";
    for (auto const& [name, meaning] : kernel.macros)
        text += "#define " + name + " " + meaning + "\n";
    text += kernel.text;
    if (!text.ends_with('\n')) text += '\n';
    return text + mark + " ends\n";
}

result<std::optional<candidate>> read_kernel_note(kernel_source const& file) {
    namespace dp = detail::problems;
    auto const at = dp::find_line(file.text, dp::note_mark);
    if (at == std::string::npos) return std::optional<candidate>();
    auto const json = at + dp::note_mark.size() - 1;
    std::string const line = file.text.substr(json, dp::line_after(file.text, json) - json);
    try {
        return std::optional(dp::read_note(file, line));
    } catch (dp::problem_defect const& defect) {
        return error{
            condition::rejected,
            "lkt.kernel.note",
            plain_line(file.origin, 200) +
                ": what lkt-tune wrote of this kernel cannot be read: " + defect.what.message,
            "restore these lines; or delete the line `// lkt-kernel`, and say how the "
            "kernel is launched"};
    }
}

} // namespace lkt
