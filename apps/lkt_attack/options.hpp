// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "../common/program.hpp"

#include <lkt/core/result.hpp>
#include <lkt/strategies/attack.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lkt_attack {

inline constexpr char usage_code[] = "lkt.attack.usage";

/// The command line, checked as far as it can be without reading a file.
struct options {
    std::vector<std::string> problems; // files, and folders of them
    std::vector<std::string> sources;  // files that the model is shown
    std::string record_file = "attack.jsonl";
    std::string model, tape_file;
    std::optional<std::int64_t> max_calls;
    std::string backend = "auto", device;
    lkt::attack_limits limits;
    double compile_limit_s = 60, test_memory_gib = 0;
    bool quick = false, suspend = false, unconfined_compiler = false, report = false, quiet = false;
};

/// Either options, or information that was asked for; usage errors carry `usage_code`.
[[nodiscard]] lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(int argc, char const* const* argv);

} // namespace lkt_attack
