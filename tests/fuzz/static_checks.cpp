// SPDX-License-Identifier: BSL-1.0
// What the static checks find in candidates.
#include "support/problems.hpp"

#include <lkt/verify/static_checks.hpp>

namespace {

using lkt_fuzz::require;

void check(lkt::kernel_source const& source, lkt::problem const& task) {
    auto const found = lkt::static_findings(source, task);
    if (!found) return lkt_fuzz::require_error(found.error());
    lkt::text_location last;
    for (lkt::static_finding const& f : *found) {
        lkt_fuzz::require_place(f.where, source.text);
        require(f.where.line >= last.line, "findings come in the text's order", source.text);
        last = f.where;
        require(!f.why.empty() && !f.why.ends_with('.'), "a finding says why", f.why);
        require(!lkt::describe(f).empty(), "a finding can be told", source.text);
    }
    auto const again = lkt::static_findings(source, task);
    require(again.has_value() && *again == *found, "the same text, the same findings", source.text);
    // What the original does its candidates may do.
    lkt::problem own = task;
    own.reference = source;
    auto const none = lkt::static_findings(source, own);
    require(none.has_value() && none->empty(), "nothing is found in the original", source.text);
}

} // namespace

lkt_fuzz::target const here("static_checks", [](std::uint8_t const* data, std::size_t size) {
    static lkt::problem const tasks[] = {lkt_fuzz::problem_of(lkt_fuzz::cuda_text),
                                         lkt_fuzz::problem_of(lkt_fuzz::wgsl_text)};
    std::string const text(lkt_fuzz::text_of(data, size));
    for (lkt::problem const& task : tasks) check({task.reference.language, text, "fuzz"}, task);
    return 0;
});
