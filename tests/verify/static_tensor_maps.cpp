// SPDX-License-Identifier: BSL-1.0
// Tensor maps in candidates: those that lkt makes, and no others.
#include <lkt/verify/static_checks.hpp>

#include <doctest/doctest.h>

#include "../gpu/tensor_map_texts.hpp"

#include <lkt/lang/find_kernel.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

std::string const original =
    "__global__ void k(float const* A, float* B, int n) { B[n] = A[n]; }\n";
std::string const line = "// lkt: tensor_map m = A[n], box [64]\n";
std::string const load =
    "__device__ void load(unsigned to, CUtensorMap const& map, unsigned bar) {\n"
    "    asm "
    "volatile(\"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%0], [%1, {%2}], [%3];\" ::\"r\"(to), \"l\"(&map), \"r\"(0), \"r\"(bar) : \"memory\");\n}\n";

std::string kernel(std::string const& body) {
    return "__global__ void k(float const* A, float* B, int n, "
           "const __grid_constant__ CUtensorMap m) {\n" +
           body + "\n}\n";
}
/// A tile of the map at that address.
std::string tile(std::string const& address, std::string const& coordinates = "[%1, {%2}]") {
    return "asm volatile(\"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [%0], " +
           coordinates + ", [%3];\" ::\"r\"(0), \"l\"(" + address +
           "), \"r\"(n), \"r\"(0) : \"memory\");";
}
std::vector<std::string> refusals(std::string text,
                                  lkt::ptx_policy ptx = lkt::ptx_policy::listed,
                                  std::string reference = original) {
    lkt::problem task;
    task.reference = {lkt::language::cuda, std::move(reference), {}};
    task.signature = lkt::find_kernel(task.reference).value();
    task.size = {{"N", 12345}};
    lkt::static_policy policy;
    policy.ptx = ptx;
    std::vector<std::string> all;
    for (auto const& f :
         lkt::static_findings(
             lkt::kernel_source{lkt::language::cuda, std::move(text), {}}, task, policy)
             .value())
        if (f.severity == lkt::static_severity::error) all.push_back(describe(f));
    return all;
}
std::string first(std::vector<std::string> const& all) { return all.empty() ? "" : all[0]; }

} // namespace

TEST_CASE("Kernels that read by their tensor maps are not refused") {
    for (std::string const& text :
         {tensor_map_texts::doubled,
          tensor_map_texts::swizzled,
          line + load + kernel("load(0, m, 4);"),
          line + kernel(tile("&m")),
          line + kernel(tile("(unsigned long long)(&m)")),
          line + kernel(tile("reinterpret_cast<unsigned long long>(&m)")),
          line + kernel("asm volatile(\"prefetch.tensormap [%0];\" ::\"l\"(&m));"),
          // Through two functions, a template, a macro and a declaration ahead.
          line + "__device__ void load(unsigned to, CUtensorMap const& map, unsigned bar);\n" +
              load + kernel("load(0, m, 4);"),
          line + load +
              "template <int N> __device__ void all(const CUtensorMap& map) { load(N, map, 4); "
              "}\n" +
              kernel("all<2>(m);"),
          line + load + "#define FETCH(map) load(0, map, 4)\n" + kernel("FETCH(m);"),
          // Elsewhere the name is another thing's.
          line + load + "__device__ int twice(int map, int m) { return 2 * map + m; }\n" +
              kernel("load(0, m, 4); B[0] = twice(n, 1);")}) {
        CAPTURE(text);
        CHECK(first(refusals(text)) == "");
    }
}

TEST_CASE("A tile is read by a parameter alone, not by an address that a kernel made up") {
    for (std::string const& body :
         {tile("B"),
          tile("A"),
          tile("&B"),
          tile("n"),
          tile("0x7f0000000000"),
          tile("&m + 1"),
          tile("(unsigned long long)&m + 128"),
          tile("n ? &m : B"),
          tile("&m", "[%1+64, {%2}]"),
          tile("&B[0] + (&m == 0)"),
          std::string("CUtensorMap mine; ") + tile("&mine"),
          std::string("__shared__ CUtensorMap mine; ") + tile("&mine"),
          std::string("auto mine = m; ") + tile("&mine"),
          std::string("auto& mine = *(decltype(m)*)B; ") + tile("&mine"),
          std::string("{ float m = 1; ") + tile("&m") + " }",
          std::string("auto const* p = &m; ") + tile("p"),
          std::string("*(int*)&m = 1;"),
          std::string("CUtensorMap const& mine = *(CUtensorMap const*)B; ") + tile("&mine"),
          std::string("auto f = [&](CUtensorMap const& map) {") + tile("&map") + "};",
          // Its address comes from a register.
          std::string("asm volatile(\"{.reg .b64 p; mov.b64 p, %1; cp.async.bulk.tensor.1d."
                      "shared::cluster.global.mbarrier::complete_tx::bytes [%0], [p, {%0}], "
                      "[%0];}\" ::\"r\"(0), \"l\"(B));"),
          std::string("asm volatile(\"tensormap.replace.tile.global_address.global.b1024.b64 "
                      "[%0], %0;\" ::\"l\"(B));"),
          std::string("cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, "
                      "cuda::ptx::space_global, B, B, c, bar);"),
          std::string("cde::cp_async_bulk_tensor_1d_global_to_shared(B, &m, 0, bar);")}) {
        CAPTURE(body);
        CHECK(first(refusals(line + kernel(body))).starts_with("lkt.static.assembly"));
    }
}

