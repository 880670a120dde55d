// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/text.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/quantity.hpp>
#include <lkt/core/units.hpp>
#include <lkt/core/warning.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/report/detail/certificate_parts.hpp>
#include <lkt/report/detail/phrases.hpp>
#include <lkt/report/detail/summary.hpp>
#include <lkt/report/detail/warnings.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace lkt {

namespace detail {

std::string row(std::string label, std::string const& value) {
    label.resize(std::max<std::size_t>(label.size() + 1, 12), ' ');
    return label + indented(value, 12) + "\n";
}

/// `4.2 TB/s, 98 % of what memory allows (4.29 TB/s, measured)`; empty where no roof is known.
std::string roof_words(tuning_outcome const& out, tuned_kernel const& k) {
    roofline const r = roofline_of(out.task, out.device);
    seconds const taken = k.time.empty() ? seconds(0) : k.time.median();
    std::string const unknown = unknown_arithmetic(r) + (r.counted ? "" : " (lkt.work)");
    std::string const share = share_words(r, taken);
    if (share.empty())
        return r.cached && !unknown.empty() && !out.device.simulated
                   ? "no roof is known: the cache may hold its data, and " + unknown
                   : "";
    std::string const own = r.memory_bound() ? to_string(byte_rate(r.bytes / taken.count()))
                                             : to_string(flop_rate(r.operations / taken.count()));
    return own + ", " + share + (unknown.empty() ? "" : "; " + unknown);
}

std::string kernel_row(std::string const& label, tuning_outcome const& out, tuned_kernel const& k) {
    std::string text = to_string(k.time) + "\n" + to_string(k.dimensions);
    if (!k.config.values.empty()) text += "; " + configuration_words(k.config);
    if (std::string const bound = k.profile ? bottleneck_words(*k.profile) : ""; !bound.empty())
        text += "\nbound by: " + bound;
    if (std::string const roof = roof_words(out, k); !roof.empty()) text += "\n" + roof;
    if (k.resources)
        for (std::string const& remark : k.resources->remarks)
            text += "\n" + wrapped("the compiler says: " + remark, 84);
    return row("  " + label, text);
}

std::string verdict_line(attempt_record const& a) {
    return std::visit(
        [](auto const& o) -> std::string {
            using type = std::remove_cvref_t<decltype(o)>;
            if constexpr (std::is_same_v<type, not_evaluated>)
                return "not evaluated: the run ended before its verdict";
            else if constexpr (std::is_same_v<type, improvement>)
                return "accepted: " + to_string(o.before) + " -> " + to_string(o.after) + ", " +
                       times(speedup(o.before, o.after)) + " faster";
            else if constexpr (std::is_same_v<type, no_improvement>)
                // A kernel that was measured before stands for it.
                return o.got.samples == o.best.samples
                           ? "rejected: no other kernel than one that was measured before"
                           : std::string("rejected: correct, but ") +
                                 (o.verdict == comparison::slower ? "slower"
                                                                  : "not faster beyond the noise") +
                                 ": this kernel " + to_string(o.got) + ", the best so far " +
                                 to_string(o.best);
            else
                return "failed: " + std::string(name_of_failure(o));
        },
        a.outcome);
}

std::string configurations_text(attempt_record const& a, text_report_options const& o) {
    if (a.configurations.empty()) return {};
    configuration_summary const sum = summarise(a.configurations);
    std::size_t const tried = a.configurations.size();
    std::string text = std::to_string(tried) +
                       (a.space > tried ? " of " + std::to_string(a.space) : std::string()) +
                       " configuration" + (tried == 1 && a.space < 2 ? "" : "s") +
                       " tried: " + std::to_string(sum.correct.size()) + " correct, " +
                       std::to_string(tried - sum.correct.size()) + " failed\n";
    if (!sum.correct.empty() && !sum.correct.front()->config.values.empty())
        text +=
            "  times of the search (a few launches each), of finalists also of the finals (side by "
            "side):\n";
    std::size_t listed = 0;
    for (tried_configuration const* t : sum.correct) {
        if (t->config.values.empty()) break; // the verdict says it all
        if (listed++ == o.slower) {
            text += "  ... " + std::to_string(sum.correct.size() - o.slower) + " slower ones\n";
            break;
        }
        text += "  " + configuration_words(t->config) + ": " +
                to_string(std::get<measurement>(t->outcome).median());
        if (t->in_finals) text += ", in the finals " + to_string(*t->in_finals);
        if (t->dimensions) text += ", " + to_string(*t->dimensions);
        text += "\n";
    }
    for (failure_group const& g : sum.failed) {
        if (g.members.size() == 1 && g.members.front()->config.values.empty()) continue;
        text += "  " + std::string(g.name) + " in " + std::to_string(g.members.size()) + ": ";
        std::string names;
        for (std::size_t i = 0; i < g.members.size() && i < 6; ++i)
            names += (i > 0 ? " | " : "") + configuration_words(g.members[i]->config);
        if (g.members.size() > 6) names += " | ...";
        text += names + "\n    " + indented(wrapped(first_line(g.why), 86), 4) + "\n";
    }
    return text;
}

/// Which kernel it rewrites, and with which others it was judged; empty for the first.
std::string lineage(attempt_record const& a) {
    std::string text = a.round > 0 ? "round " + std::to_string(a.round) : "";
    if (a.parent > 0)
        text += (text.empty() ? "" : ", ") + ("a rewrite of attempt " + std::to_string(a.parent));
    return text;
}

std::string attempt_text(std::size_t number,
                         attempt_record const& a,
                         text_report_options const& o,
                         bool accepted = false) {
    std::string head = std::to_string(number);
    head.resize(std::max<std::size_t>(head.size() + 1, 4), ' ');
    std::string text = (accepted ? "accepted" : verdict_line(a)) + "\n";
    if (std::string const from = lineage(a); !from.empty()) text += from + "\n";
    if (!a.step.empty()) text += wrapped("asked for: " + a.step, 90) + "\n";
    if (!a.proposal.description.empty())
        text += wrapped("\"" + a.proposal.description + "\"", 90) + "\n";
    if (auto const* why = std::get_if<failure>(&a.outcome)) {
        std::string const words = without_last_newline(describe(*why));
        // A compiler's log points with columns.
        bool const verbatim = std::holds_alternative<compile_failed>(*why);
        text += first_lines(verbatim ? words : wrapped(words, 90), o.lines) + "\n";
    }
    if (!a.context.empty()) text += wrapped(a.context, 90) + "\n";
    text += configurations_text(a, o);
    for (std::string const& note : a.notes)
        if (!is_warning(note)) text += wrapped("note: " + note, 90) + "\n";
    if (o.wall_times && a.thinking + a.testing > seconds(0)) {
        text +=
            a.model.empty() ? std::string("tests ") : "model " + to_string(a.thinking) + ", tests ";
        text += to_string(a.testing) + "\n";
    }
    return "  " + head + indented(without_last_newline(text), 6) + "\n";
}

/// A step that was planned, and how it ended.
std::string step_text(past_step const& p) {
    std::string text = wrapped(step_words(p), 92) + "\n  " + std::string(to_string(p.end));
    if (!p.why.empty()) text += ": " + indented(wrapped(first_line(p.why), 80), 2);
    return "  " + indented(text, 2) + "\n";
}

std::string dollars(double usd) {
    char text[32];
    std::snprintf(text, sizeof text, usd > 0 && usd < 0.01 ? "$%.4f" : "$%.2f", usd);
    return text;
}

std::string model_text(tuning_outcome const& out) {
    if (out.usage.calls == 0 && out.usage.requests == 0)
        return "none was asked" + (out.model.remark.empty() ? "" : "; " + out.model.remark);
    std::string text = out.model.name;
    if (!out.model.remark.empty())
        text = out.model.remark;
    else if (text.empty())
        text = "(it gave no name)";
    text += "\n" + std::to_string(out.usage.calls) + (out.usage.calls == 1 ? " call" : " calls") +
            (out.usage.requests > out.usage.calls ? " (" + std::to_string(out.usage.requests) +
                                                        " requests, including those that failed), "
                                                  : ", ") +
            std::to_string(out.usage.tokens.input) + " tokens in, " +
            std::to_string(out.usage.tokens.output) + " out";
    if (out.cost) text += ", " + dollars(*out.cost);
    if (out.usage.models.size() > 1)
        for (used_model const& m : out.usage.models)
            text += "\n" + (m.source.empty() ? m.name : m.source) + ": " + std::to_string(m.calls) +
                    (m.calls == 1 ? " call, " : " calls, ") + std::to_string(m.tokens.input) +
                    " tokens in, " + std::to_string(m.tokens.output) + " out";
    return text;
}

std::string ending_text(tuning_outcome const& out) {
    if (out.stopped_by && out.stopped_by->code == "lkt.tuner.roof")
        return "ended at the roof: " + out.stopped_by->message;
    if (out.stopped_by) return "stopped early: " + to_string(*out.stopped_by);
    return "ended in " + out.terminal;
}

std::string warnings_text(tuning_outcome const& out) {
    std::string text;
    for (std::string const& warning : warnings_of(out))
        text += "WARNING: " + indented(wrapped(warning, 90), 9) + "\n";
    return text.empty() ? text : text + "\n";
}

/// How many, and which, and what may differ.
std::string tests_text(tuning_outcome const& out) {
    std::string bounds;
    std::string text = wrapped(test_words(out), 88);
    for (auto const& [output, bound] : out.tolerances) {
        bounds += (bounds.empty() ? "" : "; ") + output;
        if (bound.relative == 0 && bound.absolute == 0)
            bounds += " exact";
        else
            bounds += " " + significant(bound.relative) + " relative + " +
                      significant(bound.absolute) + " absolute";
    }
    text += "\nseed " + std::to_string(out.seed);
    if (!bounds.empty()) text += "; tolerance: " + bounds;
    return text;
}

std::string sizes_text(tuning_outcome const& out) {
    std::string text = size_words(out.task.size);
    if (out.sizes.size() < 2) return text;
    std::string all;
    for (problem_size const& size : out.sizes) all += (all.empty() ? "" : " | ") + size_words(size);
    return wrapped(text + " is timed; " + std::to_string(out.sizes.size()) +
                       " sizes are verified: " + all,
                   88);
}

std::string time_text(tuning_outcome const& out) {
    std::string now = to_string(out.wall_time);
    if (out.started > 0) now += ", begun at " + certificate_parts::date_text(out.started);
    if (out.sessions < 2) return now;
    return to_string(out.total_time) + " in " + std::to_string(out.sessions) +
           " sessions, the last one " + now;
}

/// Nothing but the kernel to beat itself.
bool only_the_original(tuning_outcome const& out, attempt_record const& a) {
    return a.proposal.source.text == out.baseline.kernel.source.text &&
           std::all_of(a.configurations.begin(), a.configurations.end(), [&](auto const& t) {
               return t.config == out.baseline.config;
           });
}

std::string best_words(tuning_outcome const& out) {
    std::string const original = out.written.empty() ? "the original" : "the first kernel";
    bool others = false, correct = false, undecided = false;
    for (attempt_record const& a : out.history) {
        if (std::holds_alternative<not_evaluated>(a.outcome)) {
            undecided = undecided || !a.configurations.empty();
        } else if (!only_the_original(out, a)) {
            others = true;
            correct = correct || !std::holds_alternative<failure>(a.outcome);
        }
    }
    if (correct) return original + ": no correct kernel was faster";
    if (undecided)
        return "not decided: the run ended before the fastest configurations were verified in full";
    return original + (others ? ": no other kernel was correct" : ": nothing else was tried");
}

/// What was asked about kernels, and the beginning of each answer; JSON has all of it.
std::string inquiries_text(tuning_outcome const& out) {
    std::string text;
    for (inquiry const& i : out.inquiries) {
        std::string const whose =
            i.attempt > 0 ? "attempt " + std::to_string(i.attempt) : std::string("the original");
        std::string const config = configuration_words(i.config);
        text += "  about " + whose + (config.empty() ? "" : " (" + config + ")") + ": ";
        if (!i.faults.empty())
            text += "no usable questions: " + indented(wrapped(i.faults.front(), 88), 4);
        else if (i.answers.empty())
            text += "no question";
        else
            text += i.answers.size() == 1 ? "1 question"
                                          : std::to_string(i.answers.size()) + " questions";
        text += "\n";
        for (evidence_answer const& a : i.answers) {
            auto const first = a.text.substr(0, a.text.find('\n'));
            auto const more = std::count(a.text.begin(), a.text.end(), '\n');
            std::string line = a.question + (a.answered ? "" : ", not answered") + ": " + first;
            if (more > 0) line += " (and " + std::to_string(more) + " more lines)";
            text += "    - " + indented(wrapped(line, 90), 6) + "\n";
        }
    }
    return text.empty() ? text : "\nasked about kernels\n" + text;
}

/// What a user would call instead of the best kernel.
std::string alternative_words(tuning_outcome const& out, alternative_time const& a) {
    if (a.time.empty()) return wrapped(a.name + ": no time; " + a.why, 84);
    double const ratio = speedup(a.time, out.best.time);
    return wrapped(a.name + ": " + to_string(a.time) +
                       (ratio > 0 ? ", the best kernel is " + times(ratio) + " as fast" : ""),
                   84);
}

} // namespace detail

