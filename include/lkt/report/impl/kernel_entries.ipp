// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/kernel_entries.hpp>

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/sha256.hpp>
#include <lkt/kernel/bound_scalars.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/lang/tuned_text.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/problems/kernel_note.hpp>
#include <lkt/report/certificate.hpp>
#include <lkt/report/detail/certificate_parts.hpp>
#include <lkt/report/detail/to_json.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/kernel_examples.hpp>
#include <lkt/store/codec.hpp>
#include <lkt/version.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <set>
#include <utility>
#include <variant>

namespace lkt {

namespace detail::stored {

/// The contents of a file, or of all files of a folder.
result<std::string> digest_of_path(std::string const& path) {
    namespace fs = std::filesystem;
    std::set<std::string> paths{path};
    std::error_code none;
    if (fs::is_directory(path, none)) {
        paths.clear();
        for (auto const& one : fs::recursive_directory_iterator(path, none))
            if (one.is_regular_file(none)) paths.insert(one.path().string());
    }
    sha256 d;
    for (std::string const& one : paths) {
        auto const bytes = read_text_file(one, std::size_t{16} << 30);
        if (!bytes) return bytes.error();
        d.add(one.substr(path.size())).add_number(bytes->size()).add(*bytes);
    }
    return d.hex();
}

/// As `lkt-tune --output` writes it, without what is said for people.
std::string text_with_note(candidate const& kernel, configuration const& config) {
    kernel_source source = kernel.source;
    // It may come from such a text itself.
    if (auto const note = read_kernel_note(source); note && *note) source = (*note)->source;
    auto made = tuned_text_of(source, config);
    tuned_text text{{}, source.text};
    if (made && std::holds_alternative<tuned_text>(*made))
        text = std::get<tuned_text>(std::move(*made));
    return kernel_note(config, kernel.launch) + between_marks(text);
}

/// The fastest that was timed.
configuration fastest_of(attempt_record const& a) {
    configuration best;
    seconds least{};
    for (tried_configuration const& t : a.configurations) {
        auto const* const m = std::get_if<measurement>(&t.outcome);
        if (!m || m->empty() || (least.count() > 0 && m->median() >= least)) continue;
        least = m->median();
        best = t.config;
    }
    return best;
}

std::optional<seconds> median_of(measurement const& m) {
    if (m.empty()) return {};
    return m.median();
}

std::string size_text(problem_size const& size) {
    std::string text;
    for (auto const& [name, extent] : size)
        text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
}

std::string random_name() {
    std::random_device entropy;
    std::string name;
    for (int k = 0; k < 4; ++k) {
        char digits[9];
        std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(entropy()));
        name += digits;
    }
    return name;
}

} // namespace detail::stored

result<kernel_key>
key_of(problem const& task, device_description const& device, std::vector<std::string> judges) {
    problem plain = task;
    plain.reference.origin.clear();
    plain.notes.clear();
    plain.examples.clear();
    if (plain.oracle) {
        if (plain.oracle->text.empty()) {
            auto digest = detail::stored::digest_of_path(plain.oracle->path);
            if (!digest) return digest.error();
            plain.oracle->text = std::move(*digest);
        }
        plain.oracle->path.clear();
    }
    std::sort(judges.begin(), judges.end());
    return kernel_key{.operation = task.signature.name,
                      .size = detail::stored::size_text(task.size),
                      .problem = text_digest(encoded(plain)),
                      .judges = std::move(judges),
                      .language = task.reference.language,
                      .backend = device.backend,
                      .device = device.name,
                      .architecture = device.architecture,
                      .lkt_version = std::string(version)};
}

std::vector<kernel_entry>
entries_of(tuning_outcome const& out, kernel_key const& key, std::span<heard_reply const> heard) {
    using namespace detail::stored;
    using detail::to_json;
    namespace json = boost::json;
    json::object const report = json_report(out);
    auto const date = certificate_parts::now_text();
    auto const run = random_name();
    json::array features;
    for (std::string const& feature : features_of(out.task)) features.emplace_back(feature);
    std::vector<kernel_entry> all;
    auto const add = [&](attempt_record const& a, json::value const& as_json) {
        if (a.proposal.source.text.empty()) return;
        bool const first = !out.written.empty() && &a == &out.written.back();
        bool const is_best = a.proposal.source.text == out.best.kernel.source.text;
        kernel_entry e;
        e.key = key;
        auto config = is_best ? out.best.config : first ? out.baseline.config : fastest_of(a);
        if (first) {
            e.status = stored_status::accepted;
            e.time = median_of(out.baseline.time);
        } else if (auto const* better = std::get_if<improvement>(&a.outcome)) {
            e.status = stored_status::accepted;
            e.time = median_of(is_best ? out.best.time : better->after);
        } else if (auto const* slower = std::get_if<no_improvement>(&a.outcome)) {
            e.status = stored_status::slower;
            e.time = median_of(slower->got);
        } else if (auto const* wrong = std::get_if<failure>(&a.outcome)) {
            e.why = plain_text(describe(*wrong), 4000);
        } else {
            return; // nobody has judged it
        }
        e.kernel = e.status == stored_status::rejected ? a.proposal.source.text
                                                       : text_with_note(a.proposal, config);
        if (!first) e.baseline = median_of(out.baseline.time);
        e.model = a.model;
        for (used_model const& m : out.usage.models)
            if (m.name == a.model) e.asked = m.source;
        bool const before = !out.written.empty() && &a >= out.written.data() &&
                            &a < out.written.data() + out.written.size();
        e.strategy = before || out.task.unwritten ? "first_kernel" : out.strategy;
        e.driver = out.device.driver;
        e.seed = out.seed;
        e.date = date;
        e.run = run;
        e.reply = a.reply;
        for (heard_reply const& h : heard)
            if (h.reply == a.reply)
                for (message const& m : h.asked) e.prompt.emplace_back(to_string(m.role), m.text);
        e.input_tokens = a.usage.input;
        e.cached_tokens = a.usage.cached;
        e.output_tokens = a.usage.output;
        e.thinking = a.thinking;
        e.testing = a.testing;
        e.tests = out.tests;
        json::object record = as_json.as_object();
        record.erase("reply"); // it is there already
        e.record = json::serialize(json::object{
            {"attempt", std::move(record)},
            {"tolerances", report.at("tolerances")},
            {"sizes", report.at("sizes")},
            {"device", report.at("device")},
            {"features", features},
            {"model_origin", out.model.origin},
            {"errors",
             is_best || first ? to_json(is_best ? out.best.errors : out.baseline.errors)
                              : json::value(nullptr)},
            {"checked", is_best ? report.at("checked") : json::value(nullptr)}});
        // What no model wrote and is not better is no news.
        if (!a.reply.empty() || e.status == stored_status::accepted) all.push_back(std::move(e));
    };
    for (auto const& [records, member] :
         {std::pair(&out.written, "written"), std::pair(&out.history, "history")})
        for (std::size_t k = 0; k < records->size(); ++k)
            add((*records)[k], report.at(member).at(k));
    return all;
}

result<candidate> candidate_of(kernel_entry const& e, problem const& task) {
    kernel_source const source{e.key.language, e.kernel, e.file};
    auto noted = read_kernel_note(source);
    if (!noted) return noted.error();
    if (!*noted)
        return error{condition::rejected,
                     "lkt.store.entry",
                     e.file + " does not say how its kernel is launched",
                     "remove it (lkt-store gc)"};
    candidate kernel = std::move(**noted);
    kernel.launch = over_sizes(kernel.launch, task, kernel.parameters);
    kernel.description = "from the store: " + e.file;
    return kernel;
}

} // namespace lkt
