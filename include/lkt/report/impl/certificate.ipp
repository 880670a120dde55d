// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/certificate.hpp>

#include <lkt/core/files.hpp>
#include <lkt/core/json_keys.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/sha256.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/report/detail/certificate_parts.hpp>
#include <lkt/version.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <set>
#include <utility>

namespace lkt {

namespace certificate_parts {

error fault(std::string_view code, std::string message, std::string hint) {
    return {condition::rejected,
            "lkt.certificate." + std::string(code),
            std::move(message),
            std::move(hint)};
}

/// Members in order of their names, no white space, and numbers to 15 digits.
void write_canonical(std::string& out, json::value const& v) {
    if (auto const* o = v.if_object()) {
        std::vector<json::key_value_pair const*> members;
        for (auto const& member : *o) members.push_back(&member);
        std::sort(members.begin(), members.end(), [](auto const* a, auto const* b) {
            return a->key() < b->key();
        });
        out += '{';
        for (auto const* member : members) {
            if (member != members.front()) out += ',';
            out += json::serialize(json::value(member->key())) + ':';
            write_canonical(out, member->value());
        }
        out += '}';
    } else if (auto const* a = v.if_array()) {
        out += '[';
        for (auto const& item : *a) {
            if (&item != a->begin()) out += ',';
            write_canonical(out, item);
        }
        out += ']';
    } else if (v.is_double()) {
        std::array<char, 40> digits{}; // readers may disagree about the last ones
        out += std::string_view(digits.data(),
                                static_cast<std::size_t>(std::snprintf(
                                    digits.data(), digits.size(), "%.15g", v.get_double())));
    } else {
        out += json::serialize(v);
    }
}

result<json::value> parse(std::string_view text, std::string const& origin) {
    if (auto const twice = describe_repeated_key(text))
        return fault("json", origin + ": " + *twice, "keep one of them");
    json::stream_parser parser;
    boost::system::error_code why;
    std::size_t const at = parser.write_some(text.data(), text.size(), why);
    if (!why && text.find_first_not_of(" \t\r\n", at) != text.npos) why = json::error::extra_data;
    if (!why) parser.finish(why);
    if (!why) return parser.release();
    return fault("json",
                 origin + ": " + line_and_column(text, at) + ": this is not JSON: " + why.message(),
                 "the file may be cut off: fetch it again, or write it again with --certificate");
}

void add_to(sha256& d, argument_data const& data, bool contents = true) {
    d.add(to_string(data.type)).add_number(data.bytes.size());
    if (contents) d.add(std::span<std::byte const>(data.bytes.data(), data.bytes.size()));
}

/// What a launch reads: of outputs only their size is an input.
std::string inputs_digest(prepared_test const& t, std::vector<direction> const& directions) {
    sha256 d;
    for (std::size_t k = 0; k < t.test.arguments.size(); ++k)
        add_to(d, t.test.arguments[k], k >= directions.size() || directions[k] != direction::out);
    return d.hex();
}

std::string expected_digest(prepared_test const& t) {
    sha256 d;
    for (argument_data const& one : t.expected) add_to(d, one);
    return d.hex();
}

std::string now_text() { return date_text(std::time(nullptr)); }

std::string date_text(std::int64_t since_1970) {
    std::time_t const then = since_1970;
    std::tm parts{};
    ::gmtime_r(&then, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string_view name_of(std::size_t rule) {
    return static_rule_codes[rule].substr(sizeof("lkt.static.") - 1);
}

json::object to_json(certified_settings const& s) {
    json::object rules;
    static constexpr std::string_view levels[] = {"off", "warning", "error"};
    for (std::size_t k = 0; k < static_rule_codes.size(); ++k)
        rules[name_of(k)] =
            levels[static_cast<std::size_t>(s.static_checks.of(static_cast<static_rule>(k)))];
    rules["ptx"] = to_string(s.static_checks.ptx);
    return {{"seed", s.seed},
            {"hidden_sizes", s.hidden_sizes},
            {"test_memory_bytes", s.test_memory.count},
            {"configurations", s.certify.configurations},
            {"launches", s.certify.launches},
            {"repetitions", s.repetitions},
            {"repeating_s", s.repeating.count()},
            {"compile_limit_s", s.compile_limit.count()},
            {"launch_limit_s", s.launch_limit.count()},
            {"checked_mode", s.checked},
            {"checked_s", s.checked_time.count()},
            {"large_s", s.large_launch.count()},
            {"static", std::move(rules)}};
}

/// An object with a member on each line, or in a list an item on each.
void write_lines(std::string& out, json::object const& o) {
    for (auto const& [name, value] : o) {
        out += "  " + json::serialize(json::value(name)) + ": ";
        auto const* list = value.if_array();
        if (!list || list->empty()) {
            out += json::serialize(value) + ",\n";
            continue;
        }
        out += "[\n";
        for (auto const& item : *list)
            out += "    " + json::serialize(item) + (&item + 1 == list->end() ? "\n" : ",\n");
        out += "  ],\n";
    }
}

} // namespace certificate_parts

std::string text_digest(std::string_view text) { return sha256().add(text).hex(); }

result<std::string> problem_digest(std::string_view json) {
    auto const value = certificate_parts::parse(json, "problem");
    if (!value) return value.error();
    std::string canonical;
    certificate_parts::write_canonical(canonical, *value);
    return text_digest(canonical);
}

result<std::vector<certified_file>> files_of_problem(std::string const& path,
                                                     std::string const& prefix) {
    auto const text = read_text_file(path, std::size_t{16} << 20);
    if (!text) return text.error();
    auto const read = read_problem(path);
    if (!read) return read.error();
    auto const digest = problem_digest(*text);
    if (!digest) return digest.error();
    std::vector<certified_file> files{
        {prefix + "problem", path, *digest},
        {prefix + "original", read->reference.origin, text_digest(read->reference.text)}};
    if (!read->oracle) return files;
    namespace fs = std::filesystem;
    std::set<std::string> paths{read->oracle->path};
    std::error_code missing;
    if (fs::is_directory(read->oracle->path, missing)) {
        paths.clear();
        for (auto const& entry : fs::recursive_directory_iterator(read->oracle->path, missing))
            if (entry.is_regular_file()) paths.insert(entry.path().string());
    }
    for (std::string const& one : paths) {
        auto const bytes = read_text_file(one, std::size_t{16} << 30);
        if (!bytes) return bytes.error();
        files.push_back({prefix + "expected outputs", one, text_digest(*bytes)});
    }
    return files;
}

evaluation_options certified_settings::evaluation() const {
    evaluation_options e;
    e.seed = seed;
    e.repetitions = repetitions;
    e.repeating = repeating;
    e.compile_limit = compile_limit;
    e.launch_limit = launch_limit;
    e.checked = checked;
    e.checked_time = checked_time;
    e.large_launch = large_launch;
    e.static_checks = static_checks;
    return e;
}

std::vector<std::string> weaker_settings(certified_settings const& used,
                                         certified_settings const& usual) {
    std::vector<std::string> all;
    auto const add = [&](auto mine, auto theirs, std::string const& what) {
        if (mine < theirs)
            all.push_back(significant(static_cast<double>(mine)) + " " + what + " instead of " +
                          significant(static_cast<double>(theirs)));
    };
    add(used.hidden_sizes, usual.hidden_sizes, "hidden sizes");
    add(used.certify.configurations, usual.certify.configurations, "configurations at most");
    add(used.certify.launches, usual.certify.launches, "timed launches");
    add(used.repetitions, usual.repetitions, "repetitions");
    add(used.repeating.count(), usual.repeating.count(), "s of repetitions");
    add(used.large_launch.count(), usual.large_launch.count(), "s for a large size");
    if (usual.checked && !used.checked) all.emplace_back("no checked mode");
    if (used.checked)
        add(used.checked_time.count(), usual.checked_time.count(), "s of checked mode");
    std::string off;
    for (std::size_t k = 0; k < static_rule_codes.size(); ++k) {
        auto const rule = static_cast<static_rule>(k);
        if (used.static_checks.of(rule) < usual.static_checks.of(rule))
            off += (off.empty() ? "" : ", ") + std::string(certificate_parts::name_of(k));
    }
    if (!off.empty()) all.push_back("rules for the text that are weaker: " + off);
    return all;
}

certificate make_certificate(tuning_state const& state,
                             kernel_source const& kernel,
                             verification const& found,
                             certified_settings const& settings,
                             std::vector<certified_file> files) {
    using namespace certificate_parts;
    certificate c;
    c.lkt_version = lkt::version;
    c.date = now_text();
    c.kernel_name = state.task.signature.name;
    c.kernel = kernel;
    c.files = std::move(files);
    c.settings = settings;
    c.device = state.device.name;
    c.backend = state.device.backend;
    c.driver = state.device.driver;
    c.architecture = state.device.architecture;
    c.verdict = to_string(found.verdict);
    c.listed_sizes_only = found.listed_sizes_only;
    for (verification_stage const& s : found.stages)
        c.checks.emplace_back(s.name, to_string(s.end));
    c.checked = to_string(found.checked.extent);
    c.unchecked = found.checked.left_out;
    c.configurations = found.configurations;
    for (prepared_test const& t : state.tests.tests)
        c.tests.push_back(
            {t.test.name, inputs_digest(t, state.tests.directions), expected_digest(t)});
    auto const [low, high] = found.time.interval();
    if (std::isfinite(low.count()) && std::isfinite(high.count()) && !found.time.empty())
        c.time = certificate::times{found.time.median(), low, high, found.time.samples.size()};
    return c;
}

std::string certificate_text(certificate const& c) {
    using namespace certificate_parts;
    json::array files, checks, tests;
    for (certified_file const& f : c.files)
        files.push_back(
            {{"role", f.role}, {"path", well_formed_utf8(f.path)}, {"sha256", f.sha256}});
    for (auto const& [name, end] : c.checks) checks.push_back({{"name", name}, {"end", end}});
    for (certified_test const& t : c.tests)
        tests.push_back({{"name", t.name}, {"inputs", t.inputs}, {"expected", t.expected}});
    json::object o{{"lkt_certificate", generation},
                   {"lkt_version", c.lkt_version},
                   {"date", c.date},
                   {"kernel",
                    {{"name", c.kernel_name},
                     {"language", to_string(c.kernel.language)},
                     {"origin", well_formed_utf8(c.kernel.origin)},
                     {"sha256", text_digest(c.kernel.text)},
                     {"text", well_formed_utf8(c.kernel.text)}}},
                   {"files", std::move(files)},
                   {"settings", to_json(c.settings)},
                   {"device",
                    {{"name", c.device},
                     {"backend", c.backend},
                     {"driver", c.driver},
                     {"architecture", c.architecture}}},
                   {"verdict", c.verdict},
                   {"listed_sizes_only", c.listed_sizes_only},
                   {"checks", std::move(checks)},
                   {"checked", c.checked},
                   {"unchecked", c.unchecked},
                   {"configurations", c.configurations},
                   {"tests", std::move(tests)},
                   {"time", nullptr}};
    if (c.time)
        o["time"] = {{"median_s", c.time->median.count()},
                     {"interval_low_s", c.time->low.count()},
                     {"interval_high_s", c.time->high.count()},
                     {"launches", c.time->launches}};
    std::string text = "{\n";
    write_lines(text, o);
    text = plain_json(std::move(text));
    return text + "  " + std::string(digest_field) + text_digest(text) + "\"\n}\n";
}

} // namespace lkt
