// SPDX-License-Identifier: BSL-1.0
// How the help of these programs looks.
#pragma once

#include <boost/program_options/options_description.hpp>

#include <string>
#include <string_view>

namespace lkt_apps {

/// A group of options, or without a title all of them together.
[[nodiscard]] boost::program_options::options_description option_group(std::string title = {});

/// The groups, with each option once.
[[nodiscard]] std::string table_text(boost::program_options::options_description const& table);

/// `  NAME   what it is`, in the columns of the options.
[[nodiscard]] std::string entry_text(std::string_view name, std::string_view what);

} // namespace lkt_apps
