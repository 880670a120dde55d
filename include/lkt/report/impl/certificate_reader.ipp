// SPDX-License-Identifier: BSL-1.0
// A certificate as it is read back.
#pragma once

#include <lkt/report/certificate.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/report/detail/certificate_parts.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

namespace certificate_parts {

/// A member of an object; whatever is wrong with it is thrown with its name.
class member {
public:
    member(json::value const& v, std::string name) : value_(v), name_(std::move(name)) {}

    [[nodiscard]] member at(std::string_view name) const {
        auto const* o = value_.if_object();
        auto const* v = o ? o->if_contains(name) : nullptr;
        if (!v) throw std::invalid_argument(name_ + std::string(name) + " is missing");
        return {*v, name_ + std::string(name) + "."};
    }
    [[nodiscard]] bool empty() const { return value_.is_null(); }
    [[nodiscard]] std::string text() const {
        if (auto const* s = value_.if_string()) return {s->data(), s->size()};
        wrong("text");
    }
    [[nodiscard]] bool truth() const {
        if (auto const* b = value_.if_bool()) return *b;
        wrong("true or false");
    }
    [[nodiscard]] std::uint64_t count() const {
        if (auto const* u = value_.if_uint64()) return *u;
        if (auto const* i = value_.if_int64(); i && *i >= 0) return static_cast<std::uint64_t>(*i);
        wrong("a whole number from 0 on");
    }
    [[nodiscard]] int small(std::uint64_t most, std::uint64_t least = 0) const {
        if (count() > most || count() < least)
            wrong(std::to_string(least) + " to " + std::to_string(most));
        return static_cast<int>(count());
    }
    [[nodiscard]] seconds time() const {
        boost::system::error_code why;
        double const number = value_.to_number<double>(why);
        if (why || !std::isfinite(number) || number < 0) wrong("a number from 0 on");
        return seconds(number);
    }
    [[nodiscard]] std::vector<member> items() const {
        auto const* a = value_.if_array();
        if (!a) wrong("a list");
        std::vector<member> all;
        for (auto const& v : *a) all.emplace_back(v, name_);
        return all;
    }

private:
    [[noreturn]] void wrong(std::string const& wanted) const {
        throw std::invalid_argument(name_.substr(0, name_.size() - 1) + " must be " + wanted);
    }

    json::value const& value_;
    std::string name_;
};

static_policy policy_of(member const& f) {
    static_policy policy;
    for (std::size_t k = 0; k < static_rule_codes.size(); ++k) {
        auto const level = f.at(name_of(k)).text();
        policy.set(static_cast<static_rule>(k),
                   level == "off"       ? static_severity::off
                   : level == "warning" ? static_severity::warning
                                        : static_severity::error);
    }
    auto const ptx = read_ptx_policy(f.at("ptx").text());
    if (!ptx) throw std::invalid_argument("static.ptx must be none, compute or listed");
    policy.ptx = *ptx;
    return policy;
}

certified_settings settings_of(member const& f) {
    certified_settings s;
    s.seed = f.at("seed").count();
    s.hidden_sizes = f.at("hidden_sizes").small(1000);
    s.test_memory = {f.at("test_memory_bytes").count()};
    s.certify.configurations = static_cast<std::size_t>(f.at("configurations").small(1'000'000, 1));
    s.certify.launches = f.at("launches").small(100'000, 2);
    s.repetitions = f.at("repetitions").small(100'000, 2);
    s.repeating = f.at("repeating_s").time();
    s.compile_limit = f.at("compile_limit_s").time();
    s.launch_limit = f.at("launch_limit_s").time();
    s.checked = f.at("checked_mode").truth();
    s.checked_time = f.at("checked_s").time();
    s.large_launch = f.at("large_s").time();
    s.static_checks = policy_of(f.at("static"));
    return s;
}

language language_of(std::string const& name) {
    for (language const l : {language::cuda, language::hip, language::wgsl})
        if (to_string(l) == name) return l;
    throw std::invalid_argument("kernel.language is unknown: " + plain_line(name, 40));
}

certificate certificate_of(member const& f) {
    certificate c;
    c.lkt_version = f.at("lkt_version").text();
    c.date = f.at("date").text();
    auto const kernel = f.at("kernel");
    c.kernel_name = kernel.at("name").text();
    c.kernel = {language_of(kernel.at("language").text()),
                kernel.at("text").text(),
                kernel.at("origin").text()};
    for (member const& file : f.at("files").items())
        c.files.push_back(
            {file.at("role").text(), file.at("path").text(), file.at("sha256").text()});
    c.settings = settings_of(f.at("settings"));
    auto const device = f.at("device");
    c.device = device.at("name").text();
    c.backend = device.at("backend").text();
    c.driver = device.at("driver").text();
    c.architecture = device.at("architecture").text();
    c.verdict = f.at("verdict").text();
    c.listed_sizes_only = f.at("listed_sizes_only").truth();
    for (member const& check : f.at("checks").items())
        c.checks.emplace_back(check.at("name").text(), check.at("end").text());
    c.checked = f.at("checked").text();
    c.unchecked = f.at("unchecked").text();
    c.configurations = f.at("configurations").count();
    for (member const& test : f.at("tests").items())
        c.tests.push_back(
            {test.at("name").text(), test.at("inputs").text(), test.at("expected").text()});
    if (auto const time = f.at("time"); !time.empty())
        c.time = certificate::times{time.at("median_s").time(),
                                    time.at("interval_low_s").time(),
                                    time.at("interval_high_s").time(),
                                    static_cast<std::size_t>(time.at("launches").count())};
    return c;
}

} // namespace certificate_parts

result<certificate> read_certificate(std::string_view text, std::string const& origin) {
    using namespace certificate_parts;
    auto const value = parse(text, origin);
    if (!value) return value.error();
    auto const* o = value->if_object();
    auto const* made = o ? o->if_contains("lkt_certificate") : nullptr;
    if (!made)
        return fault("field",
                     origin + ": this is no certificate: lkt_certificate is missing",
                     "lkt-verify --certificate FILE writes one");
    if (!made->is_int64() || made->get_int64() != generation)
        return fault("version",
                     origin + ": a certificate of generation " +
                         plain_line(json::serialize(*made), 20) +
                         ", and this program reads generation " + std::to_string(generation),
                     "check it with the lkt that wrote it, or write it again");
    auto const at = text.rfind("  " + std::string(digest_field));
    auto const begin = at + 2 + digest_field.size();
    if (at == text.npos || text.size() < begin + digest_digits ||
        text.substr(begin, digest_digits) != text_digest(text.substr(0, at)) ||
        text.substr(begin + digest_digits) != "\"\n}\n")
        return fault("changed",
                     origin + ": the certificate was changed after it was written: its digest is "
                              "another one",
                     "fetch it again, or write it again with --certificate");
    certificate c;
    try {
        member const top(*value, "");
        c = certificate_of(top);
        if (top.at("kernel").at("sha256").text() != text_digest(c.kernel.text))
            return fault("kernel",
                         origin + ": the kernel's text is not the one that was judged: it has "
                                  "another digest",
                         "it has bytes that are not UTF-8, or was changed: pass the kernel's file");
    } catch (std::invalid_argument const& e) {
        return fault("field", origin + ": " + e.what(), "write it again with --certificate");
    }
    if (c.verdict != to_string(lkt::verdict::accepted))
        return fault("verdict",
                     origin + ": its kernel was not accepted: " + plain_line(c.verdict, 40),
                     "only accepted kernels have certificates");
    return c;
}

} // namespace lkt
