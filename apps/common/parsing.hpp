// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/option.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <typeindex>
#include <typeinfo>
#include <vector>

namespace lkt_apps {

/// `; did you mean --strategy?` of an option that there is not; `before`: what the user writes
/// before its name.
inline std::string nearest_option(std::string_view given,
                                  boost::program_options::options_description const& known,
                                  std::string_view before) {
    std::vector<std::string_view> names;
    for (auto const& option : known.options()) names.push_back(option->long_name());
    // What others call it is not near.
    for (std::string_view const other : {"iterations", "repeats", "repetitions", "samples"})
        if (given == other) given = "launches";
    if (given == "launches") {
        bool const exists = std::find(names.begin(), names.end(), given) != names.end();
        return exists ? "; did you mean " + std::string(before) + "launches?" : std::string();
    }
    return lkt::did_you_mean(given, names, before);
}

/// What Boost says of a command line; of an unknown option also which one was meant.
inline std::string parsing_fault(boost::program_options::error const& e,
                                 boost::program_options::options_description const& known) {
    std::string const text = e.what();
    auto const* unknown = dynamic_cast<boost::program_options::unknown_option const*>(&e);
    auto const at = unknown == nullptr ? text.npos : text.find("--");
    if (at == text.npos) return text;
    auto const given = std::string_view(text).substr(at + 2, text.find_first_of("'=", at) - at - 2);
    return text + nearest_option(given, known, "--");
}

/// Of an option that takes a file or a folder, and was given an empty name: it would count as not
/// given. Empty: there is none.
inline std::string empty_name(std::vector<boost::program_options::option> const& given,
                              boost::program_options::options_description const& known) {
    for (auto const& one : given) {
        auto const* const about = known.find_nothrow(one.string_key, false);
        if (about == nullptr || one.position_key >= 0) continue;
        bool const folder = about->semantic()->name().starts_with("FOLDER");
        if (!folder && !about->semantic()->name().starts_with("FILE")) continue;
        if (std::find(one.value.begin(), one.value.end(), "") != one.value.end())
            return "--" + one.string_key + " has an empty name of a " +
                   (folder ? "folder" : "file");
    }
    return {};
}
/// Of an option that takes a number from 0 on, and was given a negative one, which would become a
/// very large one. Empty: there is none.
inline std::string negative_number(std::vector<boost::program_options::option> const& given,
                                   boost::program_options::options_description const& known) {
    for (auto const& one : given) {
        auto const* const about = known.find_nothrow(one.string_key, false);
        if (about == nullptr || one.position_key >= 0) continue;
        auto const* const typed =
            dynamic_cast<boost::program_options::typed_value_base const*>(about->semantic().get());
        if (typed == nullptr) continue;
        std::type_index const type = typed->value_type();
        if (type != typeid(unsigned) && type != typeid(unsigned long) &&
            type != typeid(unsigned long long))
            continue;
        for (std::string const& text : one.value)
            if (text.starts_with('-'))
                return "--" + one.string_key + " must be a whole number from 0 on, not " + text;
    }
    return {};
}

inline constexpr char const* empty_name_hint = "is a variable of the shell empty?";

} // namespace lkt_apps
