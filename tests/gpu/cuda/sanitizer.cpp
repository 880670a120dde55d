// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/sanitizer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace lkt::cuda_detail;
using kind = sanitizer_finding::kind_of_finding;
namespace fs = std::filesystem;

namespace {

sanitizer_finding only_finding(std::string const& text) {
    auto const log = read_sanitizer_log(text);
    CHECK(log.complete);
    REQUIRE(log.findings.size() == 1);
    return log.findings.front();
}
bool says(std::string const& text, char const* words) {
    return text.find(words) != std::string::npos;
}

} // namespace

TEST_CASE("sanitizer: an access out of bounds, as versions 12 and 13 write it") {
    auto const f = only_finding(
        "========= COMPUTE-SANITIZER\n"
        "========= Invalid __global__ read of size 4 bytes\n"
        "=========     at compress(const unsigned int *, uint2 *, int)+0xb0 in kernel:17\n"
        "=========     by thread (1,0,0) in block (5,0,0)\n"
        "=========     Access at 0x7f698ba00144 is out of bounds\n"
        "=========     and is 1 bytes after the nearest allocation at 0x7f698ba00000 of size 324 "
        "bytes\n"
        "========= \n"
        "========= ERROR SUMMARY: 1 error\n");
    CHECK(f.kind == kind::read_outside);
    CHECK(f.where.line == 17);
    CHECK(f.what == "read of 4 bytes from global memory, 1 bytes after the nearest allocation of "
                    "size 324 bytes, at line 17 of 'compress', by thread (1,0,0) of block (5,0,0) "
                    "(memcheck)");
}

TEST_CASE("sanitizer: an access out of bounds, as older versions write it") {
    auto const f = only_finding(
        "========= COMPUTE-SANITIZER\n"
        "========= Invalid __shared__ write of size 8 bytes\n"
        "=========     at 0x3b0 in /tmp/kernel:4:void fold<float>(float*, int)\n"
        "=========     by thread (251,0,0) in block (0,0,0)\n"
        "=========     Address 0x964000008 is out of bounds\n"
        "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
        "=========     Host Frame: [0x24c3ad]\n"
        "=========                in /usr/lib/x86_64-linux-gnu/libcuda.so.1\n"
        "========= ERROR SUMMARY: 1 error\n");
    CHECK(f.kind == kind::write_outside);
    CHECK(f.where.line == 4);
    CHECK(says(f.what, "write of 8 bytes to shared memory"));
    CHECK(says(f.what, "'void fold<float>'"));
    auto const bare = only_finding("========= Invalid __global__ write of size 4 bytes\n"
                                   "=========     at 0x70 in k(int*)\n"
                                   "=========     by thread (0,0,0) in block (0,0,0)\n"
                                   "========= ERROR SUMMARY: 1 error\n");
    CHECK(bare.where.line == 0);
    CHECK(says(bare.what, "'k'"));
}

TEST_CASE("sanitizer: lines of headers are not lines of the kernel's text") {
    auto const f = only_finding(
        "========= Invalid __global__ write of size 2 bytes\n"
        "=========     at cub::Store(T1)+0xa70 in /opt/cuda/include/cub/block_store.cuh:980\n"
        "=========     by thread (0,0,0) in block (0,0,0)\n"
        "========= ERROR SUMMARY: 1 error\n");
    CHECK(f.where.line == 0);
    CHECK(says(f.what, "block_store.cuh:980 of 'cub::Store'"));
}

TEST_CASE("sanitizer: a misaligned access is a fault, not one out of bounds") {
    auto const f = only_finding("========= Invalid __global__ write of size 4 bytes\n"
                                "=========     at k(int *)+0x160 in kernel:6\n"
                                "=========     by thread (0,0,0) in block (0,0,0)\n"
                                "=========     Address 0x7f6510c00001 is misaligned\n"
                                "=========     and is inside the nearest allocation at "
                                "0x7f6510c00000 of size 4 bytes\n"
                                "========= ERROR SUMMARY: 1 error\n");
    CHECK(f.kind == kind::fault);
    CHECK(says(f.what, "misaligned write of 4 bytes"));
}

