// SPDX-License-Identifier: BSL-1.0
#include "declare.hpp"

#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/draft.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/problems/detail/json_text.hpp>
#include <lkt/problems/problem_text.hpp>
#include <lkt/search/exhaustive.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/codec.hpp>
#include <lkt/store/journalled.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace lkt_tune {
namespace {

namespace json = boost::json;

constexpr char const* declared_fact = "declared";

/// What the model is asked for, and what its answer runs on.
struct drafting : lkt::draft_state {
    lkt::tuning_state tuning;
};

std::string extents(lkt::problem_size const& size) {
    std::string text;
    for (auto const& [name, extent] : size)
        text += (text.empty() ? "" : ", ") + std::to_string(extent);
    return "[" + text + "]";
}

/// The problem as a problem file has it; empty where none can say it.
json::object file_of(lkt::problem const& task) {
    auto const folder = std::filesystem::path(task.reference.origin).parent_path().string();
    auto const text = lkt::problem_text(task, folder);
    if (!text) return {};
    return json::parse(*text).get_object();
}

std::size_t refused(declaration const& d) {
    return static_cast<std::size_t>(std::count_if(d.log.attempts.begin(),
                                                  d.log.attempts.end(),
                                                  [](auto const& a) { return a.why.has_value(); }));
}

/// As the models of this library are told it, and what it starts from.
std::string argument_words(lkt::problem const& task, std::size_t k) {
    std::string text = lkt::detail::argument_text(task, k).substr(2);
    text.pop_back();
    lkt::argument_spec const& spec = task.arguments[k];
    if (spec.scratch) return text + ", scratch";
    if (!task.signature.arguments[k].pointer || task.flow(k) == lkt::direction::out) return text;
    auto const number = [](double value) {
        char shown[32];
        std::snprintf(shown, sizeof shown, "%g", value);
        return std::string(shown);
    };
    if (auto const* c = std::get_if<lkt::constant>(&spec.fill))
        return text + ", all " + number(c->value);
    auto const finite = [](std::optional<double> const& b) { return b && std::isfinite(*b); };
    if (finite(spec.min)) text += ", at least " + number(*spec.min);
    if (finite(spec.max)) text += ", at most " + number(*spec.max);
    if (auto const* u = std::get_if<lkt::uniform>(&spec.fill))
        text += ", timed on values from " + number(u->low) + " to " + number(u->high);
    return text;
}

std::string timed_words(declaration const& d) {
    lkt::sized_launch const& t = *d.timed;
    std::string text = extents(t.size) + ", where a launch takes " + lkt::to_string(t.time);
    if (t.size != d.said) text += " (the model said " + extents(d.said) + ")";
    if (!t.inside)
        text += "; this is not between 0.2 and 20 ms" + (t.why.empty() ? "" : ": " + t.why);
    return text;
}

lkt::result<declaration> ask(lkt::problem_draft draft,
                             lkt::any_gpu_backend& gpu,
                             lkt_apps::asked_model& model,
                             lkt_apps::chosen_tests& tests,
                             options const& o,
                             std::optional<lkt::journal> const& saved,
                             lkt::progress_sink on_progress,
                             std::stop_token stop) {
    declaration d;
    d.sizes = draft.known.size.empty();
    d.arguments = draft.open;
    d.tests = draft.known.tests.empty();
    lkt::exhaustive search;
    lkt::journalled<lkt_apps::asked_model&> kept(model, saved);
    lkt::toolbox<lkt::any_gpu_backend, decltype(kept), lkt_apps::chosen_tests> tools{
        gpu, kept, tests, search, {stop, {}}};
    tools.evaluation.seed = o.seed;
    tools.evaluation.compile_limit = lkt::seconds(o.compile_limit_s);
    tools.evaluation.launch_limit = lkt::seconds(o.launch_limit_s);
    tools.context_tokens = o.context_tokens;
    tools.on_progress = on_progress;
    drafting s;
    s.draft = std::move(draft);
    s.asking = {};
    auto const filled = lkt::declare_problem(s, tools);
    d.log = std::move(s.declared);
    if (!filled) return filled.error();
    d.said = s.draft.known.size;
    d.by = model.description();
    if (*filled == lkt::supplied::sizes) {
        if (on_progress) on_progress({});
        if (auto ok = lkt::fit_timed_size(s, tools); !ok) return ok.error();
    }
    d.timed = std::move(s.timed);
    d.task = std::move(s.draft.known);
    if (s.tuning.tests.prepared()) d.suite = std::move(s.tuning.tests);
    return d;
}

} // namespace

