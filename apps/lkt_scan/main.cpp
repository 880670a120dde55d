// SPDX-License-Identifier: BSL-1.0
// lkt-scan: matrix products, convolutions and element-wise operations of many sizes, measured,
// under their roofs.
#include "options.hpp"
#include "spaces.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/program.hpp"
#include "../common/status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/problems/kernel_note.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/scan/ck_output.hpp>
#include <lkt/scan/ck_profiler.hpp>
#include <lkt/scan/cublaslt.hpp>
#include <lkt/scan/cublaslt/product_service.hpp>
#include <lkt/scan/kernel_engine.hpp>
#include <lkt/scan/run_scan.hpp>
#include <lkt/scan/scan_page.hpp>
#include <lkt/scan/scan_query.hpp>
#include <lkt/scan/simulated_engine.hpp>
#include <lkt/store/journal_file.hpp>
#include <lkt/store/journal_memory.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace lkt_apps;
using namespace lkt_scan;

int complain(lkt::error const& e) {
    say("lkt-scan: " + to_string(e));
    if (e.kind == lkt::condition::cancelled) return status::interrupted;
    bool const given =
        e.code == usage_code || e.code.starts_with("lkt.expression.") ||
        e.code.starts_with("lkt.scan.gemm-") || e.code.starts_with("lkt.scan.conv-") ||
        e.code.starts_with("lkt.scan.elementwise-") || e.code == "lkt.scan.range" ||
        e.code == "lkt.scan.axes" || e.code == "lkt.scan.shapes" || e.code == "lkt.scan.empty" ||
        e.code == "lkt.scan.record" || e.code == "lkt.scan.field" || e.code == "lkt.scan.exists" ||
        e.code == "lkt.scan.kernel" || e.code.starts_with("lkt.problem.") ||
        e.code == "lkt.kernel.note" || e.code == "lkt.file.missing" || e.code == "lkt.file.read" ||
        e.code == "lkt.file.large";
    return given ? status::usage : status::environment;
}

lkt::result<lkt::scan_table> read_run(std::string const& file) {
    auto text = lkt::read_text_file(file);
    if (!text) return text.error();
    auto read = lkt::read_json_lines(*text);
    if (!read) {
        auto e = read.error();
        e.message = file + ": " + e.message;
        return e;
    }
    return std::move(read->table);
}

/// Those rows of a run that are wanted.
lkt::result<lkt::scan_table> read_rows(options const& o, std::string const& file) {
    auto table = read_run(file);
    if (!table || o.where.empty()) return table;
    return lkt::rows_where(*table, o.where);
}

int compare_runs(options const& o) {
    auto const before = read_rows(o, o.compare[0]);
    if (!before) return complain(before.error());
    auto const after = read_rows(o, o.compare[1]);
    if (!after) return complain(after.error());
    auto const failed = write_output("-", to_markdown(lkt::compare(*before, *after)));
    return failed ? complain(*failed) : status::done;
}

int show_spaces(options const& o) {
    lkt::scan_table table;
    for (std::string const& file : o.space) {
        auto rows = read_run(file);
        if (!rows) return complain(rows.error());
        for (lkt::scan_row& row : *rows)
            if (row.measured()) table.push_back(std::move(row));
    }
    auto const ended = show_spaces_of(table, o);
    return ended ? *ended : complain(ended.error());
}

/// A draft for each type, layout or function, and epilogue; the last changes fastest.
std::vector<lkt::scan_draft> make_drafts(options const& o) {
    std::vector<lkt::scan_draft> drafts;
    for (lkt::gemm_type const type : o.types) {
        auto gemm = o.rest;
        gemm.type = type;
        for (auto const& [a, b, c] : o.layouts) {
            gemm.a = a;
            gemm.b = b;
            gemm.c = c;
            for (lkt::gemm_epilogue const epilogue : o.epilogues) {
                gemm.epilogue = epilogue;
                drafts.push_back(gemm);
            }
        }
        lkt::convolution_draft images{.type = type, .output = o.rest.output};
        if (o.operation == lkt::scan_operation::convolution && o.image_layouts.empty())
            drafts.push_back(images);
        for (lkt::image_layout const layout : o.image_layouts) {
            images.layout = layout;
            drafts.push_back(images);
        }
        for (lkt::elementwise_function const function : o.functions)
            drafts.push_back(lkt::elementwise_draft{
                .function = function, .type = type, .output = o.rest.output});
    }
    return drafts;
}

