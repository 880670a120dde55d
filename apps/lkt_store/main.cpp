// SPDX-License-Identifier: BSL-1.0
// lkt-store: what lkt-tune --store keeps, listed, read, verified, counted and cleared away.
#include "judge.hpp"
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/output.hpp"
#include "../common/status.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/core/units.hpp>
#include <lkt/llm/prices.hpp>
#include <lkt/nodes/model_usage.hpp>
#include <lkt/store/kernel_store.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace lkt_apps;
using namespace lkt_store;
using lkt::to_string;
namespace json = boost::json;

int complain(lkt::error const& e) {
    bool const given =
        e.code == usage_code || e.code == "lkt.store.name" || e.code.starts_with("lkt.problem.");
    return lkt_apps::report_error("lkt-store", e, given);
}

int print(std::string const& text) {
    auto const failed = write_output("-", text);
    return failed ? complain(*failed) : status::done;
}

/// The entries that the command line names. What cannot be read is said.
lkt::result<lkt::stored_kernels> chosen(lkt::kernel_store const& store, options const& o) {
    auto found = store.read_all();
    if (!found) return found;
    auto const named = [&](std::string const& file) {
        return o.names.empty() ||
               std::any_of(o.names.begin(), o.names.end(), [&](std::string const& part) {
                   return file.find(part) != std::string::npos;
               });
    };
    std::erase_if(found->entries, [&](lkt::kernel_entry const& e) {
        return !named(e.file) || (!o.operation.empty() && e.key.operation != o.operation) ||
               (!o.model.empty() && e.model.find(o.model) == std::string::npos) ||
               (!o.status.empty() && to_string(e.status) != o.status);
    });
    std::erase_if(found->faults, [&](auto const& f) { return !named(f.first); });
    return found;
}

void say_faults(lkt::stored_kernels const& found) {
    for (auto const& [file, why] : found.faults) say("lkt-store: warning: skipped: " + why.message);
}

std::string time_text(std::optional<lkt::seconds> const& t) { return t ? to_string(*t) : "-"; }

json::value time_json(std::optional<lkt::seconds> const& t) {
    return t ? json::value(t->count()) : json::value(nullptr);
}

/// Lines of cells under their heads, each column as wide as it has to be.
std::string table(std::vector<std::vector<std::string>> const& rows) {
    std::vector<std::size_t> widths;
    for (auto const& row : rows)
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (k == widths.size()) widths.push_back(0);
            widths[k] = std::max(widths[k], row[k].size());
        }
    std::string text;
    for (auto const& row : rows) {
        std::string line;
        for (std::size_t k = 0; k < row.size(); ++k) {
            std::string cell = lkt::plain_line(row[k]);
            if (k + 1 < row.size()) cell.resize(std::max(cell.size(), widths[k]) + 2, ' ');
            line += cell;
        }
        text += line + "\n";
    }
    return text;
}

json::object row_json(lkt::kernel_entry const& e) {
    return {{"name", e.file},
            {"status", to_string(e.status)},
            {"operation", e.key.operation},
            {"size", e.key.size},
            {"language", to_string(e.key.language)},
            {"device", e.key.device},
            {"model", e.model},
            {"median_s", time_json(e.time)},
            {"baseline_s", time_json(e.baseline)},
            {"date", e.date},
            {"writer", e.writer},
            {"why", e.why}};
}

int list(lkt::stored_kernels const& found, options const& o) {
    say_faults(found);
    if (o.json) {
        std::string lines;
        for (lkt::kernel_entry const& e : found.entries)
            lines += lkt::plain_json(json::serialize(row_json(e))) + "\n";
        return print(lines);
    }
    std::vector<std::vector<std::string>> rows{
        {"status", "time", "speed-up", "model", "device", "date", "name"}};
    for (lkt::kernel_entry const& e : found.entries) {
        char faster[32] = "-";
        if (e.time && e.baseline && e.time->count() > 0)
            std::snprintf(faster, sizeof faster, "%.2fx", *e.baseline / *e.time);
        rows.push_back({std::string(to_string(e.status)),
                        time_text(e.time),
                        faster,
                        e.model.empty() ? "-" : e.model,
                        e.writer == "lkt" ? e.key.device : e.writer,
                        e.date.substr(0, 10),
                        e.file});
    }
    auto const accepted =
        std::count_if(found.entries.begin(), found.entries.end(), [](lkt::kernel_entry const& e) {
            return e.status == lkt::stored_status::accepted;
        });
    return print((found.entries.empty() ? std::string() : table(rows)) +
                 std::to_string(found.entries.size()) + " entries, " + std::to_string(accepted) +
                 " accepted" +
                 (found.faults.empty()
                      ? ""
                      : ", " + std::to_string(found.faults.size()) + " files skipped") +
                 "\n");
}

