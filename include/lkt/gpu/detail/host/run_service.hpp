// SPDX-License-Identifier: BSL-1.0
// What a worker can be asked to do for the host back end.
#pragma once

#include <lkt/process/service.hpp>

namespace lkt::host_detail {

/// The request: a `job`, and two descriptors, the compiled kernel and the arena. The reply: a
/// cell_outcome.
inline constexpr service_key run_key{"lkt.host.run", layout_hash("host run 6")};

result<worker_message> serve_run(worker_message request);

inline service_entry const run_entry{run_key, &serve_run};

} // namespace lkt::host_detail
