// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail {

/// Replaces the prompt called `name` among those that `texts` lists.
template <class Texts>
[[nodiscard]] result<void>
replace_prompt(Texts& texts, std::string_view name, std::string_view text) {
    std::string known;
    std::optional<error> wrong;
    bool found = false;
    for_each_field(texts, [&](std::string_view member, auto& mine) {
        known += (known.empty() ? "" : ", ") + std::string(member);
        if (member != name) return;
        found = true;
        auto parsed = mine.parse(text);
        if (parsed)
            mine = *std::move(parsed);
        else
            wrong = parsed.error();
    });
    if (wrong) return *wrong;
    if (found) return {};
    return error{condition::rejected,
                 "lkt.prompt.name",
                 "unknown prompt " + std::string(name.substr(0, 60)),
                 "known: " + known};
}

} // namespace lkt::detail
