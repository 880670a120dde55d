// SPDX-License-Identifier: BSL-1.0
// A scan from its first product to its last, over a file that a killed run can go on with.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/time_source.hpp>
#include <lkt/scan/scan_records.hpp>
#include <lkt/scan/scan_table.hpp>
#include <lkt/scan/spec_scan.hpp>
#include <lkt/store/journal_sink.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lkt {

/// Results on a sink: `journal_file`, `journal_memory`. All rows of a product are appended at once,
/// when it is done; what a killed program left of one is cut off, so that it is measured again.
template <journal_sink Sink>
class scan_log {
public:
    /// Reads what is there. Errors: those of the sink, and of `read_json_lines`.
    [[nodiscard]] static result<scan_log> open(Sink& sink) {
        auto text = sink.read();
        if (!text) return text.error();
        auto read = read_json_lines(*text);
        if (!read) return read.error();
        if (read->whole < text->size())
            if (auto cut = sink.cut(read->whole); !cut) return cut.error();
        scan_log log(sink);
        for (scan_row& row : read->table) log.take(std::move(row));
        return log;
    }
    /// Whether it was measured so: by this engine, on this device, with these settings.
    [[nodiscard]] bool
    has(std::string_view engine, scan_setup const& setup, scan_spec const& spec) const {
        return known_.contains(key(engine, setup.device, setup.settings, spec));
    }
    /// Whether this has a result that is not wrong.
    [[nodiscard]] bool
    has_result(std::string_view engine, scan_setup const& setup, scan_spec const& spec) const {
        auto const at = known_.find(key(engine, setup.device, setup.settings, spec));
        return at != known_.end() && at->second;
    }
    /// Whether it was measured by this engine, however.
    [[nodiscard]] bool has(std::string_view engine, scan_spec const& spec) const {
        return known_somehow_.contains(key(engine, {}, {}, spec));
    }
    /// Of one product, all of them. Errors: those of the sink.
    [[nodiscard]] result<void> append(scan_table rows) {
        std::string lines;
        for (scan_row const& row : rows) lines += to_json_line(row);
        if (auto written = sink_->append(lines); !written) return written;
        for (scan_row& row : rows) take(std::move(row));
        return {};
    }
    [[nodiscard]] scan_table const& table() const { return table_; }

private:
    explicit scan_log(Sink& sink) : sink_(&sink) {}
    static std::string key(std::string_view engine,
                           std::string_view device,
                           std::string_view settings,
                           scan_spec const& spec) {
        std::string text;
        for (std::string_view const part : {engine, device, settings})
            text.append(part).append(1, '\n');
        return text + to_string(spec);
    }
    void take(scan_row row) {
        bool& result = known_[key(row.engine, row.device, row.settings, row.spec)];
        result = result || row.best;
        known_somehow_.insert(key(row.engine, {}, {}, row.spec));
        table_.push_back(std::move(row));
    }

    Sink* sink_;
    scan_table table_;
    std::unordered_map<std::string, bool> known_; ///< whether there is a result
    std::unordered_set<std::string> known_somehow_;
};

struct scan_progress {
    std::size_t done = 0, total = 0; ///< products; those of an earlier run are done
    std::size_t failed = 0;          ///< of these, in this run
    std::string last;                ///< the product that was just done, and what came of it
    seconds elapsed{0}, left{0};     ///< `left` is a guess; 0: there is none yet
};

/// How a scan runs.
struct scan_run_options {
    std::optional<accelerator> device{};                     ///< for the roofs; else as it is named
    std::function<void(scan_progress const&)> on_progress{}; ///< called before each product
    time_source clock{};                                     ///< of dates and times
};

struct scan_outcome {
    std::size_t measured = 0, resumed = 0, refused = 0, failed = 0; ///< products
    std::size_t wrong = 0;  ///< of those that were measured: they have no instance that is right
    std::size_t usable = 0; ///< products with a result that is not wrong; of an earlier run, too
    /// Of those that are not `resumed`: the log has them of another device or with other settings.
    std::size_t again = 0;
    bool interrupted = false;
};

/// `2025-06-13T10:24:13Z`, now.
[[nodiscard]] std::string scan_date();

/// Of a product without numbers.
[[nodiscard]] scan_row row_without_numbers(std::string engine,
                                           scan_setup const& setup,
                                           scan_spec const& spec,
                                           scan_status status,
                                           std::string why);

/// `6 instances, best 812 us, 674 TFLOP/s`, or why there are none.
[[nodiscard]] std::string said_of(scan_table const& product);

/// Measures each product of the scan that the log has not of the engine's setup, in order. A
/// product that fails is recorded as such, and the scan goes on. It ends early, with what is
/// recorded so far, when it is cancelled. Errors: those of the sink; of the engine only
/// `unavailable` ones before anything was measured (the next product would meet the same), and
/// those of its setup; of a product that cannot be, as of `spec_scan`.
template <scan_engine Engine, journal_sink Sink>
[[nodiscard]] result<scan_outcome> run_scan(spec_scan const& scan,
                                            Engine& engine,
                                            scan_log<Sink>& log,
                                            scan_run_options const& options = {},
                                            call_context const& context = {}) {
    scan_outcome out;
    auto const begin = options.clock.now();
    std::string const name(engine.name());
    result<scan_setup> const setup = engine.setup(context);
    if (!setup && setup.error().kind == condition::cancelled) {
        out.interrupted = true;
        return out;
    }
    if (!setup) return setup.error();
    for (std::size_t i = 0; i < scan.size(); ++i) {
        if (context.stop.stop_requested()) {
            out.interrupted = true;
            return out;
        }
        auto const spec = scan.at(i);
        if (!spec) return spec.error();
        if (log.has(name, *setup, *spec)) {
            ++out.resumed;
            out.usable += log.has_result(name, *setup, *spec) ? 1 : 0;
            continue;
        }
        if (log.has(name, *spec)) ++out.again;
        scan_table rows;
        if (auto why = engine.refuses(*spec); !why.empty()) {
            rows = {row_without_numbers(name, *setup, *spec, scan_status::refused, std::move(why))};
            ++out.refused;
        } else {
            auto const found = engine.measure(*spec, context);
            if (context.stop.stop_requested() ||
                (!found && found.error().kind == condition::cancelled)) {
                out.interrupted = true;
                return out;
            }
            if (!found && found.error().kind == condition::unavailable && out.measured == 0)
                return found.error();
            if (found) {
                auto const known = options.device ? result<accelerator>(*options.device)
                                                  : accelerator_called(found->device);
                rows = rows_of(name, *spec, *found, scan_date(), known ? &*known : nullptr, *setup);
                ++(rows[0].measured() ? out.measured : out.refused);
            } else {
                rows = {row_without_numbers(
                    name, *setup, *spec, scan_status::failed, to_string(found.error()))};
                ++out.failed;
            }
        }
        scan_progress p;
        if (options.on_progress) p.last = to_string(*spec) + ": " + said_of(rows);
        bool const measured = rows[0].measured();
        if (auto written = log.append(std::move(rows)); !written) return written.error();
        if (measured) ++(log.has_result(name, *setup, *spec) ? out.usable : out.wrong);
        if (!options.on_progress) continue;
        p.done = i + 1;
        p.total = scan.size();
        p.failed = out.failed;
        p.elapsed = options.clock.now() - begin;
        auto const own = static_cast<double>(i + 1 - out.resumed);
        p.left = p.elapsed * (static_cast<double>(p.total - p.done) / own);
        options.on_progress(p);
    }
    return out;
}

} // namespace lkt
