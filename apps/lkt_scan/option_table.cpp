// SPDX-License-Identifier: BSL-1.0
#include "option_table.hpp"

#include "../common/backend.hpp"
#include "../common/help.hpp"

#include <boost/program_options.hpp>

#include <sstream>

namespace lkt_scan {

namespace po = boost::program_options;

char const* const introduction =
    R"(lkt-scan: measure matrix products, convolutions and element-wise operations of many sizes,
and compare them with the roof of the device.

  lkt-scan --engine NAME --m RANGE --n RANGE --k RANGE [OPTIONS]
  lkt-scan --engine NAME --operation conv|elementwise --size NAME=RANGE... [OPTIONS]
  lkt-scan --engine ckprofiler --from FILE [OPTIONS]     read what ckProfiler wrote
  lkt-scan compare BEFORE.jsonl AFTER.jsonl              two runs, product by product
  lkt-scan show RUN.jsonl... [--where CONDITION] [--group-by FIELD,...] [--best]
  lkt-scan space RUN.jsonl... [--compile N]              the parameters of CK's instances

)";

char const* const conclusion =
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

} // namespace lkt_scan
