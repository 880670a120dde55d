// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/evidence.hpp>

#include "support.hpp"

#include <lkt/gpu/cuda/detail/kernel_inspector.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace lkt::cuda_detail;
using lkt::gpu_detail::code_excerpt;
using lkt::gpu_detail::code_line;

namespace {

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}
std::string joined(std::vector<std::string> const& lines) {
    std::string text;
    for (std::string const& line : lines) text += line + "\n";
    return text;
}

} // namespace

TEST_CASE("evidence: each counter has a name, a metric and a unit of its own") {
    std::set<std::string> names, metrics;
    for (known_counter const& c : known_counters()) {
        CAPTURE(c.name);
        CHECK(std::all_of(c.name, c.name + std::string(c.name).size(), [](char x) {
            return (x >= 'a' && x <= 'z') || (x >= '0' && x <= '9') || x == '_';
        }));
        CHECK(names.insert(c.name).second);
        CHECK(metrics.insert(c.metric).second);
        CHECK(has(c.metric, "__"));
        CHECK_FALSE(std::string(c.unit).empty());
    }
    CHECK(metrics_of({"dram_read_bytes"}).value() ==
          std::vector<std::string>{"dram__bytes_read.sum"});
    // What reaches the tool's command line comes from the table.
    CHECK(metrics_of({"dram_read_bytes", "x --set full"}).error().kind == lkt::condition::rejected);
}

TEST_CASE("evidence: values under the names that were asked for") {
    profiled_launch launch;
    launch.metrics = {{"dram__bytes_read.sum", "Kbyte", 12.5},
                      {"smsp__warps_eligible.avg.per_cycle_active", "warp", 1.25}};
    CHECK(counter_lines({"dram_read_bytes", "eligible_warps", "cycles"}, launch) ==
          std::vector<std::string>{"dram_read_bytes: 12500 bytes",
                                   "eligible_warps: 1.25 warps",
                                   "cycles: this device does not report it"});
}

TEST_CASE("evidence: registers, spills, and what limits the resident blocks") {
    lkt::compiled_kernel kernel;
    lkt::launch_dimensions launch;
    launch.block.x = 256;
    launch.grid.x = 264;
    launch.shared_bytes = 1024;
    lkt::device_description device;
    device.warp_size = 32;
    device.multiprocessors = 132;
    device.threads_per_multiprocessor = 2048;
    device.registers_per_multiprocessor = 65536;
    device.shared_memory_per_multiprocessor.count = 233472;
    CHECK(joined(resource_lines(kernel, launch, device)) ==
          "the compiler says nothing of this kernel\n");
    kernel.resources = lkt::kernel_resources{.registers = 80, .spill_store_bytes = 16};
    auto const text = joined(resource_lines(kernel, launch, device));
    CHECK_MESSAGE(has(text, "80 registers of a thread, spills 16 bytes stored"), text);
    CHECK_MESSAGE(has(text, "threads for 8, registers for 3, shared memory for 228"), text);
    CHECK_MESSAGE(has(text, "2 blocks for each of its 132 multiprocessors"), text);
}

