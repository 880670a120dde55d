// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/kernel_examples.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/problems/kernel_note.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace lkt {

namespace detail::examples {

constexpr double least_likeness = 0.3;
constexpr std::size_t most_features = 100;
constexpr std::string_view of_functions = "calls ";

/// Words before a bracket that tell nothing of what is computed.
bool says_nothing(std::string_view word) {
    static constexpr std::string_view words[] = {"__init__",
                                                 "append",
                                                 "as_tensor",
                                                 "bool",
                                                 "buffer",
                                                 "contiguous",
                                                 "detach",
                                                 "dict",
                                                 "double",
                                                 "enumerate",
                                                 "eval",
                                                 "flatten",
                                                 "float",
                                                 "forward",
                                                 "functional_call",
                                                 "get_init_inputs",
                                                 "get_inputs",
                                                 "getattr",
                                                 "globals",
                                                 "int",
                                                 "len",
                                                 "list",
                                                 "manual_seed",
                                                 "model",
                                                 "module",
                                                 "no_grad",
                                                 "parameter",
                                                 "rand",
                                                 "randint",
                                                 "randn",
                                                 "range",
                                                 "register_buffer",
                                                 "reshape",
                                                 "size",
                                                 "super",
                                                 "tensor",
                                                 "tuple",
                                                 "view",
                                                 "zip"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// The same for a layer and its function, in one dimension and in three: `batchnorm` for
/// `BatchNorm2d` and `batch_norm`.
std::string kind_of(std::string word) {
    std::erase(word, '_');
    std::size_t const n = word.size();
    if (n > 2 && word[n - 1] == 'd' && word[n - 2] >= '1' && word[n - 2] <= '3') word.resize(n - 2);
    return word;
}

/// The kinds of functions that a Python text calls, and `matmul` for its operator.
std::set<std::string> functions_in(std::string_view text) {
    std::set<std::string> found;
    auto const in_name = [](char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    };
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && in_name(text[end])) ++end;
        if (end == at) {
            if (text.substr(at).starts_with(" @ ")) found.insert("matmul");
            ++at;
            continue;
        }
        std::string word(text.substr(at, end - at));
        for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        bool const declared = at >= 4 && text.substr(at - 4, 4) == "def ";
        bool const called = end < text.size() && text[end] == '(';
        if (called && !declared && !says_nothing(word) && word.size() < 40)
            found.insert(kind_of(std::move(word)));
        at = end;
    }
    return found;
}

double weight_of(std::string_view feature) { return feature.starts_with(of_functions) ? 4 : 1; }

/// What an entry says of itself.
std::vector<std::string> features_in(kernel_entry const& e) {
    std::vector<std::string> features;
    boost::system::error_code failed;
    auto const record = boost::json::parse(e.record, failed);
    auto const* const object = failed ? nullptr : record.if_object();
    auto const* const said = object ? object->if_contains("features") : nullptr;
    if (said == nullptr || !said->is_array()) return features;
    for (auto const& one : said->get_array())
        if (one.is_string() && features.size() < most_features)
            features.emplace_back(one.get_string());
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    return features;
}

/// Without the line that says how it is launched.
std::string text_of(kernel_entry const& e) {
    kernel_source const source{e.key.language, e.kernel, e.file};
    auto const noted = read_kernel_note(source);
    return plain_text(noted && *noted ? (*noted)->source.text : e.kernel);
}

} // namespace detail::examples

std::vector<std::string> features_of(problem const& task) {
    using namespace detail::examples;
    std::set<std::string> features;
    if (task.oracle) {
        std::string_view text = task.oracle->text;
        // What follows is the same for all operations.
        text = text.substr(0, std::min(text.size(), text.find("\n# How the kernel's arguments")));
        for (std::string const& name : functions_in(text))
            features.insert(std::string(of_functions) + name);
    }
    std::size_t in = 0, out = 0;
    auto const scope = scope_of(task.size, {});
    std::int64_t read = 0, written = 0;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& a = task.signature.arguments[k];
        if (!a.pointer) continue;
        bool const output = task.flow(k) != direction::in;
        ++(output ? out : in);
        features.insert(std::string(output ? "writes " : "reads ") +
                        std::string(to_string(a.type.scalar)));
        if (auto const count = task.arguments[k].count.evaluate_integer(scope))
            (output ? written : read) = std::max(output ? written : read, *count);
    }
    features.insert("inputs " + std::to_string(in));
    features.insert("outputs " + std::to_string(out));
    features.insert(written == read  ? "an output for each input"
                    : written < read ? "fewer outputs than inputs"
                                     : "more outputs than inputs");
    return {features.begin(), features.end()};
}

double likeness(std::span<std::string const> a, std::span<std::string const> b) {
    using namespace detail::examples;
    double shared = 0, all = 0;
    bool calls = false, both_call = false;
    for (std::string const& feature : a) {
        bool const common = std::find(b.begin(), b.end(), feature) != b.end();
        bool const function = feature.starts_with(of_functions);
        calls = calls || function;
        both_call = both_call || (function && common);
        all += weight_of(feature);
        if (common) shared += weight_of(feature);
    }
    for (std::string const& feature : b) {
        calls = calls || feature.starts_with(of_functions);
        if (std::find(a.begin(), a.end(), feature) == a.end()) all += weight_of(feature);
    }
    return all > 0 && (both_call || !calls) ? shared / all : 0;
}

std::vector<kernel_example> examples_for(problem const& task,
                                         kernel_key const& key,
                                         std::span<kernel_entry const> entries,
                                         example_limits const& limits) {
    using namespace detail::examples;
    auto const wanted = features_of(task);
    std::vector<std::pair<double, kernel_entry const*>> alike;
    for (kernel_entry const& e : entries) {
        if (e.key.language != key.language || e.writer != "lkt" || e.key == key) continue;
        double const how = likeness(wanted, features_in(e));
        if (how >= least_likeness) alike.emplace_back(how, &e);
    }
    // The most alike first; among equals the latest, which the latest checks have judged.
    std::stable_sort(alike.begin(), alike.end(), [](auto const& a, auto const& b) {
        if (a.first != b.first) return a.first > b.first;
        return a.second->date > b.second->date;
    });
    std::vector<kernel_example> chosen;
    std::set<std::string> shown;
    std::size_t right = 0, wrong = 0, bytes = 0;
    for (auto const& [how, e] : alike) {
        bool const passed = e->status != stored_status::rejected;
        std::size_t& count = passed ? right : wrong;
        if (count >= (passed ? limits.right : limits.wrong)) continue;
        kernel_example one{plain_text(e->key.operation, 100),
                           passed ? text_of(*e) : std::string(),
                           passed ? std::string() : plain_text(e->why, 400)};
        std::size_t const size = one.text.size() + one.why.size();
        if (bytes + size > limits.bytes) continue;
        if (!shown.insert(one.operation + (passed ? "" : "\n" + one.why)).second) continue;
        ++count;
        bytes += size;
        chosen.push_back(std::move(one));
    }
    return chosen;
}

} // namespace lkt
