// SPDX-License-Identifier: BSL-1.0
// A name server for tests: the executable's own getaddrinfo, in front of the system's.
#pragma once

#include <atomic>

namespace names {

// `hangs.test` is looked up until `let_go`; `again.test` fails for now, `nobody.test` for good;
// `six.test` is ::1, `both.test` is ::1 and 127.0.0.1, `dead-first.test` a network address that
// drops packets and then 127.0.0.1.
inline std::atomic<bool> let_go = false;
inline std::atomic<int> asked = 0, answered = 0;

} // namespace names
