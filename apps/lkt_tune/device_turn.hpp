// SPDX-License-Identifier: BSL-1.0
// `--device-queue FOLDER`: several runs share a device, one at a time.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/process/unique_fd.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace lkt_tune {

/// A lock on a file, one for each device, which its run holds from the first use of the device to
/// the next question to a model. Who waits longest gets it next: each has a ticket, a file with the
/// time in its name. Locks end with their process, however that ends, and tickets that nobody locks
/// count for nothing.
class device_turn {
public:
    /// `which`: what the command line says of the device, since two may have one name. Makes the
    /// folder, if need be. Errors: `lkt.tune.queue`.
    [[nodiscard]] static lkt::result<device_turn> open(std::string const& folder,
                                                       lkt::device_description const& device,
                                                       std::string const& which);

    /// Waits until no other run uses the device; says so, if that is not yet. After a stop request
    /// it returns without it. Nothing, where it is held.
    void take(std::stop_token const& stop);
    void give();
    /// Who is told, instead of standard error, that it waits (true), and waits no more. Empty:
    /// none.
    void on_wait(std::function<void(bool)> told);
    static constexpr char const* waits = "waiting for the device, which another run uses";

private:
    device_turn(std::string path, lkt::unique_fd file)
        : path_(std::move(path)), file_(std::move(file)) {}
    [[nodiscard]] bool is_next(std::string const& ticket) const;

    std::string path_; ///< of the lock; tickets begin like it
    lkt::unique_fd file_;
    std::unique_ptr<std::mutex> held_lock_ = std::make_unique<std::mutex>();
    bool held_ = false;
    std::function<void(bool)> told_;
};

/// A back end that is used in turns. Compilers belong to it, since they disturb what is measured;
/// what is compiled ahead does not wait.
class gpu_in_turns {
public:
    gpu_in_turns(lkt::any_gpu_backend gpu, device_turn& turn)
        : gpu_(std::move(gpu)), turn_(&turn) {}

    [[nodiscard]] lkt::result<lkt::device_description> device(lkt::call_context const& x) {
        return gpu_.device(x);
    }
    [[nodiscard]] lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                                            lkt::call_context const& x) {
        return mine(x).compile(request, x);
    }
    [[nodiscard]] lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                                    lkt::run_request const& request,
                                                    lkt::call_context const& x) {
        return mine(x).run(kernel, request, x);
    }
    void prefetch(lkt::compile_request const& request) { gpu_.prefetch(request); }
    [[nodiscard]] std::vector<lkt::result<lkt::compile_outcome>>
    compile_all(std::span<lkt::compile_request const> requests, lkt::call_context const& x) {
        return mine(x).compile_all(requests, x);
    }
    [[nodiscard]] std::vector<lkt::result<lkt::run_outcome>>
    run_all(std::span<lkt::kernel_run const> runs, lkt::call_context const& x) {
        return mine(x).run_all(runs, x);
    }
    [[nodiscard]] std::size_t runs_at_once() { return gpu_.runs_at_once(); }
    [[nodiscard]] lkt::result<lkt::device_peaks> peaks(lkt::call_context const& x) {
        return mine(x).peaks(x);
    }
    [[nodiscard]] bool can_profile() { return gpu_.can_profile(); }
    [[nodiscard]] lkt::result<lkt::kernel_profile> profile(lkt::compiled_kernel const& kernel,
                                                           lkt::run_request const& request,
                                                           lkt::call_context const& x) {
        return mine(x).profile(kernel, request, x);
    }
    [[nodiscard]] lkt::evidence_offer offered_evidence() { return gpu_.offered_evidence(); }
    [[nodiscard]] lkt::result<std::vector<std::string>> evidence(lkt::evidence_subject const& of,
                                                                 lkt::evidence_question const& q,
                                                                 lkt::call_context const& x) {
        return mine(x).evidence(of, q, x);
    }

private:
    lkt::any_gpu_backend& mine(lkt::call_context const& x) {
        turn_->take(x.stop);
        return gpu_;
    }

    lkt::any_gpu_backend gpu_;
    device_turn* turn_;
};

} // namespace lkt_tune
