// SPDX-License-Identifier: BSL-1.0
// A run's events over time, for chrome://tracing and ui.perfetto.dev.
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

/// An observer that writes the trace event format of Chrome, which Perfetto reads: visits as
/// slices, retries, limits and progress events as marks. Each event is written before the run
/// continues, and the format needs no end, so the trace of a killed run can be opened too. One
/// thread at a time: that of the run.
///
///     auto trace = lkt::chrome_trace::open("run.json");
///     tuner.tune(task, options, *trace);
class chrome_trace {
public:
    /// `now` counts from any moment; without one the steady clock does. `go_on`: events are added
    /// to those of an earlier session, and without events the file stays as it is. Errors
    /// (rejected): `lkt.file.write`, `lkt.file.full`.
    [[nodiscard]] static result<chrome_trace>
    open(std::string const& path, std::function<seconds()> now = {}, bool go_on = false);
    chrome_trace(chrome_trace&&) noexcept;
    ~chrome_trace();

    void on_enter(node_event const& e);
    void on_exit(node_event const& e, node_exit const& x);
    void on_retry(node_event const& e, retry_event const& r);
    void on_transition(node_event const& e, transition_event const& t);
    void operator()(progress_event const& e);

    /// Why the trace is not complete: a full disk, say, which ends no run.
    [[nodiscard]] std::optional<error> trouble() const;

private:
    class writer;
    explicit chrome_trace(std::unique_ptr<writer> w);
    std::unique_ptr<writer> writer_;
};

} // namespace lkt
