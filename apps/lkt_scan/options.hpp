// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "../common/program.hpp"

#include <lkt/core/units.hpp>
#include <lkt/scan/accelerators.hpp>
#include <lkt/scan/ck_compiler.hpp>
#include <lkt/scan/cublaslt.hpp>
#include <lkt/scan/kernel_engine.hpp>
#include <lkt/scan/scan_engine.hpp>
#include <lkt/scan/spec_scan.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lkt_scan {

/// The command line, checked as far as it can be without reading a file.
struct options {
    std::vector<std::string> compare;  // two files; else empty
    std::vector<std::string> space;    // files whose instances are shown; else empty
    std::vector<std::string> show;     // files whose rows are shown; else empty
    std::string where;                 // of show and compare
    std::size_t compile = 0;           // of space: configurations of each
    lkt::ck_compiler_options ck;       // of space
    std::string sources;               // of space: a folder for them
    std::vector<std::string> group_by; // of show: fields
    bool best = false;                 // of show
    lkt::scan_operation operation = lkt::scan_operation::gemm;
    std::vector<std::string> sizes; // NAME=RANGE
    std::string shapes_file;
    std::vector<lkt::gemm_type> types{lkt::gemm_type::f16};
    bool types_given = false;                               // by the command line
    std::vector<std::array<lkt::matrix_layout, 3>> layouts; // of matrices
    std::vector<lkt::image_layout> image_layouts;
    std::vector<lkt::elementwise_function> functions;
    std::vector<lkt::gemm_epilogue> epilogues;
    lkt::gemm_draft rest;
    std::string engine = "simulated", ckprofiler = "ckProfiler", device, cublaslt, hipblaslt;
    lkt::bytes workspace;
    std::string problem_file, kernel_file, backend = "auto";
    std::size_t configurations = lkt::kernel_engine_options{}.configurations;
    bool unconfined_compiler = false;
    std::vector<std::string> from;
    lkt::scan_settings settings;
    std::uint64_t seed = 1;
    std::optional<lkt::accelerator> accelerator;
    std::string jsonl_file, csv_file, markdown_file, html_file;
    bool resume = false, quiet = false, dry_run = false;
};

/// Either options, or information that was asked for; usage errors carry `usage_code` (errors.hpp).
[[nodiscard]] lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(int argc, char const* const* argv);

} // namespace lkt_scan
