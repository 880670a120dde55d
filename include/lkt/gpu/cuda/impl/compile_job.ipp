// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/compile_job.hpp>
#include <lkt/gpu/cuda/detail/compile_options.hpp>
#include <lkt/gpu/cuda/detail/standard_headers.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/definitions.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lkt::cuda_detail::job {

using tokens = std::vector<token>;

std::size_t end_of_directive(tokens const& all, std::size_t i) {
    do ++i;
    while (i < all.size() && all[i].directive && !all[i].first);
    return i;
}

std::string_view unquoted(std::string_view spelt) {
    return spelt.size() < 2 ? std::string_view{} : spelt.substr(1, spelt.size() - 2);
}

bool leaves(std::string_view path) {
    return path.empty() || path[0] == '/' || path.find("..") != path.npos;
}

constexpr std::string_view no_file =
    "a kernel's text may read only headers, named by a relative path without `..`";

/// `#include`, `#embed` and the like: `i` is the `#`, `end` one past the line.
std::optional<refused>
directive(std::string_view text, tokens const& all, std::size_t i, std::size_t end) {
    if (i + 1 >= end) return {};
    auto const& name = all[i + 1];
    auto const refusal = [&](std::string why) {
        auto const length = std::min<std::size_t>(all[end - 1].end - all[i].begin, 120);
        return refused{
            std::string{text.substr(all[i].begin, length)}, std::move(why), all[i].where};
    };
    if (name.is("embed") || name.is("import")) return refusal(std::string{no_file});
    if (!name.is("include") && !name.is("include_next")) return {};
    bool const one = i + 3 == end;
    auto const& header = all[std::min(i + 2, end - 1)];
    bool const spelt = header.kind == token_kind::header_name ||
                       (header.kind == token_kind::string && header.text.starts_with('"'));
    if (!one || !spelt) return refusal("an include must name its header, not a macro");
    if (leaves(unquoted(header.text))) return refusal(std::string{no_file});
    return {};
}

/// `__has_include` is fine in a condition, with a path that an include may have.
std::optional<refused>
question(std::string_view text, tokens const& all, std::size_t i, std::size_t begin) {
    auto const& word = all[i];
    auto const refusal = [&](std::string_view why) {
        return refused{word.text, std::string{why}, word.where};
    };
    auto const is = [&](std::size_t k, std::string_view what) {
        return k < all.size() && all[k].is(what);
    };
    if (!word.directive) return refusal("use it only in a preprocessor condition");
    bool const condition = is(begin + 1, "if") || is(begin + 1, "elif");
    if (is(begin + 1, "ifdef") || is(begin + 1, "ifndef") || is(begin + 1, "elifdef") ||
        is(begin + 1, "elifndef"))
        return {};
    if (is(i - 1, "defined") || (is(i - 1, "(") && is(i - 2, "defined"))) return {};
    if (!condition || !is(i + 1, "("))
        return refusal("use it only in a preprocessor condition, followed by its header");
    auto close = i + 2;
    auto const end = end_of_directive(all, begin);
    while (close < end && !all[close].is(")")) ++close;
    if (close >= end || close == i + 2) return refusal("its header is not allowed");
    auto path = text.substr(all[i + 2].begin, all[close].begin - all[i + 2].begin);
    while (!path.empty() && (path.back() == ' ' || path.back() == '\t')) path.remove_suffix(1);
    bool const spelt = path.size() > 2 && ((path.front() == '<' && path.back() == '>') ||
                                           (path.front() == '"' && path.back() == '"'));
    if (!spelt || leaves(unquoted(path)) || path.find_first_of("\\\n") != path.npos)
        return refusal(no_file);
    return {};
}

std::optional<refused> look(std::string_view text, tokens const& all) {
    // Older standards read two trigraphs as `#` and as a line splice.
    for (std::string_view const trigraph : {"\?\?=", "\?\?/"})
        if (text.find(trigraph) != text.npos)
            return refused{std::string{trigraph}, "trigraphs are not allowed", {}};
    std::size_t begin = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& t = all[i];
        if (t.directive && t.first) {
            begin = i;
            if (auto no = directive(text, all, i, end_of_directive(all, i))) return no;
        }
        if (t.kind != token_kind::identifier) continue;
        if (t.is("__has_include") || t.is("__has_include_next") || t.is("__has_embed"))
            if (auto no = question(text, all, i, begin)) return no;
        if ((t.is("import") || t.is("module")) && t.first && !t.directive)
            return refused{
                t.text, "a kernel's text must not read modules, which are files", t.where};
    }
    return {};
}

/// Text from elsewhere that becomes part of a line: a parameter's value.
std::optional<refused> value(std::string const& name, std::string const& spelt) {
    auto const shown = name + "=" + spelt.substr(0, 120);
    auto const words = tokenize(spelt);
    if (!words) return refused{shown, words.error().message, {}};
    for (auto const& w : *words)
        if (w.is("#") || w.is("##") || w.is("{") || w.is("}") || w.is(";") ||
            w.kind == token_kind::other || w.text.starts_with("__has_"))
            return refused{shown, "a parameter's value must be one expression", {}};
    return {};
}

std::optional<refused> kernel_name(std::string const& name) {
    auto const shown = name.substr(0, 120);
    auto const words = tokenize(name);
    if (!words || words->empty() || words->front().kind != token_kind::identifier ||
        name.find_first_of("\r\n\\") != name.npos || name.size() > 4096)
        return refused{shown, "it is not a kernel's name", {}};
    for (auto const& w : *words) {
        bool const fine = w.kind == token_kind::identifier || w.kind == token_kind::number ||
                          w.kind == token_kind::character ||
                          (w.kind == token_kind::punctuator && !w.directive && !w.is(";") &&
                           !w.is("{") && !w.is("}") && !w.is("#") && !w.is("##"));
        if (!fine) return refused{shown, "it is not a kernel's name", {}};
    }
    return {};
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
            header.kind != token_kind::header_name || end_of_directive(all, i) != i + 3)
            break;
        auto const name = unquoted(header.text);
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

std::optional<refused> reaches_outside(std::string_view text) {
    auto const all = tokenize(text);
    if (!all) return refused{"the text", all.error().message, {}};
    return job::look(text, *all);
}

std::variant<prepared_job, failure> prepare(compile_job const& j,
                                            nvrtc_place const& place,
                                            std::vector<std::string> const& user_folders,
                                            std::string const& standard) {
    auto const no = [](refused r) { return failure{std::move(r)}; };
    if (j.source.language != language::cuda)
        return no({std::string{to_string(j.source.language)}, "NVRTC compiles CUDA", {}});
    if (!job::is_arch(j.arch)) return no({j.arch, "it is not an architecture like sm_90", {}});
    if (auto bad = job::kernel_name(j.kernel)) return no(std::move(*bad));
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
        if (auto bad = job::value(name, definition_text(v))) return no(std::move(*bad));
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