std::string text_report(tuning_outcome const& out, text_report_options const& o) {
    using namespace detail;
    std::string text = warnings_text(out);
    text +=
        row("kernel",
            out.task.signature.name +
                (out.task.reference.origin.empty() ? "" : " (" + out.task.reference.origin + ")") +
                (out.task.size_constraints.empty() && !out.task.size.empty()
                     ? ", verified at the listed sizes only"
                     : ""));
    std::string device = out.device.name + ", back end " + out.device.backend;
    if (!out.device.driver.empty()) device += ", " + out.device.driver;
    if (out.device.simulated)
        device += "\nWARNING: this is not a GPU. The times are those of a CPU that executes the "
                  "kernel's text;\nthey say nothing about the speed on a GPU.";
    text += row("device", device);
    text += row("size", sizes_text(out));
    text += row("tests", tests_text(out));
    text += row("strategy", out.strategy + ", " + ending_text(out));
    text += row("model", model_text(out));
    if (o.wall_times) text += row("time", time_text(out));

    text += "\nresult\n";
    if (!out.written.empty())
        text += row("  written",
                    (out.model.origin == "stored"
                         ? "before, and stored"
                         : "by the model, in " + std::to_string(out.written.size()) +
                               (out.written.size() == 1 ? " reply" : " replies")) +
                        "; there was no kernel before, so the first is the baseline");
    text += kernel_row(out.written.empty() ? "original" : "first", out, out.baseline);
    if (out.improved()) {
        text += kernel_row("best", out, out.best);
        text +=
            row("  speed-up",
                times(out.speedup()) + (out.confirmed ? ", both measured side by side at the end"
                                                      : ", not confirmed at the end of the run"));
    } else {
        text += row("  best", best_words(out));
    }
    for (alternative_time const& a : out.alternatives)
        text += row("  instead", alternative_words(out, a));
    text += row("  checked", wrapped(to_string(out.best.checked), 84));
    if (out.improved()) text += row("  branches", wrapped(to_string(out.best.branches), 84));

    if (!out.planning.past.empty()) text += "\nplanned steps\n";
    for (past_step const& p : out.planning.past) text += detail::step_text(p);

    text += inquiries_text(out);

    if (!out.written.empty()) text += "\nthe first kernel\n";
    for (std::size_t i = 0; i < out.written.size(); ++i)
        text += attempt_text(i + 1, out.written[i], o, i + 1 == out.written.size());

    text += "\nattempts\n";
    if (out.history.empty()) text += "  none\n";
    for (std::size_t i = 0; i < out.history.size(); ++i)
        text += attempt_text(i + 1, out.history[i], o);

    std::string notes;
    for (std::string const& note : out.notes)
        if (!is_warning(note) && note != "the original: compiler: " + out.device.driver)
            notes += "  - " + indented(wrapped(note, 92), 4) + "\n";
    if (!notes.empty()) text += "\nnotes\n" + notes;
    if (o.kernel && out.improved()) {
        text += "\nbest kernel\n";
        if (!out.best.config.values.empty())
            text += "  with " + configuration_words(out.best.config) + "\n";
        text += "  " + indented(without_last_newline(out.best.kernel.source.text), 2) + "\n";
    }
    return plain_text(text); // words of models, compilers and files stand in it
}

} // namespace lkt
