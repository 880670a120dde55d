// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace lkt_apps {

/// What a program does before anything else, behind `worker_main`: a reader of its output that is
/// gone, and a file that may not grow (`ulimit -f`), become errors of writing, which are reported,
/// instead of signals that end it. Signals are a program's business, so this is not in the library.
void fail_instead_of_dying();

} // namespace lkt_apps