std::string show_text(lkt::kernel_entry const& e) {
    auto const section = [](std::string const& title, std::string const& text) {
        return text.empty() ? ""
                            : "\n--- " + title + "\n" + text + (text.ends_with('\n') ? "" : "\n");
    };
    std::vector<std::vector<std::string>> rows{
        {"entry", e.file},
        {"status", std::string(to_string(e.status)) + (e.why.empty() ? "" : ": " + e.why)},
        {"operation",
         e.key.operation + ", " + e.key.size + ", " + std::string(to_string(e.key.language))},
        {"device",
         e.key.device + ", back end " + e.key.backend + (e.driver.empty() ? "" : ", " + e.driver)},
        {"time", time_text(e.time) + (e.baseline ? "; original " + time_text(e.baseline) : "")},
        {"model",
         (e.model.empty() ? "none" : e.model) + ", " + std::to_string(e.input_tokens) +
             " tokens in, " + std::to_string(e.output_tokens) + " out, " + to_string(e.thinking)},
        {"judged",
         to_string(e.testing) + ", seed " + std::to_string(e.seed) + ", " +
             std::to_string(e.tests.size()) + " tests, by " +
             (e.writer == "lkt" ? "lkt " + e.key.lkt_version : e.writer)},
        {"run", e.run + ", " + e.strategy + ", " + e.date},
        {"problem", e.key.problem}};
    std::string text = table(rows);
    for (auto const& [role, said] : e.prompt) text += section("prompt: " + role, said);
    text += section("reply", e.reply);
    text += section("kernel", e.kernel);
    text += section("record", e.record);
    return lkt::plain_text(text);
}

int no_such_entry(options const& o) {
    return complain(
        usage_error(usage_code,
                    "no entry of " + o.store + " is what was asked for",
                    "lkt-store --store " + lkt::shell_word(o.store) + " list shows their names"));
}

int show(lkt::stored_kernels const& found, options const& o) {
    say_faults(found);
    if (found.entries.empty()) return no_such_entry(o);
    std::string text;
    for (lkt::kernel_entry const& e : found.entries)
        text += o.json ? json::serialize(json::parse(to_text(e))) + "\n"
                       : (text.empty() ? "" : "\n") + show_text(e);
    return print(o.json ? lkt::plain_json(std::move(text)) : text);
}

int export_entries(lkt::stored_kernels const& found, options const& o) {
    say_faults(found);
    bool const lines = o.output_file.ends_with(".jsonl") || o.json;
    if (found.entries.empty()) return no_such_entry(o);
    if (!lines && found.entries.size() > 1)
        return complain(
            usage_error(usage_code,
                        std::to_string(found.entries.size()) +
                            " entries are what was asked for, but one kernel is a file",
                        "lkt-store --store " + lkt::shell_word(o.store) +
                            " list shows their names; --output FILE.jsonl takes several"));
    auto const language = found.entries.front().key.language;
    if (auto const wrong =
            lines ? std::nullopt : output_misnamed(usage_code, o.output_file, language, false))
        return complain(*wrong);
    std::string text;
    if (lines)
        for (lkt::kernel_entry const& e : found.entries)
            text += lkt::plain_json(json::serialize(json::parse(to_text(e)))) + "\n";
    else
        text = found.entries.front().kernel;
    auto const failed = write_output(o.output_file, text);
    return failed ? complain(*failed) : status::done;
}

