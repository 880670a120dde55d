// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/report/json.hpp>

#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/report/detail/certificate_parts.hpp>
#include <lkt/report/detail/to_json.hpp>
#include <lkt/report/detail/warnings.hpp>
#include <lkt/version.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace detail {

namespace json = boost::json;

json::value to_json(dim3 d) { return json::array{d.x, d.y, d.z}; }

json::value to_json(launch_dimensions const& d) {
    return json::object{
        {"grid", to_json(d.grid)}, {"block", to_json(d.block)}, {"shared_bytes", d.shared_bytes}};
}

json::value to_json(measurement const& m) {
    json::array samples;
    for (seconds s : m.samples) samples.push_back(to_json(s));
    return json::object{{"median_s", to_json(m.median())},
                        {"minimum_s", to_json(m.minimum())},
                        {"noise_s", to_json(m.noise())},
                        {"samples_s", std::move(samples)}};
}

json::value to_json(launch_formula const& f) {
    auto const extents = [](auto const& e) {
        return json::array{e[0].text(), e[1].text(), e[2].text()};
    };
    return json::object{{"grid", extents(f.grid)},
                        {"block", extents(f.block)},
                        {"shared_bytes", f.shared_bytes.text()}};
}

json::value to_json(candidate const& k) {
    json::object parameters;
    for (tunable_parameter const& p : k.parameters) {
        json::array values;
        for (parameter_value const& v : p.values) values.push_back(to_json(v));
        parameters[p.name] = std::move(values);
    }
    json::array restrictions;
    for (expression const& e : k.restrictions) restrictions.push_back(json::string(e.text()));
    return json::object{{"language", to_string(k.source.language)},
                        {"text", k.source.text},
                        {"description", k.description},
                        {"parameters", std::move(parameters)},
                        {"restrictions", std::move(restrictions)},
                        {"launch", to_json(k.launch)}};
}

/// Null where nothing is known.
json::value to_json(roofline const& r, tuned_kernel const& k) {
    if (!(r.least().count() > 0)) return nullptr;
    auto const known = [](double value) { return value > 0 ? json::value(value) : json::value(); };
    double const taken = k.time.empty() ? 0 : k.time.median().count();
    auto const reached = [&](double amount) { return known(taken > 0 ? amount / taken : 0); };
    return json::object{
        {"share", k.time.empty() ? json::value() : json::value(r.share(k.time.median()))},
        {"limit", r.memory_bound() ? "memory" : "arithmetic"},
        {"measured", r.measured()},
        {"least_s", to_json(r.least())},
        {"bytes", known(r.bytes)},
        {"flops", known(r.operations)},
        {"type", r.type ? json::value(to_string(*r.type)) : json::value()},
        {"bytes_per_s", known(r.bandwidth)},
        {"flops_per_s", known(r.rate)},
        {"reached_bytes_per_s", reached(r.bytes)},
        {"reached_flops_per_s", reached(r.operations)}};
}

/// What is known of it.
json::value to_json(kernel_profile const& p) {
    json::object o;
    for (auto const& [name, value] :
         {std::pair("compute_percent", p.compute_percent),
          std::pair("dram_percent", p.dram_percent),
          std::pair("l2_percent", p.l2_percent),
          std::pair("l1_percent", p.l1_percent),
          std::pair("fp32_percent", p.fp32_percent),
          std::pair("tensor_percent", p.tensor_percent),
          std::pair("warps_percent", p.warps_percent),
          std::pair("dram_bytes", p.dram_bytes),
          std::pair("l1_hit_percent", p.l1_hit_percent),
          std::pair("l2_hit_percent", p.l2_hit_percent),
          std::pair("load_sectors", p.load_sectors),
          std::pair("store_sectors", p.store_sectors),
          std::pair("bank_conflicts", p.bank_conflicts),
          std::pair("shared_wavefronts", p.shared_wavefronts),
          std::pair("local_load_sectors", p.local_load_sectors),
          std::pair("issued_per_cycle", p.issued_per_cycle),
          std::pair("threads_per_instruction", p.threads_per_instruction)})
        if (value) o[name] = *value;
    json::object stalls;
    for (warp_stall const& s : p.stalls) stalls[s.reason] = s.percent;
    if (!stalls.empty()) o["stalls_percent"] = std::move(stalls);
    return o;
}

json::array strings(std::vector<std::string> const& texts) {
    json::array a;
    for (std::string const& text : texts) a.push_back(json::string(text));
    return a;
}

