// SPDX-License-Identifier: BSL-1.0
// What a run notes of its original.
#pragma once

#include <lkt/kernel/measurement.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace lkt::detail {

[[nodiscard]] inline std::string timings_disagree(measurement const& one,
                                                  measurement const& other) {
    return "two timings of the original disagree: " + to_string(one) + " and " + to_string(other);
}

/// What the back end says of the original's build, as the notes of a run have it.
[[nodiscard]] inline std::string of_the_original(std::string const& note) {
    return "the original: " + note;
}

/// What the back end says of a kernel's build and has not said of the original's already.
[[nodiscard]] inline std::vector<std::string> own_notes(std::vector<std::string> const& of_build,
                                                        state_ref const& s) {
    std::vector<std::string> own;
    for (std::string const& note : of_build)
        if (std::find(s.notes.begin(), s.notes.end(), of_the_original(note)) == s.notes.end() &&
            std::find(own.begin(), own.end(), note) == own.end())
            own.push_back(note);
    return own;
}

} // namespace lkt::detail
