// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/kernel_file.hpp>

#include "sample_outcome.hpp"

#include <lkt/lang/find_kernel.hpp>
#include <lkt/problems/kernel_note.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

/// Text that would do something if it left its comment or its string.
std::string const hostile =
    "*/ \n#error \"out\"\n)\" )lkt\" ?\?/\n\xe2\x80\xa8 \x01 \"; int x = ; // \\";

lkt::tuning_outcome hostile_outcome() {
    auto out = lkt_test::sample_outcome();
    out.task.signature.name = "space::mat_mul";
    out.task.signature.arguments = {
        {"a", {}, true, true, false, {}, "float const* /* " + hostile, {}, 0}};
    out.best.kernel.source.text =
        "namespace space {\n__global__ void mat_mul(float const*) {} // )lkt\" \\\n\n}\n";
    out.task.size = {{hostile, 256}, {"N", 8}};
    out.task.compiler_options = {"-DX=" + hostile};
    out.tests = {hostile};
    out.device.name = hostile;
    out.best.kernel.launch.grid[0] =
        lkt::expression::parse("ceil_div(N, TILE) * ProblemSize[0]").value();
    return out;
}

int shell(std::string const& command) { return std::system(command.c_str()); }

} // namespace

TEST_CASE("The name of a file says what is in it") {
    for (char const* const name : {"a.hpp", "a.h", "b/a.cuh"})
        CHECK(lkt::kernel_form_of(name) == lkt::kernel_form::header);
    for (char const* const name : {"a.cu", "a.wgsl", "-", "hpp", "a.hpp.txt"})
        CHECK(lkt::kernel_form_of(name) == lkt::kernel_form::kernel);
}

TEST_CASE("Sizes without a name are called like the argument that has their value") {
    auto out = lkt_test::sample_outcome();
    out.task.size = {{"ProblemSize[0]", 256}, {"ProblemSize[1]", 8}};
    lkt::argument n;
    n.name = "point_count";
    out.task.signature.arguments = {n};
    out.task.arguments.resize(1);
    out.task.arguments[0].value = lkt::expression::parse("ProblemSize[0]").value();
    out.best.kernel.launch.grid[0] =
        lkt::expression::parse("ceil_div(ProblemSize[0], TILE)").value();
    auto const text = lkt::kernel_file(out, lkt::kernel_form::header);
    for (char const* const word : {"    long long point_count = 256; // ProblemSize[0]\n",
                                   "    long long size_1 = 8; // ProblemSize[1]\n",
                                   "a.ceil_div(size.point_count, 16LL)",
                                   "// grid        ceil_div(point_count, TILE)",
                                   "grid_formula[] = \"ceil_div(point_count, TILE)\""})
        CHECK_MESSAGE(text.find(word) != text.npos, word);
}

TEST_CASE("A kernel's file says what was tuned, and has the values that won") {
    auto out = lkt_test::sample_outcome();
    out.best.kernel.source.text =
        "#define TILE 8\n__global__ void matmul() {\n# pragma unroll TILE\n"
        "for (int TILES = 0; TILES < TILE; ++TILES);\n}";
    auto const text = lkt::kernel_file(out);
    for (char const* const word : {"// parameters  TILE=16",
                                   "// shared      0 bytes",
                                   "N=256: grid 16x16",
                                   "2048 B shared",
                                   "host CPU (2 threads)",
                                   "not a GPU",
                                   "4.00x",
                                   "N=100",
                                   "#define TILE 16\n",
                                   "# pragma unroll 16\n", // nvcc expands no macro there
                                   "TILES < TILE;",
                                   "tuned_shared_bytes = 2048"})
        CHECK_MESSAGE(text.find(word) != std::string::npos, word << " in\n" << text);
    CHECK(text.find("#define TILE 8") == std::string::npos);
    // What comes from such a file has one note only, and one namespace.
    out.best.kernel.source.text = text;
    auto const again = lkt::kernel_file(out);
    CHECK(again.find("// lkt-kernel {") == again.rfind("// lkt-kernel {"));
    CHECK(lkt::kernel_file(out, lkt::kernel_form::header).find("#pragma once") !=
          std::string::npos);

    out.best = out.baseline;
    out.history.clear();
    auto const original = lkt::kernel_file(out);
    CHECK(original.find("none: this is the original") != std::string::npos);
    CHECK(original.find("__global__ void matmul() {}") != std::string::npos);
}

TEST_CASE("The header of a tuned kernel makes its tensor maps") {
    auto out = lkt_test::sample_outcome();
    auto const signature_of = [](std::string text) {
        return lkt::find_kernel({lkt::language::cuda, std::move(text), {}}).value();
    };
    out.task.signature =
        signature_of("#include <cuda_fp16.h>\n__global__ void matmul(__half const* "
                     "A, __half const* B, float* C, int n, unsigned char k) {}");
    out.best.kernel.source.text =
        "#include <cuda_fp16.h>\n#define ROWS 4\n"
        "// lkt: tensor_map b = B[k][n], stride [2 * n], box [ROWS][TILE], swizzle 32B, if n > "
        "100\n"
        "// lkt: tensor_map a = A[2][n][k], box [2][1][8]\n"
        "__global__ void matmul(__half const* A, const __grid_constant__ CUtensorMap b, __half "
        "const* "
        "B, float* C, int n, unsigned char k, const __grid_constant__ CUtensorMap a) {}\n";
    auto const file = lkt::kernel_file(out);
    CHECK(file.find("#include <cuda.h>\n") != std::string::npos);
    // Read back, it has its maps.
    auto const read = lkt::read_kernel_note({lkt::language::cuda, file, {}}).value();
    REQUIRE(read.has_value());
    CHECK(signature_of(read->source.text).tensor_maps.size() == 2);
    CHECK(signature_of(file).tensor_maps.size() == 2);

    char const* const home = std::getenv("CUDA_HOME");
    std::filesystem::path const cuda = home != nullptr ? home : "/usr/local/cuda";
    if (!std::filesystem::exists(cuda / "include/cuda.h")) {
        MESSAGE("skipped: there is no cuda.h (CUDA_HOME, /usr/local/cuda)");
        return;
    }
    auto const folder = std::filesystem::temp_directory_path() / "lkt-header-maps-test";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "k.hpp") << lkt::kernel_file(out, lkt::kernel_form::header);
    // In place of the driver, functions that print what they are given.
    std::ofstream(folder / "k.cpp") << R"(#include "k.hpp"