TEST_CASE("A function that takes a tensor map is handed one by its name, whoever calls it") {
    for (std::string const& text :
         {load + kernel("load(0, *(decltype(m)*)B, 4);"),
          load + kernel("struct any { template <class T> __device__ operator T const&() const; "
                        "}; load(0, any{}, 4);"),
          load + kernel("load(0, {}, 4);"),
          load + kernel("auto f = load; f(0, m, 4);"),
          load + kernel("auto f = &load; f(0, m, 4);"),
          "template <class T> __device__ void load(unsigned to, T const& map, unsigned bar) {}\n" +
              load + kernel("load(0, m, 4);"),
          "template <class T> __device__ void other(T const& t) { T mine = t; }\n" +
              kernel("other(m);"),
          std::string("struct S { __device__ S(CUtensorMap const& map) {} };\n") +
              kernel("S s(*(S*)B);"),
          // Which function is called here is not known.
          load + "#if X\n#define F load\n#else\n#define F other\n#endif\n" +
              kernel("F(0, *(T const*)B, 4);"),
          "#if X\n#define T CUtensorMap\n#else\n#define T float\n#endif\n" + kernel("T* p;"),
          "using mine = CUtensorMap;\n" + load + kernel("load(0, m, 4);"),
          std::string("struct CUtensorMap_st* p;\n") + kernel(""),
          "__device__ void by_value(const CUtensorMap map) {}\n" + kernel(""),
          "__device__ void open(CUtensorMap& map) {}\n" + kernel(""),
          std::string("__constant__ CUtensorMap table[2] = {};\n") + kernel("")}) {
        CAPTURE(text);
        auto const all = refusals(line + text);
        CHECK(std::any_of(all.begin(), all.end(), [](std::string const& one) {
            return one.starts_with("lkt.static.assembly");
        }));
    }
}

TEST_CASE("A tunable parameter that only a tensor map reads is read") {
    lkt::problem task;
    task.reference = {lkt::language::cuda, original, {}};
    task.signature = lkt::find_kernel(task.reference).value();
    lkt::candidate k;
    k.source = {lkt::language::cuda,
                "// lkt: tensor_map m = A[n], box [BOX]\n" + kernel("B[0] = A[0];"),
                {}};
    lkt::static_policy policy;
    policy.ptx = lkt::ptx_policy::listed;
    for (char const* const name : {"BOX", "OTHER"}) {
        k.parameters = {{name, {std::int64_t{8}, std::int64_t{16}}}};
        auto const all = lkt::static_findings(k, task, policy).value();
        CHECK(all.size() == (name == std::string("BOX") ? 0 : 1));
    }
}

TEST_CASE("Tensor maps need the list that has their copies, or an original that has some") {
    auto const text = line + kernel("B[0] = A[0];");
    for (auto const ptx : {lkt::ptx_policy::none, lkt::ptx_policy::compute}) {
        CHECK(first(refusals(text, ptx)).find("`--ptx listed`") != std::string::npos);
        CHECK(refusals(text, ptx, text).empty());
    }
    CHECK(refusals(text).empty());
    // An original's own statement may stay, but with a parameter alone.
    auto const reading = line + kernel(tile("&m"));
    CHECK(refusals(reading, lkt::ptx_policy::none, reading).empty());
    CHECK_FALSE(refusals(line + kernel(tile("B")), lkt::ptx_policy::none, reading).empty());
}

TEST_CASE("A text full of tensor maps is refused before it takes minutes to look at") {
    std::string many;
    for (int i = 0; i < 20000; ++i) many += "CUtensorMap a;\n";
    for (std::string const& text : {original + many, line + kernel(many)}) {
        auto const all = refusals(text);
        CHECK_MESSAGE(
            std::any_of(all.begin(),
                        all.end(),
                        [](auto const& why) { return why.find("at most 256 times") != why.npos; }),
            first(all));
    }
}
