// SPDX-License-Identifier: BSL-1.0
// A series of launches on a device, whatever its kind: which are timed, which are looked at, when
// it ends.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/job.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/shared_memory.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::device_detail {

/// Why a step ended early; `run_series` turns it into the answer.
struct run_failure {
    run_end end = run_end::broken;
    std::string what;
};

struct timed_launch {
    double seconds = 0;
    double megahertz = 0; ///< 0 where unknown
    double pace = 0;      ///< the clock as a part of the device's own; 0 where unknown
};

/// A kernel with its arguments on a device. Each step throws a `run_failure` where it cannot be
/// done.
class launcher {
public:
    /// Restores what launches change, and fills outputs with the pattern of this launch (warm-ups
    /// are counted -1, -2, ...).
    virtual void prepare(int launch) = 0;
    /// One launch, from beginning to end; nothing of the preparation belongs to its time.
    virtual timed_launch launch() = 0;
    /// Sees that nothing was written but outputs; true if these are known to be as expected.
    virtual bool inspect() = 0;
    /// The same, at the end, for all launches that were not checked yet.
    virtual void inspect_rest() = 0;
    /// Which arguments the launch had for which `prepare` was called last.
    [[nodiscard]] virtual std::size_t set() const = 0;
    /// The outputs, one after the other, as job_argument says.
    virtual shared_memory outputs() = 0;

protected:
    ~launcher() = default;
};

/// Warm-ups, then timed launches until the job's rule ends them. A launch at less than three
/// quarters of the device's clock is repeated. Outputs to keep that are not known to be as expected
/// are added to `outputs`.
void run_series(run_job const& job,
                launcher& device,
                run_answer& answer,
                std::vector<shared_memory>& outputs);

/// What a job brings for one of its sets of arguments.
struct set_data {
    std::span<std::byte const> contents, expected;
};

/// What `job` asks of a device: its answer, and kept outputs. There are as many `data` as sets.
using job_runner = std::function<run_answer(
    run_job const& job, std::span<set_data const> data, std::vector<shared_memory>& outputs)>;

/// Answers a request whose bytes behind its kind are `job`, with what `descriptors` hold.
[[nodiscard]] result<worker_message>
serve_job(std::string_view job, std::vector<unique_fd> descriptors, job_runner const& run);

} // namespace lkt::device_detail
