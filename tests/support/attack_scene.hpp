// SPDX-License-Identifier: BSL-1.0
// A judge that knows its verdicts by heart: `honest` is right, `deceives` is not seen through, any
// other text is rejected.
#pragma once

#include <lkt/nodes/attack_steps.hpp>

#include "fake_gpu.hpp"

#include <string>

namespace lkt_test {

struct fake_judge {
    int asked = 0;
    bool fails = false;

    lkt::result<lkt::attack_judgement> judge(lkt::problem const&, lkt::attack_proposal const& p) {
        ++asked;
        if (fails)
            return lkt::error{lkt::condition::unavailable, "lkt.test.gone", "it is gone", {}};
        lkt::attack_judgement j;
        j.seed = 7;
        if (p.kernel.find("honest") != std::string::npos) {
            j.end = lkt::attack_end::unproven;
            j.proof = "it computes the same";
        } else if (p.kernel.find("deceives") != std::string::npos) {
            j.end = lkt::attack_end::proven;
            j.proof = "`y[0]` is 1";
        } else {
            j.verdict = lkt::verdict::race;
            j.reason = "threads race";
        }
        return j;
    }
};

/// A reply's part with one kernel.
inline std::string attack_block(std::string const& claim, std::string const& kernel) {
    return "WRONG: " + claim + "\n```cuda\n__global__ void twice() { /* " + kernel + " */ }\n```\n";
}

inline lkt::attack_state attack_scene() {
    lkt::attack_state s;
    s.task = twice_problem();
    s.problem_name = "twice";
    s.knowledge = "What the judge does.";
    return s;
}

} // namespace lkt_test
