// SPDX-License-Identifier: BSL-1.0
// Entries of a store of kernels as text, and those of YoloKernelGen.
#pragma once

#include <lkt/store/kernel_store.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/sha256.hpp>
#include <lkt/store/detail/kernel_entry.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace lkt::detail::kernels {

namespace json = boost::json;

constexpr int generation = 2; // 1 had other names
constexpr std::string_view digest_field = "\"entry_sha256\": \"";

error fault(std::string_view code, std::string message, std::string hint) {
    return {condition::rejected,
            "lkt.store." + std::string(code),
            plain_line(message, 400),
            std::move(hint)};
}

bool is_own_name(std::string_view name) {
    // ..._h1a2b3c4d_0123456789ab.json
    constexpr std::size_t tail = 1 + 1 + 8 + 1 + 12 + 5;
    if (name.size() < tail) return false;
    name.remove_prefix(name.size() - tail);
    auto const hex = [](std::string_view digits) {
        return digits.find_first_not_of("0123456789abcdef") == digits.npos;
    };
    return name.starts_with("_h") && hex(name.substr(2, 8)) && name[10] == '_' &&
           hex(name.substr(11, 12)) && name.ends_with(".json");
}

json::value optional_time(std::optional<seconds> const& t) {
    return t && std::isfinite(t->count()) ? json::value(t->count()) : json::value(nullptr);
}

/// Whole numbers read back as they were written, by every reader.
std::int64_t nanoseconds_of(seconds t) {
    double const ns = t.count() * 1e9;
    return ns > 0 && ns < 9e18 ? std::llround(ns) : 0;
}

json::array strings(std::vector<std::string> const& texts) {
    json::array all;
    for (std::string const& text : texts) all.push_back(json::string(well_formed_utf8(text)));
    return all;
}

json::object content(kernel_entry const& e) {
    json::array prompt;
    for (auto const& [role, text] : e.prompt)
        prompt.push_back({{"role", role}, {"text", well_formed_utf8(text)}});
    boost::system::error_code why;
    json::value record = json::parse(e.record, why);
    if (why || !record.is_object()) record = json::object();
    kernel_key const& k = e.key;
    return {{"lkt_kernel_entry", generation},
            {"status", to_string(e.status)},
            {"operation", well_formed_utf8(k.operation)},
            {"key",
             {{"size", k.size},
              {"problem", k.problem},
              {"judges", strings(k.judges)},
              {"language", to_string(k.language)},
              {"backend", well_formed_utf8(k.backend)},
              {"device", well_formed_utf8(k.device)},
              {"architecture", well_formed_utf8(k.architecture)},
              {"lkt_version", k.lkt_version}}},
            {"driver", well_formed_utf8(e.driver)},
            {"strategy", e.strategy},
            {"seed", e.seed},
            {"date", e.date},
            {"run", well_formed_utf8(e.run)},
            {"why", well_formed_utf8(e.why)},
            {"median_s", optional_time(e.time)},
            {"baseline_s", optional_time(e.baseline)},
            {"tests", strings(e.tests)},
            {"model",
             {{"name", well_formed_utf8(e.model)},
              {"asked", well_formed_utf8(e.asked)},
              {"input_tokens", e.input_tokens},
              {"cached_tokens", e.cached_tokens},
              {"output_tokens", e.output_tokens},
              {"model_ns", nanoseconds_of(e.thinking)},
              {"testing_ns", nanoseconds_of(e.testing)}}},
            {"prompt", std::move(prompt)},
            {"reply", well_formed_utf8(e.reply)},
            {"kernel", well_formed_utf8(e.kernel)},
            {"record", std::move(record)}};
}

/// Members of an object that should be there; the name of one that is not is thrown.
class fields_of_entry {
public:
    explicit fields_of_entry(json::value const& v, std::string path = {})
        : value_(v), path_(std::move(path)) {}

    [[nodiscard]] fields_of_entry at(std::string_view name) const {
        auto const* o = value_.if_object();
        auto const* v = o ? o->if_contains(name) : nullptr;
        std::string path = path_ + (path_.empty() ? "" : ".") + std::string(name);
        if (!v) throw std::invalid_argument(path + " is missing");
        return fields_of_entry(*v, std::move(path));
    }
    [[nodiscard]] std::string text() const {
        if (auto const* s = value_.if_string()) return {s->data(), s->size()};
        throw std::invalid_argument(path_ + " is no text");
    }
    [[nodiscard]] std::int64_t count() const {
        if (auto const* i = value_.if_int64(); i && *i >= 0) return *i;
        throw std::invalid_argument(path_ + " is no count");
    }
    [[nodiscard]] std::uint64_t number() const {
        if (auto const* u = value_.if_uint64()) return *u;
        return static_cast<std::uint64_t>(count());
    }
    [[nodiscard]] std::optional<seconds> time() const {
        if (value_.is_null()) return {};
        boost::system::error_code why;
        double const t = value_.to_number<double>(why);
        if (why || !std::isfinite(t) || t < 0) throw std::invalid_argument(path_ + " is no time");
        return seconds(t);
    }
    [[nodiscard]] std::vector<fields_of_entry> items() const {
        auto const* a = value_.if_array();
        if (!a) throw std::invalid_argument(path_ + " is no list");
        std::vector<fields_of_entry> all;
        for (auto const& v : *a) all.emplace_back(v, path_);
        return all;
    }
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (auto const& one : items()) all.push_back(one.text());
        return all;
    }
    [[nodiscard]] json::value const& value() const { return value_; }

