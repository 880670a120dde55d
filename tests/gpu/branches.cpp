// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/branches.hpp>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace support;

namespace {

/// Watched by the host back end, and run once.
struct watched {
    explicit watched(trial const& t) {
        auto request = compile_request_of(t);
        request.branches = true;
        auto made = shared_host().compile(request);
        REQUIRE(made.has_value());
        auto const* const compiled = std::get_if<lkt::compiled_kernel>(&*made);
        REQUIRE(compiled != nullptr);
        REQUIRE(compiled->branches != nullptr);
        for (auto const& s : *compiled->branches)
            if (s.line > 0) sites.push_back(s);
        std::vector<lkt::argument_data> arguments;
        std::vector<lkt::direction> directions;
        for (auto const& a : t.arguments) {
            arguments.push_back(a.data);
            directions.push_back(a.flow);
        }
        lkt::run_request run;
        run.dimensions = {t.grid, t.block, t.shared};
        run.arguments = arguments;
        run.directions = directions;
        auto ran = shared_host().run(*compiled, run);
        REQUIRE(ran.has_value());
        REQUIRE(std::holds_alternative<lkt::run_report>(*ran));
        report = std::get<lkt::run_report>(std::move(*ran));
    }
    /// Ways of the comparisons of a line that were not taken.
    [[nodiscard]] std::size_t missing(int line) const {
        std::size_t n = 0;
        auto const& taken = report.branches.taken;
        for (auto const& s : sites)
            for (auto const way : s.ways)
                n += s.line == line &&
                     std::find(taken.begin(), taken.end(), std::pair{s.at, way}) == taken.end();
        return n;
    }
    [[nodiscard]] std::size_t ways(int line) const {
        std::size_t n = 0;
        for (auto const& s : sites) n += s.line == line ? s.ways.size() : 0;
        return n;
    }
    [[nodiscard]] lkt::comparison_seen const* compared(int line) const {
        for (auto const& s : sites)
            for (auto const& c : report.branches.comparisons)
                if (s.line == line && c.at == s.at) return &c;
        return nullptr;
    }

    std::vector<lkt::branch_site> sites;
    lkt::run_report report;
};

} // namespace

TEST_CASE("operands as numbers") {
    using lkt::operand_type;
    CHECK(lkt::operand_value(operand_type::bits8, 0xff) == -1);
    CHECK(lkt::operand_value(operand_type::bits16, 0x8000) == -32768);
    CHECK(lkt::operand_value(operand_type::bits32, 0xffffffffU) == -1);
    CHECK(lkt::operand_value(operand_type::bits64, 7) == 7);
    CHECK(lkt::operand_value(operand_type::real32, std::bit_cast<std::uint32_t>(1.5F)) == 1.5);
    CHECK(lkt::operand_value(operand_type::real64, std::bit_cast<std::uint64_t>(-2.5)) == -2.5);
    CHECK(lkt::is_whole(operand_type::bits8));
    CHECK_FALSE(lkt::is_whole(operand_type::real64));
}

TEST_CASE("host: branches of a text, which of them were taken, and what was compared") {
    std::vector<float> const x{1, 2, 3, 4};
    watched const seen{{.text = R"(
__device__ __forceinline__ float half_of(float v) { return v / 2; }
__global__ void k(float const* x, float* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = half_of(x[i]);
    if (v != 7.25f) v += 1;
    bool const low = v == 9;
    for (int j = 0; j < 3; ++j) v += low;
    __syncthreads();
    switch (n) { case 1: v = 3; break; case 4: v = 5; break; case 9: v = 6; break; }
    y[i] = v > 100 ? 0 : v;
})",
                        .block = {4},
                        .arguments = {in(x), out<float>(4), value(4)}}};
    CHECK(seen.ways(5) == 2);
    CHECK(seen.missing(5) == 1); // nobody is beyond n
    CHECK(seen.missing(7) == 1); // a way without code of its own
    CHECK(seen.ways(9) == 2);
    CHECK(seen.missing(9) == 0);
    CHECK(seen.ways(11) == 4);
    CHECK(seen.missing(11) == 3);
    CHECK(seen.missing(12) == 1);
    CHECK(seen.report.branches.steps > 4 * 8); // of four threads
    auto const* const real = seen.compared(7);
    REQUIRE(real != nullptr);
    CHECK(real->type == lkt::operand_type::real32);
    CHECK(real->count == 4);
    CHECK(real->first.size() == 4);
    CHECK(std::fabs(lkt::operand_value(real->type, real->nearest.left) -
                    lkt::operand_value(real->type, real->nearest.right)) == 5.25);
    CHECK(real->less != real->greater);
    CHECK_FALSE(real->equal);
    auto const is_value = [](lkt::branch_site const& s) {
        return s.line == 8 && s.ways.empty() && s.equality;
    };
    CHECK(std::any_of(seen.sites.begin(), seen.sites.end(), is_value));
    CHECK(seen.report.kept.size() == 1); // it computes what it would otherwise
}