lkt::result<declaration> declare(lkt::problem_draft draft,
                                 lkt::any_gpu_backend& gpu,
                                 lkt_apps::asked_model& model,
                                 lkt_apps::chosen_tests& tests,
                                 options const& o,
                                 std::optional<lkt::journal> saved,
                                 lkt::progress_sink on_progress,
                                 std::stop_token stop) {
    if (auto const before = saved ? saved->fact(declared_fact) : std::nullopt) {
        declaration d;
        if (auto ok = lkt::decode(*before, d); !ok)
            return lkt::detail::undecodable(saved->name(), "declaration", ok.error());
        return d;
    }
    auto made = ask(std::move(draft), gpu, model, tests, o, saved, on_progress, std::move(stop));
    if (!saved) return made;
    // Replies that came to nothing would come to nothing again.
    bool const spent = made || made.error().kind == lkt::condition::rejected;
    if (made)
        if (auto ok = saved->put_fact(declared_fact, lkt::encoded(*made)); !ok) return ok.error();
    if (auto ok = spent ? saved->forget_replies() : lkt::result<void>(); !ok) return ok.error();
    if (auto ok = saved->sync(); !ok) return ok.error();
    return made;
}

std::string to_text(declaration const& d) {
    std::string text = "what the model declared; please check it (" + d.by + "; " +
                       std::to_string(d.log.attempts.size()) + " replies, " +
                       std::to_string(refused(d)) + " refused)\n";
    if (d.sizes) {
        text += "  timed at " + timed_words(d) + "\n";
        for (lkt::problem_size const& size : d.task.further_sizes)
            text += "  verified at " + extents(size) + "\n";
        for (lkt::expression const& e : d.task.size_constraints)
            text += "  any size is valid where " + e.text() + "\n";
    }
    for (std::size_t const k : d.arguments) text += "  " + argument_words(d.task, k) + "\n";
    auto const file = file_of(d.task);
    auto const* more = d.tests && !file.empty() ? file.if_contains("lkt") : nullptr;
    if (auto const* list = more ? more->get_object().if_contains("tests") : nullptr)
        for (json::value const& test : list->get_array())
            text += "  test \"" + std::string(test.at("name").get_string()) +
                    "\": " + lkt::detail::problems::line_of(test.at("arguments")) + "\n";
    return text;
}

json::object to_json(declaration const& d) {
    json::object o{{"by", d.by}, {"sizes", d.sizes}, {"tests", d.tests}};
    json::array arguments, replies;
    for (std::size_t const k : d.arguments)
        arguments.push_back(json::string(d.task.signature.arguments[k].name));
    for (lkt::declaration_attempt const& a : d.log.attempts) {
        json::object reply{{"for", a.part == lkt::declared_part::tests ? "tests" : "description"},
                           {"reply", a.reply},
                           {"refused", nullptr},
                           {"model_s", a.thinking.count()},
                           {"testing_s", a.testing.count()}};
        if (a.why)
            reply["refused"] = json::object{{"code", a.why->code}, {"message", a.why->message}};
        replies.push_back(std::move(reply));
    }
    o["arguments"] = std::move(arguments);
    o["replies"] = std::move(replies);
    if (d.timed) {
        json::array said;
        for (auto const& [name, extent] : d.said) said.push_back(extent);
        o["said_size"] = std::move(said);
        o["timed"] = json::object{{"time_s", d.timed->time.count()}, {"inside", d.timed->inside}};
    }
    o["problem"] = file_of(d.task);
    return o;
}

} // namespace lkt_tune
