// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/warning.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/tuner/tuning_outcome.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace lkt::detail {

/// `26 at 9 sizes, among them: normal values; cancellation`; the JSON report has all names.
[[nodiscard]] std::string test_words(tuning_outcome const& out);

/// What a reader must see first, of the run and of its attempts.
[[nodiscard]] inline std::vector<std::string> warnings_of(tuning_outcome const& out) {
    std::vector<std::string> all;
    if (out.sizes.size() == 1)
        all.push_back("only one size was verified, " + size_words(out.sizes.front()) +
                      ": a kernel that is wrong at others would pass");
    if (!out.best.time.empty() &&
        roofline_of(out.task, out.device).share(out.best.time.median()) > credible_share)
        all.push_back("the best kernel is faster than its roof: the problem's work (lkt.work) or "
                      "the device's peaks are not what they are said to be");
    auto const add = [&](std::vector<std::string> const& notes, std::string const& of) {
        for (std::string const& note : notes)
            if (is_warning(note)) all.push_back(of + std::string(text_of_warning(note)));
    };
    add(out.notes, "");
    for (std::size_t i = 0; i < out.history.size(); ++i)
        add(out.history[i].notes, "attempt " + std::to_string(i + 1) + ": ");
    return all;
}

} // namespace lkt::detail
