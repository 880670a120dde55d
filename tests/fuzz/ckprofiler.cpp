// SPDX-License-Identifier: BSL-1.0
// What ckProfiler writes, whole, cut off or mixed, and the names in it.
#include "support/property.hpp"

#include <lkt/scan/ck_instance.hpp>
#include <lkt/scan/ck_output.hpp>
#include <lkt/scan/ck_source.hpp>
#include <lkt/scan/scan_records.hpp>

#include <algorithm>
#include <cmath>

lkt_fuzz::target const here("ckprofiler", [](std::uint8_t const* data, std::size_t size) {
    using lkt_fuzz::require;
    auto const text = lkt_fuzz::text_of(data, size);
    auto const out = lkt::parse_ck_output(text);
    auto const feeds = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    bool const open = !text.empty() && text.back() != '\n';
    require(out.lines == feeds + (open ? 1 : 0), "every line is counted", text);
    require(out.understood + out.faults.size() == out.lines,
            "every line is understood or a fault",
            text);
    std::size_t before = 0;
    for (lkt::ck_fault const& f : out.faults) {
        require(f.line > before && f.line <= out.lines, "faults are in order, within", text);
        require(!f.what.empty(), "a fault says what", text);
        before = f.line;
    }
    for (lkt::ck_product const& p : out.products) {
        for (lkt::scanned_instance const& one : p.found.instances)
            require(!one.name.empty() && std::isfinite(one.time.count()) && one.time.count() > 0,
                    "an instance has a name and a time",
                    text);
        if (p.named_best)
            require(*p.named_best < p.found.instances.size(), "the best is there", text);
        auto const spec = p.spec();
        if (!spec) {
            lkt_fuzz::require_error(spec.error());
            continue;
        }
        std::string lines;
        auto const rows = lkt::rows_of("ckprofiler", *spec, p.found, p.date, nullptr);
        for (lkt::scan_row const& row : rows) lines += to_json_line(row);
        auto const read = lkt::read_json_lines(lines);
        require(read.has_value() && read->table.size() == rows.size(),
                "its results can be read back",
                lines);
    }
    // The name of an instance, or not.
    if (auto const one = lkt::parse_ck_instance(text)) {
        require(!one->kind.empty() && !one->parameters.values.empty(), "it has parameters", text);
        for (auto const& [name, value] : one->parameters.values)
            require(*one->parameters.find(name) == value, "each parameter is there once", text);
        if (auto const source = lkt::ck_source(*one))
            require(source->find("lkt_ck_instance() {") != std::string::npos,
                    "a source makes an instance",
                    text);
        else
            lkt_fuzz::require_error(source.error());
    } else {
        lkt_fuzz::require_error(one.error());
    }
    // What a file holds may be anything, too.
    auto const read = lkt::read_json_lines(text);
    if (!read) lkt_fuzz::require_error(read.error());
    for (lkt::scan_row const& row : read ? read->table : lkt::scan_table()) {
        auto const again = lkt::scan_spec::make(
            row.spec.visit([](auto const& spec) { return lkt::scan_draft(spec.draft()); }));
        require(again && *again == row.spec, "a spec is built again from its draft", text);
        require(row.spec.bytes() > lkt::byte_count() && row.spec.operations() > lkt::flop_count(),
                "a spec computes and moves something",
                text);
    }
    return 0;
});
