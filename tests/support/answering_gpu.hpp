// SPDX-License-Identifier: BSL-1.0
// The fake back end that answers questions about a kernel, and keeps them.
#pragma once

#include "fake_gpu.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lkt_test {

struct answering_gpu : fake_gpu {
    using fake_gpu::fake_gpu;

    lkt::evidence_offer offer{
        .compiler = "what the fake compiler did",
        .code = "fake code",
        .stalls = "where the fake threads wait",
        .counters = {{"reads", "bytes", "from memory"}, {"writes", "bytes", ""}}};
    std::vector<lkt::evidence_question> asked{};
    std::vector<std::string> answer{"line 2: a fact", "another"};
    std::optional<lkt::error> fails{};

    lkt::evidence_offer offered_evidence() const { return offer; }
    lkt::result<std::vector<std::string>> evidence(lkt::evidence_subject const& of,
                                                   lkt::evidence_question const& q,
                                                   lkt::call_context const&) {
        asked.push_back(q);
        if (fails) return *fails;
        auto lines = answer;
        lines.push_back(of.text.signature.name + " with " +
                        std::to_string(of.launch.arguments.size()) + " arguments");
        return lines;
    }
};
static_assert(lkt::evidence_backend<answering_gpu>);

} // namespace lkt_test
