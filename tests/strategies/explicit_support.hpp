// SPDX-License-Identifier: BSL-1.0
// A model that answers the two questions of an explicit strategy by what they are about, and steps
// to ask about.
#pragma once

#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/step_ledger.hpp>

#include "../support/prepared_state.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lkt_test {

inline bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

/// The last turn that opened the conversation.
inline std::string task_of(lkt::chat_request const& r) { return r.messages.at(1).text; }
inline bool is_gate(lkt::chat_request const& r) {
    return has(task_of(r), "Does this step make sense");
}
/// The id of the step that a request is about; it begins the block behind the words on it.
inline std::string step_of(lkt::chat_request const& r) {
    std::string const text = task_of(r);
    std::string const before = is_gate(r) ? "The step\n```\n" : "give the kernel as it is.\n```\n";
    auto const at = text.find(before);
    if (at == text.npos) return "no step";
    auto const from = at + before.size();
    return text.substr(from, text.find(':', from) - from);
}

/// Answers by functions of the request; keeps what it was asked.
class step_model {
public:
    using answer_fn = std::function<lkt::result<std::string>(lkt::chat_request const&)>;

    explicit step_model(answer_fn kernel, answer_fn gate = {})
        : kernel_(std::move(kernel)), gate_(std::move(gate)) {}

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        asked->push_back(r);
        auto text = is_gate(r) ? (gate_ ? gate_(r) : std::string(yes)) : kernel_(r);
        if (!text) return text.error();
        lkt::chat_reply reply;
        reply.text = *text;
        reply.model = "steps";
        reply.usage = {10, 5};
        return reply;
    }

    static constexpr char const* yes = R"({"should_run": true, "why": "it may help"})";
    static constexpr char const* no = R"({"should_run": false, "why": "it is of no use"})";

    /// The ids of the steps that were asked about.
    [[nodiscard]] std::vector<std::string> steps(bool gate) const {
        std::vector<std::string> ids;
        for (auto const& r : *asked)
            if (is_gate(r) == gate) ids.push_back(step_of(r));
        return ids;
    }

    std::shared_ptr<std::vector<lkt::chat_request>> asked =
        std::make_shared<std::vector<lkt::chat_request>>();

private:
    answer_fn kernel_, gate_;
};

/// `speed 3` in the text: a third of the original's time; `wrong` and `broken` are.
inline behaviour by_speed(std::string const& text, lkt::configuration const&) {
    behaviour b;
    if (has(text, "broken")) b.compile = lkt::failure(lkt::compile_failed{"2:1: error: no", {}});
    b.wrong = has(text, "wrong");
    auto const at = text.rfind("speed ");
    if (at != text.npos) b.time = lkt::seconds(1e-3 / std::stod(text.substr(at + 6)));
    return b;
}

/// Kernels that are faster each time, until `remarks` says otherwise about a step.
inline step_model::answer_fn
kernels(std::vector<std::pair<std::string, std::string>> remarks = {}) {
    return [remarks, speed = 1](lkt::chat_request const& r) mutable -> lkt::result<std::string> {
        std::string const id = step_of(r);
        for (auto const& [step, remark] : remarks)
            if (step == id) return reply_with(changed_text(remark));
        return reply_with(changed_text(id + " speed " + std::to_string(speed *= 2)));
    };
}

/// The gate says no to these steps.
inline step_model::answer_fn no_to(std::vector<std::string> const& declined) {
    return [declined](lkt::chat_request const& r) -> lkt::result<std::string> {
        bool const no = std::count(declined.begin(), declined.end(), step_of(r)) > 0;
        return std::string(no ? step_model::no : step_model::yes);
    };
}

inline lkt::optimization_step plain_step(std::string const& id,
                                         std::vector<std::string> depends_on = {}) {
    lkt::optimization_step s;
    s.id = id;
    s.prompt = "Do what " + id + " is about.";
    s.depends_on = std::move(depends_on);
    return s;
}

/// A state that is ready for a strategy with these steps.
template <class Tools>
lkt::explicit_state explicit_scene(std::vector<lkt::optimization_step> steps,
                                   Tools& tools,
                                   lkt::problem task = twice_problem()) {
    lkt::explicit_state s;
    static_cast<lkt::tuning_state&>(s) = prepared_state(std::move(task), tools);
    s.ledger.steps = std::move(steps);
    return s;
}

inline std::vector<std::pair<std::string, lkt::step_outcome>>
outcomes(lkt::explicit_state const& s) {
    std::vector<std::pair<std::string, lkt::step_outcome>> all;
    for (lkt::step_record const& r : s.ledger.records) all.emplace_back(r.id, r.outcome);
    return all;
}

} // namespace lkt_test