lkt::result<lkt::spec_scan> make_scan(options const& o) {
    auto drafts = make_drafts(o);
    if (!o.shapes_file.empty()) {
        auto text = lkt::read_text_file(o.shapes_file);
        if (!text) return text.error();
        auto shapes = lkt::parse_shapes(*text, drafts.front());
        if (!shapes) {
            auto e = shapes.error();
            e.message = o.shapes_file + ": " + e.message;
            return e;
        }
        return lkt::spec_scan::of(std::move(*shapes), std::move(drafts));
    }
    std::vector<lkt::named_axis> axes;
    for (std::string const& text : o.sizes) {
        auto axis = lkt::parse_axis(text, drafts.front());
        if (!axis) return axis.error();
        axes.push_back(std::move(*axis));
    }
    return lkt::spec_scan::over(std::move(axes), std::move(drafts));
}

int preview(options const& o, lkt::spec_scan const& scan) {
    std::string text = std::to_string(scan.size()) + " products";
    if (scan.dropped() > 0)
        text += ", without " + std::to_string(scan.dropped()) + " that occurred before";
    text += "\n";
    for (std::size_t i = 0; i < scan.size(); ++i) {
        auto const spec = scan.at(i);
        if (!spec) return complain(spec.error());
        text += "  " + to_string(*spec) + ": " + to_string(spec->operations()) + ", " +
                to_string(spec->bytes()) + ", " + to_string(spec->intensity());
        if (o.accelerator)
            if (auto const least = roofline_of(*spec, *o.accelerator).least(); least.count() > 0)
                text += ", at least " + lkt::to_string(least);
        text += "\n";
    }
    auto const failed = write_output("-", text);
    return failed ? complain(*failed) : status::done;
}

/// The accelerator that was named, or that the rows are of.
std::optional<lkt::accelerator> accelerator_of_rows(options const& o,
                                                    lkt::scan_table const& table) {
    if (o.accelerator) return o.accelerator;
    for (lkt::scan_row const& row : table)
        if (!row.device.empty())
            if (auto found = lkt::accelerator_called(row.device)) return std::move(*found);
    return std::nullopt;
}

/// What is written when all is measured, or what there is of it.
int deliver(options const& o, lkt::scan_table const& table) {
    int worst = status::done;
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.csv_file.empty()) put(o.csv_file, to_csv(table));
    if (!o.html_file.empty()) put(o.html_file, scan_page(table, accelerator_of_rows(o, table)));
    if (!o.markdown_file.empty() || (o.csv_file != "-" && o.html_file != "-"))
        put(o.markdown_file.empty() ? "-" : o.markdown_file, lkt::to_markdown(table));
    return worst;
}

/// The products of recorded output; faults are said, and nothing else is lost.
template <class Log>
int import(options const& o, Log& log) {
    bool lost = false;
    // Its output does not say how it was started.
    std::string const settings = "recorded";
    for (std::string const& file : o.from) {
        auto text = lkt::read_text_file(file);
        if (!text) return complain(text.error());
        if (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF")) {
            say("lkt-scan: " + file +
                ": this is UTF-16, and not what ckProfiler writes; convert it: "
                "iconv -f UTF-16 -t UTF-8");
            lost = true;
            continue;
        }
        auto read = lkt::parse_ck_output(*text);
        constexpr std::size_t most = 100; // of a file that is something else altogether
        for (std::size_t k = 0; k < std::min(read.faults.size(), most); ++k)
            say("lkt-scan: " + file + ":" + std::to_string(read.faults[k].line) + ": " +
                read.faults[k].what);
        if (read.faults.size() > most)
            say("lkt-scan: " + file + ": and " + std::to_string(read.faults.size() - most) +
                " more lines");
        if (read.products.empty())
            say("lkt-scan: " + file +
                ": it has no product that ckProfiler measured; give what `ckProfiler gemm` wrote");
        lost = lost || !read.faults.empty() || read.products.empty();
        std::size_t known = 0;
        for (lkt::ck_product& p : read.products) {
            auto const spec = p.spec();
            if (!spec) {
                say("lkt-scan: " + file + ": " + spec.error().message);
                lost = true;
                continue;
            }
            if (p.found.device.empty()) p.found.device = o.device;
            if (log.has("ckprofiler", {p.found.device, settings}, *spec)) {
                ++known;
                continue;
            }
            auto const known_device = o.accelerator ? lkt::result<lkt::accelerator>(*o.accelerator)
                                                    : lkt::accelerator_called(p.found.device);
            auto rows = lkt::rows_of("ckprofiler",
                                     *spec,
                                     p.found,
                                     p.date,
                                     known_device ? &*known_device : nullptr,
                                     {p.found.device, settings});
            if (auto written = log.append(std::move(rows)); !written)
                return complain(written.error());
        }
        if (!o.quiet)
            say(file + ": " + std::to_string(read.understood) + " of " +
                std::to_string(read.lines) + " lines, " + std::to_string(read.products.size()) +
                " products" +
                (known > 0 ? ", " + std::to_string(known) + " of them known before" : ""));
    }
    int const written = deliver(o, log.table());
    return written != status::done ? written : lost ? status::rejected : status::done;
}

