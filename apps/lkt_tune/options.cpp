// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../common/parsing.hpp"
#include "errors.hpp"
#include "option_faults.hpp"
#include "option_table.hpp"
#include "option_values.hpp"
#include "taken_over.hpp"

#include <lkt/nodes/default_steps.hpp>
#include <lkt/nodes/step_file.hpp>
#include <lkt/version.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace lkt_tune {
namespace {

namespace po = boost::program_options;

/// What a run cannot change on the way: the first of these that is given to one that goes on.
std::optional<lkt::error> unchangeable(std::vector<po::option> const& given) {
    constexpr std::string_view fixed[] = {
        "kernel-file", "problem",   "torch",   "oracle",    "script",     "kernel",
        "size",        "also-size", "arg",     "tune",      "restrict",   "grid",
        "block",       "shared",    "flops",   "strategy",  "steps",      "seed",
        "test-memory", "declare",   "journal", "ask-tests", "operations", "ask-script"};
    for (po::option const& one : given)
        if (std::find(std::begin(fixed), std::end(fixed), one.string_key) != std::end(fixed))
            return usage("a resumed run cannot change --" + one.string_key,
                         "drop it, or start a new run with --journal");
    return std::nullopt;
}

/// A resumed run enters the folder where it began, but the files of this command line are meant
/// where it is said.
void belong_here(std::vector<po::option>& given) {
    auto const here = [](std::string const& name) {
        std::error_code failed;
        auto const path = std::filesystem::absolute(name, failed);
        return name.empty() || name == "-" || failed ? name : path.string();
    };
    for (po::option& one : given)
        for (std::string& value : one.value) {
            if (std::find(std::begin(places), std::end(places), one.string_key) != std::end(places))
                value = here(value);
            for (std::string_view const place : {"replay:", "mailbox:"})
                if (one.string_key == "model" && value.starts_with(place))
                    value = std::string(place) + here(value.substr(place.size()));
        }
}

po::parsed_options parse_words(po::options_description const& known,
                               std::vector<std::string> const& words) {
    po::positional_options_description plain;
    plain.add("kernel-file", 1);
    auto const style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    return po::command_line_parser(words).options(known).positional(plain).style(style).run();
}

} // namespace

std::vector<std::string> said_option::words() const {
    if (values.empty()) return {"--" + key};
    std::vector<std::string> all;
    for (std::string const& value : values) all.push_back("--" + key + "=" + value);
    return all;
}

std::vector<said_option> options_said(std::vector<std::string> const& words, bool here) {
    options o;
    flags f;
    auto const known = describe(o, f);
    auto given = parse_words(known, words).options;
    if (here) belong_here(given);
    std::vector<said_option> all;
    for (po::option const& one : given) {
        bool const is_switch = known.find(one.string_key, false).semantic()->max_tokens() == 0;
        all.push_back({one.string_key, is_switch ? std::vector<std::string>() : one.value});
    }
    return all;
}

lkt::result<expanded_words> with_config(std::vector<std::string> const& words) {
    options o;
    flags f;
    auto const known = describe(o, f);
    expanded_words made{words, std::nullopt};
    try {
        auto given = parse_words(known, words).options;
        auto const is_config = [](po::option const& one) { return one.string_key == "config"; };
        auto const at = std::find_if(given.begin(), given.end(), is_config);
        if (at == given.end() || at->value.front().empty()) return made;
        if (std::count_if(given.begin(), given.end(), is_config) > 1)
            return usage("--config is given twice", "put both into one file");
        auto file = config_file::read(at->value.front(), known);
        if (!file) return file.error();
        made.words.clear();
        for (po::option const& one : given)
            if (!is_config(one))
                made.words.insert(
                    made.words.end(), one.original_tokens.begin(), one.original_tokens.end());
        file->give_way_to(given);
        auto const more = file->words();
        made.words.insert(made.words.end(), more.begin(), more.end());
        made.file = std::move(*file);
    } catch (po::error const&) { // which parsing the words says, as of an empty name
    }
    return made;
}

lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(std::vector<std::string> const& words, std::vector<std::string> const& before) {
    using parsed = std::variant<options, lkt_apps::information>;
    options o;
    flags f;
    auto const known = describe(o, f);
    po::variables_map seen;
    try {
        auto given = parse_words(known, words);
        if (auto const wrong = lkt_apps::empty_name(given.options, known); !wrong.empty())
            return usage(wrong, lkt_apps::empty_name_hint);
        if (auto const wrong = lkt_apps::negative_number(given.options, known); !wrong.empty())
            return usage(wrong);
        if (!before.empty()) belong_here(given.options);
        po::store(given, seen); // what is stored first counts
        if (seen.contains("resume"))
            if (auto wrong = unchangeable(given.options)) return *wrong;
        po::store(parse_words(known, before), seen);
        if (seen.contains("help")) return parsed(lkt_apps::information{help_text(known)});
        if (seen.contains("version"))
            return parsed(lkt_apps::information{"lkt-tune " + std::string(lkt::version) + "\n"});
        po::notify(seen);
    } catch (po::error const& e) {
        return usage(lkt_apps::parsing_fault(e, known));
    }
    if (!f.completion.empty()) {
        auto script = completion_text(known, f.completion);
        if (!script) return script.error();
        return parsed(lkt_apps::information{std::move(*script)});
    }
    if (!f.graph.empty()) {
        auto drawn = picture(f.graph);
        if (!drawn) return drawn.error();
        return parsed(lkt_apps::information{std::move(*drawn)});
    }
    if (f.default_steps)
        return parsed(lkt_apps::information{lkt::steps_text(lkt::default_steps())});
    if (auto wrong = take_values(o, f, seen)) return *wrong;
    if (!o.resume_folder.empty() && (o.describe || o.dry_run))
        return usage("--describe and --dry-run are for new runs, not for --resume",
                     "drop --resume, and give the command line of the run");
    if (!o.resume_folder.empty() && before.empty()) return parsed(std::move(o));
    bool const may_be_unwritten =
        !o.problem_file.empty() || !o.torch_module.empty() || !o.operations.empty();
    if (auto wrong = read_numbers(seen, o.strategy, may_be_unwritten, o.numbers)) return *wrong;
    if (auto wrong = inconsistency(o)) return *wrong;
    if (auto wrong = misplaced(seen, o)) return *wrong;
    return parsed(std::move(o));
}

} // namespace lkt_tune
