// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

namespace lkt {

/// The first statement of main in every program that runs untrusted code or compilers:
///
///     if (auto rc = lkt::worker_main(argc, argv)) return *rc;
///
/// Empty in the program itself, where it notes that it was called, and sees to it that no file that
/// is opened later takes the place of a closed standard input, output or error. In a worker, which
/// is the same executable started again, it serves requests until the program is gone. Globals of
/// the program are constructed in a worker as well (C++ leaves no choice) and never destroyed
/// there.
[[nodiscard]] std::optional<int> worker_main(int argc, char const* const* argv);

} // namespace lkt
