// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/kernel/text_location.hpp>
#include <lkt/verify/static_policy.hpp>

#include <string>
#include <vector>

namespace lkt {

/// Something in a text that an honest kernel seldom needs.
struct static_finding {
    static_rule rule = static_rule::include;
    static_severity severity = static_severity::warning;
    text_location where; ///< nowhere for what stands in a parameter's value
    std::string what;    ///< the words as written
    std::string why;     ///< one sentence without its full stop

    friend bool operator==(static_finding const&, static_finding const&) = default;
};

/// What is suspicious in `candidate` and not in the problem's own kernel: a rule that the original
/// breaks holds for none of its candidates (of headers, the original's own are allowed). Looks at
/// tokens after macros, so comments, strings and dead branches are no findings, and a macro hides
/// nothing that this text itself defines. It is the first defence and never the only one: what it
/// says nothing of is still compiled, verified and guarded like anything else.
/// In order of the text, one for each rule and word. Linear in the text.
/// Errors (rejected): a text that cannot be read, as `expand_text`.
[[nodiscard]] result<std::vector<static_finding>> static_findings(kernel_source const& candidate,
                                                                  problem const& task,
                                                                  static_policy const& policy = {});

/// The same for a candidate with its parameters: their values become part of its text.
[[nodiscard]] result<std::vector<static_finding>>
static_findings(candidate const& candidate, problem const& task, static_policy const& policy = {});

/// `lkt.static.clock at line 3, column 5: `clock64`: a kernel must not ...`.
[[nodiscard]] std::string describe(static_finding const& f);

} // namespace lkt
