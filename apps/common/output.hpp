// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/kernel/source.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lkt_apps {

/// To a file, or to standard output for `-`.
[[nodiscard]] std::optional<lkt::error> write_output(std::string const& file,
                                                     std::string const& text);

/// To standard error, as plain text: all that both programs say there, besides their progress.
void say(std::string const& text, char const* end = "\n");

/// Says an error. Returns the status of a program that ends with it; `usage`: it lies in what the
/// user gave.
int report_error(std::string const& program, lkt::error const& e, bool usage);

/// A file of the command line, and the option that names it.
struct named_file {
    char const* flag;
    std::string name; ///< may be empty: it was not asked for
};
/// What would be lost, as a usage error with this code: two outputs in one file, or a file that is
/// read (`inputs`) under an output, whatever way the names lead to it.
[[nodiscard]] std::optional<lkt::error> file_lost(std::string_view usage_code,
                                                  std::span<named_file const> outputs,
                                                  std::span<named_file const> inputs);

/// Where the name of `--output` promises another language than the kernel's, as which the file
/// would be read; or a header (of CUDA alone), where this program writes none.
[[nodiscard]] std::optional<lkt::error> output_misnamed(std::string_view usage_code,
                                                        std::string const& file,
                                                        lkt::language language,
                                                        bool headers);

} // namespace lkt_apps
