// SPDX-License-Identifier: BSL-1.0
#include "help.hpp"

#include <algorithm>
#include <sstream>

namespace lkt_apps {
namespace {

namespace po = boost::program_options;

constexpr unsigned columns = 100, least_description = 68;
constexpr std::size_t names = columns - least_description;

} // namespace

po::options_description option_group(std::string title) {
    return po::options_description(std::move(title), columns, least_description);
}

std::string table_text(po::options_description const& table) {
    std::ostringstream text;
    text << table;
    // Boost leaves blanks where it breaks a line.
    std::string tidy;
    for (char const c : text.str()) {
        if (c == '\n')
            while (tidy.ends_with(' ')) tidy.pop_back();
        tidy += c;
    }
    return tidy;
}

std::string entry_text(std::string_view name, std::string_view what) {
    std::string line = "  " + std::string(name), text;
    line.resize(std::max(line.size() + 1, names), ' ');
    while (line.size() + what.size() > columns) {
        auto const room = columns - line.size();
        auto const blank = what.rfind(' ', room);
        if (blank == what.npos) break;
        text += line + std::string(what.substr(0, blank)) + '\n';
        what.remove_prefix(blank + 1);
        line.assign(names, ' ');
    }
    return text + line + std::string(what) + '\n';
}

} // namespace lkt_apps
