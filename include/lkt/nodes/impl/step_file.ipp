// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/step_file.hpp>

#include <lkt/core/json_keys.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/nodes/detail/metadata.hpp>
#include <lkt/nodes/detail/quote.hpp>

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <optional>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

/// Reads a list, and remembers the first thing that is wrong with it.
class step_reader {
public:
    explicit step_reader(std::string const& origin) : origin_(origin) {}

    std::vector<optimization_step> list(boost::json::value const& v) {
        std::vector<optimization_step> steps;
        if (auto const* file = v.if_object()) {
            only(*file, {"steps"}, "");
            auto const* inner = file->if_contains("steps");
            if (inner == nullptr) return fail("steps", "is missing"), steps;
            return list_of(*inner);
        }
        return list_of(v);
    }
    [[nodiscard]] std::optional<error> const& failure() const { return failure_; }

    void
    fail(std::string const& path,
         std::string const& what,
         char const* hint = "a step must have \"id\" and \"prompt\", and may have \"tune_params\", "
                            "\"depends_on\", \"skip_evaluation\" and \"languages\"") {
        if (failure_) return;
        failure_ = error{condition::rejected,
                         "lkt.strategies.steps",
                         origin_ + ": " + (path.empty() ? what : path + " " + what),
                         hint};
    }

private:
    using json = boost::json::value;

    void only(boost::json::object const& o,
              std::initializer_list<std::string_view> known,
              std::string const& path) {
        for (auto const& [key, unused] : o)
            if (occurrences(known, std::string_view(key)) == 0)
                fail(path + shortened(key, 60), "is not a known field");
    }

    std::vector<optimization_step> list_of(json const& v) {
        std::vector<optimization_step> steps;
        auto const* items = v.if_array();
        if (items == nullptr) return fail("steps", "must be a list of steps"), steps;
        for (json const& item : *items)
            steps.push_back(step(item, "steps[" + std::to_string(steps.size()) + "]"));
        return steps;
    }

    optimization_step step(json const& v, std::string const& path) {
        optimization_step s;
        auto const* o = v.if_object();
        if (o == nullptr) return fail(path, "must be an object"), s;
        std::string const in = path + ".";
        only(*o, {"id", "prompt", "tune_params", "depends_on", "skip_evaluation", "languages"}, in);
        if (!o->contains("id")) fail(in + "id", "is missing");
        if (!o->contains("prompt")) fail(in + "prompt", "is missing");
        for (auto const& [key, value] : *o) {
            std::string const at = in + std::string(key);
            if (key == "id") s.id = text(value, at);
            if (key == "prompt") s.prompt = text(value, at);
            if (key == "depends_on") s.depends_on = texts(value, at);
            if (key == "tune_params") s.tune_params = parameters(value, at);
            if (key == "languages") s.languages = languages(value, at);
            if (key != "skip_evaluation") continue;
            if (!value.is_bool()) fail(at, "must be true or false");
            s.skip_evaluation = value.is_bool() && value.get_bool();
        }
        return s;
    }

    std::string text(json const& v, std::string const& path) {
        if (auto const* s = v.if_string()) return {s->data(), s->size()};
        fail(path, "must be text");
        return {};
    }

    std::vector<std::string> texts(json const& v, std::string const& path) {
        std::vector<std::string> all;
        auto const* items = v.if_array();
        if (items == nullptr) return fail(path, "must be a list of texts"), all;
        for (json const& item : *items)
            all.push_back(text(item, path + "[" + std::to_string(all.size()) + "]"));
        return all;
    }

    std::vector<language> languages(json const& v, std::string const& path) {
        std::vector<language> all;
        for (std::string const& name : texts(v, path)) {
            bool found = false;
            for (language const l : {language::cuda, language::hip, language::wgsl})
                if (to_string(l) == name) {
                    all.push_back(l);
                    found = true;
                }
            if (!found)
                fail(path, "names " + ticked(shortened(name, 40)) + "; known: CUDA, HIP and WGSL");
        }
        return all;
    }

