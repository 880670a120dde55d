// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "../common/program.hpp"

#include <lkt/core/result.hpp>
#include <lkt/verify/static_policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lkt_verify {

inline constexpr char usage_code[] = "lkt.verify.usage";

/// The command line, checked as far as it can be without reading a file.
struct options {
    std::string problem_file;
    std::vector<std::string> candidate_files; // empty: the certificate's
    std::string oracle_file;                  // empty: the problem's own
    std::string script_file;                  // of further tests; empty: none
    std::string backend = "auto", device;
    std::optional<std::uint64_t> seed; // absent: a fresh one
    std::size_t configurations = 64;
    int launches = 20, repetitions = 100;
    double compile_limit_s = 60, launch_limit_s = 0, checked_time_s = 5, test_memory_gib = 0;
    bool checked = true, require_checked = false, quick = false, unconfined_compiler = false;
    lkt::static_policy static_checks;
    std::string json_file, report_file;
    std::string certificate_file; // to write; empty: none
    std::string check_file;       // a certificate to replay; empty: none
    bool quiet = false;
    bool browser = false;   // a page runs the kernels in a browser
    std::uint16_t port = 0; // of that page; 0: any
};

/// Either options, or information that was asked for; usage errors carry `usage_code`.
[[nodiscard]] lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(int argc, char const* const* argv);

} // namespace lkt_verify
