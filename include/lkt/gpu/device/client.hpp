// SPDX-License-Identifier: BSL-1.0
// The caller's side of a device that lives in a worker.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/device/job.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/process/shared_memory.hpp>
#include <lkt/process/worker.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lkt::device_detail {

/// A compiled kernel as the worker takes it.
struct program {
    std::uint64_t id = 0; ///< `fresh_contents()`
    std::string bytes;
    configuration definitions{}; ///< tunable parameters that it was compiled with
};

/// How much went to the device, since the client was made.
struct client_counters {
    std::uint64_t launches = 0; ///< timed ones
    std::uint64_t workers_lost = 0;
    seconds device_time{}; ///< of timed launches together
};

/// Sends jobs to a worker, remembers what it has, and replaces it when it is lost.
class device_client {
public:
    /// `name` is the back end's, as in `lkt.<name>.request`.
    device_client(std::string name, service_key service, worker_options options)
        : name_(std::move(name)), service_(service), worker_(std::move(options)) {}

    /// Makes the worker's device ready by way of `call`; asked before each job on a new worker.
    std::function<result<void>(call_context const&)> on_new_worker;

    /// The worker lives for one bare job, which is not repeated; only `ask` ends it.
    bool alone = false;
    /// And it finds in `out` buffers what the device has there.
    bool unfilled = false;

    /// How much longer than its launches may take a job takes before its worker is given up: a
    /// launch that is too long the worker ends by itself.
    std::chrono::seconds lost_after{60};

    /// The device is there, after this.
    [[nodiscard]] result<void> open(call_context const& context);
    /// A request that is not a job. A lost worker is an error.
    [[nodiscard]] result<worker_message>
    call(std::string const& bytes, std::chrono::milliseconds limit, call_context const& context);
    /// The same for a question that may cost the worker its life.
    [[nodiscard]] result<worker_answer>
    ask(std::string const& bytes, std::chrono::milliseconds limit, call_context const& context);

    /// `kernel.handle` is a `program`.
    [[nodiscard]] result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context);

    /// Lets the device go until it is needed again.
    void release();
    [[nodiscard]] client_counters const& counters() const { return counters_; }

private:
    [[nodiscard]] std::optional<error> fault_in(compiled_kernel const& kernel,
                                                run_request const& request) const;
    /// `maps`: for each set of arguments.
    [[nodiscard]] result<worker_answer> send(program const& what,
                                             std::span<argument const> declared,
                                             std::vector<std::vector<job_map>> const& maps,
                                             run_request const& request,
                                             call_context const& context);
    [[nodiscard]] result<run_outcome>
    outcome_of(run_answer const& answer, worker_message& reply, run_request const& request);
    [[nodiscard]] result<run_outcome>
    report_of(run_answer const& answer, worker_message& reply, run_request const& request);
    void forget_worker();
    /// Gigabytes of memory are freed while the next work runs.
    void give_back(std::vector<shared_memory> memory);

    std::string name_;
    service_key service_;
    worker worker_;
    bool opened_ = false;
    std::set<std::uint64_t> known_contents_, known_programs_;
    client_counters counters_;
    std::jthread giving_back_;
};

} // namespace lkt::device_detail
