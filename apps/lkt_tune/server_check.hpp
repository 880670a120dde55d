// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "options.hpp"

#include <lkt/core/context.hpp>
#include <lkt/core/error.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lkt_tune {

/// Whether the models that a run may ask can be asked: connects to their servers, sends nothing.
/// Recorded models and mailboxes have none.
struct server_check {
    /// The run cannot do without it: the server of the model, where no fallback's can be reached
    /// either, or that of the reviewer; nothing where a folder of replies may have the answers.
    std::optional<lkt::error> missing;
    std::vector<std::string> warnings; ///< of servers without which it can go on
};
[[nodiscard]] server_check check_servers(options const& o, lkt::call_context const& context);

} // namespace lkt_tune
