// SPDX-License-Identifier: BSL-1.0
#include "config_file.hpp"

#include "errors.hpp"

#include "../common/parsing.hpp"

#include <lkt/core/files.hpp>

#include <boost/program_options/value_semantic.hpp>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

namespace lkt_tune {
namespace {

namespace po = boost::program_options;

/// What says something instead of tuning, and what would read another file.
constexpr std::string_view not_in_a_file[] = {
    "config", "completion", "help", "version", "graph", "default-steps", "resume"};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    auto const first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<bool> truth_of(std::string_view value) {
    for (std::string_view const on : {"", "true", "yes", "on", "1"})
        if (value == on) return true;
    for (std::string_view const off : {"false", "no", "off", "0"})
        if (value == off) return false;
    return std::nullopt;
}

bool names(std::string_view text, std::string const& flag) {
    auto const at = text.find(flag);
    if (at == text.npos) return false;
    auto const rest = text.substr(at + flag.size());
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz-";
    return rest.empty() || letters.find(rest.front()) == letters.npos;
}

} // namespace

lkt::result<config_file> config_file::read(std::string const& file,
                                           po::options_description const& known) {
    auto const text = lkt::read_text_file(file);
    if (!text) return text.error();
    config_file made;
    made.file_ = file;
    std::istringstream in(*text);
    std::string whole;
    for (int line = 1; std::getline(in, whole); ++line) {
        auto const wrong = [&](std::string what, std::string hint) {
            return usage(file + ":" + std::to_string(line) + ": " + what, std::move(hint));
        };
        auto const content = trimmed(std::string_view(whole).substr(0, whole.find('#')));
        if (content.empty()) continue;
        auto const equals = content.find('=');
        if (equals == content.npos)
            return wrong("'" + std::string(content) + "' is not KEY = VALUE",
                         "write an option without its dashes, such as strategy = sweep; there are "
                         "no sections");
        entry one{std::string(trimmed(content.substr(0, equals))),
                  std::string(trimmed(content.substr(equals + 1))),
                  line};
        if (std::find(std::begin(not_in_a_file), std::end(not_in_a_file), one.key) !=
            std::end(not_in_a_file))
            return wrong("'" + one.key + "' is for the command line alone",
                         "drop it, and give --" + one.key + " there");
        auto const* const option = known.find_nothrow(one.key, false);
        if (option == nullptr)
            return wrong("there is no option '" + one.key + "'" +
                             lkt_apps::nearest_option(one.key, known, ""),
                         "lkt-tune --help lists them; write them without dashes");
        one.is_switch = option->semantic()->max_tokens() == 0;
        auto const truth = truth_of(one.value);
        if (one.is_switch && !truth)
            return wrong("'" + one.key + "' is true or false, not '" + one.value + "'",
                         one.key + " = true");
        if (!one.is_switch && one.value.empty())
            return wrong("'" + one.key + "' has no value", "give it one, or drop the line");
        one.is_on = truth.value_or(false);
        made.entries_.push_back(std::move(one));
    }
    return made;
}

void config_file::give_way_to(std::vector<po::option> const& given) {
    std::erase_if(entries_, [&](entry const& e) {
        return std::any_of(
            given.begin(), given.end(), [&](po::option const& o) { return o.string_key == e.key; });
    });
}

std::vector<std::string> config_file::words() const {
    std::vector<std::string> all;
    for (entry const& e : entries_)
        if (!e.is_switch)
            all.push_back("--" + e.key + "=" + e.value);
        else if (e.is_on)
            all.push_back("--" + e.key);
    return all;
}

lkt::error config_file::located(lkt::error wrong) const {
    for (entry const& e : entries_)
        // Some messages have the value alone.
        if (names(wrong.message, "--" + e.key) ||
            (!e.value.empty() && wrong.message.find("'" + e.value + "'") != std::string::npos)) {
            wrong.message = file_ + ":" + std::to_string(e.line) + ": " + wrong.message;
            break;
        }
    return wrong;
}

} // namespace lkt_tune