template <class Engine, class Log>
int measure(
    options const& o, lkt::spec_scan const& scan, Engine engine, Log& log, interrupt& signals) {
    lkt::scan_run_options how;
    how.device = o.accelerator;
    if (!o.quiet)
        how.on_progress = [](lkt::scan_progress const& p) {
            say(std::to_string(p.done) + "/" + std::to_string(p.total) + " " +
                lkt::plain_line(p.last, 200) +
                (p.left.count() >= 1 ? " (" + lkt::to_string(p.left) + " left)" : ""));
        };
    auto const ran = lkt::run_scan(scan, engine, log, how, {signals.token(), {}});
    if (!ran) return complain(ran.error());
    if (!o.quiet && ran->resumed > 0)
        say(std::to_string(ran->resumed) + " products were measured before");
    if (!o.quiet && ran->again > 0)
        say(std::to_string(ran->again) +
            " products are in the file of another device or with other settings, and were measured "
            "again");
    int const written = deliver(o, log.table());
    if (ran->interrupted) return status::interrupted;
    if (written != status::done) return written;
    if (ran->usable == 0) {
        say("lkt-scan: no product of this scan has a result: each was refused, failed or is wrong");
        return status::nothing;
    }
    return ran->failed + ran->wrong > 0 ? status::rejected : status::done;
}

/// The kernel that a problem file, and perhaps another file, name.
lkt::result<lkt::kernel_engine_options> read_kernel(options const& o) {
    auto file = lkt::read_problem_file(o.problem_file);
    if (!file) return file.error();
    for (std::string const& warning : file->warnings) say("lkt-scan: warning: " + warning);
    lkt::kernel_engine_options made;
    made.task = std::move(file->task);
    made.name = "kernel:" + made.task.signature.name;
    made.operation = o.operation;
    made.configurations = o.configurations;
    made.settings = o.settings;
    made.seed = o.seed;
    if (o.kernel_file.empty()) return made;
    auto text = lkt::read_text_file(o.kernel_file);
    if (!text) return text.error();
    lkt::kernel_source source{made.task.reference.language, std::move(*text), o.kernel_file};
    auto noted = lkt::read_kernel_note(source);
    if (!noted) return noted.error();
    if (*noted)
        made.kernel = std::move(**noted);
    else
        made.kernel = lkt::candidate{
            std::move(source), made.task.parameters, made.task.restrictions, made.task.launch, {}};
    auto const slash = o.kernel_file.rfind('/');
    made.name = "kernel:" + o.kernel_file.substr(slash == std::string::npos ? 0 : slash + 1);
    return made;
}

/// The user's kernel. The back end is empty until something is measured.
struct own_kernel {
    lkt::language language = lkt::language::cuda;
    lkt::any_gpu_backend gpu{};
    std::optional<lkt::kernel_engine> engine{};
};

lkt::result<std::unique_ptr<own_kernel>> make_kernel(options const& o) {
    auto read = read_kernel(o);
    if (!read) return read.error();
    auto own = std::make_unique<own_kernel>();
    own->language = read->task.reference.language;
    auto engine = lkt::kernel_engine::make(lkt::gpu_ref(own->gpu), std::move(*read));
    if (!engine) return engine.error();
    own->engine = std::move(*engine);
    return own;
}

template <class Log>
int measure_kernel(
    options const& o, lkt::spec_scan const& scan, own_kernel& own, Log& log, interrupt& signals) {
    auto chosen = make_backend({.usage_code = usage_code,
                                .name = o.backend,
                                .device = o.device,
                                .language = own.language,
                                .sanitize = false,
                                .unconfined_compiler = o.unconfined_compiler},
                               {signals.token(), {}});
    if (!chosen) return complain(chosen.error());
    say_choice("lkt-scan", *chosen, o.quiet);
    own.gpu = std::move(chosen->gpu);
    return measure(o, scan, std::move(*own.engine), log, signals);
}

