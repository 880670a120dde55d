// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/torch_module.hpp>

#include <lkt/verify/detail/python_run.hpp>
#include <lkt/verify/detail/torch_probe.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <string_view>

namespace lkt {

namespace torch_module_parts {

bool is_name(std::string_view text) {
    auto const letter = [](char c) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    return !text.empty() && letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) {
               return letter(c) || (c >= '0' && c <= '9');
           });
}

std::string with_names(std::string text, torch_module const& module) {
    for (auto const& [mark, name] :
         {std::pair<std::string_view, std::string const&>("@CLASS@", module.name),
          std::pair<std::string_view, std::string const&>("@KERNEL@", module.kernel)})
        for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + name.size()))
            text.replace(at, mark.size(), name);
    return text;
}

} // namespace torch_module_parts

result<std::string> problem_of_module(torch_module const& module, call_context const& context) {
    using namespace torch_module_parts;
    namespace json = boost::json;
    constexpr char code[] = "lkt.verify.torch_module";
    constexpr char hint[] = "docs/operations.md says what a module's file needs";
    for (std::string const& name : {module.name, module.kernel})
        if (!is_name(name))
            return error{condition::rejected, code, "`" + name + "` is no name of a class", hint};
    python_script script;
    script.text = module.text + with_names(detail::torch_probe, module);
    script.function = "lkt_probe";
    script.origin = module.origin;
    script.library = array_library::torch;
    script.time_limit = module.time_limit;
    auto const made = detail::run_python(
        script,
        R"("do":"compute","inputs":[],"scalars":[],"outputs":["problem"],"tests":[{"name":"module","size":{}}])",
        {},
        code,
        hint,
        context);
    if (!made) return made.error();
    error const unreadable{
        condition::rejected, code, module.origin + " answers with something else", hint};
    if (made->size() != 1 || made->front().arrays.size() != 1) return unreadable;
    auto const& bytes = made->front().arrays.front().array.bytes;
    boost::system::error_code failed;
    auto const said = json::parse(
        std::string_view(reinterpret_cast<char const*>(bytes.data()), bytes.size()), failed);
    auto const* const both = failed ? nullptr : said.if_array();
    if (both == nullptr || both->size() != 2 || !both->at(0).is_object() ||
        !both->at(1).is_string())
        return unreadable;
    json::object problem = both->at(0).get_object();
    auto* const lkt = problem.if_contains("lkt");
    auto* const members = lkt ? lkt->if_object() : nullptr;
    auto* const operation = members ? members->if_contains("operation") : nullptr;
    if (operation == nullptr || !operation->is_object()) return unreadable;
    json::array lines;
    std::string const text = module.text + std::string(both->at(1).get_string());
    for (std::size_t at = 0; at < text.size();) {
        auto const end = std::min(text.find('\n', at), text.size());
        lines.push_back(json::string(text.substr(at, end - at)));
        at = end + 1;
    }
    operation->get_object()["torch"] = {{"source", std::move(lines)}, {"function", "lkt_module"}};
    return json::serialize(problem);
}

} // namespace lkt
