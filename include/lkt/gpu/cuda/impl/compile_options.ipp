// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/compile_job.hpp>
#include <lkt/gpu/cuda/detail/compile_options.hpp>

#include <algorithm>
#include <filesystem>

namespace lkt::cuda_detail::options {

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

reading read(std::string const& given) {
    std::string_view o = given;
    if (o.starts_with("--")) o.remove_prefix(1);
    if (!o.starts_with("-") || o.find_first_of("\r\n\t") != o.npos || o.find('\0') != o.npos)
        return {};
    o.remove_prefix(1);
    auto const after = [&](std::initializer_list<std::string_view> stems) -> std::string_view {
        for (auto const stem : stems) {
            if (!o.starts_with(stem)) continue;
            auto rest = o.substr(stem.size());
            while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
            return rest;
        }
        return {};
    };
    if (auto const folder = after({"include-path=", "I"}); !folder.empty()) {
        std::error_code failed;
        auto const path = std::filesystem::absolute(std::filesystem::path{folder}, failed);
        return {use::include_folder, failed ? std::string{folder} : path.string()};
    }
    if (auto const definition = after({"define-macro=", "D"}); !definition.empty()) {
        auto const equals = std::min(definition.find('='), definition.size());
        auto const value = definition.substr(std::min(equals + 1, definition.size()));
        if (!is_name(definition.substr(0, equals)) || value.find_first_of("\\#") != value.npos ||
            reaches_outside(value))
            return {};
        return {use::passed, "-D" + std::string{definition}};
    }
    if (auto const name = after({"undefine-macro=", "U"}); !name.empty())
        return is_name(name) ? reading{use::passed, "-U" + std::string{name}} : reading{};
    if (is_any(o, {}, {"std"})) return {use::standard, "-" + std::string{o}};
    if (auto const value = after({"ptxas-options=", "Xptxas=", "Xptxas "}); !value.empty()) {
        if (!value.starts_with("-") || !is_any(value.substr(1),
                                               {"O0",
                                                "O1",
                                                "O2",
                                                "O3",
                                                "v",
                                                "warn-spills",
                                                "warn-double-usage",
                                                "warn-lmem-usage",
                                                "disable-optimizer-constants"},
                                               {"dlcm",
                                                "dscm",
                                                "flcm",
                                                "fscm",
                                                "allow-expensive-optimizations",
                                                "fmad",
                                                "opt-level",
                                                "register-usage-level"}))
            return {};
        if (value == "-v") return {use::ignored, {}}; // always
        return {use::passed, "--ptxas-options=" + std::string{value}};
    }
    if (is_any(o,
               {"use_fast_math",
                "lineinfo",
                "generate-line-info",
                "G",
                "device-debug",
                "restrict",
                "extra-device-vectorization",
                "default-device",
                "device-as-default-execution-space",
                "device-int128",
                "device-float128",
                "w",
                "disable-warnings",
                "minimal"},
               {"fmad",
                "ftz",
                "prec-div",
                "prec-sqrt",
                "maxrregcount",
                "Ofast-compile",
                "ofast-compile",
                "dopt",
                "diag-suppress",
                "diag-error",
                "diag-warn",
                "static-global-template-stub",
                "frandom-seed"}))
        return {use::passed,
                "-" +
                    (o == "lineinfo" ? std::string{"-generate-line-info"} : "-" + std::string{o})};
    // Of NVCC: the device decides, the host compiler is not there, or it is so anyway.
    if (is_any(o,
               {"O0",
                "O1",
                "O2",
                "O3",
                "expt-relaxed-constexpr",
                "extended-lambda",
                "expt-extended-lambda",
                "cubin"},
               {"arch", "gpu-architecture", "code", "gpu-code", "gencode"}) ||
        o.starts_with("gencode"))
        return {use::ignored, {}};
    return {};
}

} // namespace lkt::cuda_detail::options
