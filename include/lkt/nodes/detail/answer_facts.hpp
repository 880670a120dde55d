// SPDX-License-Identifier: BSL-1.0
// What prompts say of the questions that were asked about a kernel.
#pragma once

#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/prompts.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lkt::detail {

/// The kernel in this configuration: equal numbers, the same one.
[[nodiscard]] std::uint64_t identity_of(tuned_kernel const& k);

/// The answers of this run that are about the kernel of a prompt, behind its other measurements.
inline void add_answers(std::vector<std::string>& facts, brief const& b) {
    if (b.inquiries.empty()) return;
    auto const shown = identity_of(b.current);
    for (inquiry const& one : b.inquiries) {
        if (one.kernel != shown) continue;
        for (evidence_answer const& a : one.answers) {
            bool const lines = a.text.find('\n') != std::string::npos;
            facts.push_back("asked for " + a.question + (a.answered ? "" : ", not answered") +
                            (lines ? ":\n" + block(a.text) : ": " + a.text));
        }
    }
}

} // namespace lkt::detail
