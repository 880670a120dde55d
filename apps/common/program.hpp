// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/core/result.hpp>

#include <functional>
#include <string>
#include <utility>
#include <variant>

namespace lkt_apps {

/// What a program prints instead of running: the text goes to standard output, status 0.
struct information {
    std::string text;
};

/// `main` of these programs: a worker, where it was started as one; else `run`, and what it throws
/// as a message and a status. `less` says how the user needs less memory. A reader of its output
/// that is gone, and a file that may not grow (`ulimit -f`), are errors of writing, which are
/// reported, instead of signals that end it; signals are a program's business, so this is not in
/// the library.
[[nodiscard]] int run_program(
    char const* name, char const* less, int argc, char** argv, std::function<int()> const& run);

/// Prints it. `complain` tells an error, and returns its status.
[[nodiscard]] int print(information const& wanted,
                        std::function<int(lkt::error const&)> const& complain);

/// Runs what was parsed, or prints it.
template <class Options, class Run>
[[nodiscard]] int run_parsed(lkt::result<std::variant<Options, information>> parsed,
                             std::function<int(lkt::error const&)> const& complain,
                             Run run) {
    if (!parsed) return complain(parsed.error());
    if (auto const* asked = std::get_if<information>(&*parsed)) return print(*asked, complain);
    return run(std::get<Options>(std::move(*parsed)));
}

} // namespace lkt_apps
