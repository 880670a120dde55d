// SPDX-License-Identifier: BSL-1.0
// The system's compiler: found, asked who it is, and called under a worker.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/detail/host/known_compiler.hpp>
#include <lkt/gpu/detail/host/toolchain.hpp>
#include <lkt/gpu/host_options.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/process/child.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

namespace lkt::host_detail {

[[nodiscard]] inline error no_compiler(std::string what) {
    return {condition::unavailable,
            "lkt.host.compiler",
            std::move(what),
            "install one (Debian, Ubuntu: apt-get install g++), or name it: host_options.compiler, "
            "or the environment variable LKT_CXX"};
}

/// A run of the compiler that sees no text, and asks it something.
[[nodiscard]] inline child_options compiler_run(host_options const& options,
                                                std::vector<std::string> arguments) {
    child_options run;
    run.arguments = std::move(arguments);
    run.environment = {"LC_ALL=C", "PATH=/usr/bin:/bin"};
    run.keep = {};
    run.worker = options.worker;
    run.memory_limit = options.compiler_memory_limit;
    run.file_size_limit = std::uint64_t{64} << 20;
    run.output_limit = std::size_t{256} << 10;
    return run;
}

/// One that reads a text which nobody has read, or what was made of it: it sees its own parts and
/// its scratch directory.
[[nodiscard]] inline child_options confined_run(host_options const& options,
                                                compiler_facts const& compiler,
                                                std::vector<std::string> arguments) {
    auto run = compiler_run(options, std::move(arguments));
    run.environment = {"LC_ALL=C", "PATH=" + compiler.parts.path};
    run.confined = confined_as::compiler;
    run.readable = compiler.parts.readable;
    run.unconfined_allowed = options.unconfined_compiler;
    run.process_limit = options.compiler_process_limit;
    run.scratch_limit = options.compiler_scratch_limit;
    return run;
}

/// `ccache` and its like, called by a compiler's name, start the next compiler of that name on
/// PATH, which is asked itself: nothing of a compilation is kept outside.
[[nodiscard]] inline std::string behind_cache(std::string const& program) {
    auto const is_cache = [](std::string const& path) {
        std::error_code failed;
        auto const name = std::filesystem::canonical(path, failed).filename().string();
        return !failed && (name == "ccache" || name == "sccache" || name == "distcc");
    };
    if (!is_cache(program)) return program;
    auto const name = std::filesystem::path{program}.filename().string();
    auto const* const set = std::getenv("PATH");
    std::string_view rest = set == nullptr ? "/usr/local/bin:/usr/bin:/bin" : set;
    while (!rest.empty()) {
        auto const end = std::min(rest.find(':'), rest.size());
        auto const next = std::string{rest.substr(0, end)} + "/" + name;
        if (::access(next.c_str(), X_OK) == 0 && !is_cache(next)) return next;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return program;
}

/// What `-march=native` goes by: model and features of the first core.
[[nodiscard]] inline std::string this_processor() {
    std::ifstream file{"/proc/cpuinfo"};
    std::string about, line;
    while (std::getline(file, line) && !line.empty())
        for (auto const* const key :
             {"vendor_id", "cpu family", "model", "stepping", "flags", "CPU ", "Features"})
            if (line.starts_with(key)) about += line + '\n';
    return about;
}

/// Errors: `lkt.host.compiler`; those of a worker.
[[nodiscard]] inline result<compiler_facts>
ask_compiler(std::string const& program, host_options const& options, call_context const& context) {
    compiler_facts facts;
    facts.program = program;
    auto run = compiler_run(options, {facts.program, "--version"});
    run.time_limit = std::chrono::seconds{20};
    auto const answer = run_child(run, context);
    if (!answer && answer.error().code == "lkt.child.start" &&
        answer.error().kind == condition::unavailable)
        return no_compiler(answer.error().message);
    if (!answer) return answer.error();
    if (answer->how == child_end::cancelled) return cancelled("the search for a compiler");
    if (!answer->succeeded() || answer->out.empty())
        return no_compiler("'" + facts.program + " --version' failed" +
                           (answer->err.empty() ? "" : ": " + answer->err.substr(0, 300)));
    facts.version = answer->out.substr(0, answer->out.find('\n'));
    facts.clang = facts.version.find("clang") != facts.version.npos;
    auto parts = toolchain_finder{facts.program, run, context}.find();
    if (!parts) return parts.error();
    facts.parts = std::move(*parts);
    return facts;
}

/// Errors: those of `ask_compiler`.
[[nodiscard]] inline result<compiler_facts> find_compiler(host_options const& options,
                                                          gpu_detail::compile_cache& cache,
                                                          call_context const& context) {
    std::string program;
    auto const* const variable = std::getenv("LKT_CXX");
    auto const wanted = !options.compiler.empty() ? options.compiler
                        : variable != nullptr     ? std::string{variable}
                                                  : std::string{};
    if (!wanted.empty()) {
        program = find_program(wanted);
        if (program.empty()) return no_compiler("the compiler '" + wanted + "' cannot be run");
    } else {
        for (auto const* const name : {"c++", "g++", "clang++"})
            if (program.empty()) program = find_program(name);
        if (program.empty())
            return no_compiler("no C++ compiler was found on PATH (c++, g++, clang++)");
    }
    std::error_code failed;
    program = std::filesystem::absolute(behind_cache(program), failed).string();
    known_compiler known{cache, program};
    auto facts = known.recall();
    if (!facts) {
        auto asked = ask_compiler(program, options, context);
        if (!asked) return asked.error();
        facts = std::move(*asked);
        known.keep(*facts);
    }
    facts->identity = facts->version + '\n' + this_processor();
    for (auto const& path : facts->parts.readable) facts->identity += gpu_detail::file_stamp(path);
    return std::move(*facts);
}

/// `kernel:12:5: error: ...`, the first such place; 0:0 if there is none.
[[nodiscard]] inline text_location first_error(std::string_view log,
                                               std::string_view kind = "error:") {
    constexpr std::string_view name = "kernel:";
    auto const number = [](std::string_view text, std::size_t& at) {
        int value = 0;
        auto const r = std::from_chars(text.data() + at, text.data() + text.size(), value);
        at = static_cast<std::size_t>(r.ptr - text.data());
        return value;
    };
    for (std::size_t at = 0; at < log.size(); ++at) {
        auto const line = log.substr(at, std::min(log.find('\n', at), log.size()) - at);
        if (line.starts_with(name) && line.find(kind) != line.npos) {
            std::size_t k = name.size();
            text_location where;
            where.line = number(line, k);
            if (k < line.size() && line[k] == ':') where.column = number(line, ++k);
            return where;
        }
        at += line.size();
    }
    return {};
}

/// Options as NVCC takes them, for this compiler; an entry of `ignored` for each that means nothing
/// here, or the one that is not known.
struct translated_options {
    std::vector<std::string> flags, ignored;
    std::string unknown;
};
[[nodiscard]] inline translated_options translate_options(std::vector<std::string> const& options) {
    translated_options result;
    auto const is_name = [](std::string_view text) {
        return !text.empty() &&
               text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == text.npos;
    };
    for (auto const& given : options) {
        std::string_view o = given;
        if (o.starts_with("--")) o.remove_prefix(1);
        auto const any_of = [&](std::initializer_list<std::string_view> beginnings) {
            return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) {
                return o.starts_with(b);
            });
        };
        if (o == "-use_fast_math" || o == "-ffast-math")
            result.flags.emplace_back("-ffast-math");
        else if (o == "-fmad=false")
            result.flags.emplace_back("-ffp-contract=off");
        else if (o.size() == 3 && o.starts_with("-O") && o[2] >= '0' && o[2] <= '3')
            result.flags.emplace_back(o);
        else if (o.starts_with("-D") && is_name(o.substr(2, o.find('=') - 2)) &&
                 (o.find('=') == o.npos || o.find_first_of("\n\r#\\\"'") == o.npos))
            result.flags.emplace_back(o);
        else if (any_of({"-std=",
                         "-arch",
                         "-gpu-architecture",
                         "-gencode",
                         "-lineinfo",
                         "-generate-line-info",
                         "-maxrregcount",
                         "-Xptxas",
                         "-ptxas-options",
                         "-fmad=true",
                         "-restrict",
                         "-extra-device-vectorization",
                         "-default-device",
                         "-expt-relaxed-constexpr",
                         "-extended-lambda",
                         "-expt-extended-lambda"}))
            result.ignored.push_back(given);
        else if (result.unknown.empty())
            result.unknown = given;
    }
    return result;
}

} // namespace lkt::host_detail
