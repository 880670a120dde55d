// SPDX-License-Identifier: BSL-1.0
// lkt-scan: matrix products, convolutions and element-wise operations of many sizes, measured,
// under their roofs.
#include "errors.hpp"
#include "import.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "plan.hpp"
#include "results.hpp"
#include "tables.hpp"

#include "../common/program.hpp"

#include <lkt/core/files.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace lkt_apps;
using namespace lkt_scan;

/// The results so far: none, or with `--resume` those of the file.
lkt::result<result_log> open_log(options const& o, kept_rows& rows) {
    if (!o.jsonl_file.empty()) {
        auto file = lkt::journal_file::open(o.jsonl_file);
        if (!file) return file.error();
        rows.in.emplace<lkt::journal_file>(std::move(*file));
    }
    auto log = result_log::open(rows);
    if (!log && log.error().code == "lkt.scan.record") return in_file(o.jsonl_file, log.error());
    if (log && !o.resume && !log->table().empty())
        return lkt::error{lkt::condition::rejected,
                          "lkt.scan.exists",
                          o.jsonl_file + " holds results already",
                          "pass --resume to go on with it, or name another file"};
    return log;
}

lkt::result<int> scan(options o) {
    for (std::string const& file : {o.csv_file, o.markdown_file, o.html_file})
        if (!file.empty() && file != "-")
            if (auto blocked = lkt::check_writable(file)) return *blocked;
    kept_rows rows;
    if (!o.from.empty()) {
        auto log = open_log(o, rows);
        if (!log) return log.error();
        return import_output(o, *log);
    }
    std::unique_ptr<own_kernel> own;
    if (o.engine == "kernel") {
        auto made = make_kernel(o);
        if (!made) return made.error();
        own = std::move(*made);
        if (!o.types_given) {
            o.types = {own->engine->type()};
            if (!o.rest.output.given) o.rest.output = own->engine->output();
        }
    }
    auto const plan = make_scan(o);
    if (!plan) return plan.error();
    if (o.dry_run) {
        auto const text = preview(o, *plan);
        if (!text) return text.error();
        return print({*text}, complain);
    }
    // Before hours of work, and not in their midst.
    for (std::size_t i = 0; i < plan->size(); ++i)
        if (auto const spec = plan->at(i); !spec) return spec.error();
    auto log = open_log(o, rows);
    if (!log) return log.error();
    return measure(o, *plan, own.get(), *log);
}

int run(options o) {
    auto const ended = !o.compare.empty() ? compare_runs(o)
                       : !o.show.empty()  ? show_runs(o)
                       : !o.space.empty() ? show_spaces(o)
                                          : scan(std::move(o));
    return ended ? *ended : complain(ended.error());
}

} // namespace

int main(int argc, char** argv) {
    return run_program("lkt-scan", "scan fewer products", argc, argv, [&] {
        return run_parsed(parse_command_line(argc, argv), complain, run);
    });
}
