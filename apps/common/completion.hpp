// SPDX-License-Identifier: BSL-1.0
// Shell completion, from the option table itself.
#pragma once

#include <boost/program_options/options_description.hpp>

#include <map>
#include <string>
#include <vector>

namespace lkt_apps {

/// The values that an option may have, by its name, where they are few.
using option_choices = std::map<std::string, std::vector<std::string>>;

/// A script for `bash`, `zsh` or `fish`, which completes options, their values, files and folders.
/// Empty for any other shell.
[[nodiscard]] std::string
completion_script(std::string const& shell,
                  std::string const& program,
                  boost::program_options::options_description const& table,
                  option_choices const& choices);

} // namespace lkt_apps
