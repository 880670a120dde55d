// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/command_line.hpp"
#include "errors.hpp"
#include "option_table.hpp"

#include <lkt/core/near_name.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <array>
#include <sstream>

namespace lkt_scan {
namespace {

namespace po = boost::program_options;

/// Adds the names of lists with commas, each once.
template <class T>
std::optional<lkt::error> take_names(std::vector<std::string> const& lists,
                                     lkt::result<T> (*called)(std::string_view),
                                     std::vector<T>& to) {
    for (std::string const& list : lists) {
        std::istringstream names(list);
        for (std::string name; std::getline(names, name, ',');) {
            auto const one = called(name);
            if (!one) return usage(one.error().message, one.error().hint);
            if (std::find(to.begin(), to.end(), *one) == to.end()) to.push_back(*one);
        }
    }
    return std::nullopt;
}

std::optional<lkt::error> take(options& o, raw const& r) {
    o.types_given = !r.types.empty();
    if (o.types_given) o.types.clear();
    if (auto wrong = take_names(r.types, &lkt::gemm_type_called, o.types)) return wrong;
    if (o.types.empty()) return usage("--dtype names no type");
    auto const operation = lkt::scan_operation_called(r.operation);
    if (!operation) return usage(operation.error().message, operation.error().hint);
    o.operation = *operation;
    for (auto const& [name, range] : {std::pair("M=", &r.m), {"N=", &r.n}, {"K=", &r.k}})
        if (!range->empty()) o.sizes.push_back(name + *range);
    o.sizes.insert(o.sizes.end(), r.sizes.begin(), r.sizes.end());
    bool const images = o.operation == lkt::scan_operation::convolution,
               arrays = o.operation == lkt::scan_operation::elementwise;
    if (arrays && !r.layouts.empty()) return usage("--operation elementwise has no --layout");
    if (!arrays && !r.functions.empty()) return usage("--function needs --operation elementwise");
    if (auto wrong = take_names(r.functions, &lkt::elementwise_function_called, o.functions))
        return wrong;
    if (auto wrong = take_names(r.epilogues, &lkt::gemm_epilogue_called, o.epilogues)) return wrong;
    if (arrays && o.functions.empty()) o.functions = {lkt::elementwise_function::add};
    for (std::string const& text : r.layouts) {
        if (images) {
            auto const layout = lkt::image_layout_called(text);
            if (!layout) return usage(layout.error().message, layout.error().hint);
            if (std::find(o.image_layouts.begin(), o.image_layouts.end(), *layout) ==
                o.image_layouts.end())
                o.image_layouts.push_back(*layout);
            continue;
        }
        auto const layouts = lkt::parse_layouts(text);
        if (!layouts) return usage(layouts.error().message, layouts.error().hint);
        if (std::find(o.layouts.begin(), o.layouts.end(), *layouts) == o.layouts.end())
            o.layouts.push_back(*layouts);
    }
    if (!images && !arrays) {
        if (o.layouts.empty()) o.layouts.emplace_back(); // all row-major
        if (o.epilogues.empty()) o.epilogues = {lkt::gemm_epilogue::none};
    }
    if (!r.output_type.empty()) {
        auto const type = lkt::gemm_type_called(r.output_type);
        if (!type) return usage(type.error().message, type.error().hint);
        o.rest.output = *type;
    }
    if (!r.accelerator.empty()) {
        auto found = lkt::accelerator_called(r.accelerator);
        if (!found) return usage(found.error().message, found.error().hint);
        o.accelerator = std::move(*found);
    }
    o.settings.verify = !r.unverified;
    o.settings.time_limit = lkt::seconds(r.time_limit_s);
    o.workspace = lkt::bytes{std::min(r.workspace_mib, std::uint64_t{1} << 40) << 20};
    return std::nullopt;
}

/// Of --compile and what belongs to it, which need `space`.
std::optional<lkt::error>
fault_of_compile(options& o, po::variables_map const& seen, double time_limit_s) {
    bool const compiles = seen.count("compile") != 0;
    if (compiles && o.space.empty()) return usage("--compile needs lkt-scan space RUN.jsonl");
    if (compiles && (o.compile < 1 || o.compile > 100'000))
        return usage("--compile must be 1 to 100000");
    for (char const* const name : {"arch", "ck", "clang", "clang-argument", "sources"})
        if (!compiles && lkt_apps::was_given(seen, name))
            return usage("--" + std::string(name) + " needs lkt-scan space and --compile");
    if (!compiles) return std::nullopt;
    auto const& arch = o.ck.architecture;
    if (!arch.starts_with("gfx") || arch.size() > 40 ||
        arch.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:+-") != arch.npos)
        return usage("--arch must be an architecture of AMD's", "gfx90a, gfx942, gfx1100, ...");
    if (!(time_limit_s > 0 && time_limit_s <= 604'800))
        return usage("--time-limit must be above 0 and at most 604800 seconds");
    o.ck.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(time_limit_s * 1e3));
    return std::nullopt;
}

std::optional<lkt::error> inconsistency(options const& o) {
    bool const library = o.engine == "cublaslt" || o.engine == "hipblaslt";
    if (o.engine != "simulated" && o.engine != "ckprofiler" && !library && o.engine != "kernel")
        return usage(
            "there is no engine '" + o.engine + "'" +
                lkt::did_you_mean(o.engine, "simulated, cublaslt, hipblaslt, kernel, ckprofiler"),
            "engines: simulated, cublaslt, hipblaslt, kernel, ckprofiler");
    bool const own = o.engine == "kernel";
    if (own && o.problem_file.empty()) return usage("--engine kernel needs --problem FILE");
    if (!own && (!o.problem_file.empty() || !o.kernel_file.empty()))
        return usage("--problem and --kernel need --engine kernel");
    if (own)
        if (auto fault = lkt_apps::backend_fault(usage_code, o.backend, o.device)) return fault;
    if (library && !o.device.empty() &&
        (o.device.size() > 4 || o.device.find_first_not_of("0123456789") != o.device.npos))
        return usage("--device must be the index of a GPU", "nvidia-smi -L lists NVIDIA's");
    for (auto const& [name, file] :
         {std::pair("cublaslt", &o.cublaslt), {"hipblaslt", &o.hipblaslt}})
        if (!file->empty() && o.engine != name)
            return usage("--" + std::string(name) + " needs --engine " + name);
    if (o.configurations < 1 || o.configurations > 1'000'000)
        return usage("--configurations must be 1 to 1000000");
    if (o.workspace.count > std::uint64_t{64} << 30)
        return usage("--workspace must be at most 65536 MiB");
    bool const ranges = !o.sizes.empty();
    if (!o.from.empty()) {
        if (o.engine != "ckprofiler") return usage("--from needs --engine ckprofiler");
        if (ranges || !o.shapes_file.empty() || o.dry_run)
            return usage("--from says the products: no --m, --n, --k, --size, --shapes or "
                         "--dry-run with it");
    } else if (o.shapes_file.empty() != ranges) {
        return usage(ranges ? "--shapes and --m, --n, --k or --size exclude each other"
                            : "no products were given",
                     "pass --m, --n and --k, or --size NAME=RANGE for each extent, or --shapes "
                     "FILE, or --from FILE");
    }
    bool const gemm = o.operation == lkt::scan_operation::gemm;
    if (!gemm && (library || o.engine == "ckprofiler"))
        return usage("--engine " + o.engine + " has no --operation " +
                         std::string(to_string(o.operation)),
                     "--engine kernel and --engine simulated have");
    lkt::gemm_draft const usual;
    if (!gemm && (o.rest.gap != usual.gap || o.rest.batch != usual.batch ||
                  o.rest.alpha != usual.alpha || o.rest.beta != usual.beta || !o.epilogues.empty()))
        return usage("--gap, --batch, --alpha, --beta and --epilogue need --operation gemm");
    if (o.rest.gap < 0 || o.rest.gap > 1'000'000) return usage("--gap must be 0 to 1000000");
    if (o.settings.iterations < 1 || o.settings.iterations > 1'000'000 || o.settings.warm_ups < 0 ||
        o.settings.warm_ups > 1'000'000)
        return usage("--iterations must be 1 to 1000000, and --warm-ups 0 to 1000000");
    if (!(o.settings.time_limit.count() > 0 && o.settings.time_limit.count() <= 604'800))
        return usage("--time-limit must be above 0 and at most 604800 seconds");
    if (o.resume && o.jsonl_file.empty()) return usage("--resume needs --jsonl FILE");
    std::vector<std::string> outputs;
    for (std::string const& file : {o.jsonl_file, o.csv_file, o.markdown_file, o.html_file})
        if (!file.empty() && file != "/dev/null") outputs.push_back(file);
    std::sort(outputs.begin(), outputs.end());
    if (std::adjacent_find(outputs.begin(), outputs.end()) != outputs.end())
        return usage("two outputs go to one file");
    if (o.jsonl_file == "-") return usage("--jsonl needs a file, to which it appends");
    return std::nullopt;
}

} // namespace

lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(int argc, char const* const* argv) {
    using parsed = std::variant<options, lkt_apps::information>;
    options o;
    raw r;
    auto const known = describe(o, r);
    auto all = known;
    all.add_options()("words", po::value(&r.words));
    po::variables_map seen;
    auto asked =
        lkt_apps::read_command_line({.usage_code = usage_code,
                                     .program = "lkt-scan",
                                     .introduction = introduction,
                                     .conclusion = conclusion,
                                     .shown = known,
                                     .known = all,
                                     .plain = "words",
                                     .lists = {{"list-accelerators", listed_accelerators}}},
                                    argc,
                                    argv,
                                    seen);
    if (!asked) return asked.error();
    if (*asked) return parsed(std::move(**asked));
    if (!r.words.empty()) {
        bool const compares = r.words[0] == "compare", shows = r.words[0] == "show";
        if (!compares && !shows && r.words[0] != "space")
            return usage("unexpected word '" + r.words[0] + "'" +
                             lkt::did_you_mean(r.words[0], "compare, show, space"),
                         "lkt-scan compare BEFORE.jsonl AFTER.jsonl compares two runs; lkt-scan "
                         "show RUN.jsonl shows the results of one, lkt-scan space RUN.jsonl its "
                         "instances");
        if (compares && r.words.size() != 3)
            return usage("compare takes two files",
                         "lkt-scan compare BEFORE.jsonl AFTER.jsonl, which lkt-scan --jsonl wrote");
        if (r.words.size() < 2)
            return usage(r.words[0] + " needs a file",
                         "lkt-scan " + r.words[0] + " RUN.jsonl, which lkt-scan --jsonl wrote");
        for (std::string const& name : r.of_scans) {
            bool const of_compile = name == "time-limit" && seen.contains("compile");
            if (of_compile || !lkt_apps::was_given(seen, name)) continue;
            return usage("--" + name + " is for a scan, and " + r.words[0] + " measures nothing",
                         shows ? "to see some of the rows: --where \"m == 4096 and type == 'f16'\""
                               : "drop it");
        }
        (compares ? o.compare
         : shows  ? o.show
                  : o.space)
            .assign(r.words.begin() + 1, r.words.end());
        if (auto wrong = fault_of_compile(o, seen, r.time_limit_s)) return *wrong;
        for (std::string const& list : r.groups) {
            std::istringstream names(list);
            for (std::string name; std::getline(names, name, ',');) o.group_by.push_back(name);
        }
        if (!shows && (!o.group_by.empty() || o.best))
            return usage("--group-by and --best need lkt-scan show");
        if (!shows && !compares && !o.where.empty())
            return usage("--where needs lkt-scan show or lkt-scan compare");
        return parsed(std::move(o));
    }
    if (!o.where.empty() || !r.groups.empty() || o.best)
        return usage("--where, --group-by and --best need lkt-scan show RUN.jsonl");
    if (auto wrong = fault_of_compile(o, seen, r.time_limit_s)) return *wrong;
    if (auto wrong = take(o, r)) return *wrong;
    if (auto wrong = inconsistency(o)) return *wrong;
    return parsed(std::move(o));
}

} // namespace lkt_scan
