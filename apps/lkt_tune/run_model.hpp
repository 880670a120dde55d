// SPDX-License-Identifier: BSL-1.0
// The models of a run.
#pragma once

#include "session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lkt_tune {

/// That a model is missing, or that no provider has the name of one; said before a device is
/// looked for, and after all that is wrong with what is there. `asks`: the strategy asks one.
[[nodiscard]] std::optional<lkt::error> model_missing(options const& o, bool asks);

/// Opens the one of `--model`, checks that it can be reached, and says what its user should know.
/// `words`: the command line of this session.
[[nodiscard]] std::optional<lkt::error> open_model(session& s,
                                                   std::vector<std::string> const& words);

/// Where replies are kept: says how many of them nobody paid for again.
void say_what_was_kept(session const& s);

/// The models that may be asked, without asking them.
struct named_models {
    std::vector<std::string> sources; ///< as they describe themselves
    std::vector<std::string> missing; ///< why they cannot be asked
};
/// Errors: no model has such a name.
[[nodiscard]] lkt::result<named_models> name_models(options const& o);

} // namespace lkt_tune
