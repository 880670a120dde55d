// SPDX-License-Identifier: BSL-1.0
#include "outputs.hpp"

#include "errors.hpp"

#include "../common/output.hpp"

#include <lkt/core/files.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace lkt_tune {
namespace {

namespace fs = std::filesystem;

using lkt_apps::named_file;

std::vector<named_file> outputs_of(options const& o) {
    return {{"--report", o.report_file},
            {"--json", o.json_file},
            {"--output", o.output_file},
            {"--trace", o.trace_file},
            {"--record", o.record_file},
            {"--declare", o.declare_file},
            {"--ask-script", o.ask_script}};
}

std::vector<named_file> inputs_of(options const& o) {
    constexpr std::string_view replay = "replay:";
    // A problem file may be completed in its place (--force).
    bool const completed = o.problem_file == o.declare_file;
    return {{"lkt-tune", o.kernel_file},
            {"--problem", completed ? std::string() : o.problem_file},
            {"--torch", o.torch_module.substr(0, o.torch_module.rfind(':'))},
            {"--oracle", o.oracle_file},
            {"--script", o.script_file},
            {"--steps", o.steps_file},
            {"--prices", o.prices_file},
            {"--config", o.config_file},
            {"--model", o.model.starts_with(replay) ? o.model.substr(replay.size()) : ""}};
}

std::vector<named_file> inputs_of(lkt::problem const& task) {
    bool const computed = task.oracle && task.oracle->text.empty();
    return {{"the problem", task.reference.origin},
            {"the problem", computed ? task.oracle->path : std::string()}};
}

} // namespace

std::optional<lkt::error> overwritten(options const& o, lkt::problem const& task) {
    return lkt_apps::file_lost(usage_code, outputs_of(o), inputs_of(task));
}

std::optional<lkt::error> overwritten(options const& o) {
    if (auto lost = lkt_apps::file_lost(usage_code, outputs_of(o), inputs_of(o))) return lost;
    std::error_code failed;
    bool const begins = o.resume_folder.empty();
    for (auto const& [option, file] :
         {named_file{"--declare", o.declare_file},
          named_file{"--ask-script", begins ? o.ask_script : std::string()}})
        if (!o.force && !file.empty() && fs::is_regular_file(file, failed))
            return usage(file + " exists",
                         "name another file after " + std::string(option) +
                             ", or pass --force to replace it");
    return std::nullopt;
}

std::optional<lkt::error> outputs_blocked(options const& o) {
    for (std::string const& file :
         {o.json_file, o.report_file, o.output_file, o.declare_file, o.ask_script})
        if (!file.empty() && file != "-")
            if (auto blocked = lkt::check_writable(file)) return blocked;
    return std::nullopt;
}

bool reports_to_standard_output(options const& o) {
    if (!o.report_file.empty()) return o.report_file == "-";
    return o.json_file != "-" && o.output_file != "-";
}

} // namespace lkt_tune
