// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/compile_job.hpp>
#include <lkt/gpu/cuda/detail/compile_options.hpp>
#include <lkt/gpu/device/detail/standard_headers.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/definitions.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lkt::cuda_detail::job {

using tokens = std::vector<token>;

std::size_t end_of_line(tokens const& all, std::size_t i) {
    do ++i;
    while (i < all.size() && all[i].directive && !all[i].first);
    return i;
}

bool is_arch(std::string_view arch) {
    if (!arch.starts_with("sm_") || arch.size() > 8) return false;
    arch.remove_prefix(3);
    if (!arch.empty() && (arch.back() == 'a' || arch.back() == 'f')) arch.remove_suffix(1);
    return arch.size() >= 2 && arch.find_first_not_of("0123456789") == arch.npos;
}

/// How much of the text is headers alone, of the toolkit and of ours, in whole lines, from the
/// first; nothing if they are all ours, which are short.
struct beginning {
    std::size_t bytes = 0;
    int lines = 0;
};
beginning toolkit_headers(std::string_view text,
                          tokens const& all,
                          nvrtc_place const& place,
                          std::vector<std::string> const& user_folders) {
    beginning found;
    bool any = false;
    for (std::size_t i = 0; i + 2 < all.size(); i += 3) {
        auto const& header = all[i + 2];
        if (!all[i].directive || !all[i].first || !all[i + 1].is("include") ||
            header.kind != token_kind::header_name || end_of_line(all, i) != i + 3)
            break;
        auto const name = std::string_view{header.text}.substr(1, header.text.size() - 2);
        std::error_code ignored;
        bool const shadowed =
            std::any_of(user_folders.begin(), user_folders.end(), [&](auto const& folder) {
                return std::filesystem::exists(std::filesystem::path{folder} / name, ignored);
            });
        bool const toolkit = has_header(place, name);
        if (shadowed || (!toolkit && standard::find_header(name) == nullptr)) break;
        // A comment that begins here may end further down.
        auto const end = text.find('\n', header.end);
        if (end == text.npos) break;
        auto const rest = text.substr(header.end, end - header.end);
        auto const first = rest.find_first_not_of(" \t\r");
        if (first != rest.npos && (rest.substr(first, 2) != "//" || rest.find('\\') != rest.npos))
            break;
        any = any || toolkit;
        found.bytes = end + 1;
        found.lines = static_cast<int>(std::count(
            text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found.bytes), '\n'));
    }
    return any ? found : beginning{};
}

/// Names that mean something to the toolkit's headers: they must be defined before those.
bool headers_may_read(configuration const& definitions) {
    for (auto const& [name, ignored] : definitions.values)
        for (std::string_view const stem :
             {"_", "CUB", "CCCL", "THRUST", "LIBCUDACXX", "CUDA", "NV", "NDEBUG"})
            if (name.starts_with(stem)) return true;
    return false;
}

} // namespace lkt::cuda_detail::job

namespace lkt::cuda_detail {

std::variant<prepared_job, failure> prepare(compile_job const& j,
                                            nvrtc_place const& place,
                                            std::vector<std::string> const& user_folders,
                                            std::string const& standard) {
    auto const no = [](refused r) { return failure{std::move(r)}; };
    if (j.source.language != language::cuda)
        return no({std::string{to_string(j.source.language)}, "NVRTC compiles CUDA", {}});
    if (!job::is_arch(j.arch)) return no({j.arch, "it is not an architecture like sm_90", {}});
    if (auto bad = no_kernel_name(j.kernel)) return no(std::move(*bad));
    // A sweep brings the same text under each of its configurations.
    thread_local std::string passed;
    if (passed != j.source.text) {
        if (auto bad = reaches_outside(j.source.text)) return no(std::move(*bad));
        passed = j.source.text;
    }

    prepared_job p;
    p.program.kernel = j.kernel;
    p.user_folders = user_folders;
    std::vector<std::string> kept;
    std::string std_option = "-std=" + standard;
    for (auto const& given : j.options) {
        auto read = options::read(given);
        switch (read.kind) {
        case options::use::refused:
            return no({given.substr(0, 120),
                       "this option is unknown, or names a file; known: -D, -U, -I, -std=, "
                       "those for floating point, registers, debugging and warnings, and -O, "
                       "-dlcm, -dscm and the like after -Xptxas=",
                       {}});
        case options::use::ignored:
            p.notes.push_back("ignored option: " + given);
            break;
        case options::use::include_folder:
            p.user_folders.push_back(std::move(read.text));
            break;
        case options::use::standard:
            std_option = std::move(read.text);
            break;
        case options::use::passed:
            kept.push_back(std::move(read.text));
            break;
        }
    }

    for (auto const& [name, v] : j.definitions.values)
        if (auto bad = value_reaches_outside(name, definition_text(v))) return no(std::move(*bad));
    auto source = j.source;
    source.origin = "kernel"; // what NVRTC's log calls it
    auto defined = with_definitions(source, j.definitions);
    if (!defined) return no({"a definition", defined.error().message, {}});
    if (auto* const bad = std::get_if<refused>(&*defined)) return no(std::move(*bad));
    auto& text = std::get<std::string>(*defined);

    // NVRTC can keep what it made of headers, if nothing else stands before them: so where the text
    // begins with the toolkit's, the definitions follow them. Costs nothing in meaning, and a fifth
    // of the time from the second configuration on.
    constexpr std::string_view first_line = "#line 1 \"kernel\"\n";
    auto const at = text.find(first_line);
    auto const body = std::string_view{text}.substr(at + first_line.size());
    p.includes = body.find("include") != body.npos; // `__has_include` counts, too
    job::beginning front;
    if (p.includes && !job::headers_may_read(j.definitions)) {
        auto const all = tokenize(body);
        if (!all) return no({"the text", all.error().message, {}});
        front = job::toolkit_headers(body, *all, place, p.user_folders);
    }
    p.precompiled = front.bytes > 0;
    // Before the definitions, so that both are before the user's first line.
    auto const implied = standard::prelude(j.source.text, j.kernel, j.definitions, place);
    p.includes = p.includes || implied.find("include") != implied.npos;
    if (p.includes) p.program.headers = standard::headers_for(place, p.user_folders);
    p.program.text = !p.precompiled ? implied + text
                                    : std::string{body.substr(0, front.bytes)} +
                                          "#pragma nv_hdrstop\n" + implied + text.substr(0, at) +
                                          "#line " + std::to_string(front.lines + 1) +
                                          " \"kernel\"\n" + std::string{body.substr(front.bytes)};

    auto& o = p.program.options;
    o = {"-arch=" + j.arch, std_option, "--ptxas-options=-v"};
    // About that #line, and about what is kept of other headers.
    if (p.precompiled) o.emplace_back(precompiling_warnings);
    if (p.includes) o.emplace_back("-diag-suppress=47"); // CCCL's INT_MAX after ours
    if (body.find("__int128") != body.npos) o.emplace_back("--device-int128"); // as in nvcc
    for (auto const& folder : p.user_folders) o.push_back("-I" + folder);
    for (auto const& folder : place.includes) o.push_back("-I" + folder);
    o.insert(o.end(), kept.begin(), kept.end());
    return p;
}

} // namespace lkt::cuda_detail
