// SPDX-License-Identifier: BSL-1.0
#include "beside.hpp"

#include "errors.hpp"

#include "../common/output.hpp"

#include <lkt/verify/torch_times.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace lkt_tune {

std::optional<lkt::error> beside_torch_fault(options const& o, lkt::problem const& task) {
    if (!o.beside_torch) return std::nullopt;
    auto const refused = [](std::string message, std::string hint) {
        return usage(std::move(message), std::move(hint));
    };
    bool const of_torch = task.oracle && task.oracle->from == lkt::oracle_source::kind::torch &&
                          !task.oracle->text.empty();
    if (!of_torch)
        return refused("--beside-torch times an operation of torch, and the problem is not one",
                       "drop it, or pass --torch FILE.py:CLASS or a problem file with "
                       "lkt.operation.torch");
    if (task.reference.language == lkt::language::wgsl || o.backend == "webgpu")
        return refused("--beside-torch needs a device that torch can use, and it has no WebGPU",
                       "drop it, or pass --language cuda");
    return std::nullopt;
}

void add_torch_times(options const& o,
                     lkt::tuning_outcome& outcome,
                     std::optional<lkt::seconds> left,
                     device_turn* turn,
                     std::stop_token const& stop) {
    auto const leave_out = [&](std::string const& why) {
        outcome.notes.push_back("not compared with torch: " + why);
    };
    constexpr lkt::seconds least{1}; // torch is not even loaded by then
    if (left && *left < least) return leave_out("--max-time was reached");
    lkt::torch_times_options how;
    if (left)
        how.time_limit =
            std::min(how.time_limit, std::chrono::ceil<std::chrono::milliseconds>(*left));
    if (outcome.device.backend == "host")
        how.device = "cpu";
    else if (!o.device.empty())
        how.device = o.device.find_first_not_of("0123456789") == std::string::npos
                         ? "cuda:" + o.device
                         : o.device;
    if (!o.quiet)
        lkt_apps::say(
            "timing the operation with torch, as it is and by torch.compile, which may take "
            "a minute");
    if (turn != nullptr) turn->take(stop);
    auto times = lkt::time_torch(outcome.task, how, {stop, {}});
    if (times)
        outcome.alternatives = std::move(*times);
    else if (!stop.stop_requested())
        leave_out(times.error().message);
}

} // namespace lkt_tune
