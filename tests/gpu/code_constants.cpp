// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/detail/host/code_constants.hpp>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

using namespace support;
using list = std::vector<double>;

namespace {

list read(std::string_view code, bool clang) {
    return lkt::host_detail::constant_reader{code, clang}.numbers();
}

/// Of the kernel's code, by the compiler that is here.
list constants_of(std::string text, lkt::language in = lkt::language::cuda) {
    lkt::compile_request request;
    request.source = {in, std::move(text), {}};
    auto const declared = lkt::find_kernel(request.source, "k");
    REQUIRE_MESSAGE(declared.has_value(), to_string(declared.error()));
    request.signature = *declared;
    request.constants = true;
    auto const made =
        in == lkt::language::cuda ? shared_host().compile(request) : wgsl_host().compile(request);
    REQUIRE(made.has_value());
    auto const* const compiled = std::get_if<lkt::compiled_kernel>(&*made);
    REQUIRE(compiled != nullptr);
    REQUIRE(compiled->constants != nullptr);
    return *compiled->constants;
}
bool has(list const& numbers, double n) {
    return std::find(numbers.begin(), numbers.end(), n) != numbers.end();
}

} // namespace

TEST_CASE("constants of code as g++ prints it: the text's own lines first") {
    CHECK(read("void k (float * a, int n)\n"
               "{\n"
               "  char buffer[32];\n"
               "  unsigned long ivtmp.19;\n"
               "  <bb 2> [local count: 1073741824]:\n"
               "  [module.cpp:7:1] _1 = n_4(D) * 12;\n"
               "  [kernel:6:20] _16 = c_4(D) / 89440;\n"
               "  [kernel:6:33] if (x_15 > 1.000000047497451305389404296875e-3)\n"
               "    goto <bb 3>; [50.00%]\n"
               "  # t_1 = PHI <[kernel:6:33] 3.5e+0(3), [kernel:6:33]  Inf(2)>\n"
               "  [kernel:7:1] MEM[(float *)b_3(D) + 8B] = -7;\n"
               "  [kernel:8:1] _2 = n_4(D) + 4294967286;\n"
               "  [kernel:9:1] _45->v[3] = f (\"99\", 89440);\n",
               false) == list{89440, 0.001000000047497451305389404296875, 3.5, -7, -10, 12});
}

TEST_CASE("constants of code as clang prints it") {
    CHECK(read("define void @kk(ptr %0, i32 %2) {\n"
               "  %13 = sdiv i32 %2, 89440, !dbg !20\n"
               "  %12 = load float, ptr %11, align 4, !dbg !13\n"
               "  %21 = fcmp ogt float %12, 0x3F50624DE0000000, !dbg !29\n"
               "  %22 = fmul float %12, 7.500000e-01\n"
               "  %23 = fcmp ogt half %8, 0xH3C00\n"
               "  %24 = fcmp ogt bfloat %8, 0xR4040\n"
               "  %47 = getelementptr inbounds i8, ptr %1, i64 77\n"
               "    i32 777, label %54\n",
               true) == list{89440, 0.0010000000474974513, 0.75, 1, 3, 777});
}

TEST_CASE("constants of code: what a compiler has worked out, in every spelling") {
    for (auto const* const number : {"(int)91809.0f",
                                     "static_cast<int>(303u * 303u)",
                                     "limit()",
                                     "lim<30603>()",
                                     "S::value",
                                     "(int)(sizeof(\"12\") * 30603)",
                                     "table[2]",
                                     "[] { int a = 303; return a * a; }()",
                                     "('\\x65' * 909)",
                                     "0x1.66a1p16",
                                     "91'809",
                                     "(int)9.1809e4",
                                     "NAMED"})
        CHECK_MESSAGE(
            has(constants_of("#define NAMED (3 * 30603)\n"
                             "constexpr int limit() { int s = 0; for (int i = 0; i < 3; ++i) s += "
                             "30603; return s; }\n"
                             "template <int L> __device__ int lim() { return L * 3; }\n"
                             "struct S { static constexpr int value = 303 * 303; };\n"
                             "constexpr int table[] = {1, 2, 91809};\n"
                             "__global__ void k(float* a, int n) { a[threadIdx.x] += n / " +
                             std::string{number} + "; }"),
                91809),
            std::string{number});
    CHECK(has(constants_of("__device__ float limit() { return 0.1f * 3; }\n"
                           "__global__ void k(float* a) { if (a[0] > limit()) a[1] = 0; }"),
              0.1f * 3));
    CHECK(has(constants_of("const limit: u32 = 303 * 303;\n"
                           "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
                           "@compute @workgroup_size(32) fn k(@builtin(global_invocation_id) g: "
                           "vec3u) { a[g.x] = a[g.x] / limit; }",
                           lkt::language::wgsl),
              91809));
}