private:
    json::value const& value_;
    std::string path_;
};

template <class Enum, std::size_t N>
Enum named(std::string const& name, Enum const (&all)[N], char const* what) {
    for (Enum const e : all)
        if (to_string(e) == name) return e;
    throw std::invalid_argument(std::string(what) + " is unknown");
}

kernel_entry read_own(json::value const& v) {
    fields_of_entry const top(v), key = top.at("key"), model = top.at("model");
    kernel_entry e;
    constexpr stored_status statuses[] = {
        stored_status::accepted, stored_status::slower, stored_status::rejected};
    constexpr language languages[] = {language::cuda, language::hip, language::wgsl};
    e.status = named(top.at("status").text(), statuses, "status");
    e.key = {.operation = top.at("operation").text(),
             .size = key.at("size").text(),
             .problem = key.at("problem").text(),
             .judges = key.at("judges").texts(),
             .language = named(key.at("language").text(), languages, "key.language"),
             .backend = key.at("backend").text(),
             .device = key.at("device").text(),
             .architecture = key.at("architecture").text(),
             .lkt_version = key.at("lkt_version").text()};
    e.driver = top.at("driver").text();
    e.strategy = top.at("strategy").text();
    e.seed = top.at("seed").number();
    e.why = top.at("why").text();
    e.time = top.at("median_s").time();
    e.baseline = top.at("baseline_s").time();
    e.tests = top.at("tests").texts();
    e.model = model.at("name").text();
    e.asked = model.at("asked").text();
    e.input_tokens = model.at("input_tokens").count();
    e.cached_tokens = model.at("cached_tokens").count();
    e.output_tokens = model.at("output_tokens").count();
    e.thinking = seconds(static_cast<double>(model.at("model_ns").count()) / 1e9);
    e.testing = seconds(static_cast<double>(model.at("testing_ns").count()) / 1e9);
    for (fields_of_entry const& m : top.at("prompt").items())
        e.prompt.emplace_back(m.at("role").text(), m.at("text").text());
    e.reply = top.at("reply").text();
    e.kernel = top.at("kernel").text();
    e.record = json::serialize(top.at("record").value());
    e.date = top.at("date").text();
    e.run = top.at("run").text();
    return e;
}

/// `8x16`, of the first of the shapes.
std::string yolo_shape(json::value const* shapes) {
    auto const* all = shapes ? shapes->if_array() : nullptr;
    auto const* first = all && !all->empty() ? all->front().if_array() : nullptr;
    std::string text;
    for (auto const& extent : first ? *first : json::array()) {
        auto const* const n = extent.if_int64();
        text += (text.empty() ? "" : "x") + (n ? std::to_string(*n) : std::string("?"));
    }
    return text;
}

/// What YoloKernelGen knows; its seeds, judge and device are none of ours, so it is never served.
kernel_entry read_yolo(json::value const& v) {
    fields_of_entry const top(v);
    json::object const& o = v.as_object();
    auto const part = [&](std::string_view name) -> json::object const* {
        auto const* p = o.if_contains(name);
        return p ? p->if_object() : nullptr;
    };
    auto const text_in = [](json::object const* p, std::string_view name) -> std::string {
        auto const* t = p ? p->if_contains(name) : nullptr;
        auto const* s = t ? t->if_string() : nullptr;
        return s ? std::string(s->data(), s->size()) : std::string();
    };
    kernel_entry e;
    e.writer = "YoloKernelGen";
    std::string const status = top.at("status").text();
    if (status != "correct" && status != "rejected")
        throw std::invalid_argument("status is unknown");
    e.status = status == "correct" ? stored_status::accepted : stored_status::rejected;
    e.key.operation = top.at("operation").text();
    e.key.problem = top.at("torch_hash").text();
    e.key.language = language::wgsl;
    e.key.backend = "webgpu";
    if (auto const* data = part("metadata"))
        e.key.size = yolo_shape(data->if_contains("input_shapes")) + "_" +
                     yolo_shape(data->if_contains("output_shapes"));
    e.date = text_in(&o, "timestamp");
    e.run = text_in(&o, "uuid");
    auto const* request = part("llm_request");
    auto const* response = part("llm_response");
    e.model = text_in(request, "model");
    auto const* messages = request ? request->if_contains("messages") : nullptr;
    if (auto const* list = messages ? messages->if_array() : nullptr)
        for (auto const& m : *list)
            if (auto const* one = m.if_object())
                e.prompt.emplace_back(text_in(one, "role"), text_in(one, "content"));
    if (e.prompt.empty())
        for (auto const& [role, field] :
             {std::pair("system", "system_prompt"), std::pair("user", "user_prompt")})
            if (auto text = text_in(request, field); !text.empty())
                e.prompt.emplace_back(role, std::move(text));
    e.reply = text_in(response, "raw_completion");
    e.kernel = text_in(response, "extracted_kernel");
    auto const* usage = response ? response->if_contains("usage") : nullptr;
    if (auto const* tokens = usage ? usage->if_object() : nullptr) {
        auto const count = [&](std::string_view name) {
            auto const* n = tokens->if_contains(name);
            auto const* i = n ? n->if_int64() : nullptr;
            return i && *i > 0 ? *i : std::int64_t{0};
        };
        e.input_tokens = count("prompt_tokens");
        e.output_tokens = count("completion_tokens");
    }
    json::object record;
    for (std::string_view const name : {"torch_source", "validation", "metadata"})
        if (auto const* p = o.if_contains(name)) record[name] = *p;
    if (auto const* judged = part("validation"); judged && e.status == stored_status::rejected) {
        auto const* passed = judged->if_contains("num_passed");
        auto const* total = judged->if_contains("num_total");
        if (passed && total && passed->is_int64() && total->is_int64())
            e.why = std::to_string(passed->get_int64()) + " of " +
                    std::to_string(total->get_int64()) + " tests passed";
    }
    e.record = json::serialize(record);
    return e;
}

