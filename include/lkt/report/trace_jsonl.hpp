// SPDX-License-Identifier: BSL-1.0
// A run's events as lines of JSON, for programs.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/graph/observe.hpp>
#include <lkt/nodes/progress_event.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lkt {

/// An observer that writes each event as a JSON object on a line of its own; docs/reports.md
/// describes them. Takes progress events too. Each line is written before the run continues, so the
/// trace of a killed run ends with its last event. One thread at a time: that of the run.
///
///     auto trace = lkt::trace_jsonl::open("run.jsonl");
///     tuner.tune(task, options, *trace);
class trace_jsonl {
public:
    /// `now` counts from any moment; without one the steady clock does. `go_on`: events are added
    /// to those of an earlier session, and without events the file stays as it is. Errors
    /// (rejected): `lkt.file.write`, `lkt.file.full`.
    [[nodiscard]] static result<trace_jsonl>
    open(std::string const& path, std::function<seconds()> now = {}, bool go_on = false);
    trace_jsonl(trace_jsonl&&) noexcept;
    ~trace_jsonl();

    void on_enter(node_event const& e);
    void on_exit(node_event const& e, node_exit const& x);
    void on_retry(node_event const& e, retry_event const& r);
    void on_transition(node_event const& e, transition_event const& t);
    void operator()(progress_event const& e);

    /// Why the trace is not complete: a full disk, say, which ends no run.
    [[nodiscard]] std::optional<error> trouble() const;

private:
    class writer;
    explicit trace_jsonl(std::unique_ptr<writer> w);
    std::unique_ptr<writer> writer_;
};

} // namespace lkt
