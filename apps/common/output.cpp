// SPDX-License-Identifier: BSL-1.0
#include "output.hpp"

#include "backend.hpp"
#include "status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/report/kernel_file.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace lkt_apps {
namespace {

namespace fs = std::filesystem;

/// What is no file, such as /dev/null, holds nothing.
bool same_file(std::string const& a, std::string const& b) {
    std::error_code failed;
    if (a.empty() || b.empty()) return false;
    if (a == "-" || b == "-") return a == b;
    if (fs::exists(a, failed) && !fs::is_regular_file(a, failed)) return false;
    if (fs::equivalent(a, b, failed)) return true;
    auto const real = [&](fs::path name) {
        // A link to a file that is not there yet is followed, too.
        std::error_code none;
        for (int links = 0; links < 40 && fs::is_symlink(name, none); ++links)
            name = name.parent_path() / fs::read_symlink(name, none);
        return fs::weakly_canonical(fs::absolute(name, failed), failed);
    };
    auto const one = real(a), other = real(b);
    return !failed && one == other;
}

} // namespace

std::optional<lkt::error> file_lost(std::string_view usage_code,
                                    std::span<named_file const> outputs,
                                    std::span<named_file const> inputs) {
    for (std::size_t a = 0; a < outputs.size(); ++a)
        for (named_file const& b : outputs.subspan(a + 1))
            if (same_file(outputs[a].name, b.name))
                return usage_error(std::string(usage_code),
                                   std::string(outputs[a].flag) + " and " + b.flag +
                                       " name the same file, " + outputs[a].name,
                                   "give each of them a file of its own");
    for (named_file const& out : outputs)
        for (named_file const& in : inputs)
            if (same_file(out.name, in.name))
                return usage_error(std::string(usage_code),
                                   std::string(out.flag) + " would overwrite " + in.name +
                                       ", which " + in.flag + " reads",
                                   "name another file");
    return std::nullopt;
}

std::optional<lkt::error> output_misnamed(std::string_view usage_code,
                                          std::string const& file,
                                          lkt::language language,
                                          bool headers) {
    using enum lkt::language;
    bool const header = lkt::kernel_form_of(file) == lkt::kernel_form::header;
    bool const promises =
        header || file.ends_with(".cu") || file.ends_with(".hip") || file.ends_with(".wgsl");
    auto const named = file.ends_with(".wgsl") ? wgsl : file.ends_with(".hip") ? hip : cuda;
    if (!promises || (named == language && (headers || !header))) return std::nullopt;
    std::string const right = language == wgsl  ? "FILE.wgsl"
                              : language == hip ? "FILE.hip"
                                                : "FILE.cu";
    return usage_error(std::string(usage_code),
                       "--output " + file + ": the kernel is written in " +
                           std::string(to_string(language)),
                       "name it " + right +
                           (!header   ? ""
                            : headers ? "; headers are for CUDA"
                                      : "; lkt-tune writes headers"));
}

std::optional<lkt::error> write_output(std::string const& file, std::string const& text) {
    if (file != "-") return lkt::write_text_file(file, text);
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
        return std::nullopt;
    std::string const why = std::generic_category().message(errno);
    return lkt::error{lkt::condition::exhausted,
                      "lkt.file.write",
                      "cannot write to standard output: " + why,
                      "check that it is open (no >&-), that its disk has space and that its reader "
                      "still runs; or give the option a file name"};
}

void say(std::string const& text, char const* end) {
    // A line of the progress display that stands there is rewritten later.
    char const* const clear = ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
    auto const line = clear + lkt::plain_text(text) + end;
    (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

int report_error(std::string const& program, lkt::error const& e, bool usage) {
    say(program + ": " + to_string(e));
    if (e.kind == lkt::condition::cancelled) return status::interrupted;
    if (e.kind == lkt::condition::suspended) return status::suspended;
    return usage ? status::usage : status::environment;
}

} // namespace lkt_apps
