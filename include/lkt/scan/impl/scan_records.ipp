// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/detail/markdown_cell.hpp>
#include <lkt/scan/detail/spec_records.hpp>
#include <lkt/scan/scan_records.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace lkt {

namespace detail::scan {

inline boost::json::value real_or_null(double value) {
    return value > 0 ? boost::json::value(value) : boost::json::value(nullptr);
}

inline boost::json::value time_or_null(std::optional<seconds> const& t) {
    return t ? boost::json::value(t->count()) : boost::json::value(nullptr);
}

/// The columns of every form, in their order. Those of the spec are of its operation.
inline boost::json::object record_of(scan_row const& row) {
    auto const& s = row.spec;
    auto const& i = row.instance;
    bool const m = row.measured();
    boost::json::object o;
    o["engine"] = well_formed_utf8(row.engine);
    o["device"] = well_formed_utf8(row.device);
    o["date"] = well_formed_utf8(row.date);
    o["settings"] = well_formed_utf8(row.settings);
    o["status"] = to_string(row.status);
    o["instance"] = well_formed_utf8(i.name);
    write_spec(s, o);
    o["verdict"] = to_string(i.verdict);
    o["best"] = row.best;
    o["time_s"] = m ? boost::json::value(i.time.count()) : boost::json::value(nullptr);
    o["time_least_s"] = time_or_null(i.least);
    o["time_most_s"] = time_or_null(i.most);
    o["time_deviation_s"] = time_or_null(i.deviation);
    o["time_again_s"] = time_or_null(i.again);
    o["times_differ"] = i.differs();
    o["iterations"] = i.iterations;
    o["clock_mhz"] = real_or_null(i.clock_mhz);
    o["workspace_bytes"] = i.workspace.count;
    o["operations"] = s.operations().count();
    o["bytes"] = s.bytes().count();
    o["intensity"] = s.intensity().count();
    o["tflops"] = real_or_null(row.rate() / teraflop_per_second);
    o["gb_per_s"] = real_or_null(row.bandwidth() / gigabyte_per_second);
    o["roof_tflops"] = real_or_null(row.roof / teraflop_per_second);
    o["roof_share"] = real_or_null(row.share());
    o["bound"] = row.roof > flop_rate() ? (row.memory_bound ? "memory" : "arithmetic") : "";
    o["unsupported"] = row.unsupported;
    o["product_rows"] = row.of_product;
    o["message"] = well_formed_utf8(row.message);
    return o;
}

inline result<scan_row> row_of(boost::json::object const& o) {
    record_reader in(o);
    auto spec = read_spec(in);
    if (!spec) return spec.error();
    scan_row row{.engine = in.text("engine"),
                 .device = in.text("device"),
                 .date = in.text("date"),
                 .settings = o.contains("settings") ? in.text("settings") : std::string(),
                 .spec = *spec};
    auto const status = in.text("status"), verdict = in.text("verdict"), bound = in.text("bound");
    bool known = false;
    for (auto const one : {scan_status::measured, scan_status::refused, scan_status::failed})
        if (to_string(one) == status) {
            row.status = one;
            known = true;
        }
    if (!known) in.missing("status");
    known = false;
    for (auto const one : {scan_verdict::correct, scan_verdict::wrong, scan_verdict::unchecked})
        if (to_string(one) == verdict) {
            row.instance.verdict = one;
            known = true;
        }
    if (!known) in.missing("verdict");
    row.instance.name = in.text("instance");
    auto const time = in.time("time_s");
    if (row.measured() && (!time || !(time->count() > 0))) in.missing("time_s");
    row.instance.time = time.value_or(seconds{0});
    row.instance.least = in.time("time_least_s");
    row.instance.most = in.time("time_most_s");
    row.instance.deviation = in.time("time_deviation_s");
    row.instance.again = in.time("time_again_s");
    auto const iterations = in.integer("iterations");
    if (iterations < 0 || iterations > 2'147'483'647)
        in.missing("iterations");
    else
        row.instance.iterations = static_cast<int>(iterations);
    row.instance.clock_mhz = in.newer("clock_mhz");
    row.instance.workspace.count = static_cast<std::uint64_t>(in.newer("workspace_bytes"));
    row.unsupported =
        static_cast<std::size_t>(std::max<std::int64_t>(in.integer("unsupported"), 0));
    row.roof = in.real("roof_tflops").value_or(0) * teraflop_per_second;
    row.memory_bound = bound == "memory";
    row.message = in.text("message");
    auto const rows = in.integer("product_rows");
    if (rows < 1) in.missing("product_rows");
    row.of_product = static_cast<std::size_t>(rows);
    auto const* const best = o.if_contains("best");
    if (best == nullptr || !best->is_bool()) in.missing("best");
    row.best = best != nullptr && best->is_bool() && best->get_bool();
    if (in.wrong.empty()) return row;
    return error{condition::rejected,
                 "lkt.scan.record",
                 "the field " + in_backticks(in.wrong) + " is missing or wrong",
                 {}};
}

inline error bad_record(std::size_t line, std::string const& why) {
    return {condition::rejected,
            "lkt.scan.record",
            "line " + std::to_string(line) + " is no result of a scan: " + why,
            "give a file that lkt-scan --jsonl wrote"};
}

} // namespace detail::scan

std::string to_json_line(scan_row const& row) {
    return plain_json(boost::json::serialize(detail::scan::record_of(row))) + '\n';
}

std::vector<std::pair<std::string, std::optional<parameter_value>>>
record_fields(scan_row const& row) {
    std::vector<std::pair<std::string, std::optional<parameter_value>>> all;
    for (auto const& field : detail::scan::record_of(row)) {
        auto const& v = field.value();
        std::optional<parameter_value> value;
        if (v.is_bool())
            value = v.get_bool();
        else if (v.is_int64())
            value = v.get_int64();
        else if (v.is_uint64())
            value = static_cast<std::int64_t>(v.get_uint64());
        else if (v.is_double())
            value = v.get_double();
        else if (v.is_string())
            value = std::string(std::string_view(v.get_string()));
        all.emplace_back(std::string(field.key()), std::move(value));
    }
    return all;
}

result<read_records> read_json_lines(std::string_view text) {
    read_records read;
    std::size_t at = 0, line = 0, wanted = 0, whole_rows = 0;
    std::string product;
    while (at < text.size()) {
        auto const end = text.find('\n', at);
        ++line;
        if (end == text.npos) break; // torn: every line that was written has its line feed
        auto const record = trimmed(text.substr(at, end - at));
        at = end + 1;
        if (record.empty()) {
            if (wanted == 0) read.whole = at;
            continue;
        }
        boost::system::error_code failed;
        auto const value = boost::json::parse(record, failed);
        if (failed || !value.is_object())
            return detail::scan::bad_record(line, "it is no JSON object");
        auto row = detail::scan::row_of(value.get_object());
        if (!row) return detail::scan::bad_record(line, row.error().message);
        // A run that goes on begins behind the last whole product.
        if (wanted == 0) {
            wanted = row->of_product;
            product = row->product();
        } else if (row->product() != product) {
            return detail::scan::bad_record(line,
                                            "the rows of the product before are not all there");
        }
        read.table.push_back(std::move(*row));
        if (--wanted == 0) {
            read.whole = at;
            whole_rows = read.table.size();
        }
    }
    read.cut = read.table.size() - whole_rows + (at < text.size() ? 1 : 0);
    read.table.erase(read.table.begin() + static_cast<std::ptrdiff_t>(whole_rows),
                     read.table.end());
    return read;
}

namespace detail::scan {

inline std::string csv_text(std::string_view text) {
    std::string clean = plain_line(text);
    if (!clean.empty() && std::string_view("=+-@").find(clean[0]) != std::string_view::npos)
        clean.insert(0, 1, '\'');
    if (clean.find_first_of(",\"") == clean.npos) return clean;
    std::string quoted = "\"";
    for (char const c : clean) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

inline std::string csv_value(boost::json::value const& v) {
    if (v.is_null()) return {};
    if (v.is_string()) return csv_text(std::string_view(v.get_string()));
    if (v.is_double()) return real_text(v.get_double());
    return boost::json::serialize(v);
}

} // namespace detail::scan

std::vector<std::string> field_names(scan_table const& table) {
    std::vector<std::string> names;
    std::vector<scan_operation> seen;
    for (scan_row const& row : table) {
        if (std::find(seen.begin(), seen.end(), row.spec.operation()) != seen.end()) continue;
        seen.push_back(row.spec.operation());
        // What only this operation has goes behind what is before it.
        auto at = names.begin();
        for (auto const& field : detail::scan::record_of(row)) {
            auto found = std::find(names.begin(), names.end(), std::string_view(field.key()));
            if (found == names.end()) found = names.emplace(at, field.key());
            at = found + 1;
        }
    }
    return names;
}

std::string to_csv(scan_table const& table) {
    auto const names = field_names(table.empty() ? detail::scan::row_of_each_operation(1) : table);
    std::string text = joined(names, ",") + '\n';
    for (scan_row const& row : table) {
        auto const record = detail::scan::record_of(row);
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto const* const value = record.if_contains(names[i]);
            text += (i == 0 ? "" : ",") +
                    (value == nullptr ? std::string() : detail::scan::csv_value(*value));
        }
        text += '\n';
    }
    return text;
}

namespace detail::scan {

inline std::string markdown_of(scan_table const& rows, char const* instance) {
    std::string text = "| product | engine | " + std::string(instance) +
                       " | time | TFLOP/s | GB/s | of the roof | "
                       "verdict |\n|---|---|---|---|---|---|---|---|\n";
    for (scan_row const& row : rows)
        text += "| " + table_cell(to_string(row.spec)) + " | " + table_cell(row.engine) + " | " +
                table_cell(row.instance.name) + " | " + to_string(row.instance.time) + " | " +
                significant(row.rate() / teraflop_per_second) + " | " +
                significant(row.bandwidth() / gigabyte_per_second) + " | " + percent(row.share()) +
                " | " + std::string(to_string(row.instance.verdict)) + " |\n";
    return text;
}

inline std::string without_numbers(scan_table const& table) {
    std::string text;
    for (scan_row const& row : table)
        if (!row.measured())
            text += "\n" + table_cell(to_string(row.spec)) + ": " +
                    std::string(to_string(row.status)) + ": " + table_cell(row.message) + "\n";
    return text;
}

/// Products that were measured, and have no best.
inline std::string all_wrong(scan_table const& table, scan_table const& best) {
    std::set<std::string> told;
    for (scan_row const& row : best) told.insert(row.product());
    std::string text;
    for (scan_row const& row : table)
        if (row.measured() && told.insert(row.product()).second)
            text += "\n" + table_cell(to_string(row.spec)) + ": " + table_cell(row.engine) +
                    ": no instance is right: " + table_cell(row.message) + "\n";
    return text;
}

} // namespace detail::scan

std::string to_markdown(scan_table const& table) {
    auto const best = best_of(table);
    return detail::scan::markdown_of(best, "best instance") + detail::scan::all_wrong(table, best) +
           detail::scan::without_numbers(table);
}

std::string rows_to_markdown(scan_table const& table) {
    return detail::scan::markdown_of(
               filter(table, [](scan_row const& row) { return row.measured(); }), "instance") +
           detail::scan::without_numbers(table);
}

std::string to_markdown(scan_comparison const& c) {
    using namespace detail::scan;
    auto products = c.products;
    std::sort(products.begin(), products.end(), [](auto const& a, auto const& b) {
        double const x = std::abs(std::log(a.speed_up())), y = std::abs(std::log(b.speed_up()));
        return x != y ? x > y : to_string(a.spec) < to_string(b.spec);
    });
    std::string text = std::to_string(products.size()) + " products in both runs";
    if (!products.empty())
        text += ", geometric mean of the speed-ups " + significant(c.mean_speed_up());
    for (auto const& [setups, what] :
         {std::pair(&c.setups_before, "before"), std::pair(&c.setups_after, "after")})
        for (std::string const& setup : *setups)
            text += "\n" + std::string(what) + ": " + plain_line(setup, 300);
    text += "\n\n| product | before | after | speed-up | instance before | instance after |\n"
            "|---|---|---|---|---|---|\n";
    for (compared_product const& p : products)
        text +=
            "| " + table_cell(to_string(p.spec)) + " | " + to_string(p.before) + " | " +
            to_string(p.after) + " | " + significant(p.speed_up()) + " | " +
            table_cell(p.instance_before) + " | " +
            (p.instance_after == p.instance_before ? "the same" : table_cell(p.instance_after)) +
            " |\n";
    for (auto const& [specs, what] :
         {std::pair(&c.only_before, "only before"), std::pair(&c.only_after, "only after")})
        for (scan_spec const& spec : *specs)
            text += "\n" + std::string(what) + ": " + table_cell(to_string(spec)) + "\n";
    return text;
}

} // namespace lkt
