// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/script_oracle.hpp>

#include <lkt/core/files.hpp>
#include <lkt/verify/detail/convert_array.hpp>
#include <lkt/verify/detail/python_run.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>
#include <variant>

namespace lkt {

namespace script_oracle_parts {

/// Positions of the arguments that the function gets.
std::vector<std::size_t> inputs_of(problem const& task) {
    std::vector<std::size_t> positions;
    for (std::size_t k = 0; k < task.arguments.size(); ++k)
        if (task.flow(k) != direction::out && !task.arguments[k].scratch) positions.push_back(k);
    return positions;
}

std::string head_of(problem const& task, std::span<test_case const> tests) {
    namespace json = boost::json;
    json::array inputs, scalars, outputs, described;
    for (std::size_t const k : inputs_of(task)) {
        argument const& a = task.signature.arguments[k];
        inputs.emplace_back(a.name);
        scalars.emplace_back(!a.pointer && a.type.lanes == 1);
    }
    for (std::size_t const k : judged_outputs(task))
        outputs.emplace_back(task.signature.arguments[k].name);
    for (test_case const& test : tests) {
        json::object size;
        for (auto const& [name, extent] : test.size) size[name] = extent;
        described.push_back(json::object{{"name", test.name}, {"size", std::move(size)}});
    }
    return "\"do\":\"compute\",\"inputs\":" + json::serialize(inputs) +
           ",\"scalars\":" + json::serialize(scalars) + ",\"outputs\":" + json::serialize(outputs) +
           ",\"tests\":" + json::serialize(described);
}

} // namespace script_oracle_parts

result<std::vector<oracle_answer>> script_oracle::answer(problem const& task,
                                                         std::span<test_case const> tests,
                                                         call_context const& context) const {
    using namespace script_oracle_parts;
    std::string arrays;
    for (test_case const& test : tests)
        for (std::size_t const k : inputs_of(task)) {
            argument_data const& data = test.arguments[k];
            append_npy(arrays, data.type.scalar, detail::shape_of(data), data.bytes);
        }
    auto made = detail::run_python(
        script,
        head_of(task, tests),
        arrays,
        "lkt.verify.oracle_script",
        "Correct the oracle; docs/verification.md describes what it gets and what it must return.",
        context);
    if (!made) return made.error();
    auto const outputs = judged_outputs(task);
    std::vector<oracle_answer> answers;
    for (std::size_t t = 0; t < made->size() && t < tests.size(); ++t) {
        oracle_answer answer;
        for (std::size_t p = 0; p < (*made)[t].arrays.size() && p < outputs.size(); ++p) {
            argument_data const& wanted = tests[t].arguments[outputs[p]];
            auto value = detail::convert_array(std::move((*made)[t].arrays[p].array),
                                               wanted.type,
                                               wanted.buffer,
                                               wanted.count(),
                                               detail::rounding::floats);
            if (auto const* const wrong = std::get_if<std::string>(&value))
                return error{condition::rejected,
                             "lkt.verify.oracle_output",
                             describe() + ": the output `" +
                                 task.signature.arguments[outputs[p]].name + "` on test `" +
                                 tests[t].name + "` " + *wrong,
                             "Return every element of the output, in a type whose values fit into "
                             "the output's type."};
            answer.push_back(std::get<argument_data>(std::move(value)));
        }
        answers.push_back(std::move(answer));
    }
    return answers;
}

std::string script_oracle::describe() const {
    return "`" + script.function + "` of " + script.origin + " with " +
           std::string(to_string(script.library));
}

result<script_oracle>
read_script_oracle(std::string const& path, std::string const& function, array_library library) {
    auto text = read_text_file(path);
    if (!text) return text.error();
    python_script script;
    script.text = std::move(*text);
    script.function = function;
    script.origin = path;
    script.library = library;
    return script_oracle{std::move(script)};
}

} // namespace lkt
