// SPDX-License-Identifier: BSL-1.0
#include "measure.hpp"

#include "errors.hpp"
#include "tables.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/problems/kernel_note.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/scan/ck_profiler.hpp>
#include <lkt/scan/cublaslt/product_service.hpp>
#include <lkt/scan/simulated_engine.hpp>

#include <string>
#include <utility>

namespace lkt_scan {
namespace {

using namespace lkt_apps;

template <class Engine>
lkt::result<int> measure_by(Engine engine,
                            options const& o,
                            lkt::spec_scan const& scan,
                            result_log& log,
                            interrupt const& signals) {
    lkt::scan_run_options how;
    how.device = o.accelerator;
    if (!o.quiet)
        how.on_progress = [](lkt::scan_progress const& p) {
            say(std::to_string(p.done) + "/" + std::to_string(p.total) + " " +
                lkt::plain_line(p.last, 200) +
                (p.left.count() >= 1 ? " (" + lkt::to_string(p.left) + " left)" : ""));
        };
    auto const ran = lkt::run_scan(scan, engine, log, how, {signals.token(), {}});
    if (!ran) return ran.error();
    if (!o.quiet && ran->resumed > 0)
        say(std::to_string(ran->resumed) + " products were measured before");
    if (!o.quiet && ran->again > 0)
        say(std::to_string(ran->again) +
            " products are in the file of another device or with other settings, and were measured "
            "again");
    int const written = write_tables(o, log.table(), lkt::to_markdown(log.table()));
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

lkt::result<int> measure_kernel(options const& o,
                                lkt::spec_scan const& scan,
                                own_kernel& own,
                                result_log& log,
                                interrupt const& signals) {
    auto chosen = make_backend({.usage_code = usage_code,
                                .name = o.backend,
                                .device = o.device,
                                .language = own.language,
                                .sanitize = false,
                                .unconfined_compiler = o.unconfined_compiler},
                               {signals.token(), {}});
    if (!chosen) return chosen.error();
    say_choice("lkt-scan", *chosen, o.quiet);
    own.gpu = std::move(chosen->gpu);
    return measure_by(std::move(*own.engine), o, scan, log, signals);
}

} // namespace

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

lkt::result<int>
measure(options const& o, lkt::spec_scan const& scan, own_kernel* own, result_log& log) {
    interrupt const signals;
    if (o.engine == "ckprofiler")
        return measure_by(
            lkt::ck_profiler({.program = o.ckprofiler, .settings = o.settings, .device = o.device}),
            o,
            scan,
            log,
            signals);
    if (bool const amd = o.engine == "hipblaslt"; amd || o.engine == "cublaslt")
        return measure_by(lkt::cublaslt_engine({.which = amd ? lkt::lt_library::hipblaslt
                                                             : lkt::lt_library::cublaslt,
                                                .library = amd ? o.hipblaslt : o.cublaslt,
                                                .device = o.device,
                                                .settings = o.settings,
                                                .workspace = o.workspace,
                                                .seed = o.seed}),
                          o,
                          scan,
                          log,
                          signals);
    if (own != nullptr) return measure_kernel(o, scan, *own, log, signals);
    lkt::simulated_engine::options simulated;
    simulated.seed = o.seed;
    simulated.settings = o.settings;
    if (o.accelerator) simulated.device = *o.accelerator;
    auto with_roof = o;
    with_roof.accelerator = simulated.device;
    return measure_by(lkt::simulated_engine(simulated), with_roof, scan, log, signals);
}

} // namespace lkt_scan
