// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/detail/job_options.hpp>
#include <lkt/gpu/device/detail/kernel_job.hpp>

#include <algorithm>
#include <filesystem>

namespace lkt::device_detail::options {

bool only_of(std::string_view text, std::string_view more) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               more.find(c) != more.npos;
    });
}

bool is_name(std::string_view text) {
    return !text.empty() && only_of(text, "_") && !(text[0] >= '0' && text[0] <= '9');
}

/// `name` or `name=value` of one of the lists, the value of harmless characters.
bool is_any(std::string_view option,
            std::initializer_list<std::string_view> plain,
            std::initializer_list<std::string_view> valued) {
    auto const end = std::min(option.find('='), option.size());
    auto const name = option.substr(0, end);
    bool const has_value = end < option.size();
    auto const& list = has_value ? valued : plain;
    if (std::find(list.begin(), list.end(), name) == list.end()) return false;
    return !has_value || (end + 1 < option.size() && only_of(option.substr(end + 1), "_.,:+-"));
}

std::string_view after_any(std::string_view o, std::initializer_list<std::string_view> stems) {
    for (auto const stem : stems) {
        if (!o.starts_with(stem)) continue;
        auto rest = o.substr(stem.size());
        while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
        return rest;
    }
    return {};
}

std::optional<reading> read_common(std::string const& given) {
    std::string_view o = given;
    if (o.starts_with("--")) o.remove_prefix(1);
    if (!o.starts_with("-") || o.find_first_of("\r\n\t") != o.npos || o.find('\0') != o.npos)
        return reading{};
    o.remove_prefix(1);
    if (auto const folder = after_any(o, {"include-path=", "I"}); !folder.empty()) {
        std::error_code failed;
        auto const path = std::filesystem::absolute(std::filesystem::path{folder}, failed);
        return reading{use::include_folder, failed ? std::string{folder} : path.string()};
    }
    if (auto const definition = after_any(o, {"define-macro=", "D"}); !definition.empty()) {
        auto const equals = std::min(definition.find('='), definition.size());
        auto const value = definition.substr(std::min(equals + 1, definition.size()));
        if (!is_name(definition.substr(0, equals)) || value.find_first_of("\\#") != value.npos ||
            reaches_outside(value))
            return reading{};
        return reading{use::passed, "-D" + std::string{definition}};
    }
    if (auto const name = after_any(o, {"undefine-macro=", "U"}); !name.empty())
        return is_name(name) ? reading{use::passed, "-U" + std::string{name}} : reading{};
    if (is_any(o, {}, {"std"})) return reading{use::standard, "-" + std::string{o}};
    return {};
}

} // namespace lkt::device_detail::options