TEST_CASE("evidence: nvdisasm's listing, by lines of the kernel's text") {
    auto const code = read_disassembly("\t.section\t.text.other,\"ax\",@progbits\n"
                                       "        /*0000*/                   EXIT ;\n"
                                       "\t.section\t.text.k,\"ax\",@progbits\n"
                                       "\t//## File \"/tmp/x/kernel\", line 3\n"
                                       "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                                       "        /*0010*/              @!P0 BRA `(.L_x_1) ;\n"
                                       "\t//## File \"/usr/include/cuda_fp16.h\", line 77\n"
                                       "        /*0020*/                   HFMA2 R2, R2, R3, R4 ;\n"
                                       "\t//## File \"kernel\", line 4\n"
                                       "        /*0030*/                   NOP;\n"
                                       "        /*0040*/                   EXIT ;\n"
                                       "\t.section\t.nv.info,\"\"\n"
                                       "        /*0000*/                   junk ;\n",
                                       "k");
    REQUIRE(code.size() == 4);
    CHECK(code[0].text == "LDC R1, c[0x0][0x28]");
    CHECK(code[0].line == 3);
    CHECK(lkt::gpu_detail::operation_of(code[1].text) == "BRA");
    CHECK(code[2].line == 0);
    CHECK(code[3].line == 4);
    CHECK(read_disassembly("", "k").empty());
}

TEST_CASE("evidence: the part of the code that is asked for") {
    std::vector<code_line> code;
    for (int line = 1; line <= 40; ++line)
        for (int k = 0; k < 5; ++k)
            code.push_back({line, (k == 0 ? "LDG.E R" : "FFMA R") + std::to_string(k)});
    auto const begin = code_excerpt(code, {.what = lkt::evidence_kind::code, .containing = ""});
    CHECK(begin.size() <= lkt::evidence_lines);
    CHECK(begin[0] == "200 instructions: FFMA 160, LDG.E 40");
    CHECK(has(begin.back(), " more: ask for a line"));
    auto const of_line =
        code_excerpt(code, {.what = lkt::evidence_kind::code, .line = 20, .containing = ""});
    CHECK(of_line[1] == "25 of them are asked for:"); // two lines on either side
    CHECK(of_line[2] == "line 18\tLDG.E R0");
    auto const loads =
        code_excerpt(code, {.what = lkt::evidence_kind::code, .line = 20, .containing = "ldg"});
    CHECK(std::count(loads.begin(), loads.end(), "...") == 0);
    auto const apart =
        code_excerpt({{3, "LDG"}, {9, "EXIT"}, {3, "FFMA"}},
                     {.what = lkt::evidence_kind::code, .line = 3, .containing = ""});
    CHECK(apart[3] == "...");
    CHECK(std::count_if(loads.begin(), loads.end(), [](auto const& x) { return has(x, "LDG"); }) ==
          6);
    auto const nothing =
        code_excerpt(code, {.what = lkt::evidence_kind::code, .containing = "HMMA"});
    CHECK(nothing.back() == "none of them contains 'HMMA'");
    auto const nowhere =
        code_excerpt({{3, "EXIT"}, {4, "EXIT"}, {9, "EXIT"}},
                     {.what = lkt::evidence_kind::code, .line = 20, .containing = ""});
    CHECK(nowhere.back() ==
          "no instruction belongs to lines 18 to 22; there are instructions of lines 3 to 4, 9");
}

TEST_CASE("evidence: samples of stalls, by line where the code is known") {
    // As Nsight Compute 2025.3 wrote it for a product of matrices on an H100; shortened.
    std::string const table =
        "==WARNING== Note: Running with unmodified GPU clocks.\n"
        R"csv("Kernel Name","mm(const float *, const float *, float *, int)")csv"
        "\n"
        R"csv("Address","Source","smsp__pcsamp_warps_issue_stalled_long_scoreboard","smsp__pcsamp_warps_issue_stalled_not_selected","smsp__pcsamp_warps_issue_stalled_wait")csv"
        "\n"
        R"csv("0x7f1c4f7ac5c0","      FFMA R29, R28, R16, R17","413939","1935","0")csv"
        "\n"
        R"csv("0x7f1c4f7ac5f0","      FFMA R29, R18, R19, R29","77350","1514","1492")csv"
        "\n"
        R"csv("0x7f1c4f7ace80","      NOP","0","0","0")csv"
        "\n"
        R"csv("0x7f1c4f7ace90","      NOP","0")csv"
        "\n";
    auto const samples = read_samples(table);
    REQUIRE(samples.size() == 3); // a row that is cut off is none
    CHECK(samples[0].reasons.size() == 2);
    CHECK(samples[0].samples == 415874);
    CHECK(stall_lines(samples, {{7, "FFMA R29"}, {8, "FFMA R29"}}) ==
          std::vector<std::string>{
              "line 7: 83.8 % of the samples: long_scoreboard 99.5 %, not_selected 0.5 %",
              "line 8: 16.2 % of the samples: long_scoreboard 96.3 %, not_selected 1.9 %, "
              "wait 1.9 %"});
    CHECK(has(stall_lines(samples, {}).front(), "FFMA R29, R28, R16, R17"));
    CHECK(has(stall_lines({}, {}).front(), "no samples"));
    CHECK(read_samples("\"a\",\"b\"\n\"1\",\"2\"\n").empty());
}

TEST_CASE("evidence: the SASS of a kernel that NVRTC compiled, by nvdisasm") {
    auto const program = find_disassembler({});
    if (!program) {
        CHECK(program.error().code == "lkt.cuda.disassembler");
        MESSAGE("skipped: " << lkt::to_string(program.error()));
        return;
    }
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool(cuda_support::plain_options());
    auto j = cuda_support::job("__global__ void k(float* p, int n) {\n"
                               "    float sum = 0;\n"
                               "    for (int i = 0; i < n; ++i)\n"
                               "        sum += p[i] * p[i];\n"
                               "    p[0] = sum;\n"
                               "}\n");
    j.options.emplace_back("-lineinfo");
    auto const made = pool.get(j);
    REQUIRE(made.has_value());
    auto const& cubin = *std::get<0>(*made);
    auto const text = disassemble(*program, cubin.image, {}, {});
    REQUIRE_MESSAGE(text.has_value(), lkt::to_string(text.error()));
    auto const code = read_disassembly(*text, cubin.entry);
    auto const loads = joined(
        code_excerpt(code, {.what = lkt::evidence_kind::code, .line = 4, .containing = "LDG"}));
    CHECK_MESSAGE(has(loads, "line 4\tLDG"), loads);
    CHECK(has(joined(code_excerpt(code, {.what = lkt::evidence_kind::code, .containing = ""})),
              "FFMA"));
    // What is no cubin is an error of the tool.
    CHECK(disassemble(*program, "nonsense", {}, {}).error().code == "lkt.cuda.disassembler");
}
