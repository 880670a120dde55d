// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/rebuild.hpp>

#include <utility>
#include <variant>

namespace lkt {

result<trial> rebuild(evaluation const& in,
                      tuned_kernel const& known,
                      signature const& declared,
                      std::string const& which) {
    auto built = in.build({known.kernel, declared, known.config});
    if (!built) return built.error();
    if (auto const* why = std::get_if<failure>(&*built)) return lost_kernel(*why, which);
    trial made = std::get<trial>(std::move(*built));
    made.time = known.time;
    return made;
}

error lost_kernel(failure const& why, std::string const& which) {
    return {condition::unavailable,
            "lkt.evaluate.lost-kernel",
            which + " worked before but fails now: " + describe(why),
            "check whether the device or its compiler changed during the run"};
}

} // namespace lkt