template <class Sink>
int run_over(options const& o,
             std::optional<lkt::spec_scan> const& scan,
             own_kernel* own,
             Sink& sink) {
    auto log = lkt::scan_log<Sink>::open(sink);
    if (!log) {
        auto e = log.error();
        if (e.code == "lkt.scan.record") e.message = o.jsonl_file + ": " + e.message;
        return complain(e);
    }
    if (!o.resume && !log->table().empty())
        return complain({lkt::condition::rejected,
                         "lkt.scan.exists",
                         o.jsonl_file + " holds results already",
                         "pass --resume to go on with it, or name another file"});
    if (!scan) return import(o, *log);
    interrupt signals;
    if (o.engine == "ckprofiler")
        return measure(
            o,
            *scan,
            lkt::ck_profiler({.program = o.ckprofiler, .settings = o.settings, .device = o.device}),
            *log,
            signals);
    if (bool const amd = o.engine == "hipblaslt"; amd || o.engine == "cublaslt")
        return measure(o,
                       *scan,
                       lkt::cublaslt_engine(
                           {.which = amd ? lkt::lt_library::hipblaslt : lkt::lt_library::cublaslt,
                            .library = amd ? o.hipblaslt : o.cublaslt,
                            .device = o.device,
                            .settings = o.settings,
                            .workspace = o.workspace,
                            .seed = o.seed}),
                       *log,
                       signals);
    if (own != nullptr) return measure_kernel(o, *scan, *own, *log, signals);
    lkt::simulated_engine::options simulated;
    simulated.seed = o.seed;
    simulated.settings = o.settings;
    if (o.accelerator) simulated.device = *o.accelerator;
    auto with_roof = o;
    with_roof.accelerator = simulated.device;
    return measure(with_roof, *scan, lkt::simulated_engine(simulated), *log, signals);
}

int show_runs(options const& o) {
    lkt::scan_table table;
    for (std::string const& file : o.show) {
        auto rows = read_rows(o, file);
        if (!rows) return complain(rows.error());
        for (lkt::scan_row& row : *rows) table.push_back(std::move(row));
    }
    if (o.best) table = lkt::filter(table, [](lkt::scan_row const& row) { return row.best; });
    if (table.empty())
        say(!o.where.empty() ? "lkt-scan: no result meets " + o.where +
                                   (o.best ? ", and is the best of a product" : "")
            : o.best ? "lkt-scan: no product has a best result"
                     : "lkt-scan: there are no results in what was named");
    if (!o.csv_file.empty())
        if (auto failed = write_output(o.csv_file, to_csv(table))) return complain(*failed);
    if (!o.html_file.empty())
        if (auto failed =
                write_output(o.html_file, scan_page(table, accelerator_of_rows(o, table))))
            return complain(*failed);
    if (o.csv_file == "-" || o.html_file == "-") return status::done;
    std::string text;
    if (o.group_by.empty()) {
        text = lkt::rows_to_markdown(table);
    } else {
        auto const groups = lkt::group_by_fields(table, o.group_by);
        if (!groups) return complain(groups.error());
        text = to_markdown(*groups);
    }
    auto const failed = write_output(o.markdown_file.empty() ? "-" : o.markdown_file, text);
    return failed ? complain(*failed) : status::done;
}

int run(options o) {
    if (!o.compare.empty()) return compare_runs(o);
    if (!o.show.empty()) return show_runs(o);
    if (!o.space.empty()) return show_spaces(o);
    for (std::string const& file : {o.csv_file, o.markdown_file, o.html_file})
        if (!file.empty() && file != "-")
            if (auto blocked = lkt::check_writable(file)) return complain(*blocked);
    std::unique_ptr<own_kernel> own;
    if (o.engine == "kernel") {
        auto made = make_kernel(o);
        if (!made) return complain(made.error());
        own = std::move(*made);
        if (!o.types_given) {
            o.types = {own->engine->type()};
            if (!o.rest.output.given) o.rest.output = own->engine->output();
        }
    }
    std::optional<lkt::spec_scan> scan;
    if (o.from.empty()) {
        auto made = make_scan(o);
        if (!made) return complain(made.error());
        scan = std::move(*made);
        if (o.dry_run) return preview(o, *scan);
        // Before hours of work, and not in their midst.
        for (std::size_t i = 0; i < scan->size(); ++i)
            if (auto const spec = scan->at(i); !spec) return complain(spec.error());
    }
    if (o.jsonl_file.empty()) {
        lkt::journal_memory memory;
        return run_over(o, scan, own.get(), memory);
    }
    auto file = lkt::journal_file::open(o.jsonl_file);
    if (!file) return complain(file.error());
    return run_over(o, scan, own.get(), *file);
}

} // namespace

int main(int argc, char** argv) {
    return run_program("lkt-scan", "scan fewer products", argc, argv, [&] {
        return run_parsed(parse_command_line(argc, argv), complain, run);
    });
}
