// SPDX-License-Identifier: BSL-1.0
#include "import.hpp"

#include "tables.hpp"

#include "../common/output.hpp"
#include "../common/status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/scan/ck_output.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace lkt_scan {

using namespace lkt_apps;

lkt::result<int> import_output(options const& o, result_log& log) {
    bool lost = false;
    // Its output does not say how it was started.
    std::string const settings = "recorded";
    for (std::string const& file : o.from) {
        auto text = lkt::read_text_file(file);
        if (!text) return text.error();
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
            if (auto written = log.append(std::move(rows)); !written) return written.error();
        }
        if (!o.quiet)
            say(file + ": " + std::to_string(read.understood) + " of " +
                std::to_string(read.lines) + " lines, " + std::to_string(read.products.size()) +
                " products" +
                (known > 0 ? ", " + std::to_string(known) + " of them known before" : ""));
    }
    int const written = write_tables(o, log.table(), lkt::to_markdown(log.table()));
    return written != status::done ? written : lost ? status::rejected : status::done;
}

} // namespace lkt_scan
