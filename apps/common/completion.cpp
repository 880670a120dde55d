// SPDX-License-Identifier: BSL-1.0
#include "completion.hpp"

#include <lkt/core/string_tools.hpp>

#include <boost/program_options/value_semantic.hpp>

#include <algorithm>

namespace lkt_apps {
namespace {

namespace po = boost::program_options;

/// One option, as a shell needs to know it.
struct completed {
    std::string name, what, value; ///< `value`: empty for a switch, `FILE`, `FOLDER`, ...
    std::vector<std::string> choices;
};

std::vector<completed> options_of(po::options_description const& table,
                                  option_choices const& choices) {
    std::vector<completed> all;
    for (auto const& option : table.options()) {
        completed one{option->long_name(), option->description(), {}, {}};
        if (option->semantic()->max_tokens() > 0) {
            one.value = option->format_parameter();
            one.value.resize(std::min(one.value.find(' '), one.value.size()));
        }
        if (auto const found = choices.find(one.name); found != choices.end())
            one.choices = found->second;
        all.push_back(std::move(one));
    }
    return all;
}

/// In single quotes, in which fish, unlike other shells (`lkt::shell_word`), reads backslashes.
std::string fish_quoted(std::string_view text) {
    std::string made = "'";
    for (char const c : text) {
        if (c == '\'' || c == '\\') made += '\\';
        made += c;
    }
    return made + "'";
}

std::string bash_script(std::string const& program, std::vector<completed> const& options) {
    std::string name = program;
    std::replace(name.begin(), name.end(), '-', '_');
    std::string cases, flags;
    for (completed const& o : options) {
        flags += (flags.empty() ? "--" : " --") + o.name;
        if (o.value.empty()) continue;
        std::string const words =
            !o.choices.empty()
                ? "COMPREPLY=($(compgen -W '" + lkt::joined(o.choices, " ") + "' -- \"$word\"))"
            : o.value == "FILE"   ? "COMPREPLY=($(compgen -f -- \"$word\"))"
            : o.value == "FOLDER" ? "COMPREPLY=($(compgen -d -- \"$word\"))"
                                  : "COMPREPLY=()";
        cases += "        --" + o.name + ") " + words + "; return ;;\n";
    }
    return "# bash completion of " + program + ": source this file\n_" + name +
           "() {\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    case $before in\n" +
           cases + "    esac\n    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W '" +
           flags +
           "' -- \"$word\"))\n    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    "
           "fi\n}\ncomplete -o filenames -F _" +
           name + " " + program + "\n";
}

std::string zsh_script(std::string const& program, std::vector<completed> const& options) {
    std::string script = "#compdef " + program + "\n_arguments \\\n";
    for (completed const& o : options) {
        std::string what;
        for (char const c : o.what) { // brackets and colons have a meaning there
            if (c == '[' || c == ']' || c == ':' || c == '\\') what += '\\';
            what += c;
        }
        std::string spec = "*--" + o.name + (o.value.empty() ? "" : "=") + "[" + what + "]";
        if (!o.value.empty()) {
            spec += ": :";
            if (!o.choices.empty())
                spec += "(" + lkt::joined(o.choices, " ") + ")";
            else if (o.value == "FILE")
                spec += "_files";
            else if (o.value == "FOLDER")
                spec += "_files -/";
        }
        script += "    " + lkt::shell_word(spec) + " \\\n";
    }
    return script + "    '*: :_files'\n";
}

std::string fish_script(std::string const& program, std::vector<completed> const& options) {
    std::string script;
    for (completed const& o : options) {
        script += "complete -c " + program + " -l " + o.name + " -d " + fish_quoted(o.what);
        if (!o.choices.empty())
            script += " -x -a " + fish_quoted(lkt::joined(o.choices, " "));
        else if (o.value == "FILE")
            script += " -r";
        else if (o.value == "FOLDER")
            script += " -x -a '(__fish_complete_directories)'";
        else if (!o.value.empty())
            script += " -x";
        script += '\n';
    }
    return script;
}

} // namespace

std::string completion_script(std::string const& shell,
                              std::string const& program,
                              po::options_description const& table,
                              option_choices const& choices) {
    auto const options = options_of(table, choices);
    if (shell == "bash") return bash_script(program, options);
    if (shell == "zsh") return zsh_script(program, options);
    if (shell == "fish") return fish_script(program, options);
    return {};
}

} // namespace lkt_apps
