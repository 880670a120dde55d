// SPDX-License-Identifier: BSL-1.0
#include "results.hpp"

#include "beside.hpp"
#include "errors.hpp"
#include "limits.hpp"
#include "outputs.hpp"

#include "../common/output.hpp"
#include "../common/status.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/kernel_file.hpp>
#include <lkt/report/text.hpp>

#include <boost/json/serialize.hpp>

#include <cstdio>
#include <string>

namespace lkt_tune {
namespace {

using namespace lkt_apps;

/// Writes whatever was asked for; one that fails does not keep the others from being written.
int deliver(options const& o,
            lkt::tuning_outcome const& outcome,
            std::optional<declaration> const& declared) {
    int worst = status::done;
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.json_file.empty()) {
        auto json = lkt::json_report(outcome);
        if (declared) json["declared"] = to_json(*declared);
        put(o.json_file, lkt::plain_json(boost::json::serialize(json)) + "\n");
    }
    if (!o.output_file.empty())
        put(o.output_file, lkt::kernel_file(outcome, lkt::kernel_form_of(o.output_file)));
    bool const waits = outcome.stopped_by && outcome.stopped_by->kind == lkt::condition::suspended;
    std::string const to = reports_to_standard_output(o) ? "-" : o.report_file;
    // What there is to say of a run that waits is its question.
    if (!to.empty() && !(waits && to == "-"))
        put(to,
            (declared ? lkt::plain_text(to_text(*declared)) + "\n" : "") +
                lkt::text_report(outcome));
    return worst;
}

void say_how_to_go_on(saved_run const& saved, lkt::error const& ended_by) {
    // What was rejected would be so again.
    if (ended_by.kind != lkt::condition::rejected) say(saved.next_step());
}

} // namespace

int conclude(session& s,
             lkt::result<lkt::tuning_outcome> outcome,
             std::optional<declaration> const& declared) {
    auto const& o = s.o;
    // What the user did not want to go beyond; what was found until then is a result like others.
    auto const limit = outcome ? limit_reached(o, *outcome, s.saved.has_value()) : std::nullopt;
    if (limit && outcome->stopped_by)
        outcome->stopped_by = limit;
    else if (limit)
        outcome->notes.push_back(limit->message);
    if (auto const untried = outcome ? left_out_by_budget(o, *outcome) : std::nullopt)
        outcome->notes.push_back(*untried);
    auto const ended_by = outcome ? outcome->stopped_by : std::optional(outcome.error());
    bool const waits = ended_by && ended_by->kind == lkt::condition::suspended;
    if (o.beside_torch && outcome && !waits && !s.stopped())
        add_torch_times(o, *outcome, s.time.left(), s.its_turn(), s.signals.token());
    int delivered = outcome ? deliver(o, *outcome, declared) : status::done;
    // What is missing from a trace is no reason to withhold a result, but to say so.
    if (auto const trouble = s.trace.trouble()) delivered = complain(*trouble);
    if (ended_by && s.stopped()) {
        if (ended_by->kind != lkt::condition::cancelled) complain(*ended_by);
        return interrupted(s);
    }
    int ended = delivered;
    if (limit)
        complain(*limit);
    else if (ended_by && ended_by->code != "lkt.tuner.roof") // that one is a success
        ended = complain(*ended_by);
    if (outcome && ended == status::done && o.require_checked &&
        outcome->best.checked.extent != lkt::checked_extent::full)
        ended = status::unchecked;
    if (s.saved && (ended_by || limit))
        say_how_to_go_on(*s.saved, limit ? *limit : *ended_by);
    else if (s.saved && delivered != status::done) // the report comes again
        std::fprintf(stderr, "%s\n", s.saved->next_step().c_str());
    return ended;
}

int conclude(session& s, lkt::error const& ended_by) {
    if (s.stopped()) return interrupted(s);
    int const ended = complain(ended_by);
    if (s.saved) say_how_to_go_on(*s.saved, ended_by);
    return ended;
}

int interrupted(session const& s) {
    say(std::string("lkt-tune: the run was interrupted") +
        (s.saved ? "" : "; with --journal FOLDER a run can be resumed"));
    if (s.saved) say(s.saved->next_step());
    return status::interrupted;
}

} // namespace lkt_tune