#include <cstdio>
#include <initializer_list>
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* at,
                                cuuint64_t const* extent, cuuint64_t const* stride,
                                cuuint32_t const* box, cuuint32_t const* step, CUtensorMapInterleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
    map->opaque[0] = reinterpret_cast<unsigned long long>(at) + 1;
    std::printf("%p half %d swizzle %d:", at, type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16, swizzle);
    for (unsigned k = 0; k < rank; ++k)
        std::printf(" %d/%d/%u/%d", (int)extent[k], (int)box[k], step[k], k + 1 < rank ? (int)stride[k] : 0);
    std::puts("");
    return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void** a, void**) {
    auto const map = [](void* m) { return (int)static_cast<CUtensorMap*>(m)->opaque[0]; };
    std::printf("%llx, %d, %d, %d %d\n", *static_cast<CUdeviceptr*>(a[0]), map(a[1]),
                *static_cast<int*>(a[4]), *static_cast<unsigned char*>(a[5]), map(a[6]));
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
int main() {
    for (int const n : {64, 128})
        if (lkt_tuned_matmul::launch(nullptr, {}, nullptr, 0x10, 0x20, 0x30, n, 16)) return 1;
    return lkt_tuned_matmul::launch(nullptr, {}, nullptr, 1, 2, 3, -1, 16) == CUDA_ERROR_INVALID_VALUE
               ? 0 : 2;
}
)";
    char const* const chosen = std::getenv("CXX");
    CHECK(shell("cd " + folder.string() + " && " + (chosen != nullptr ? chosen : "c++") +
                " -std=c++17 -Wall -Wextra -Werror -isystem " + (cuda / "include").string() +
                " k.cpp -o k && ./k > said") == 0);
    std::stringstream said;
    said << std::ifstream(folder / "said").rdbuf();
    CHECK(said.str() == "0x10 half 1 swizzle 0: 16/8/1/32 64/1/1/2048 2/2/1/0\n"
                        "10, 0, 64, 16 17\n"
                        "0x20 half 1 swizzle 1: 128/16/1/512 16/4/1/0\n"
                        "0x10 half 1 swizzle 0: 16/8/1/32 128/1/1/4096 2/2/1/0\n"
                        "10, 33, 128, 16 17\n");
    std::filesystem::remove_all(folder);
}

TEST_CASE("Nothing that others named leaves its comment or its string") {
    auto const out = hostile_outcome();
    auto const folder = std::filesystem::temp_directory_path() / "lkt-kernel-file-test";
    std::filesystem::create_directories(folder);
    for (auto const form : {lkt::kernel_form::kernel, lkt::kernel_form::header}) {
        auto const file = (folder / "k.hpp").string();
        auto const text = lkt::kernel_file(out, form);
        std::ofstream(file) << text;
        std::ofstream(folder / "k.cpp")
            << "#define __global__\n#include \"k.hpp\"\n"
               "int main() { return lkt_tuned_space_mat_mul::speedup < 1; }\n";
        char const* const chosen = std::getenv("CXX");
        CHECK(shell((chosen != nullptr ? std::string(chosen) : "c++") +
                    " -std=c++17 -Wall -Wextra -Werror -Wno-comment -fsyntax-only " +
                    (folder / "k.cpp").string()) == 0);
        auto const read = lkt::read_kernel_note({lkt::language::cuda, text, file}).value();
        REQUIRE(read.has_value());
        CHECK(read->source.text.find(out.best.kernel.source.text) != std::string::npos);
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("A WGSL text keeps its directives first, and no name of it is taken") {
    auto out = hostile_outcome();
    out.best.kernel.source = {lkt::language::wgsl,
                              "enable f16;\nconst lkt_tuned = 1;\noverride TILE: u32 = 8;\n"
                              "@compute @workgroup_size(TILE) fn k() {}\n",
                              ""};
    auto const text = lkt::kernel_file(out, lkt::kernel_form::header);
    auto const code = text.find("enable f16;");
    std::istringstream before(text.substr(0, code));
    for (std::string line; std::getline(before, line);)
        CHECK((line.empty() || line.starts_with("//")));
    CHECK(text.substr(0, code).find("\xe2\x80\xa8") == std::string::npos); // a line's end in WGSL
    CHECK(text.find("override TILE: u32 = 16u;") != std::string::npos);
    CHECK(text.find("const lkt_tuned__workgroup_size = vec3<u32>(16u, 16u, 1u);") !=
          std::string::npos);
}

TEST_CASE("Where C++ has no text for the launch, the header is for the size that was tuned") {
    auto out = lkt_test::sample_outcome();
    out.best.kernel.launch.grid[0] = lkt::expression::parse("N ** 2 // 4096").value();
    auto const text = lkt::kernel_file(out, lkt::kernel_form::header);
    CHECK(text.find("size.N != 256") != std::string::npos);
}
