// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "../common/program.hpp"

#include <lkt/core/result.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lkt_store {

inline constexpr char usage_code[] = "lkt.store.usage";

enum class command { list, show, verify, stats, export_, gc };

/// The command line, checked as far as it can be without reading a file.
struct options {
    command what = command::list;
    std::string store;
    std::vector<std::string> names; // of entries, or parts of them
    bool json = false;
    // list, stats
    std::string operation, model, status;
    // verify
    std::string problem_file; // empty: entries are read, no kernel runs
    std::string backend = "auto", device;
    bool unconfined_compiler = false;
    // export
    std::string output_file = "-";
    // stats
    std::string prices_file;
    // gc
    int keep = 3, days = 30;
    bool dry_run = false;
};

/// Either options, or information that was asked for; usage errors carry `usage_code`.
[[nodiscard]] lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(int argc, char const* const* argv);

} // namespace lkt_store
