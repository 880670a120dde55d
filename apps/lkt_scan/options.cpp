// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/command_line.hpp"
#include "../common/help.hpp"

#include <lkt/core/near_name.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <array>
#include <sstream>

namespace lkt_scan {
namespace {

namespace po = boost::program_options;

lkt::error usage(std::string message, std::string hint = "see lkt-scan --help") {
    return lkt_apps::usage_error(usage_code, std::move(message), std::move(hint));
}

constexpr char const* introduction =
    R"(lkt-scan: measure matrix products, convolutions and element-wise operations of many sizes,
and compare them with the roof of the device.

  lkt-scan --engine NAME --m RANGE --n RANGE --k RANGE [OPTIONS]
  lkt-scan --engine NAME --operation conv|elementwise --size NAME=RANGE... [OPTIONS]
  lkt-scan --engine ckprofiler --from FILE [OPTIONS]     read what ckProfiler wrote
  lkt-scan compare BEFORE.jsonl AFTER.jsonl              two runs, product by product
  lkt-scan show RUN.jsonl... [--where CONDITION] [--group-by FIELD,...] [--best]
  lkt-scan space RUN.jsonl... [--compile N]              the parameters of CK's instances

)";

constexpr char const* conclusion =
    R"(A RANGE is numbers (1,2,5), steps (128..1024:+128), factors (1..16384:x2), or an expression over
the other extents (M, 4*N). Extents: of gemm M, N, K; of conv N, C, H, W, K, R, S, and where they are
not 1, 0, 1, 1: stride, padding, dilation, groups; of elementwise elements, and of --function other
inputs and flops.

Exit status: 0 done, 1 some products failed or have wrong results alone (they are recorded, with the
reason), 2 usage: the command line, or a file that it names, 3 a program, a device, an output or
another resource is missing, used up or failed, 6 no product has a result: each was refused, failed
or is wrong, 130 interrupted (what was measured is kept: --resume goes on).

Examples:
  lkt-scan --m 1..4096:x2 --n 4096 --k 4096 --dtype f16,fp8 --accelerator MI300X --html a.html
  lkt-scan --engine ckprofiler --dtype bf16 --m 1..256:x2 --n 1024 --k N --jsonl run.jsonl
  lkt-scan --engine ckprofiler --from log.txt --accelerator 'RX 7900 XTX' --csv run.csv
  lkt-scan --shapes model.csv --jsonl run.jsonl --resume
  lkt-scan --engine cublaslt --dtype f16,f32 --m 1..16384:x2 --n 4096 --k 4096 --jsonl run.jsonl
  lkt-scan --engine cublaslt --dtype bf16 --epilogue none,gelu_bias --m 4096 --n 4096 --k 4096
  lkt-scan --engine kernel --problem mine.json --dtype f32 --m 512..4096:x2 --n M --k M
  lkt-scan --operation conv --size N=32 --size C=64,128 --size H=56 --size W=H --size K=C --size R=3
           --size S=3 --size padding=1 --layout nhwc
  lkt-scan --operation elementwise --function add,gelu --size elements=1048576..268435456:x4
  lkt-scan compare before.jsonl after.jsonl
  lkt-scan show run.jsonl --best --where "type == 'f16' and roof_share < 0.5"
  lkt-scan show run.jsonl --best --group-by engine,type,m
  lkt-scan space run.jsonl --compile 20 --arch gfx942
)";

/// What is read from the command line before it is checked.
struct raw {
    std::vector<std::string> words, types, layouts, groups, functions, epilogues, sizes;
    std::string output_type, accelerator, operation{to_string(lkt::scan_operation::gemm)}, m, n, k;
    bool unverified = false;
    double time_limit_s = lkt::scan_settings{}.time_limit.count();
    std::uint64_t workspace_mib = lkt::cublaslt_options{}.workspace.count >> 20;
    std::vector<std::string> of_scans{}; ///< options that say what is measured, and how
};

