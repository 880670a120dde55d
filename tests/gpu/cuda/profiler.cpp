// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/profiler.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <unistd.h>

using namespace lkt::cuda_detail;
namespace fs = std::filesystem;

namespace {

constexpr char const* columns =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",)";

std::string row(char const* id, char const* kernel, std::string const& metrics) {
    return std::string("\"") + id + "\",\"4711\",\"lkt-worker\",\"127.0.0.1\",\"" + kernel +
           R"csv(","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0",)csv" + metrics + "\n";
}
std::string units(std::string const& of) {
    return R"("","","","","","","","","","","",)" + of + "\n";
}

} // namespace

TEST_CASE("profiler: a table with messages around it") {
    auto const log = read_profiler_log(
        "==PROF== Connected to process 4711 (/usr/bin/lkt-worker)\n"
        "==PROF== Profiling \"fold\" - 0: 0%....50%....100% - 9 passes\n"
        "==PROF== Disconnected from process 4711\n" +
        std::string(columns) +
        R"("dram__bytes.sum","lts__t_sector_hit_rate.pct","smsp__warp_issue_stalled_barrier_per_warp_active.pct","smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct","sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active","l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")"
        "\n" +
        units(R"("byte","%","%","%","%","")") +
        row("0",
            "void fold<float, 8>(const T1 *, \"\"x\"\")",
            R"("12,345,678","43.21","3","61.5","n/a","0")"));
    REQUIRE(log.launches.size() == 1);
    CHECK(log.complaints.empty());
    CHECK(log.launches[0].kernel == "void fold<float, 8>(const T1 *, \"x\")");
    auto const p = profile_of(log.launches[0]);
    CHECK(p.dram_bytes == 12'345'678);
    CHECK(p.l2_hit_percent == 43.21);
    CHECK(!p.tensor_percent); // n/a
    CHECK(p.bank_conflicts == 0);
    CHECK(!p.dram_percent); // was not there
    REQUIRE(p.stalls.size() == 2);
    CHECK(p.stalls[0] == lkt::warp_stall{"long_scoreboard", 61.5});
    CHECK(p.stalls[1] == lkt::warp_stall{"barrier", 3});
}

TEST_CASE("profiler: each metric that is asked for has a place in the profile") {
    auto const metrics = profiler_metrics();
    CHECK(metrics.size() == 24);
    CHECK(std::set<std::string>(metrics.begin(), metrics.end()).size() == metrics.size());
    for (std::string const& name : metrics) {
        CAPTURE(name);
        CHECK(profile_of({"k", {{name, "", 1}}}) != lkt::kernel_profile{});
    }
    CHECK(profile_of({"k", {{"sm__cycles_active.avg", "", 1}}}) == lkt::kernel_profile{});
}

TEST_CASE("profiler: units with prefixes, which older versions write whatever they are told") {
    for (auto const& [unit, bytes] : {std::pair{"byte", 1.5},
                                      std::pair{"Kbyte", 1.5e3},
                                      std::pair{"Mbyte", 1.5e6},
                                      std::pair{"Gbyte", 1.5e9},
                                      std::pair{"Tbyte", 1.5e12},
                                      std::pair{"Xbyte", 1.5},
                                      std::pair{"", 1.5}}) {
        CAPTURE(unit);
        CHECK(profile_of({"k", {{"dram__bytes.sum", unit, 1.5}}}).dram_bytes == bytes);
    }
}

TEST_CASE("profiler: several launches, in their order, and a second table") {
    std::string const head = std::string(columns) + "\"dram__bytes.sum\"\n" + units("\"byte\"");
    auto const log = read_profiler_log(
        head + row("0", "a", "\"1\"") + row("1", "b", "\"2\"") + "text of the program\n" + columns +
        "\"lts__t_sector_hit_rate.pct\"\n" + units("\"%\"") + row("2", "c", "\"3\""));
    REQUIRE(log.launches.size() == 3);
    CHECK(log.launches[1].kernel == "b");
    CHECK(profile_of(log.launches[1]).dram_bytes == 2);
    CHECK(profile_of(log.launches[2]).l2_hit_percent == 3);
    CHECK(!profile_of(log.launches[2]).dram_bytes);
}

TEST_CASE("profiler: wherever a table is cut off, no number is a part of one") {
    std::string const text = std::string(columns) +
                             R"("dram__bytes.sum","lts__t_sector_hit_rate.pct")"
                             "\r\n" +
                             units(R"("byte","%")") + row("0", "k", R"("123456","78.9")");
    for (std::size_t n = 0; n < text.size(); ++n) {
        auto const log = read_profiler_log(std::string_view(text).substr(0, n));
        CHECK(log.launches.empty());
    }
    auto const whole = read_profiler_log(text);
    REQUIRE(whole.launches.size() == 1);
    CHECK(profile_of(whole.launches[0]).dram_bytes == 123456);
}