int stats(lkt::stored_kernels const& found, options const& o) {
    say_faults(found);
    auto prices = lkt::price_table::built_in();
    if (!o.prices_file.empty())
        if (auto const read = prices.add_file(o.prices_file); !read) return complain(read.error());
    std::vector<std::vector<std::string>> rows{{"operation",
                                                "model",
                                                "runs",
                                                "replies",
                                                "right",
                                                "accepted",
                                                "tokens in",
                                                "out",
                                                "cost",
                                                "model",
                                                "tests",
                                                "best",
                                                "speed-up"}};
    std::string lines;
    for (lkt::kernel_statistics const& s : lkt::statistics_of(found.entries)) {
        lkt::used_model used;
        used.name = s.model;
        used.source = s.asked;
        used.tokens.input = s.input_tokens;
        used.tokens.cached = s.cached_tokens;
        used.tokens.output = s.output_tokens;
        auto const cost = s.model.empty() ? std::nullopt : cost_of(std::span(&used, 1), prices);
        char dollars[32] = "-", faster[32] = "-", share[32];
        if (cost) std::snprintf(dollars, sizeof dollars, "$%.4f", cost->usd);
        if (s.speedup > 0) std::snprintf(faster, sizeof faster, "%.2fx", s.speedup);
        std::snprintf(share,
                      sizeof share,
                      "%.0f%%",
                      100.0 * static_cast<double>(s.right) / static_cast<double>(s.replies));
        rows.push_back({s.operation,
                        s.model.empty() ? "-" : s.model,
                        std::to_string(s.runs),
                        std::to_string(s.replies),
                        share,
                        std::to_string(s.accepted),
                        std::to_string(s.input_tokens),
                        std::to_string(s.output_tokens),
                        dollars,
                        to_string(s.thinking),
                        to_string(s.testing),
                        time_text(s.best),
                        faster});
        json::object row{
            {"operation", s.operation},
            {"model", s.model},
            {"runs", s.runs},
            {"replies", s.replies},
            {"right", s.right},
            {"accepted", s.accepted},
            {"input_tokens", s.input_tokens},
            {"output_tokens", s.output_tokens},
            {"cost_usd", cost ? json::value(cost->usd) : json::value(nullptr)},
            {"model_s", s.thinking.count()},
            {"testing_s", s.testing.count()},
            {"best_s", time_json(s.best)},
            {"speedup", s.speedup > 0 ? json::value(s.speedup) : json::value(nullptr)}};
        lines += lkt::plain_json(json::serialize(row)) + "\n";
    }
    return print(o.json ? lines : rows.size() == 1 ? "no entries\n" : table(rows));
}

int verify(lkt::kernel_store& store, lkt::stored_kernels const& found, options const& o) {
    if (found.entries.empty() && found.faults.empty() && !o.names.empty()) return no_such_entry(o);
    std::string text;
    std::size_t damaged = 0;
    for (auto const& [file, why] : found.faults) {
        bool const torn = why.code == "lkt.store.entry";
        damaged += torn;
        text += (torn ? "damaged   " : "skipped   ") + lkt::plain_line(why.message) + "\n";
    }
    text += std::to_string(found.entries.size()) + " entries are whole, " +
            std::to_string(damaged) + " damaged; " + std::to_string(found.faults.size() - damaged) +
            " other files were skipped\n";
    if (int const printed = print(text); printed != status::done) return printed;
    int const ended = damaged > 0 ? status::rejected : status::done;
    if (o.problem_file.empty()) return ended;
    auto const judged = judge_all(store, found, o);
    if (!judged) return complain(judged.error());
    int const printed = print(judged->text + std::to_string(judged->all) +
                              " kernels of this problem were judged here, " +
                              std::to_string(judged->wrong) + " rejected\n");
    if (printed != status::done) return printed;
    return judged->wrong > 0 ? status::rejected : ended;
}

int collect(lkt::kernel_store const& store, options const& o) {
    auto const files = store.garbage({.keep = static_cast<std::size_t>(o.keep), .days = o.days});
    if (!files) return complain(files.error());
    std::string text;
    std::uint64_t sum = 0;
    for (lkt::removable_file const& f : *files) {
        sum += f.bytes;
        text += f.name + ": " + f.reason + "\n";
    }
    if (!o.dry_run) {
        auto const freed = store.collect(*files);
        if (!freed) return complain(freed.error());
        sum = *freed;
    }
    return print(text + std::to_string(files->size()) + " files, " + std::to_string(sum) +
                 (o.dry_run ? " bytes would be removed\n" : " bytes were removed\n"));
}

int run(options const& o) {
    lkt::kernel_store store(o.store);
    if (o.what == command::gc) return collect(store, o);
    auto const found = chosen(store, o);
    if (!found) return complain(found.error());
    switch (o.what) {
    case command::list:
        return list(*found, o);
    case command::show:
        return show(*found, o);
    case command::verify:
        return verify(store, *found, o);
    case command::stats:
        return stats(*found, o);
    case command::export_:
        return export_entries(*found, o);
    case command::gc:
        break;
    }
    return status::usage;
}

} // namespace

int main(int argc, char** argv) {
    return run_program("lkt-store", "verify fewer entries at a time", argc, argv, [&] {
        return run_parsed(parse_command_line(argc, argv), complain, run);
    });
}
