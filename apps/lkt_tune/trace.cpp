// SPDX-License-Identifier: BSL-1.0
#include "trace.hpp"

namespace lkt_tune {

lkt::result<run_trace> run_trace::open(std::string const& file, bool go_on) {
    run_trace made;
    if (file.ends_with(".jsonl")) {
        auto trace = lkt::trace_jsonl::open(file, {}, go_on);
        if (!trace) return trace.error();
        made.trace_.emplace<lkt::trace_jsonl>(std::move(*trace));
    } else if (!file.empty()) {
        auto trace = lkt::chrome_trace::open(file, {}, go_on);
        if (!trace) return trace.error();
        made.trace_.emplace<lkt::chrome_trace>(std::move(*trace));
    }
    return made;
}

} // namespace lkt_tune