/// Of the reply, and of nothing that a run that goes on may find out anew.
std::string id_of(kernel_entry const& e) {
    sha256 d;
    d.add(e.key.hash()).add_number(e.seed);
    d.add_number(static_cast<std::uint64_t>(nanoseconds_of(e.thinking)));
    for (std::string const* text : {&e.model, e.reply.empty() ? &e.kernel : &e.reply}) {
        auto const same = well_formed_utf8(*text);
        d.add_number(same.size()).add(same);
    }
    return d.hex();
}

std::string lines_of(json::object const& o) {
    std::string text;
    for (auto const& [name, value] : o)
        text += "  " + json::serialize(json::value(name)) + ": " + json::serialize(value) + ",\n";
    return plain_json(std::move(text));
}

std::string part_of_name(std::string_view text, std::size_t most) {
    std::string part;
    for (char const c : text.substr(0, most))
        part +=
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
    return part.empty() ? "x" : part;
}

std::string_view word_of(language l) {
    return l == language::wgsl ? "wgsl" : l == language::hip ? "hip" : "cuda";
}

std::string part_of_key(kernel_key const& key) {
    return part_of_name(key.operation, 60) + "_" + part_of_name(key.size, 40) + "_" +
           std::string(word_of(key.language)) + "_h" + key.hash().substr(0, 8) + "_";
}

char letter(stored_status s) {
    return s == stored_status::accepted ? 'c' : s == stored_status::slower ? 's' : 'r';
}

std::string name_of(kernel_entry const& e) {
    return std::string(1, letter(e.status)) + "_" + part_of_key(e.key) + id_of(e).substr(0, 12) +
           ".json";
}

} // namespace lkt::detail::kernels

namespace lkt {

std::string to_text(kernel_entry const& e) {
    using namespace detail::kernels;
    std::string const text = "{\n" + lines_of(content(e));
    return text + "  " + std::string(digest_field) + sha256().add(text).hex() + "\"\n}\n";
}

result<kernel_entry> read_kernel_entry(std::string_view text, std::string const& origin) {
    using namespace detail::kernels;
    static constexpr char again[] = "store it again, or remove it (lkt-store gc)";
    boost::system::error_code why;
    json::value const v = json::parse(text, why);
    if (why || !v.is_object())
        return fault("entry", origin + ": torn, or no entry: it is not a JSON object", again);
    json::object const& o = v.get_object();
    try {
        if (!o.contains("lkt_kernel_entry")) {
            if (o.contains("torch_hash") && o.contains("llm_response")) return read_yolo(v);
            return fault("entry",
                         origin + ": neither an entry of lkt nor one of YoloKernelGen",
                         "keep other files in another folder");
        }
        auto const* const written = o.at("lkt_kernel_entry").if_int64();
        if (!written || *written != generation)
            return fault("version",
                         origin + ": written in another format than " + std::to_string(generation) +
                             ", which this lkt reads",
                         "read it with the lkt that wrote it");
        auto const at = text.rfind("  " + std::string(digest_field));
        auto const said =
            at == text.npos ? std::string_view() : text.substr(at + 2 + digest_field.size());
        if (said.size() < 64 || said.substr(0, 64) != sha256().add(text.substr(0, at)).hex() ||
            said.substr(64) != "\"\n}\n")
            return fault("entry", origin + ": changed: its digest does not fit it", again);
        return read_own(v);
    } catch (std::invalid_argument const& wrong) {
        return fault("entry", origin + ": " + wrong.what(), again);
    }
}

} // namespace lkt
