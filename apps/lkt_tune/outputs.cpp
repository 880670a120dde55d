// SPDX-License-Identifier: BSL-1.0
#include "outputs.hpp"

#include <lkt/core/files.hpp>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace lkt_tune {
namespace {

namespace fs = std::filesystem;

struct named_file {
    char const* flag;
    std::string name;
};

/// Without those that were not asked for.
std::vector<named_file> given(std::vector<named_file> all) {
    std::erase_if(all, [](named_file const& f) { return f.name.empty(); });
    return all;
}

std::vector<named_file> outputs_of(options const& o) {
    return given({{"--report", o.report_file},
                  {"--json", o.json_file},
                  {"--output", o.output_file},
                  {"--trace", o.trace_file},
                  {"--record", o.record_file},
                  {"--declare", o.declare_file}});
}

std::vector<named_file> inputs_of(options const& o) {
    constexpr std::string_view replay = "replay:";
    return given({{"the kernel", o.kernel_file},
                  {"--problem", o.problem_file},
                  {"--torch", o.torch_module.substr(0, o.torch_module.rfind(':'))},
                  {"--oracle", o.oracle_file},
                  {"--script", o.script_file},
                  {"--steps", o.steps_file},
                  {"--prices", o.prices_file},
                  {"--model", o.model.starts_with(replay) ? o.model.substr(replay.size()) : ""}});
}

/// Whatever way the two names lead to it; what is no file, such as /dev/null, holds nothing.
bool same_file(std::string const& a, std::string const& b) {
    std::error_code failed;
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

lkt::error usage(std::string message, std::string hint) {
    return {lkt::condition::rejected, "lkt.tune.usage", std::move(message), std::move(hint)};
}

} // namespace

std::optional<lkt::error> overwritten(options const& o) {
    auto const outputs = outputs_of(o);
    for (auto a = outputs.begin(); a != outputs.end(); ++a)
        for (auto b = a + 1; b != outputs.end(); ++b)
            if (same_file(a->name, b->name))
                return usage(std::string(a->flag) + " and " + b->flag + " name the same file, " +
                                 a->name,
                             "give each of them a file of its own");
    for (named_file const& out : outputs)
        for (named_file const& in : inputs_of(o))
            if (out.name != o.declare_file && same_file(out.name, in.name))
                return usage(std::string(out.flag) + " would overwrite " + in.name + ", which " +
                                 in.flag + " reads",
                             "name another file");
    std::error_code failed;
    if (!o.force && !o.declare_file.empty() && fs::is_regular_file(o.declare_file, failed))
        return usage(o.declare_file + " exists",
                     "name another file after --declare, or pass --force to replace it");
    return std::nullopt;
}

std::optional<lkt::error> outputs_blocked(options const& o) {
    for (std::string const& file : {o.json_file, o.report_file, o.output_file, o.declare_file})
        if (!file.empty() && file != "-")
            if (auto blocked = lkt::check_writable(file)) return blocked;
    return std::nullopt;
}

bool reports_to_standard_output(options const& o) {
    if (!o.report_file.empty()) return o.report_file == "-";
    return o.json_file != "-" && o.output_file != "-";
}

} // namespace lkt_tune