TEST_CASE("profiler: what is no number, no row, no table") {
    std::string const head = std::string(columns) + "\"dram__bytes.sum\"\n";
    for (char const* value :
         {"n/a", "", "nan", "inf", "-1", "1e999", "12 bytes", "0x10", "1.2.3"}) {
        CAPTURE(value);
        auto const log = read_profiler_log(head + row("0", "k", std::string("\"") + value + "\""));
        REQUIRE(log.launches.size() == 1);
        CHECK(log.launches[0].metrics.empty());
    }
    for (std::string const& text : {std::string("\"\n"),
                                    std::string(R"("0","1","2")"
                                                "\n"),
                                    std::string(R"("ID")"
                                                "\n"
                                                R"("0","1")"
                                                "\n"),
                                    head + R"("0","open)"
                                           "\n",
                                    std::string("\0\0\"ID\"\n", 7),
                                    // Of other pages: one row a metric.
                                    std::string(R"("ID","Metric Name","Metric Unit","Metric Value")"
                                                "\n")}) {
        CAPTURE(text);
        CHECK(read_profiler_log(text).launches.empty());
    }
}

TEST_CASE("profiler: metrics that the tool does not know") {
    auto const log = read_profiler_log(
        "==ERROR== Failed to find metric regex:^dram__bytes(\\.sum)$\n"
        "==ERROR== Failed to find metric sm__throughput.avg.pct_of_peak_sustained_elapsed\n"
        "==ERROR== Failed to find metric \n");
    auto const metrics = profiler_metrics();
    CHECK(unknown_metrics(log, metrics) ==
          std::vector<std::string>{"dram__bytes.sum",
                                   "sm__throughput.avg.pct_of_peak_sustained_elapsed"});
    CHECK(unknown_metrics({}, metrics).empty());
}

TEST_CASE("profiler: why there is no profile") {
    auto const because = [](std::string const& text) {
        return no_profile(read_profiler_log(text), "nothing came");
    };
    auto const forbidden = because(
        "==PROF== Connected to process 1 (k)\n"
        "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
        "Performance Counters on the target device 0.\n");
    CHECK(forbidden.kind == lkt::condition::unavailable);
    CHECK(forbidden.code == "lkt.cuda.profiler");
    CHECK(forbidden.message.find("may not read") != std::string::npos);
    CHECK(forbidden.hint.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
    CHECK(because("==ERROR== LibraryNotLoaded\n").message.find("LibraryNotLoaded") !=
          std::string::npos);
    CHECK(because("==ERROR== Profiling failed because a driver resource was unavailable.\n")
              .hint.find("DCGM") != std::string::npos);
    CHECK(because("==WARNING== No kernels were profiled.\n").message ==
          "Nsight Compute gave no profile: nothing came; it says: No kernels were profiled.");
    CHECK(because("").message == "Nsight Compute gave no profile: nothing came");
}

TEST_CASE("profiler: its command line ends where the program's begins") {
    auto const line = profiler_command("/opt/ncu", {"a.sum", "b.pct"}, "/tmp/log");
    CHECK(line.front() == "/opt/ncu");
    auto const follows = [&](char const* option) -> std::string {
        auto const at = std::find(line.begin(), line.end(), option);
        return at == line.end() || at + 1 == line.end() ? "" : *(at + 1);
    };
    CHECK(follows("--metrics") == "a.sum,b.pct");
    CHECK(follows("--page") == "raw");
    CHECK(follows("--launch-count") == "1");
    CHECK(follows("--clock-control") == "none");
    CHECK(follows("--log-file") == "/tmp/log");
    CHECK(line.back() == "/tmp/log");
}

TEST_CASE("profiler: found where it is said to be, and nowhere else then") {
    auto const folder = fs::temp_directory_path() / ("lkt-ncu-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "ncu") << "#!/bin/sh\n";
    fs::permissions(folder / "ncu", fs::perms::owner_all);
    auto const file = (folder / "ncu").string();
    CHECK(find_profiler(file).value() == file);
    auto const wrong = find_profiler((folder / "other").string());
    CHECK(wrong.error().code == "lkt.cuda.profiler");
    CHECK(wrong.error().message.find("cuda_options::profiler") != std::string::npos);
    ::setenv("LKT_NCU", file.c_str(), 1);
    CHECK(find_profiler("").value() == file);
    ::unsetenv("LKT_NCU");
    std::string const before = std::getenv("PATH");
    ::setenv("PATH", folder.c_str(), 1);
    ::unsetenv("CUDA_HOME");
    ::unsetenv("CUDA_PATH");
    CHECK(find_profiler("").value() == file);
    ::setenv("PATH", before.c_str(), 1);
    fs::remove_all(folder);
}