    /// A list, whose first value is neutral, or an object that says which value is.
    std::vector<step_parameter> parameters(json const& v, std::string const& path) {
        std::vector<step_parameter> all;
        auto const* o = v.if_object();
        if (o == nullptr)
            return fail(path, "must be an object such as {\"TILE\": [1, 16, 32]}"), all;
        for (auto const& [key, value] : *o) {
            step_parameter p{std::string(key), {}, {}};
            std::string const at = path + "." + shortened(key, 60);
            if (auto const* full = value.if_object()) {
                only(*full, {"values", "neutral"}, at + ".");
                auto const* list = full->if_contains("values");
                if (list != nullptr) p.values = values(*list, at + ".values");
                auto const* neutral = full->if_contains("neutral");
                if (neutral != nullptr && !neutral->is_null())
                    p.neutral = number(*neutral, at + ".neutral");
            } else {
                p.values = values(value, at);
                if (!p.values.empty()) p.neutral = p.values.front();
            }
            all.push_back(std::move(p));
        }
        return all;
    }

    std::vector<parameter_value> values(json const& v, std::string const& path) {
        std::vector<parameter_value> all;
        auto const* items = v.if_array();
        if (items == nullptr) return fail(path, "must be a list of values"), all;
        for (json const& item : *items)
            all.push_back(number(item, path + "[" + std::to_string(all.size()) + "]"));
        return all;
    }

    parameter_value number(json const& v, std::string const& path) {
        if (auto value = value_of(v)) return std::move(*value);
        fail(path, "must be a number, true or false, or a short text");
        return {};
    }

    std::string const& origin_;
    std::optional<error> failure_;
};

boost::json::value step_value_json(parameter_value const& value) {
    return std::visit([](auto const& v) { return boost::json::value(v); }, value);
}

boost::json::object step_json(optimization_step const& s) {
    boost::json::object o{{"id", s.id}, {"prompt", s.prompt}};
    boost::json::object parameters;
    for (step_parameter const& p : s.tune_params) {
        boost::json::array values;
        for (parameter_value const& v : p.values) values.push_back(step_value_json(v));
        if (p.neutral)
            parameters[p.name] = std::move(values);
        else
            parameters[p.name] = boost::json::object{{"values", values}, {"neutral", nullptr}};
    }
    if (!parameters.empty()) o["tune_params"] = std::move(parameters);
    if (!s.depends_on.empty())
        o["depends_on"] = boost::json::array(s.depends_on.begin(), s.depends_on.end());
    if (s.skip_evaluation) o["skip_evaluation"] = true;
    boost::json::array languages;
    for (language const l : s.languages) languages.emplace_back(to_string(l));
    if (!languages.empty()) o["languages"] = std::move(languages);
    return o;
}

} // namespace detail

result<std::vector<optimization_step>> read_steps(std::string_view json,
                                                  std::string const& origin) {
    detail::step_reader reader(origin);
    boost::json::stream_parser parser;
    boost::system::error_code why;
    std::size_t const at = parser.write_some(json.data(), json.size(), why);
    if (!why && !trimmed(json.substr(at)).empty()) why = boost::json::error::extra_data;
    if (!why) parser.finish(why);
    if (why) {
        reader.fail({},
                    "this is not JSON at " + line_and_column(json, at) + ": " + why.message(),
                    json_hint);
        return *reader.failure();
    }
    boost::json::value const value = parser.release();
    if (auto const twice = describe_repeated_key(json)) {
        reader.fail({}, *twice, "keep one of them");
        return *reader.failure();
    }
    auto steps = reader.list(value);
    if (reader.failure()) return *reader.failure();
    if (auto ok = check_steps(steps); !ok) {
        error e = ok.error();
        e.message = origin + ": " + e.message;
        return e;
    }
    return steps;
}

std::string steps_text(std::span<optimization_step const> steps) {
    // One line a field: a list is there to be edited.
    std::string text = "{\"steps\": [";
    for (optimization_step const& s : steps) {
        text += &s == &steps.front() ? "\n    {" : ",\n    {";
        bool first = true;
        for (auto const& [key, value] : detail::step_json(s)) {
            text += first ? "" : ",\n     ";
            text += boost::json::serialize(boost::json::value(key)) + ": " +
                    boost::json::serialize(value);
            first = false;
        }
        text += "}";
    }
    return plain_json(text + "\n]}\n");
}

} // namespace lkt
