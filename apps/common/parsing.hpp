// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace lkt_apps {

/// What Boost says of a command line; of an unknown option also which one was meant.
inline std::string parsing_fault(boost::program_options::error const& e,
                                 boost::program_options::options_description const& known) {
    std::string text = e.what();
    auto const* unknown = dynamic_cast<boost::program_options::unknown_option const*>(&e);
    if (unknown == nullptr) return text;
    std::vector<std::string_view> names;
    for (auto const& option : known.options()) names.push_back(option->long_name());
    std::string_view given = text;
    auto const at = given.find("--");
    if (at == given.npos) return text;
    given = given.substr(at + 2, given.find_first_of("'=", at) - at - 2);
    // What others call it is not near.
    for (std::string_view const other : {"iterations", "repeats", "repetitions", "samples"})
        if (given == other) given = "launches";
    if (given == "launches") {
        bool const exists = std::find(names.begin(), names.end(), given) != names.end();
        return exists ? text + "; did you mean --launches?" : text;
    }
    return text + lkt::did_you_mean(given, names, "--");
}

} // namespace lkt_apps
