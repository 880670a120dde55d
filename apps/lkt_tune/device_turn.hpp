// SPDX-License-Identifier: BSL-1.0
// `--device-queue FOLDER`: several runs share a device, one at a time.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/process/unique_fd.hpp>

#include <mutex>
#include <stop_token>
#include <string>

namespace lkt_tune {

/// A lock on a file, one for each device, which its run holds except while a model answers. Who
/// waits longest gets it next: each has a ticket, a file with the time in its name. Locks end with
/// their process, however that ends, and tickets that nobody locks count for nothing.
class device_turn {
public:
    /// `which`: what the command line says of the device, since two may have one name. Makes the
    /// folder, if need be. Errors: `lkt.tune.queue`.
    [[nodiscard]] static lkt::result<device_turn> open(std::string const& folder,
                                                       lkt::device_description const& device,
                                                       std::string const& which);

    /// Waits until no other run uses the device; says so, if that is not yet. After a stop request
    /// it returns without it.
    void take(std::stop_token const& stop);
    void give();

private:
    device_turn(std::string path, lkt::unique_fd file)
        : path_(std::move(path)), file_(std::move(file)) {}
    [[nodiscard]] bool is_next(std::string const& ticket) const;

    std::string path_; ///< of the lock; tickets begin like it
    lkt::unique_fd file_;
};

/// The device is another run's while this one waits for a model: from the first of several
/// questions that are asked at once to the answer to the last.
class turn_while_asking {
public:
    explicit turn_while_asking(device_turn* turn) : turn_(turn) {}

    void begin();
    void end(std::stop_token const& stop);

private:
    device_turn* turn_; ///< may be null
    std::mutex lock_;
    int asking_ = 0;
};

} // namespace lkt_tune
