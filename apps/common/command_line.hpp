// SPDX-License-Identifier: BSL-1.0
// What the command lines of these programs have in common.
#pragma once

#include "program.hpp"

#include <lkt/core/result.hpp>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include <map>
#include <optional>
#include <string>

namespace lkt_apps {

struct command_line {
    std::string usage_code, program;
    std::string introduction, conclusion;                     ///< around the table of --help
    boost::program_options::options_description const& shown; ///< in the table
    boost::program_options::options_description const& known; ///< all of them
    char const* plain;                                        ///< the option of bare words
    std::map<std::string, std::string (*)()> lists = {};      ///< options that print a text
};

/// Reads it: into the variables behind the options, and into `seen`. Text that was asked for comes
/// back. Errors: `usage_code`.
[[nodiscard]] lkt::result<std::optional<information>>
read_command_line(command_line const& what,
                  int argc,
                  char const* const* argv,
                  boost::program_options::variables_map& seen);

/// Whether the user wrote that option; a switch also has to be on.
[[nodiscard]] bool was_given(boost::program_options::variables_map const& seen,
                             std::string const& option);

} // namespace lkt_apps
