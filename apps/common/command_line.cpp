// SPDX-License-Identifier: BSL-1.0
#include "command_line.hpp"

#include "backend.hpp"
#include "help.hpp"
#include "parsing.hpp"

#include <lkt/version.hpp>

#include <boost/program_options.hpp>

#include <typeinfo>

namespace lkt_apps {

namespace po = boost::program_options;

lkt::result<std::optional<information>> read_command_line(command_line const& what,
                                                          int argc,
                                                          char const* const* argv,
                                                          po::variables_map& seen) {
    using perhaps = std::optional<information>;
    po::positional_options_description plain;
    plain.add(what.plain, -1);
    try {
        auto const style =
            po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        auto const given = po::command_line_parser(argc, argv)
                               .options(what.known)
                               .positional(plain)
                               .style(style)
                               .run();
        if (auto const wrong = empty_name(given.options, what.known); !wrong.empty())
            return usage_error(what.usage_code, wrong, empty_name_hint);
        if (auto const wrong = negative_number(given.options, what.known); !wrong.empty())
            return usage_error(what.usage_code, wrong, "see " + what.program + " --help");
        po::store(given, seen);
        if (seen.contains("help"))
            return perhaps(
                information{what.introduction + table_text(what.shown) + "\n" + what.conclusion});
        for (auto const& [option, text] : what.lists)
            if (seen.contains(option)) return perhaps(information{text()});
        if (seen.contains("version"))
            return perhaps(information{what.program + " " + std::string(lkt::version) + "\n"});
        po::notify(seen);
    } catch (po::error const& e) {
        return usage_error(
            what.usage_code, parsing_fault(e, what.shown), "see " + what.program + " --help");
    }
    return perhaps();
}

bool was_given(po::variables_map const& seen, std::string const& option) {
    auto const& value = seen[option];
    return !value.empty() && !value.defaulted() &&
           !(value.value().type() == typeid(bool) && !value.as<bool>());
}

} // namespace lkt_apps
