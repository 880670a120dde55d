// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/lang/cuda/detail/record_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail::lang {

/// One argument for each value in the struct `whole`; `paths` has what names them surely.
inline void flatten(argument const& whole,
                    record_layout const& layout,
                    std::vector<argument>& all,
                    std::map<std::size_t, std::string>& paths) {
    for (record_value const& v : layout.values) {
        paths[all.size()] = whole.name + "." + v.path;
        argument a = whole;
        a.name = v.name;
        a.type = v.type;
        a.within = record_member{whole.name,
                                 static_cast<std::uint32_t>(v.offset),
                                 static_cast<std::uint32_t>(layout.size)};
        all.push_back(std::move(a));
    }
}
/// A member is called by its own name where nothing else is.
inline void settle_names(std::vector<argument>& all,
                         std::map<std::size_t, std::string> const& paths) {
    std::map<std::string, int> uses;
    for (argument const& a : all) ++uses[a.name];
    for (auto const& [i, path] : paths)
        if (uses[all[i].name] > 1) all[i].name = path;
    for (argument& a : all)
        if (a.constant_count > 0 && uses[a.name] > 1) a.name = "::" + a.name;
}

} // namespace lkt::detail::lang
