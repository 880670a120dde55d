// SPDX-License-Identifier: BSL-1.0
#include "findings.hpp"

#include "../common/status.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/core/units.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/text.hpp>

#include <boost/json/array.hpp>

#include <algorithm>

namespace lkt_verify {

using namespace lkt_apps;

namespace {

std::string replay_text(findings const& f, std::string const& file) {
    std::string text =
        std::string("certificate ") + file + (f.kept() ? ": holds\n" : ": does not hold\n");
    for (lkt::certificate_line const& line : f.compared)
        text += "  " +
                std::string(line.agrees   ? "agrees   "
                            : line.remark ? "remark   "
                                          : "DIFFERS  ") +
                line.what + "\n";
    return lkt::plain_text(text);
}

} // namespace

int status_of(options const& o, findings const& all) {
    auto const rejected = [](auto const& one) { return !one.second.accepted(); };
    auto const in_part = [](auto const& one) {
        return one.second.checked.extent != lkt::checked_extent::full;
    };
    if (std::ranges::any_of(all.of, rejected) || !all.kept()) return status::rejected;
    return o.require_checked && std::ranges::any_of(all.of, in_part) ? status::unchecked
                                                                     : status::done;
}

boost::json::object json_of(options const& o, findings const& all) {
    boost::json::object json;
    if (o.candidate_files.size() <= 1) {
        json = json_report(all.of.front().second);
    } else {
        boost::json::array kernels;
        for (auto const& [file, found] : all.of) {
            auto one = json_report(found);
            one["file"] = file;
            kernels.push_back(std::move(one));
        }
        bool const accepted =
            all.of.size() == o.candidate_files.size() &&
            std::ranges::all_of(all.of, [](auto const& one) { return one.second.accepted(); });
        json = {{"accepted", accepted},
                {"kernels", std::move(kernels)},
                {"given", o.candidate_files.size()}};
    }
    json["seed"] = all.seed;
    if (!all.backend_choice.empty()) json["backend_choice"] = all.backend_choice;
    if (!all.compared.empty()) {
        boost::json::array lines;
        for (lkt::certificate_line const& line : all.compared)
            lines.push_back(
                {{"what", line.what}, {"agrees", line.agrees}, {"remark", line.remark}});
        json["certificate"] = {{"holds", all.kept()}, {"compared", std::move(lines)}};
    }
    return json;
}

std::string conditions_text(lkt::problem const& task,
                            lkt::certified_settings const& used,
                            lkt::certified_settings const& usual) {
    std::string text, weaker;
    for (std::size_t k = 0; k < task.arguments.size(); ++k)
        if (auto const& bound = task.arguments[k].bound)
            text += "  tolerance       of the problem: " + task.signature.arguments[k].name + " " +
                    lkt::significant(bound->relative) + " relative + " +
                    lkt::significant(bound->absolute) + " absolute" +
                    (bound->share > 0
                         ? ", " + lkt::significant(100 * bound->share) + " % of the elements exempt"
                         : "") +
                    "\n";
    for (std::string const& one : lkt::weaker_settings(used, usual))
        weaker += (weaker.empty() ? "" : "; ") + one;
    return lkt::plain_text(text + (weaker.empty() ? "" : "  less than usual " + weaker + "\n"));
}

std::string text_of(options const& o, findings const& all) {
    std::string text = all.compared.empty() ? "" : replay_text(all, o.check_file);
    for (auto const& [file, found] : all.of)
        text += (o.candidate_files.size() > 1 ? file + ": " : "") + text_report(found);
    return text + all.conditions + "  seed            " + std::to_string(all.seed) + "\n" +
           (all.backend_choice.empty() ? "" : "  chosen          " + all.backend_choice + "\n");
}

} // namespace lkt_verify