TEST_CASE("sanitizer: hazards in shared memory; warnings may be meant") {
    auto const f = only_finding(
        "========= COMPUTE-SANITIZER\n"
        "========= Error: Race reported between Write access at sum(int *, int *)+0x3a0 in "
        "kernel:24\n"
        "=========     and Read access at sum(int *, int *)+0x7e0 in kernel:30 [508 hazards]\n"
        "========= \n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
    CHECK(f.kind == kind::race);
    CHECK(f.where.line == 24);
    CHECK(says(f.what, "a write at line 24 of 'sum' and a read at line 30 of 'sum'"));
    auto const warned = read_sanitizer_log(
        "========= Warning: Race reported between Read access at 0x1f20 in a.hpp:249:f(int)\n"
        "=========     and Write access at 0x14b0 in a.hpp:349:g(int) [4 hazards]\n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n");
    CHECK(warned.complete);
    CHECK(warned.findings.empty());
    CHECK(warned.errors == 0);
    CHECK(!verdict_of(warned));
    // As the manual prints it.
    auto const plain = only_finding(
        "========= ERROR: Race reported between Write access at RAW()+0xf0 in kernel:40\n"
        "========= and Read access at RAW()+0x280 in kernel:46 [4 hazards]\n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
    CHECK(says(plain.what, "a write at line 40 of 'RAW' and a read at line 46 of 'RAW'"));
}

TEST_CASE("sanitizer: reads of what nobody has written, and barriers") {
    auto const read =
        only_finding("========= Uninitialized __global__ memory read of size 4 bytes\n"
                     "=========     at k(float *)+0x90 in kernel:4\n"
                     "=========     by thread (65,0,0) in block (0,0,0)\n"
                     "=========     Address 0x7f5e0e600104\n"
                     "========= ERROR SUMMARY: 1 error\n");
    CHECK(read.kind == kind::uninitialised);
    CHECK(says(read.what, "read of 4 bytes from global memory that was never written"));
    auto const met = only_finding("========= Barrier error detected. Divergent thread(s) in block\n"
                                  "=========     at k(int *)+0x210 in kernel:13\n"
                                  "=========     by thread (32,0,0) in block (0,0,0)\n"
                                  "========= ERROR SUMMARY: 1 error\n");
    CHECK(met.kind == kind::barrier);
    CHECK(met.where.line == 13);
    CHECK(says(met.what, "Divergent thread(s) in block"));
}

TEST_CASE("sanitizer: what is found becomes a verdict by its kind") {
    auto const as = [](kind k) {
        sanitizer_log log;
        log.findings = {{k, "x", {3, 0}}, {kind::fault, "second", {}}};
        return verdict_of(log).value();
    };
    CHECK(lkt::verdict_of(as(kind::write_outside)) == lkt::verdict::oob_write);
    CHECK(lkt::verdict_of(as(kind::read_outside)) == lkt::verdict::oob_read);
    auto const read = as(kind::uninitialised);
    CHECK(lkt::verdict_of(read) == lkt::verdict::wrong_output);
    CHECK(lkt::describe(read).find("never written") != std::string::npos);
    CHECK(std::get<lkt::out_of_bounds>(read).where.line == 3);
    CHECK(std::get<lkt::race>(as(kind::race)).what == "x");
    CHECK(std::get<lkt::race>(as(kind::barrier)).what == "x");
    CHECK(std::get<lkt::crashed>(as(kind::fault)).what == "x");
}

TEST_CASE("sanitizer: what the tool says of itself and of the host is no finding") {
    auto const log = read_sanitizer_log(
        "========= COMPUTE-SANITIZER\n"
        "========= Error: Device not supported. Please refer to the \"Supported Devices\"\n"
        "========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"x\" on CUDA API call to "
        "cuMemAlloc_v2.\n"
        "=========     Saved host backtrace up to driver entry point at error\n"
        "========= Host API memory access error at host access to 0x7f7fcdc01200 of size 400 "
        "bytes\n"
        "=========     Uninitialized access at 0x7f7fcdc01300 on access by cudaMemcpy source\n");
    CHECK(!log.complete);
    CHECK(log.findings.empty());
    REQUIRE(log.complaints.size() == 2);
    CHECK(says(log.complaints.front(), "Device not supported"));
}

TEST_CASE("sanitizer: any text can be read") {
    std::string const whole = "========= Invalid __global__ read of size 4 bytes\n"
                              "=========     at k(int *)+0x70 in kernel:99999999999999999999\n"
                              "=========     by thread (1,0,0) in block (5,0,0)\n"
                              "=========     and is  of size  at 0x\n"
                              "========= Error: Race reported between\n"
                              "========= Error: Race reported between Write access at  [\n"
                              "=========     and  access at \n"
                              "========= RACECHECK SUMMARY: (\n"
                              "========= ERROR SUMMARY: \n"
                              "=========";
    for (std::size_t n = 0; n <= whole.size(); ++n) {
        auto const log = read_sanitizer_log(std::string_view(whole).substr(0, n));
        CHECK(log.findings.size() <= 3);
        if (auto const v = verdict_of(log)) CHECK(!lkt::describe(*v).empty());
    }
    CHECK(!read_sanitizer_log("").complete);
}

TEST_CASE("sanitizer: each tool has its command line") {
    for (std::string const tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
        auto const line = sanitizer_command("/bin/cs", tool, "/tmp/x.log");
        CHECK(line.front() == "/bin/cs");
        CHECK(line.size() % 2 == 1); // pairs of an option and its value
        auto const value_of = [&](std::string const& option) {
            auto const at = std::find(line.begin(), line.end(), option);
            return at == line.end() ? std::string{} : *(at + 1);
        };
        CHECK(value_of("--tool") == tool);
        CHECK(value_of("--log-file") == "/tmp/x.log");
        CHECK(value_of("--padding").empty() == (tool != "memcheck"));
        CHECK(value_of("--racecheck-report").empty() == (tool != "racecheck"));
    }
}

TEST_CASE("sanitizer: where it is looked for") {
    auto const folder = fs::temp_directory_path() / ("lkt-cs-" + std::to_string(::getpid()));
    auto const make = [&](char const* home) {
        fs::create_directories(folder / home / "bin");
        auto const file = folder / home / "bin" / "compute-sanitizer";
        std::ofstream(file) << "#!/bin/sh\n";
        fs::permissions(file, fs::perms::owner_all);
        return file.string();
    };
    auto const one = make("one"), two = make("two"), three = make("three");
    std::string const path = std::getenv("PATH");
    auto const clear = [&] {
        for (char const* v : {"LKT_COMPUTE_SANITIZER", "CUDA_HOME", "CUDA_PATH"}) ::unsetenv(v);
    };
    clear();
    ::setenv("PATH", ("/nowhere::" + (folder / "three/bin").string()).c_str(), 1);
    CHECK(find_sanitizer("").value() == three);
    ::setenv("CUDA_PATH", (folder / "two").c_str(), 1);
    CHECK(find_sanitizer("").value() == two);
    ::setenv("CUDA_HOME", (folder / "one").c_str(), 1);
    CHECK(find_sanitizer("").value() == one);
    ::setenv("LKT_COMPUTE_SANITIZER", three.c_str(), 1);
    CHECK(find_sanitizer("").value() == three);
    CHECK(find_sanitizer(two).value() == two);
    for (std::string const given : {"/nowhere/cs", folder.c_str()}) {
        auto const e = find_sanitizer(given).error();
        CHECK(e.code == "lkt.cuda.sanitizer");
        CHECK(e.kind == lkt::condition::unavailable);
        CHECK(says(e.message, "cuda_options::sanitizer"));
    }
    ::setenv("LKT_COMPUTE_SANITIZER", "/nowhere/cs", 1);
    CHECK(says(find_sanitizer("").error().message, "LKT_COMPUTE_SANITIZER"));
    clear();
    ::setenv("PATH", path.c_str(), 1);
    fs::remove_all(folder);
}
