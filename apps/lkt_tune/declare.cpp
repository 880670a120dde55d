// SPDX-License-Identifier: BSL-1.0
#include "declare.hpp"

#include "../common/output.hpp"

#include <lkt/core/secret_stream.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/draft.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/nodes/write_script.hpp>
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
constexpr char const* script_fact = "script";

/// A script, and how a model came to write it.
struct written_script {
    std::string text, by;
    lkt::declaration_log log;
    using state_fields =
        lkt::fields<&written_script::text, &written_script::by, &written_script::log>;
};

using model_tools =
    lkt::toolbox<lkt::any_gpu_backend, lkt::journalled<heard_model&>, lkt_apps::chosen_tests>;

/// How a model is asked about a problem.
void set(model_tools& tools, options const& o, lkt::progress_sink on_progress) {
    tools.evaluation.seed = o.seed;
    tools.evaluation.compile_limit = lkt::seconds(o.compile_limit_s);
    tools.evaluation.launch_limit = lkt::seconds(o.launch_limit_s);
    tools.context_tokens = o.context_tokens;
    tools.answers = o.answers;
    tools.on_progress = std::move(on_progress);
}

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

char const* part_words(lkt::declared_part part) {
    switch (part) {
    case lkt::declared_part::description:
        return "description";
    case lkt::declared_part::tests:
        return "tests";
    case lkt::declared_part::script:
        return "script";
    }
    return "";
}

std::string indented(std::string_view text) {
    std::string all;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        all += "    " + std::string(text.substr(0, end)) + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
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
                             heard_model& model,
                             lkt_apps::chosen_tests& tests,
                             options const& o,
                             std::optional<lkt::journal> const& saved,
                             lkt::progress_sink on_progress,
                             std::stop_token stop) {
    declaration d;
    d.sizes = draft.known.size.empty();
    d.arguments = draft.open;
    d.tests = asks_for_tests(o, draft);
    lkt::exhaustive search;
    lkt::journalled<heard_model&> kept(model, saved);
    model_tools tools{gpu, kept, tests, search, {stop, {}}};
    set(tools, o, on_progress);
    drafting s;
    s.asking = {};
    s.asking.tests = d.tests;
    s.draft = std::move(draft);
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

/// Keeps what came of replies, which nobody needs then; those that came to nothing would do so
/// again.
template <class Made>
lkt::result<void> keep(std::optional<lkt::journal>& saved, char const* fact, Made const& made) {
    if (!saved) return {};
    bool const spent = made || made.error().kind == lkt::condition::rejected;
    if (made)
        if (auto ok = saved->put_fact(fact, lkt::encoded(*made)); !ok) return ok;
    if (auto ok = spent ? saved->forget_replies() : lkt::result<void>(); !ok) return ok;
    return saved->sync();
}

/// What is declared of a problem, from the journal if it was asked before.
lkt::result<declaration> declared(lkt::problem_draft draft,
                                  lkt::any_gpu_backend& gpu,
                                  heard_model& model,
                                  lkt_apps::chosen_tests& tests,
                                  options const& o,
                                  std::optional<lkt::journal>& saved,
                                  lkt::progress_sink const& on_progress,
                                  std::stop_token stop) {
    if (draft.complete() && !asks_for_tests(o, draft)) {
        declaration d;
        d.task = std::move(draft.known);
        return d;
    }
    if (auto const before = saved ? saved->fact(declared_fact) : std::nullopt) {
        declaration d;
        if (auto ok = lkt::decode(*before, d); !ok)
            return lkt::detail::undecodable(saved->name(), "declaration", ok.error());
        return d;
    }
    auto made = ask(std::move(draft), gpu, model, tests, o, saved, on_progress, std::move(stop));
    if (auto ok = keep(saved, declared_fact, made); !ok) return ok.error();
    return made;
}

/// The same for its script.
lkt::result<written_script> written(lkt::problem const& task,
                                    lkt::any_gpu_backend& gpu,
                                    heard_model& model,
                                    lkt_apps::chosen_tests& tests,
                                    options const& o,
                                    std::optional<lkt::journal>& saved,
                                    lkt::progress_sink const& on_progress,
                                    std::stop_token stop,
                                    lkt::script_tests& generator) {
    written_script w;
    auto const before = saved ? saved->fact(script_fact) : std::nullopt;
    if (before) {
        if (auto ok = lkt::decode(*before, w); !ok)
            return lkt::detail::undecodable(saved->name(), "script", ok.error());
    }
    lkt::exhaustive search;
    lkt::journalled<heard_model&> kept(model, saved);
    model_tools tools{gpu, kept, tests, search, {stop, {}}};
    set(tools, o, on_progress);
    lkt::script_options how;
    how.seed = lkt::drawn(lkt::derived(lkt::secret_of(o.seed), "inputs"), "model's script");
    if (before) {
        generator = lkt::script_generator(task, w.text, how);
        return w;
    }
    auto script = lkt::write_script(task, w.log, tools, how);
    lkt::result<written_script> made = [&]() -> lkt::result<written_script> {
        if (!script) return script.error();
        generator = *std::move(script);
        w.text = generator.script.text;
        w.by = model.description();
        return std::move(w);
    }();
    if (auto ok = keep(saved, script_fact, made); !ok) return ok.error();
    return made;
}

} // namespace

bool asks_for_tests(options const& o, lkt::problem_draft const& draft) {
    bool const anyway = !draft.complete() && o.ask_script.empty();
    return (o.ask_tests || anyway) && draft.known.tests.empty();
}

lkt::result<declaration> declare(lkt::problem_draft draft,
                                 lkt::any_gpu_backend& gpu,
                                 heard_model& model,
                                 lkt_apps::chosen_tests& tests,
                                 options const& o,
                                 std::optional<lkt::journal> saved,
                                 lkt::progress_sink on_progress,
                                 std::stop_token stop) {
    auto d = declared(std::move(draft), gpu, model, tests, o, saved, on_progress, stop);
    if (!d || o.ask_script.empty()) return d;
    lkt::script_tests generator;
    auto w = written(d->task, gpu, model, tests, o, saved, on_progress, stop, generator);
    if (!w) return w.error();
    tests.models = std::move(generator);
    d->suite.reset(); // it has none of the script's tests
    d->by = w->by;
    d->script = std::move(w->text);
    for (lkt::declaration_attempt& a : w->log.attempts) d->log.attempts.push_back(std::move(a));
    std::error_code failed;
    // Whoever resumes a run may have changed it, for another one.
    if (!o.resume_folder.empty() && std::filesystem::exists(o.ask_script, failed)) return d;
    if (auto lost = lkt_apps::write_output(o.ask_script, d->script)) return *lost;
    return d;
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
    if (!d.script.empty()) text += "  tests by this script\n" + indented(d.script);
    return text;
}

json::object to_json(declaration const& d) {
    json::object o{{"by", d.by}, {"sizes", d.sizes}, {"tests", d.tests}};
    json::array arguments, replies;
    for (std::size_t const k : d.arguments)
        arguments.push_back(json::string(d.task.signature.arguments[k].name));
    for (lkt::declaration_attempt const& a : d.log.attempts) {
        json::object reply{{"for", part_words(a.part)},
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
    if (!d.script.empty()) o["script"] = d.script;
    return o;
}

} // namespace lkt_tune
