// SPDX-License-Identifier: BSL-1.0
// The answers to questions about a kernel: by the back end, or by timing a variant.
#pragma once

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/rebuild.hpp>
#include <lkt/evaluate/search_configurations.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/detail/profiling.hpp>
#include <lkt/nodes/inquire.hpp>
#include <lkt/nodes/words.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// The lines of a text of which an answer speaks, as `line 7: for (...)`: readers need not count.
[[nodiscard]] inline std::string lines_named(std::vector<std::string> const& answer,
                                             std::string_view text) {
    std::set<std::size_t> named;
    for (std::string const& line : answer) {
        if (!line.starts_with("line ")) continue;
        std::size_t number = 0;
        for (char const c : std::string_view(line).substr(5)) {
            if (c < '0' || c > '9' || number > 1'000'000) break;
            number = 10 * number + static_cast<std::size_t>(c - '0');
        }
        named.insert(number);
    }
    std::string words;
    std::size_t number = 0, told = 0;
    while (!text.empty() && told < 30) {
        auto const end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!named.contains(++number)) continue;
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        words += (told++ == 0 ? "these lines of the text:\n" : "\n") + std::to_string(number) +
                 "\t" + shortened(line, 160);
    }
    return words;
}

/// Answers questions about one kernel. The objects must outlive it.
class answerer {
public:
    answerer(state_ref const& s, tools_ref const& tools, gpu_ref gpu, tuned_kernel const& k)
        : s_(s), tools_(tools), gpu_(gpu), k_(k), e_(setup_of(s, tools, gpu)) {}

    /// Errors: cancelled. Whatever else goes wrong is an answer.
    [[nodiscard]] result<evidence_answer> answer(evidence_wish const& w) {
        auto const start = std::chrono::steady_clock::now();
        auto found = w.what == "timing" ? time_variant(w) : by_back_end(w);
        if (!found && found.error().kind == condition::cancelled) return found.error();
        evidence_answer a;
        a.question = question_words(w);
        a.answered = found.has_value();
        a.text = found ? *std::move(found)
                       : found.error().message +
                             (found.error().hint.empty() ? "" : "; " + found.error().hint);
        a.text = shortened(a.text, most_bytes);
        a.took = std::chrono::steady_clock::now() - start;
        return a;
    }

private:
    static constexpr std::size_t most_bytes = 8000; ///< of an answer

    [[nodiscard]] static evidence_question question_of(evidence_wish const& w) {
        evidence_question q;
        q.what = w.what == "code"       ? evidence_kind::code
                 : w.what == "stalls"   ? evidence_kind::stalls
                 : w.what == "counters" ? evidence_kind::counters
                                        : evidence_kind::compiler;
        q.line = w.line.value_or(0);
        q.containing = w.containing.value_or("");
        q.counters = w.counters;
        return q;
    }

    [[nodiscard]] result<std::string> by_back_end(evidence_wish const& w) {
        auto const* const declared = declared_as();
        if (declared == nullptr) return *unreadable_;
        if (!built_) {
            auto built = rebuild(e_, k_, *declared, "the kernel that is asked about");
            if (!built) return built.error();
            built_ = *std::move(built);
        }
        compile_request text;
        text.source = k_.kernel.source;
        text.signature = *declared;
        text.definitions = k_.config;
        text.options = s_.task.compiler_options;
        text.time_limit = tools_.options.compile_limit;
        auto const launch = launch_to_look_at(s_, tools_, *built_, "evidence");
        auto lines =
            gpu_.evidence({text, built_->compiled, launch}, question_of(w), tools_.context);
        if (!lines) return lines.error();
        if (lines->size() > evidence_lines) lines->resize(evidence_lines);
        std::string all;
        for (std::string const& line : *lines) all += (all.empty() ? "" : "\n") + line;
        if (auto const named = lines_named(*lines, k_.kernel.source.text); !named.empty())
            all += "\n" + named;
        return all;
    }

    /// The time of a variant beside that of the kernel itself, both as a search takes them.
    [[nodiscard]] result<std::string> time_variant(evidence_wish const& w) {
        if (declared_as() == nullptr) return *unreadable_;
        configuration other = k_.config;
        for (auto& [name, value] : other.values)
            if (auto const given = w.parameters.find(name); given != w.parameters.end()) {
                if (std::holds_alternative<bool>(value))
                    value = given->second != 0;
                else
                    value = given->second;
            }
        if (!itself_) {
            auto now = try_one(k_.config);
            if (!now) return now.error();
            itself_ = *std::move(now);
        }
        auto const variant = try_one(other);
        if (!variant) return variant.error();
        return outcome_words(*variant) + "; as it is (" + configuration_words(k_.config) +
               "), tried likewise: " + outcome_words(*itself_);
    }

    [[nodiscard]] static std::string outcome_words(tried_configuration const& t) {
        if (auto const* const why = t.failed())
            return "it fails (" + std::string(name_of_failure(*why)) +
                   "): " + shortened(describe(*why), 600);
        auto const& time = std::get<measurement>(t.outcome);
        std::string text = to_string(time.median()) + " a launch (median of " +
                           std::to_string(time.samples.size()) + ")";
        if (t.dimensions) text += ", " + to_string(*t.dimensions);
        return text;
    }

    /// One configuration as a search would try it: compiled, verified, timed.
    [[nodiscard]] result<tried_configuration> try_one(configuration const& c) {
        candidate one = k_.kernel;
        for (tunable_parameter& p : one.parameters)
            if (parameter_value const* const value = c.find(p.name)) p.values = {*value};
        auto const space = space_of(one, s_.task.size, tools_.options);
        if (auto const* const why = std::get_if<failure>(&space))
            return tried_configuration{c, {}, *why};
        search_scope scope;
        scope.must_end = [&] { return tools_.leaves_out(); };
        auto found = search_configurations(
            e_, one, *declared_as(), std::get<search_space>(space), std::move(scope));
        if (!found) return found.error();
        if (found->tried.empty())
            return tried_configuration{
                c, {}, failure(no_configuration{"no configuration is left"})};
        return std::move(found->tried.front());
    }

    /// Null where the text cannot be read.
    [[nodiscard]] lkt::signature const* declared_as() {
        if (!declared_ && !unreadable_) {
            auto found = find_kernel(k_.kernel.source, s_.task.signature.name);
            if (found)
                declared_ = *std::move(found);
            else
                unreadable_ = found.error();
        }
        return declared_ ? &*declared_ : nullptr;
    }

    state_ref const& s_;
    tools_ref const& tools_;
    gpu_ref gpu_;
    tuned_kernel const& k_;
    evaluation e_;
    std::optional<lkt::signature> declared_;
    std::optional<error> unreadable_;
    std::optional<trial> built_;
    std::optional<tried_configuration> itself_;
};

} // namespace lkt::detail
