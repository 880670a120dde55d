// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>

#include <algorithm>
#include <cctype>

namespace lkt {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    auto const same = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) ==
               std::tolower(static_cast<unsigned char>(y));
    };
    if (a.size() > 40 || b.size() > 40) return 40;
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const change = same(a[i - 1], b[j - 1]) ? 0 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

std::string_view near_name(std::string_view given, std::span<std::string_view const> known) {
    std::string_view nearest;
    std::size_t least = 3;
    for (std::string_view const name : known) {
        std::size_t const allowed = name.size() < 4 ? 0 : name.size() < 6 ? 1 : 2;
        std::size_t const distance = edit_distance(given, name);
        if (distance <= allowed && distance < least) {
            least = distance;
            nearest = name;
        }
    }
    if (!nearest.empty() || given.size() < 3) return nearest;
    for (std::string_view const name : known)
        if (name.starts_with(given)) {
            if (!nearest.empty()) return {}; // it could be either
            nearest = name;
        }
    return nearest;
}

std::string did_you_mean(std::string_view given,
                         std::span<std::string_view const> known,
                         std::string_view before) {
    auto const name = near_name(given, known);
    if (name.empty()) return {};
    return "; did you mean " + std::string(before) + std::string(name) + "?";
}

std::string did_you_mean(std::string_view given, std::string_view known) {
    std::vector<std::string_view> names;
    for (std::size_t at = 0; at < known.size();) {
        auto const end = std::min(known.find(", ", at), known.size());
        names.push_back(known.substr(at, end - at));
        at = end + 2;
    }
    return did_you_mean(given, names);
}

} // namespace lkt
