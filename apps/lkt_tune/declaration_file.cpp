// SPDX-License-Identifier: BSL-1.0
#include "declaration_file.hpp"

#include "errors.hpp"

#include "../common/output.hpp"

#include <lkt/problems/problem_text.hpp>

#include <filesystem>
#include <string>

namespace lkt_tune {
namespace {

using namespace lkt_apps;

/// Where the problem file would lie: its kernel has to lie there too.
std::string folder_of_declaration(options const& o, lkt::problem const& task) {
    std::string const& beside = o.declare_file == "-" ? task.reference.origin : o.declare_file;
    return std::filesystem::path(beside).parent_path().string();
}

} // namespace

std::optional<lkt::error> declaration_misplaced(options const& o, lkt::problem const& task) {
    if (o.declare_file.empty()) return std::nullopt;
    auto const text = lkt::problem_text(task, folder_of_declaration(o, task));
    if (text || text.error().code != "lkt.problem.file") return std::nullopt;
    return usage(text.error().message, text.error().hint);
}

std::optional<lkt::error> write_problem(options const& o,
                                        lkt::problem const& task,
                                        std::optional<declaration> const& declared) {
    auto const text = lkt::problem_text(task, folder_of_declaration(o, task));
    if (!text) return text.error();
    if (declared && !o.quiet) say(to_text(*declared), "");
    return write_output(o.declare_file, *text);
}

} // namespace lkt_tune
