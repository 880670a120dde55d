// SPDX-License-Identifier: BSL-1.0
// The options of lkt-scan, in groups, and what --help says around them.
#pragma once

#include "options.hpp"

#include <boost/program_options/options_description.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lkt_scan {

extern char const* const introduction;
extern char const* const conclusion;

/// What is read from the command line before it is checked.
struct raw {
    std::vector<std::string> words, types, layouts, groups, functions, epilogues, sizes;
    std::string output_type, accelerator, operation{to_string(lkt::scan_operation::gemm)}, m, n, k;
    bool unverified = false;
    double time_limit_s = lkt::scan_settings{}.time_limit.count();
    std::uint64_t workspace_mib = lkt::cublaslt_options{}.workspace.count >> 20;
    std::vector<std::string> of_scans{}; ///< options that say what is measured, and how
};

/// Every option once. What is read goes into `o` and `r`, which must outlive the table.
[[nodiscard]] boost::program_options::options_description describe(options& o, raw& r);

/// For `--list-accelerators`.
[[nodiscard]] std::string listed_accelerators();

} // namespace lkt_scan