po::options_description describe(options& o, raw& r) {
    auto all = lkt_apps::option_group();
    auto const group = [&](char const* title, auto const& fill) {
        auto one = lkt_apps::option_group(title);
        fill(one.add_options());
        all.add(one);
        return one;
    };
    auto const group_of_scans = [&](char const* title, auto const& fill) {
        auto const options = group(title, fill).options();
        for (auto const& option : options) r.of_scans.push_back(option->long_name());
    };
    group_of_scans("Products", [&](auto add) {
        add("operation",
            po::value(&r.operation)->value_name("NAME")->default_value(r.operation),
            "gemm, conv or elementwise");
        add("m", po::value(&r.m)->value_name("RANGE"), "rows of A and C; as --size M=RANGE");
        add("n", po::value(&r.n)->value_name("RANGE"), "columns of B and C");
        add("k", po::value(&r.k)->value_name("RANGE"), "columns of A, rows of B");
        add("size",
            po::value(&r.sizes)->value_name("NAME=RANGE"),
            "an extent of any operation; repeatable");
        add("function",
            po::value(&r.functions)->value_name("NAME,..."),
            "elementwise: add (the default), multiply, multiply_add, relu, exp, tanh, sigmoid, "
            "silu, "
            "gelu; other, which cannot be verified");
        add("shapes",
            po::value(&o.shapes_file)->value_name("FILE"),
            "the needed extents on each line (M, N, K), or columns with their names, instead of "
            "ranges");
        add("dtype",
            po::value(&r.types)->value_name("TYPE,..."),
            "of the inputs: f64, f32, tf32, f16, bf16, fp8, int8, int4; default f16, or that of "
            "--problem");
        add("output-dtype",
            po::value(&r.output_type)->value_name("TYPE"),
            "of the output; by default that of the inputs");
        add("layout",
            po::value(&r.layouts)->value_name("LAYOUTS"),
            "gemm: of A, B and C, by letters: rrr (all row-major; the default), rcr (B "
            "column-major), ...; conv: nchw (the default) or nhwc; repeatable");
        add("gap",
            po::value(&o.rest.gap)->value_name("N")->default_value(o.rest.gap),
            "gemm: elements behind each row of a row-major matrix, and each column of another");
        add("batch",
            po::value(&o.rest.batch)->value_name("N")->default_value(o.rest.batch),
            "gemm: products of one launch");
        add("alpha",
            po::value(&o.rest.alpha)->value_name("X")->default_value(o.rest.alpha),
            "gemm: factor of A B");
        add("beta",
            po::value(&o.rest.beta)->value_name("X")->default_value(o.rest.beta),
            "gemm: factor of C, which is read unless this is 0");
        add("epilogue",
            po::value(&r.epilogues)->value_name("NAME,..."),
            "gemm: none (the default), bias, relu, relu_bias, gelu, gelu_bias: what follows the "
            "product in the same kernel");
    });
    group_of_scans("Engine", [&](auto add) {
        add("engine",
            po::value(&o.engine)->value_name("NAME")->default_value(o.engine),
            "simulated: numbers from the accelerator's roof, for trying things out; cublaslt: each "
            "algorithm that NVIDIA's library has; hipblaslt: AMD's, untried on its devices; "
            "kernel: "
            "that of --problem; ckprofiler: Composable Kernel's profiler");
        add("cublaslt",
            po::value(&o.cublaslt)->value_name("FILE"),
            "which libcublasLt.so; searched for if not given");
        add("hipblaslt",
            po::value(&o.hipblaslt)->value_name("FILE"),
            "which libhipblaslt.so; searched for if not given");
        add("workspace",
            po::value(&r.workspace_mib)->value_name("MIB")->default_value(r.workspace_mib),
            "cublaslt, hipblaslt: memory of the device that an algorithm may use");
        add("problem",
            po::value(&o.problem_file)->value_name("FILE"),
            "problem file whose kernel computes the operation");
        add("kernel",
            po::value(&o.kernel_file)->value_name("FILE"),
            "another kernel for it, as lkt-tune writes it");
        add("configurations",
            po::value(&o.configurations)->value_name("N")->default_value(o.configurations),
            "kernel: how many of its configurations are measured, the default one first");
        add("backend",
            po::value(&o.backend)->value_name("NAME")->default_value(o.backend),
            lkt_apps::backend_help);
        add("unconfined-compiler",
            po::bool_switch(&o.unconfined_compiler),
            lkt_apps::unconfined_help);
        add("ckprofiler",
            po::value(&o.ckprofiler)->value_name("PROGRAM")->default_value(o.ckprofiler),
            "which ckProfiler");
        add("from",
            po::value(&o.from)->value_name("FILE"),
            "read its console output or JSON lines instead of running it; repeatable");
        add("device",
            po::value(&o.device)->value_name("NAME"),
            "cublaslt, hipblaslt, kernel: which GPU, by its index; others: a name for the table");
        add("iterations",
            po::value(&o.settings.iterations)
                ->value_name("N")
                ->default_value(o.settings.iterations),
            "timed launches of an instance");
        add("warm-ups",
            po::value(&o.settings.warm_ups)->value_name("N")->default_value(o.settings.warm_ups),
            "launches before these");
        add("no-verify",
            po::bool_switch(&r.unverified),
            "do not compare results with a reference, which takes long for large products");
        add("time-limit",
            po::value(&r.time_limit_s)->value_name("SECONDS")->default_value(r.time_limit_s),
            "for one product");
        add("seed",
            po::value(&o.seed)->value_name("N")->default_value(o.seed),
            "simulated: of its numbers; cublaslt, hipblaslt, kernel: of the inputs");
    });
    group("Roof", [&](auto add) {
        add("accelerator",
            po::value(&r.accelerator)->value_name("NAME"),
            "whose data sheet gives the roof; by default that of the device, simulated: MI300X");
        add("list-accelerators", "print those that are known, their figures and sources, and exit");
    });
    group("Output", [&](auto add) {
        add("jsonl",
            po::value(&o.jsonl_file)->value_name("FILE"),
            "append each product to FILE when it is done, as lines of JSON");
        add("resume",
            po::bool_switch(&o.resume),
            "go on with --jsonl FILE: what it has is not measured again");
        add("csv",
            po::value(&o.csv_file)->value_name("FILE"),
            "all rows as CSV at the end; - is standard output");
        add("markdown",
            po::value(&o.markdown_file)->value_name("FILE"),
            "the best of each product as a table; - is standard output, and so is nothing");
        add("html",
            po::value(&o.html_file)->value_name("FILE"),
            "a page with roofline, heat map and bars, which works offline; - is standard output");
        add("quiet", po::bool_switch(&o.quiet), "no progress");
    });
    group("Show and compare", [&](auto add) {
        add("where",
            po::value(&o.where)->value_name("CONDITION"),
            "only rows that meet it, over the fields of results: \"type == 'f16' and m >= 1024\"");
        add("group-by",
            po::value(&r.groups)->value_name("FIELD,..."),
            "show: one line for all rows with the same values of these fields");
        add("best",
            po::bool_switch(&o.best),
            "show: only the fastest instance of each product and engine");
    });
    group("Spaces of Composable Kernel", [&](auto add) {
        add("compile",
            po::value(&o.compile)->value_name("N"),
            "space: write C++ of N configurations of each space, those of the runs first, and "
            "compile it");
        add("arch",
            po::value(&o.ck.architecture)->value_name("NAME")->default_value(o.ck.architecture),
            "for which GPU");
        add("ck",
            po::value(&o.ck.include)->value_name("FOLDER"),
            "that has ck/ck.hpp; searched for if not given");
        add("clang",
            po::value(&o.ck.compiler)->value_name("PROGRAM"),
            "a clang++ that compiles HIP; searched for if not given");
        add("clang-argument",
            po::value(&o.ck.arguments)->value_name("ARGUMENT"),
            "one more for it; repeatable");
        add("sources",
            po::value(&o.sources)->value_name("FOLDER"),
            "keep what was written, also where it does not compile");
    });
    group("Information", [&](auto add) {
        add("dry-run",
            po::bool_switch(&o.dry_run),
            "print the products, and what they compute and move, and measure nothing");
        add("version", "print the version and exit");
        add("help", "print this help and exit");
    });
    r.of_scans.insert(r.of_scans.end(), {"jsonl", "resume", "dry-run"});
    return all;
}

std::string listed_accelerators() {
    std::ostringstream out;
    for (lkt::accelerator const& a : lkt::known_accelerators()) {
        out << a.name << "\n  memory   " << to_string(a.memory) << ", " << to_string(a.bandwidth)
            << "\n  dense   ";
        for (lkt::gemm_type const type : lkt::every_gemm_type)
            if (a.rate(type) > lkt::flop_rate())
                out << ' ' << to_string(type) << ' '
                    << lkt::significant(a.rate(type) / lkt::teraflop_per_second);
        out << " TFLOP/s\n  ridge   ";
        for (lkt::gemm_type const type : lkt::every_gemm_type)
            if (a.rate(type) > lkt::flop_rate())
                out << ' ' << to_string(type) << ' ' << lkt::significant(a.ridge(type).count());
        out << " FLOP/byte\n  source   " << a.source << '\n';
    }
    return out.str();
}

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
