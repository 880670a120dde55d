// SPDX-License-Identifier: BSL-1.0
// A certificate and what there is now.
#pragma once

#include <lkt/report/certificate.hpp>

#include <lkt/core/plain_text.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

std::optional<error> changed_file(certificate const& c, std::vector<certified_file> const& now) {
    auto const refuse = [](std::string message) {
        return error{condition::rejected,
                     "lkt.certificate.file",
                     std::move(message),
                     "a certificate holds for the files that it was written for"};
    };
    // Files of one role come in the order of their paths, wherever their folder is.
    auto const of_role = [](std::vector<certified_file> const& all, std::string const& role) {
        std::vector<certified_file const*> some;
        for (certified_file const& f : all)
            if (f.role == role) some.push_back(&f);
        return some;
    };
    for (certified_file const& f : now)
        if (of_role(c.files, f.role).size() < of_role(now, f.role).size())
            return refuse("the certificate knows no such file: " + f.role + " " +
                          plain_line(f.path, 200));
    for (certified_file const& f : c.files) {
        auto const then = of_role(c.files, f.role), here = of_role(now, f.role);
        if (here.size() < then.size())
            return refuse("the certificate needs a file that was not given: " + f.role + " " +
                          plain_line(f.path, 200));
        for (std::size_t k = 0; k < then.size(); ++k)
            if (then[k]->sha256 != here[k]->sha256)
                return refuse(plain_line(here[k]->path, 200) + " (" + f.role +
                              ") is not the file of the certificate: SHA-256 was " +
                              then[k]->sha256.substr(0, 16) + "..., is " +
                              here[k]->sha256.substr(0, 16) + "...");
    }
    return std::nullopt;
}

std::vector<certificate_line> compare_certificates(certificate const& then,
                                                   certificate const& now) {
    std::vector<certificate_line> lines;
    auto const same = [&](std::string const& what,
                          std::string const& before,
                          std::string const& after,
                          bool remark = false) {
        bool const agrees = before == after;
        lines.push_back(
            {what + ": " + (agrees ? after : "was " + before + ", is " + after), agrees, remark});
    };
    auto const ends = [](auto const& checks) {
        std::string text;
        for (auto const& [name, end] : checks)
            text += (text.empty() ? "" : ", ") + name + " " + end;
        return text;
    };
    same("verdict", then.verdict, now.verdict);
    same("checks", ends(then.checks), ends(now.checks), then.backend != now.backend);
    // Here may have been more time.
    same("checked",
         then.checked,
         now.checked,
         then.backend != now.backend || now.checked == to_string(checked_extent::full));
    same("configurations",
         std::to_string(then.configurations),
         std::to_string(now.configurations),
         then.device != now.device);
    same("back end", then.backend, now.backend, true);
    same("device", then.device, now.device, true);
    same("driver", then.driver, now.driver, true);
    same("lkt", then.lkt_version, now.lkt_version, true);
    std::size_t both = 0, inputs = 0, expected = 0;
    std::string which;
    for (certified_test const& t : then.tests) {
        auto const found = std::find_if(
            now.tests.begin(), now.tests.end(), [&](auto const& n) { return n.name == t.name; });
        if (found == now.tests.end()) continue;
        ++both;
        inputs += found->inputs == t.inputs;
        expected += found->expected == t.expected;
        if (found->inputs != t.inputs && which.empty()) which = "; the first is " + t.name;
    }
    auto const of = [](std::size_t n, std::size_t all) {
        return std::to_string(n) + " of " + std::to_string(all);
    };
    lines.push_back({"inputs: the same in " + of(inputs, both) + " tests" + which,
                     inputs == both && both > 0,
                     false});
    lines.push_back({"expected outputs: the same bits in " + of(expected, both) + " tests",
                     expected == both,
                     true});
    if (both < then.tests.size() || both < now.tests.size())
        lines.push_back({"tests: " + std::to_string(then.tests.size() - both) +
                             " of the certificate were not made here, and " +
                             std::to_string(now.tests.size() - both) + " are only here",
                         false,
                         true});
    if (then.time && now.time) {
        auto const text = [](certificate::times const& t) {
            return to_string(t.median) + " (" + to_string(t.low) + " to " + to_string(t.high) + ")";
        };
        bool const meet = then.time->low <= now.time->high && now.time->low <= then.time->high;
        lines.push_back({"time: was " + text(*then.time) + ", is " + text(*now.time), meet, true});
    }
    for (certificate_line& line : lines) line.remark = line.remark && !line.agrees;
    return lines;
}

bool holds(std::vector<certificate_line> const& lines) {
    return std::all_of(lines.begin(), lines.end(), [](certificate_line const& line) {
        return line.agrees || line.remark;
    });
}

} // namespace lkt
