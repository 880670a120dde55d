// SPDX-License-Identifier: BSL-1.0
// What the tests of strategies have in common: a device on which a text says what becomes of it,
// and a scripted model.
#pragma once

#include <lkt/graph/run.hpp>
#include <lkt/llm/scripted.hpp>

#include "../support/outcomes.hpp"
#include "../support/prepared_state.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt_test {

/// `speed 3` in a text: a third of the original's time.
inline behaviour by_words(std::string const& text, lkt::configuration const&) {
    behaviour b;
    auto const says = [&](char const* word) { return text.find(word) != std::string::npos; };
    if (says("broken")) b.compile = lkt::failure(lkt::compile_failed{"2:1: error: no", {2, 1}});
    if (says("wrong")) b.wrong = true;
    if (says("racy")) b.checked = lkt::failure(lkt::race{"two threads write y[0]"});
    if (auto const at = text.find("speed "); at != std::string::npos)
        b.time = lkt::seconds(1e-3 / std::stod(text.substr(at + 6)));
    return b;
}

/// A kernel that says so in a token, since remarks alone make no other kernel.
inline std::string kernel_that(std::string const& words) {
    return "#define NOTE \"" + words + "\"\n" + original_text;
}
inline lkt::scripted_turn rewrite(std::string const& words) {
    return reply_with(kernel_that(words));
}

/// A strategy's state, prepared, with the fake device and a script.
template <class State>
struct stage {
    fake_gpu gpu{by_words};
    lkt::scripted_model llm;
    bare_tools<fake_gpu, lkt::scripted_model> tools{gpu, llm};
    State s{};

    explicit stage(std::vector<lkt::scripted_turn> turns, lkt::problem task = twice_problem())
        : llm(std::move(turns)) {
        static_cast<lkt::tuning_state&>(s) = prepared_state(std::move(task), tools);
        // Turns of a script come in the order of the requests.
        if constexpr (requires { s.calls; }) s.calls.in_flight = 1;
        gpu.log.clear();
    }
    [[nodiscard]] std::string best() const { return s.best.kernel.source.text; }
    /// How often a text was timed in series.
    [[nodiscard]] std::size_t timed(std::string const& words) const {
        return gpu.count("time " + kernel_that(words));
    }
};

inline std::vector<lkt::scripted_turn> only_nonsense(std::size_t turns) {
    return std::vector<lkt::scripted_turn>(turns, nonsense);
}

} // namespace lkt_test
