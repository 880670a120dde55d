// SPDX-License-Identifier: BSL-1.0
#include "description.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/problems/detail/fill_json.hpp>
#include <lkt/search/space.hpp>
#include <lkt/verify/generated_sizes.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <variant>

namespace lkt_tune {
namespace {

bool is_integer(lkt::value_type t) {
    return !lkt::is_floating(t.scalar) && t.scalar != lkt::scalar_type::boolean;
}

bool is_open(lkt::problem_draft const& draft, std::size_t k) {
    return std::find(draft.open.begin(), draft.open.end(), k) != draft.open.end();
}

/// As a user writes it: `uniform(-1,1)`.
std::string fill_text(lkt::distribution const& fill) {
    return std::visit(
        []<class Fill>(Fill const& f) -> std::string {
            if constexpr (std::is_same_v<Fill, lkt::indices>) {
                return "indices(" + f.below.text() + ")";
            } else {
                auto const words = lkt::detail::problems::fill_words(f);
                std::string values;
                for (auto const& [name, value] : words.second)
                    values += (values.empty() ? "" : ",") + lkt::significant(value.as_double());
                return words.first + (values.empty() ? "" : "(" + values + ")");
            }
        },
        fill);
}

std::string argument_line(lkt::problem_draft const& draft, std::size_t k) {
    auto const& task = draft.known;
    auto const& a = task.signature.arguments[k];
    auto const& spec = task.arguments[k];
    std::string text = a.name + ": " + lkt::to_string(a.type) + (a.pointer ? " buffer" : "");
    if (is_open(draft, k)) return text + ", of which nothing was said";
    auto const scope = lkt::scope_of(task.size, lkt::default_configuration(task.parameters));
    if (!a.pointer) {
        if (spec.random) return text + ", drawn from " + fill_text(spec.fill);
        auto const value = spec.value.evaluate(scope);
        text += " = " + spec.value.text();
        auto const number = value ? lkt::value_text(*value) : std::string();
        return text + (number.empty() || number == spec.value.text() ? "" : " = " + number);
    }
    auto const flow = task.flow(k);
    text += ", " + std::string(to_string(flow)) + (spec.flow ? "" : " (by the text)") + ", ";
    text += spec.count.text();
    if (auto const count = spec.count.evaluate_integer(scope); count && *count > 0)
        text +=
            (std::to_string(*count) == spec.count.text() ? "" : " = " + std::to_string(*count)) +
            " elements, " +
            lkt::to_string(lkt::bytes{static_cast<std::uint64_t>(*count) * a.type.bytes()});
    else
        text += " elements";
    if (spec.scratch) return text + ", scratch: never compared";
    if (flow != lkt::direction::out) text += ", filled by " + fill_text(spec.fill);
    auto const limits = [](std::optional<double> const& b) { return b && std::isfinite(*b); };
    if (flow != lkt::direction::out && (spec.min || spec.max)) {
        if (!limits(spec.min) && !limits(spec.max)) text += ", valid: any finite value";
        if (limits(spec.min)) text += ", valid from " + lkt::significant(*spec.min);
        if (limits(spec.max))
            text += (limits(spec.min) ? " to " : ", valid up to ") + lkt::significant(*spec.max);
    }
    if (flow != lkt::direction::in && spec.bound)
        text += ", tolerance " + lkt::significant(spec.bound->relative) + " relative, " +
                lkt::significant(spec.bound->absolute) + " absolute";
    return text;
}

/// The configurations of the kernel as it is, or what is wrong with them.
std::string configurations_text(lkt::problem const& task, options const& o) {
    auto const space = lkt::search_space::make(task.parameters, task.restrictions, task.size);
    if (!space) return "unusable: " + space.error().message;
    if (auto const none = space->unsatisfiable()) return "none: " + describe(lkt::failure{*none});
    std::string text = counted(space->count(), "configuration", "configurations");
    if (auto const all = space->unrestricted_count(); all && *all != space->count())
        text += " of " + std::to_string(*all) + ", as the restrictions allow";
    if (auto const most = o.budget ? o.budget->of(space->count()) : space->count();
        most < space->count())
        text += ", of which " + std::to_string(most) + " are tried (--budget)";
    for (std::string const& useless : space->useless_restrictions())
        text += "\nthe restriction " + useless + " excludes nothing";
    return text;
}

std::string launch_text(lkt::problem_draft const& draft) {
    auto const& task = draft.known;
    if (draft.launch_is_open) return "one thread for each element, once the sizes are known";
    std::string text = lkt::launch_words(task.launch);
    while (text.ends_with('\n')) text.pop_back();
    if (task.size.empty()) return text;
    auto const scope = lkt::scope_of(task.size, lkt::default_configuration(task.parameters));
    auto const made = task.launch.evaluate(scope);
    return text + "\nby default: " + (made ? to_string(*made) : made.error().message);
}

std::string work_text(lkt::problem const& task) {
    if (!task.work.operations) return "operations are not given (--flops, lkt.work)";
    auto const n = task.work.operations->evaluate_integer(lkt::scope_of(task.size, {}));
    auto const type = lkt::arithmetic_of(task);
    return task.work.operations->text() + " operations" + (n ? " = " + std::to_string(*n) : "") +
           (type ? " in " + std::string(to_string(*type)) : "") + " a launch";
}

/// What a wrong kernel could get away with.
std::vector<std::string> weaknesses(lkt::problem_draft const& draft) {
    auto const& task = draft.known;
    std::vector<std::string> all;
    if (task.size.empty()) all.emplace_back("no sizes are given: pass --size NAME=VALUE");
    bool compared = false;
    for (std::size_t k = 0; k < task.signature.arguments.size(); ++k) {
        auto const& a = task.signature.arguments[k];
        auto const& spec = task.arguments[k];
        if (is_open(draft, k)) {
            all.push_back("nothing is said of `" + a.name + "`: pass --arg " + a.name + "=" +
                          (a.pointer ? "ELEMENTS" : "VALUE"));
            continue;
        }
        if (!a.pointer) continue;
        auto const flow = task.flow(k);
        compared = compared || (flow != lkt::direction::in && !spec.scratch);
        auto const* const drawn = std::get_if<lkt::uniform>(&spec.fill);
        if (flow != lkt::direction::out && is_integer(a.type) && drawn &&
            *drawn == lkt::uniform{} && !spec.min && !spec.max)
            all.push_back("the integers of `" + a.name +
                          "` are drawn from -1, 0 and 1: say what "
                          "they are (uniform(LOW,HIGH) or indices(BELOW))");
    }
    if (!compared && draft.open.empty())
        all.emplace_back("no argument is written, so there is nothing to compare");
    if (task.further_sizes.empty() && task.size_constraints.empty() && !task.size.empty())
        all.emplace_back("one size alone is verified: name others (--also-size)");
    if (task.size_constraints.empty() && !task.size.empty())
        all.emplace_back("sizes that you do not name are not tested, as nobody says which are "
                         "valid: give size_constraints in a problem file (--declare writes one)");
    return all;
}

} // namespace

std::string row(std::string label, std::string_view text) {
    constexpr std::size_t labels = 12;
    label.resize(std::max(label.size() + 1, labels), ' ');
    for (char const c : text) {
        label += c;
        if (c == '\n') label.append(labels, ' ');
    }
    return label + '\n';
}

std::string dollars(double usd) {
    char text[32];
    std::snprintf(text, sizeof text, usd > 0 && usd < 0.01 ? "$%.4f" : "$%.2f", usd);
    return text;
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
    return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

std::string sizes_text(lkt::problem const& task) {
    if (task.size.empty()) return "open: the model is asked for them";
    std::vector<std::string> lines{"timed: " + lkt::size_words(task.size)};
    for (auto const& s : task.further_sizes) lines.push_back("verified: " + lkt::size_words(s));
    for (auto const& c : task.size_constraints) lines.push_back("constraint: " + c.text());
    return lkt::joined(lines, "\n");
}

std::string parameters_text(lkt::problem const& task, options const& o) {
    std::vector<std::string> lines;
    for (auto const& p : task.parameters) lines.push_back(to_string(p));
    for (auto const& r : task.restrictions) lines.push_back("restriction: " + r.text());
    if (lines.empty()) lines.emplace_back("none");
    if (!task.size.empty()) lines.push_back(configurations_text(task, o));
    return lkt::joined(lines, "\n");
}

std::string tests_text(lkt::problem const& task, lkt_apps::chosen_tests const& tests) {
    std::vector<std::string> lines{"each size above, and the timed one with other values"};
    auto const hidden = task.size.empty()
                            ? 0
                            : lkt::generated_sizes(
                                  task, {.seed = tests.rest.seed, .count = tests.rest.hidden_sizes})
                                  .size();
    if (hidden > 0)
        lines.push_back(counted(hidden, "hidden size", "hidden sizes") + " within the constraints");
    for (auto const& t : task.tests) lines.push_back("declared: " + t.name);
    if (tests.rest.menu)
        lines.emplace_back("inputs of lkt's menu that suit the arguments (zeros and ones, spikes, "
                           "large values, ...)");
    if (tests.script) lines.push_back("those of " + tests.script->script.origin);
    return lkt::joined(lines, "\n");
}

std::string expected_text(lkt::problem const& task, options const& o) {
    if (auto const file = oracle_of(o, task); !file.empty())
        return "the outputs of the kernel of " + file;
    if (!task.oracle) return "the original's own outputs";
    if (task.unwritten) return "what the operation in " + task.oracle->path + " computes";
    return task.oracle->from == lkt::oracle_source::kind::recorded
               ? "outputs recorded in " + task.oracle->path
               : "what " + task.oracle->function + " in " + task.oracle->path + " computes";
}

std::string description_text(lkt::problem_draft const& draft,
                             lkt_apps::chosen_tests const& tests,
                             options const& o) {
    auto const& task = draft.known;
    std::string text = row("kernel",
                           task.signature.name + " (" + task.reference.origin + ", line " +
                               std::to_string(task.signature.line) + "), " +
                               std::string(to_string(task.reference.language)));
    std::vector<std::string> arguments;
    for (std::size_t k = 0; k < task.signature.arguments.size(); ++k)
        arguments.push_back(argument_line(draft, k));
    text += row("arguments", arguments.empty() ? "none" : lkt::joined(arguments, "\n"));
    text += row("sizes", sizes_text(task));
    text += row("launch", launch_text(draft));
    text += row("work", work_text(task));
    text += row("parameters", parameters_text(task, o));
    text += row("tests", tests_text(task, tests));
    text += row("expected", expected_text(task, o));
    if (!task.notes.empty()) text += row("notes", task.notes);
    auto const weak = weaknesses(draft);
    text += row("missing",
                weak.empty() ? "nothing: hidden sizes are tested too" : lkt::joined(weak, "\n"));
    return lkt::plain_text(text);
}

} // namespace lkt_tune