json::value to_json(tuned_kernel const& k, roofline const& roof) {
    json::object o{{"kernel", to_json(k.kernel)},
                   {"configuration", to_json(k.config)},
                   {"launch", to_json(k.dimensions)},
                   {"time", to_json(k.time)},
                   {"roofline", to_json(roof, k)}};
    if (k.profile) o["profile"] = to_json(*k.profile);
    if (k.resources && !k.resources->remarks.empty())
        o["compiler_remarks"] = strings(k.resources->remarks);
    if (!k.errors.empty()) o["errors"] = to_json(k.errors);
    return o;
}

json::object failure_json(failure const& f) {
    json::object o{{"failure", name_of_failure(f)}, {"description", describe(f)}};
    if (auto evidence = detail::evidence_json(f); !evidence.empty())
        o["evidence"] = std::move(evidence);
    return o;
}

json::object with_fields(json::object o, json::object const& more) {
    o.insert(more.begin(), more.end());
    return o;
}

json::value to_json(tried_configuration const& t) {
    json::object o{{"configuration", to_json(t.config)}};
    if (t.dimensions) o["launch"] = to_json(*t.dimensions);
    if (auto const* time = std::get_if<measurement>(&t.outcome))
        o["time"] = to_json(*time);
    else
        o = with_fields(std::move(o), failure_json(std::get<failure>(t.outcome)));
    if (t.in_finals) o["final_time"] = to_json(*t.in_finals);
    return o;
}

json::object verdict_json(attempt_outcome const& outcome) {
    return std::visit(
        [](auto const& v) -> json::object {
            using type = std::remove_cvref_t<decltype(v)>;
            if constexpr (std::is_same_v<type, not_evaluated>) {
                return {{"verdict", "not-evaluated"}};
            } else if constexpr (std::is_same_v<type, improvement>) {
                return {{"verdict", "accepted"},
                        {"before", to_json(v.before)},
                        {"after", to_json(v.after)}};
            } else if constexpr (std::is_same_v<type, no_improvement>) {
                return {{"verdict", "rejected"},
                        {"reason", v.verdict == comparison::slower ? "slower" : "undecided"},
                        {"best", to_json(v.best)},
                        {"got", to_json(v.got)}};
            } else {
                json::object o = failure_json(v);
                o["verdict"] = "failed";
                return o;
            }
        },
        outcome);
}

json::value to_json(attempt_record const& a) {
    json::object o = verdict_json(a.outcome);
    if (!a.step.empty()) o["step"] = a.step;
    if (!a.context.empty()) o["context"] = a.context;
    if (!a.model.empty()) o["model"] = a.model;
    if (a.parent > 0) o["parent"] = a.parent;
    if (a.round > 0) o["round"] = a.round;
    o["reply"] = a.reply;
    o["proposal"] = a.proposal.source.text.empty() ? json::value(nullptr) : to_json(a.proposal);
    json::array tried;
    for (tried_configuration const& t : a.configurations) tried.push_back(to_json(t));
    o["configurations"] = std::move(tried);
    if (a.space > 0) o["space"] = a.space;
    o["notes"] = strings(a.notes);
    o["model_s"] = to_json(a.thinking);
    o["testing_s"] = to_json(a.testing);
    o["tokens"] = json::object{{"input", a.usage.input}, {"output", a.usage.output}};
    return o;
}

json::object to_json(past_step const& p) {
    return {{"number", p.number},
            {"step", p.step.text},
            {"level", p.step.level},
            {"replan", p.step.replan},
            {"end", to_string(p.end)},
            {"why", p.why},
            {"validated", p.validated},
            {"first_attempt", p.first_record},
            {"attempts", p.records}};
}

/// What was planned, and every answer to a question about it.
json::object to_json(planning_record const& p) {
    json::array steps, answers;
    for (past_step const& one : p.past) steps.push_back(to_json(one));
    for (planning_exchange const& e : p.exchanges)
        answers.push_back(
            json::object{{"question", to_string(e.what)},
                         {"model", e.model},
                         {"reply", e.reply},
                         {"faults", strings(e.faults)},
                         {"model_s", to_json(e.thinking)},
                         {"tokens", {{"input", e.usage.input}, {"output", e.usage.output}}}});
    return {{"steps", std::move(steps)}, {"answers", std::move(answers)}};
}

/// What a model asked about a kernel, and what it was told.
json::object to_json(inquiry const& i) {
    json::array answers;
    for (evidence_answer const& a : i.answers)
        answers.push_back(json::object{{"question", a.question},
                                       {"answered", a.answered},
                                       {"answer", a.text},
                                       {"seconds", to_json(a.took)}});
    return {{"attempt", i.attempt},
            {"configuration", to_json(i.config)},
            {"model", i.model},
            {"reply", i.reply},
            {"faults", strings(i.faults)},
            {"answers", std::move(answers)},
            {"model_s", to_json(i.thinking)},
            {"tokens", {{"input", i.usage.input}, {"output", i.usage.output}}}};
}

} // namespace detail

