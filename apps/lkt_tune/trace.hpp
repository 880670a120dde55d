// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/observe.hpp>
#include <lkt/nodes/progress_event.hpp>
#include <lkt/report/chrome_trace.hpp>
#include <lkt/report/trace_jsonl.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lkt_tune {

/// What `--trace` asks for: one of two formats, or nothing.
class run_trace {
public:
    /// The format is that of the name's ending, `.jsonl` or `.json`; an empty name is no trace.
    /// `go_on`: what an earlier session wrote stays.
    [[nodiscard]] static lkt::result<run_trace> open(std::string const& file, bool go_on = false);

    void on_enter(lkt::node_event const& e) {
        tell([&](auto& trace) { trace.on_enter(e); });
    }
    void on_exit(lkt::node_event const& e, lkt::node_exit const& x) {
        tell([&](auto& trace) { trace.on_exit(e, x); });
    }
    void on_retry(lkt::node_event const& e, lkt::retry_event const& r) {
        tell([&](auto& trace) { trace.on_retry(e, r); });
    }
    void on_transition(lkt::node_event const& e, lkt::transition_event const& t) {
        tell([&](auto& trace) { trace.on_transition(e, t); });
    }
    void operator()(lkt::progress_event const& e) {
        tell([&](auto& trace) { trace(e); });
    }
    [[nodiscard]] std::optional<lkt::error> trouble() {
        std::optional<lkt::error> found;
        tell([&](auto& trace) { found = trace.trouble(); });
        return found;
    }

private:
    template <class Call>
    void tell(Call call) {
        if (auto* lines = std::get_if<lkt::trace_jsonl>(&trace_)) call(*lines);
        if (auto* chrome = std::get_if<lkt::chrome_trace>(&trace_)) call(*chrome);
    }

    std::variant<std::monostate, lkt::trace_jsonl, lkt::chrome_trace> trace_;
};

} // namespace lkt_tune
