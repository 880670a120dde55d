// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/json.hpp>
#include <lkt/report/text.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/report/detail/phrases.hpp>
#include <lkt/report/detail/to_json.hpp>
#include <lkt/verify/test_check.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

boost::json::object size_json(problem_size const& size) {
    boost::json::object o;
    for (auto const& [name, extent] : size) o[name] = extent;
    return o;
}

boost::json::object evidence_json(failure const& f) {
    boost::json::object o;
    if (auto const* const w = std::get_if<wrong_output>(&f)) {
        o = {{"test", w->test},
             {"argument", w->argument},
             {"index", w->index},
             {"expected", w->expected},
             {"got", w->got},
             {"wrong", w->wrong},
             {"total", w->total},
             {"pattern", w->pattern}};
    } else if (auto const* const access = std::get_if<out_of_bounds>(&f)) {
        o["what"] = access->what;
        if (!access->test.empty()) o["test"] = access->test;
        if (access->where.line > 0) o["line"] = access->where.line;
    }
    if (auto const* const late = std::get_if<timed_out>(&f); late && !late->test.empty()) {
        o["test"] = late->test;
        o["size"] = size_json(late->size);
        o["limit_s"] = late->limit.count();
    }
    return o;
}

boost::json::object evidence_json(verification const& found) {
    if (!found.why) return {};
    auto o = evidence_json(*found.why);
    if (!found.size.empty()) o["size"] = size_json(found.size);
    if (!found.config.values.empty()) o["configuration"] = to_json(found.config);
    o["text"] = describe(*found.why);
    return o;
}

/// What the first line says of an accepted kernel.
char const* part_checked(checked_extent extent) {
    switch (extent) {
    case checked_extent::full:
        return "";
    case checked_extent::partial:
        return ", checked in part";
    case checked_extent::none:
        break;
    }
    return ", not checked for races and accesses out of bounds";
}

} // namespace detail

boost::json::object json_report(verification const& found) {
    boost::json::array stages;
    for (verification_stage const& s : found.stages) {
        boost::json::array notes;
        for (std::string const& n : s.notes) notes.push_back(boost::json::string(n));
        stages.push_back(boost::json::object{{"name", s.name},
                                             {"end", to_string(s.end)},
                                             {"notes", std::move(notes)},
                                             {"seconds", detail::to_json(s.spent)}});
    }
    return {{"accepted", found.accepted()},
            {"verdict", to_string(found.verdict)},
            {"listed_sizes_only", found.listed_sizes_only},
            {"reason", found.why ? describe(*found.why) : std::string("no defect was found")},
            {"evidence", detail::evidence_json(found)},
            {"stages", std::move(stages)},
            {"checked", to_string(found.checked.extent)},
            {"unchecked", found.checked.left_out},
            {"branches", detail::to_json(found.branches)},
            {"errors", detail::to_json(found.errors)},
            {"configurations", found.configurations},
            {"seconds", detail::to_json(found.spent)}};
}

std::string text_report(verification const& found, text_report_options const& o) {
    std::string text =
        (found.accepted() ? std::string("accepted") + detail::part_checked(found.checked.extent)
                          : "rejected: " + std::string(to_string(found.verdict))) +
        (found.accepted() && found.listed_sizes_only
             ? ", at the listed sizes only: the problem has no size_constraints"
             : "") +
        "\n";
    if (found.why)
        text += "  " + detail::indented(detail::wrapped(describe(*found.why), 96), 2) + "\n";
    bool const late = found.why && std::holds_alternative<timed_out>(*found.why);
    if (late && !found.size.empty()) text += "  at size " + to_string(found.size) + "\n";
    if (found.why && !found.config.values.empty())
        text += "  in configuration " + configuration_words(found.config) + "\n";
    if (found.accepted() && found.checked.extent != checked_extent::full)
        text += "  left out: " + detail::indented(detail::wrapped(found.checked.left_out, 84), 4) +
                "\n";
    if (found.accepted())
        text +=
            "  branches: " + detail::indented(detail::wrapped(to_string(found.branches), 84), 4) +
            "\n";
    for (verification_stage const& s : found.stages) {
        std::string name = s.name;
        name.resize(std::max<std::size_t>(name.size() + 1, 16), ' ');
        text += "  " + name + std::string(to_string(s.end));
        if (o.wall_times) text += ", " + to_string(s.spent);
        text += "\n";
        for (std::string const& n : s.notes)
            text += "      " + detail::indented(detail::wrapped(n, 90), 6) + "\n";
    }
    return plain_text(text);
}

} // namespace lkt
