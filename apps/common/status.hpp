// SPDX-License-Identifier: BSL-1.0
// How these programs end. docs/programs.md has the table; `--help` says the same.
#pragma once

namespace lkt_apps::status {

constexpr int done = 0;          ///< a verified kernel was found; a candidate was accepted
constexpr int rejected = 1;      ///< of lkt-verify: the candidate was
constexpr int usage = 2;         ///< the command line is wrong, or a file that it says all with
constexpr int environment = 3;   ///< something that is needed is missing, used up or failed
constexpr int suspended = 4;     ///< of lkt-tune: a reply is awaited, and the run saved
constexpr int unchecked = 5;     ///< with --require-checked: done, but not checked in full
constexpr int nothing = 6;       ///< of lkt-scan: no product has a result that can be used
constexpr int interrupted = 130; ///< by Ctrl-C, SIGTERM or a closed terminal

} // namespace lkt_apps::status
