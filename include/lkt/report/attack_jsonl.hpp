// SPDX-License-Identifier: BSL-1.0
// The record of attacks on the judge, as lines of JSON: a reply, then its attempts.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/attack_steps.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// One line, with its line feed: `{"problem", "round", "model", "reply"}`, or `{"problem", "round",
/// "model", "claim", "size", "script", "kernel", "end", "verdict", "reason", "proof", "seed",
/// "seconds"}`.
[[nodiscard]] std::string attack_line(attack_reply const& r);
[[nodiscard]] std::string attack_line(attack_record const& r);

/// What such lines say.
struct attack_history {
    std::vector<attack_reply> replies;
    std::vector<attack_record> attempts;

    /// Makes `s` go on where the record ends: what was judged, of all problems, which reply was the
    /// last one, and what of it is not judged yet.
    void resume(attack_state& s) const;
};
/// A last line that is cut off, as of a program that was killed, does not count. Errors (rejected):
/// `lkt.attack.record`, with the number of the line.
[[nodiscard]] result<attack_history> read_attacks(std::string_view lines,
                                                  std::string const& origin = "record");

/// A table: for each problem, and for all of them, how many attempts there were and how they ended;
/// then each accepted one with its claim. How often each verdict was given stands below.
[[nodiscard]] std::string attack_report(std::span<attack_record const> attempts);

} // namespace lkt
