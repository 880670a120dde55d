// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/recorded_oracle.hpp>

#include <lkt/core/files.hpp>
#include <lkt/core/json_keys.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/verify/detail/convert_array.hpp>
#include <lkt/verify/npy.hpp>
#include <lkt/verify/test_check.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

namespace lkt {

namespace record_parts {

namespace json = boost::json;

constexpr std::int64_t format = 1;

error bad_record(std::string const& folder, std::string what) {
    return {condition::rejected,
            "lkt.verify.oracle_record",
            "the recording in " + folder + " cannot be used: " + std::move(what),
            "Record it again with record_suite, from the tests that are to use it."};
}

/// Tells inputs apart (FNV-1a of 64 bits); nobody is kept from forging them.
std::string digest(argument_data const& data) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::byte const b : data.bytes)
        hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

/// The arguments as the manifest names them.
json::array arguments_of(problem const& task) {
    json::array all;
    for (argument const& a : task.signature.arguments)
        all.push_back(
            json::object{{"name", a.name}, {"type", to_string(a.type)}, {"buffer", a.pointer}});
    return all;
}

json::array size_of_test(test_case const& test) {
    json::array size;
    for (auto const& [name, extent] : test.size) size.push_back(json::array{name, extent});
    return size;
}

/// One digest for each argument, null for what is no input.
json::array inputs_of_test(problem const& task, test_case const& test) {
    json::array digests;
    for (std::size_t k = 0; k < test.arguments.size(); ++k)
        if (task.flow(k) == direction::out || task.arguments[k].scratch)
            digests.emplace_back(nullptr);
        else
            digests.emplace_back(digest(test.arguments[k]));
    return digests;
}

/// No part of it comes from a file.
std::string file_name(problem const& task, std::size_t test, std::size_t argument) {
    std::string name;
    for (char const c : task.signature.arguments[argument].name)
        name +=
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
                ? c
                : '-';
    return std::to_string(test) + "." + std::to_string(argument) + "." + name.substr(0, 60) +
           ".npy";
}

struct record {
    json::array tests;
};

result<record> read_record(problem const& task, std::string const& folder) {
    auto const text = read_text_file(folder + "/manifest.json");
    if (!text) return text.error();
    boost::system::error_code failed;
    auto parsed = json::parse(*text, failed);
    auto* const manifest = failed ? nullptr : parsed.if_object();
    if (manifest == nullptr) return bad_record(folder, "manifest.json is not a JSON object");
    if (auto const twice = describe_repeated_key(*text))
        return bad_record(folder, "manifest.json, " + *twice);
    auto const* const version = manifest->if_contains("lkt_recorded_outputs");
    if (version == nullptr || *version != format)
        return bad_record(folder, "manifest.json has another version");
    auto const* const arguments = manifest->if_contains("arguments");
    if (arguments == nullptr || *arguments != arguments_of(task))
        return bad_record(folder,
                          "it is for a kernel with the arguments " +
                              (arguments == nullptr ? "?" : json::serialize(*arguments)) +
                              ", and this one has " + json::serialize(arguments_of(task)));
    auto* const tests = manifest->if_contains("tests");
    if (tests == nullptr || !tests->is_array())
        return bad_record(folder, "manifest.json lists no tests");
    for (auto const& test : tests->get_array())
        if (!test.is_object() || !test.get_object().contains("size") ||
            !test.get_object().contains("inputs"))
            return bad_record(folder, "a test in manifest.json has no size or no inputs");
    return record{std::move(tests->get_array())};
}

/// The test's place in the record.
result<std::size_t> find_recorded(problem const& task,
                                  record const& recorded,
                                  test_case const& test,
                                  std::string const& folder) {
    auto const size = size_of_test(test);
    auto const inputs = inputs_of_test(task, test);
    std::string why = "no test of the size " + to_string(test.size) + " was recorded";
    for (std::size_t t = 0; t < recorded.tests.size(); ++t) {
        auto const& other = recorded.tests[t].get_object();
        if (other.at("size") != size) continue;
        auto const& digests = other.at("inputs");
        if (digests == inputs) return t;
        why = "different inputs were recorded for the size " + to_string(test.size);
        if (digests.is_array() && digests.get_array().size() == inputs.size())
            for (std::size_t k = 0; k < inputs.size(); ++k)
                if (digests.get_array()[k] != inputs[k]) {
                    why += ", `" + task.signature.arguments[k].name + "` is the first that differs";
                    break;
                }
    }
    return bad_record(folder, "for test `" + test.name + "`, " + why);
}

} // namespace record_parts

result<void> record_suite(problem const& task, test_suite const& suite, std::string const& folder) {
    using namespace record_parts;
    if (!suite.prepared())
        return error{condition::rejected,
                     "lkt.verify.oracle_record",
                     "there are no expected outputs to record",
                     "Prepare the suite first."};
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return error{condition::rejected,
                     "lkt.verify.oracle_record",
                     "cannot create " + folder + ": " + failed.message(),
                     "Name a writable folder."};
    auto const positions = output_positions(suite.directions);
    json::array tests;
    for (std::size_t t = 0; t < suite.tests.size(); ++t) {
        prepared_test const& test = suite.tests[t];
        for (std::size_t p = 0; p < positions.size(); ++p) {
            if (task.arguments[positions[p]].scratch) continue;
            argument_data const& data = test.expected[p];
            std::string text;
            append_npy(text, data.type.scalar, detail::shape_of(data), data.bytes);
            if (auto e = write_text_file(folder + "/" + file_name(task, t, positions[p]), text))
                return *e;
        }
        tests.push_back(json::object{{"name", test.test.name},
                                     {"size", size_of_test(test.test)},
                                     {"inputs", inputs_of_test(task, test.test)}});
    }
    json::object const manifest{
        {"lkt_recorded_outputs", format},
        {"kernel", task.signature.name},
        {"oracle", suite.oracle.empty() ? "the original kernel" : suite.oracle},
        {"arguments", arguments_of(task)},
        {"tests", std::move(tests)}};
    // Last, so that a record that was interrupted is none.
    if (auto e = write_text_file(folder + "/manifest.json",
                                 plain_json(json::serialize(manifest)) + "\n"))
        return *e;
    return {};
}

result<std::vector<oracle_answer>> recorded_oracle::answer(problem const& task,
                                                           std::span<test_case const> tests,
                                                           call_context const& context) const {
    using namespace record_parts;
    auto const recorded = read_record(task, folder);
    if (!recorded) return recorded.error();
    std::vector<oracle_answer> answers;
    for (test_case const& test : tests) {
        if (context.stop.stop_requested()) return cancelled("reading " + folder);
        auto const at = find_recorded(task, *recorded, test, folder);
        if (!at) return at.error();
        oracle_answer answer;
        for (std::size_t const k : judged_outputs(task)) {
            std::string const name = file_name(task, *at, k);
            auto array = read_npy(folder + "/" + name);
            if (!array) return array.error();
            argument_data const& wanted = test.arguments[k];
            if (array->type != npy_type(wanted.type.scalar))
                return bad_record(
                    folder, name + " holds " + std::string(to_string(array->type)) + " values");
            auto value = detail::convert_array(std::move(*array),
                                               wanted.type,
                                               wanted.buffer,
                                               wanted.count(),
                                               detail::rounding::float64_to_float32);
            if (auto const* const wrong = std::get_if<std::string>(&value))
                return bad_record(folder, name + " " + *wrong);
            answer.push_back(std::get<argument_data>(std::move(value)));
        }
        answers.push_back(std::move(answer));
    }
    return answers;
}

} // namespace lkt
