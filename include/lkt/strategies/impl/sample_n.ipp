// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/sample_n.hpp>

namespace lkt::detail {

void draw_samples(sample_n_state& s) {
    s.attempts.clear();
    s.batch.assign(count_of(s.limits.samples), batch_proposal{});
}

} // namespace lkt::detail
