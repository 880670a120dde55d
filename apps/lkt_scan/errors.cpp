// SPDX-License-Identifier: BSL-1.0
#include "errors.hpp"

#include "../common/backend.hpp"
#include "../common/output.hpp"

#include <utility>

namespace lkt_scan {

lkt::error usage(std::string message, std::string hint) {
    return lkt_apps::usage_error(usage_code, std::move(message), std::move(hint));
}

int complain(lkt::error const& e) {
    bool const given =
        e.code == usage_code || e.code.starts_with("lkt.expression.") ||
        e.code.starts_with("lkt.scan.gemm-") || e.code.starts_with("lkt.scan.conv-") ||
        e.code.starts_with("lkt.scan.elementwise-") || e.code == "lkt.scan.range" ||
        e.code == "lkt.scan.axes" || e.code == "lkt.scan.shapes" || e.code == "lkt.scan.empty" ||
        e.code == "lkt.scan.record" || e.code == "lkt.scan.field" || e.code == "lkt.scan.exists" ||
        e.code == "lkt.scan.kernel" || e.code.starts_with("lkt.problem.") ||
        e.code == "lkt.kernel.note" || e.code == "lkt.file.missing" || e.code == "lkt.file.read" ||
        e.code == "lkt.file.large";
    return lkt_apps::report_error("lkt-scan", e, given);
}

lkt::error in_file(std::string const& file, lkt::error e) {
    e.message = file + ": " + e.message;
    return e;
}

} // namespace lkt_scan
