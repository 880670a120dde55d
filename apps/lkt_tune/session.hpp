// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "device_turn.hpp"
#include "options.hpp"
#include "saved.hpp"
#include "shelf.hpp"
#include "trace.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../models/asked_model.hpp"
#include "../models/time_limit.hpp"

#include <lkt/llm/prices.hpp>
#include <lkt/tuner/progress.hpp>

#include <optional>

namespace lkt_tune {

/// A run of this program, from the moment where it takes a device: what it works with, as far as
/// it is opened yet.
struct session {
    options const& o;
    lkt_apps::time_limit const& time;
    lkt::price_table const& prices;
    std::optional<saved_run> saved; ///< none: it cannot be resumed
    run_trace trace;
    lkt_apps::interrupt signals{};
    lkt_apps::chosen_backend device{};
    std::optional<device_turn> turn{};            ///< none: the device is not shared
    std::optional<shelf> kernels{};               ///< the store
    std::optional<lkt_apps::asked_model> model{}; ///< none is asked
    std::optional<heard_model> heard{};           ///< the same, as it is asked

    [[nodiscard]] bool stopped() const { return signals.requested(); }
    [[nodiscard]] lkt::call_context context() const { return {signals.token(), {}}; }
    [[nodiscard]] device_turn* its_turn() { return turn ? &*turn : nullptr; }
    [[nodiscard]] heard_model* its_model() { return heard ? &*heard : nullptr; }
};

/// While it lives, the display shows that the run waits for its device. `turn` may be null.
class shown_waiting {
public:
    shown_waiting(device_turn* turn, lkt::progress_display& display) : turn_(turn) {
        if (turn_ != nullptr)
            turn_->on_wait([&display](bool waits) {
                waits ? display.hold(device_turn::waits) : display.go_on();
            });
    }
    shown_waiting(shown_waiting const&) = delete;
    shown_waiting& operator=(shown_waiting const&) = delete;
    ~shown_waiting() {
        if (turn_ != nullptr) turn_->on_wait({});
    }

private:
    device_turn* turn_;
};

} // namespace lkt_tune