boost::json::object json_report(tuning_outcome const& out) {
    using namespace detail;
    auto const extents = [](problem_size const& of) {
        json::object size;
        for (auto const& [name, extent] : of) size[name] = extent;
        return size;
    };
    roofline const roof = roofline_of(out.task, out.device);
    json::object size = extents(out.task.size), tolerances;
    json::array sizes, history;
    for (problem_size const& one : out.sizes) sizes.push_back(extents(one));
    for (auto const& [output, bound] : out.tolerances)
        tolerances[output] =
            json::object{{"relative", bound.relative}, {"absolute", bound.absolute}};
    for (attempt_record const& a : out.history) history.push_back(to_json(a));
    json::array models;
    for (used_model const& m : out.usage.models)
        models.push_back({{"name", m.name},
                          {"source", m.source},
                          {"calls", m.calls},
                          {"input_tokens", m.tokens.input},
                          {"cached_tokens", m.tokens.cached},
                          {"output_tokens", m.tokens.output}});
    json::object report{
        {"lkt_report", 1},
        {"lkt_version", lkt::version},
        {"kernel", out.task.signature.name},
        {"origin", out.task.reference.origin},
        {"size", std::move(size)},
        {"listed_sizes_only", out.task.size_constraints.empty() && !out.task.size.empty()},
        {"tests", strings(out.tests)},
        {"sizes", std::move(sizes)},
        {"seed", out.seed},
        {"tolerances", std::move(tolerances)},
        {"warnings", strings(warnings_of(out))},
        {"device",
         {{"name", out.device.name},
          {"backend", out.device.backend},
          {"driver", out.device.driver},
          {"simulated", out.device.simulated}}},
        {"strategy", out.strategy},
        {"terminal", out.stopped_by ? json::value(nullptr) : json::value(out.terminal)},
        {"model",
         {{"name", out.model.name},
          {"origin", out.model.origin},
          {"remark", out.model.remark},
          {"calls", out.usage.calls},
          {"requests", out.usage.requests},
          {"input_tokens", out.usage.tokens.input},
          {"output_tokens", out.usage.tokens.output},
          {"cost_usd", out.cost ? json::value(*out.cost) : json::value(nullptr)},
          {"models", std::move(models)},
          {"time_s", to_json(out.usage.time)}}},
        {"improved", out.improved()},
        {"confirmed", out.confirmed},
        {"speedup", out.speedup()},
        {"checked", to_string(out.best.checked.extent)},
        {"unchecked", out.best.checked.left_out},
        {"branches", to_json(out.best.branches)},
        {"baseline", to_json(out.baseline, roof)},
        {"best", to_json(out.best, roof)},
        {"history", std::move(history)},
        {"notes", strings(out.notes)},
        {"wall_s", to_json(out.wall_time)},
        {"total_s", to_json(out.total_time)},
        {"sessions", out.sessions}};
    if (out.started > 0) report["started"] = certificate_parts::date_text(out.started);
    if (!out.written.empty()) {
        json::array written;
        for (attempt_record const& a : out.written) {
            json::object one = to_json(a).as_object();
            if (&a == &out.written.back()) one["verdict"] = "accepted"; // there is no time yet
            written.push_back(std::move(one));
        }
        report["written"] = std::move(written);
    }
    if (!out.alternatives.empty()) {
        json::array alternatives;
        for (alternative_time const& a : out.alternatives)
            alternatives.push_back(json::object{
                {"name", a.name},
                {"time", a.time.empty() ? json::value() : to_json(a.time)},
                {"speedup",
                 a.time.empty() ? json::value() : json::value(speedup(a.time, out.best.time))},
                {"why", a.why}});
        report["alternatives"] = std::move(alternatives);
    }
    if (!out.inquiries.empty()) {
        json::array inquiries;
        for (inquiry const& i : out.inquiries) inquiries.push_back(to_json(i));
        report["inquiries"] = std::move(inquiries);
    }
    if (!out.planning.exchanges.empty()) report["planning"] = to_json(out.planning);
    report["stopped_by"] = nullptr;
    if (out.stopped_by)
        report["stopped_by"] = json::object{{"condition", to_string(out.stopped_by->kind)},
                                            {"code", out.stopped_by->code},
                                            {"message", out.stopped_by->message},
                                            {"hint", out.stopped_by->hint}};
    return report;
}

} // namespace lkt
