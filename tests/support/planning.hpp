// SPDX-License-Identifier: BSL-1.0
// What the tests of strategies that plan have in common: answers, and a GPU that goes by remarks.
#pragma once

#include <lkt/llm/scripted.hpp>
#include <lkt/nodes/planning_state.hpp>

#include "fake_gpu.hpp"
#include "outcomes.hpp"
#include "prepared_state.hpp"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace lkt_test {

/// What a text says of itself decides what becomes of it.
inline behaviour by_remark(std::string const& text, lkt::configuration const&) {
    behaviour b;
    auto const says = [&](char const* word) { return text.find(word) != std::string::npos; };
    if (says("broken")) b.compile = lkt::failure(lkt::compile_failed{"2:1: error: no", {2, 1}});
    if (says("wrong")) b.wrong = true;
    if (says("slow")) b.time = lkt::seconds(3e-3);
    if (says("quick")) b.time = lkt::seconds(0.4e-3);
    if (says("quicker")) b.time = lkt::seconds(0.2e-3);
    return b;
}

inline std::string code(std::string const& remark) { return reply_with(changed_text(remark)); }

inline std::string list_of(std::initializer_list<char const*> texts) {
    std::string all;
    for (char const* t : texts) all += (all.empty() ? "\"" : ", \"") + std::string(t) + "\"";
    return "[" + all + "]";
}
inline std::string steps(std::initializer_list<char const*> texts) {
    return "{\"steps\": " + list_of(texts) + "}";
}
inline std::string replanned(std::initializer_list<char const*> texts) {
    return "{\"replan\": true, \"steps\": " + list_of(texts) + "}";
}
inline std::string const no_replan = R"({"replan": false, "steps": []})";
inline std::string const is_valid = R"({"reason": "It fits.", "valid": true})";
inline std::string const is_invalid = R"({"reason": "It needs host code.", "valid": false})";
inline std::string const stays_whole = R"({"break_down": false, "steps": []})";
inline std::string divided(std::initializer_list<char const*> texts) {
    return "{\"break_down\": true, \"steps\": " + list_of(texts) + "}";
}

struct planning_scene {
    fake_gpu gpu{by_remark};
    lkt::scripted_model llm;
    bare_tools<fake_gpu, lkt::scripted_model> tools{gpu, llm};
    lkt::planning_state s;

    explicit planning_scene(std::vector<lkt::scripted_turn> turns,
                            lkt::problem const& task = twice_problem())
        : llm(std::move(turns)) {
        static_cast<lkt::tuning_state&>(s) = prepared_state(task, tools);
    }

    [[nodiscard]] std::size_t calls() const { return llm.requests().size(); }
    [[nodiscard]] lkt::conversation asked(std::size_t k) const {
        return llm.requests().at(k).messages;
    }
    [[nodiscard]] std::vector<lkt::step_end> ends() const {
        std::vector<lkt::step_end> all;
        for (auto const& p : s.planning.past) all.push_back(p.end);
        return all;
    }
};

inline bool says(std::string const& text, std::string const& what) {
    return text.find(what) != std::string::npos;
}
inline bool any_says(std::vector<std::string> const& texts, std::string const& what) {
    for (std::string const& t : texts)
        if (says(t, what)) return true;
    return false;
}

} // namespace lkt_test
