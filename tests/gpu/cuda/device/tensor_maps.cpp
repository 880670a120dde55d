// SPDX-License-Identifier: BSL-1.0
// Tiles that a kernel reads through tensor maps (TMA), from compute capability 9.0 on.
#include "../../support.hpp"
#include "../../tensor_map_texts.hpp"
#include "support_cuda.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

using namespace support;

namespace {

bool have_maps() {
    auto const architecture = shared_cuda().device().value().architecture;
    bool const there = architecture.size() > 4 && architecture[3] != '7' && architecture[3] != '8';
    if (!there) MESSAGE("skipped: no tensor maps on " << architecture);
    return there;
}

trial doubled(int rows, int columns, std::string text = tensor_map_texts::doubled) {
    auto const x =
        random_floats(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 5);
    trial t{
        .text = std::move(text),
        .grid = {static_cast<unsigned>((columns + 31) / 32), static_cast<unsigned>((rows + 7) / 8)},
        .block = {64},
        .arguments = {in(x), out<float>(x.size()), value(rows), value(columns)}};
    t.definitions.values = {{"BK", std::int64_t{32}}};
    return t;
}
std::vector<float> expected(trial const& t) {
    auto y = numbers<float>(t.arguments[0].data);
    for (float& v : y) v *= 2;
    return y;
}

} // namespace

TEST_CASE("device: tiles are read through a tensor map, wherever the buffer lies") {
    if (!have_maps()) return;
    // Whole tiles; the edges of tiles; a buffer of less than a tile; no map at all.
    for (auto const& [rows, columns] :
         {std::pair(64, 128), std::pair(61, 100), std::pair(3, 4), std::pair(13, 33)}) {
        CAPTURE(rows);
        CAPTURE(columns);
        auto t = doubled(rows, columns);
        t.launches = 5;
        t.warmups = 1;
        t.keep = {0, 2, 4};
        auto compiled = shared_cuda().compile(compile_request_of(t), {});
        REQUIRE(compiled.has_value());
        if (auto const* const f = std::get_if<lkt::failure>(&*compiled)) FAIL(lkt::describe(*f));
        auto const& kernel = std::get<lkt::compiled_kernel>(*compiled);
        request_over const over(t);
        auto const report = over.run(shared_cuda(), kernel);
        REQUIRE(report.kept.size() == 3);
        for (auto const& kept : report.kept)
            CHECK(numbers<float>(kept.outputs.at(0)) == expected(t));
    }
}

TEST_CASE("device: a swizzled tile lies as CUDA's manual says") {
    if (!have_maps()) return;
    std::vector<std::uint16_t> x(64 * 64);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
    trial const t{.text = tensor_map_texts::swizzled,
                  .grid = {1},
                  .block = {64},
                  .arguments = {in(x), out<std::uint16_t>(x.size())}};
    CHECK(numbers<std::uint16_t>(outputs(shared_cuda(), t).at(0)) == x);
}

TEST_CASE("device: a map that does not lie in its buffer is never made") {
    if (!have_maps()) return;
    auto wrong = tensor_map_texts::doubled;
    auto const at = wrong.find("A[M][K]");
    wrong.replace(at, 7, "A[M + 1][K]");
    auto const why = failure_of<lkt::launch_failed>(shared_cuda(), doubled(8, 32, wrong)).why;
    CHECK(why.find("covers 1152 bytes, but the buffer `A` has 1024") != std::string::npos);
}

TEST_CASE("device: in checked mode the CPU moves tiles, too, and the sanitizer looks") {
    if (!have_maps()) return;
    auto t = doubled(61, 100);
    t.checked = true;
    auto compiled = shared_cuda().compile(compile_request_of(t), {});
    REQUIRE(compiled);
    if (auto const* const f = std::get_if<lkt::failure>(&*compiled)) FAIL(lkt::describe(*f));
    auto const& kernel = std::get<lkt::compiled_kernel>(*compiled);
    CHECK(kernel.unchecked.find("tensor maps") == std::string::npos);
    auto const outcome = run_compiled(shared_cuda(), kernel, t);
    if (auto const* const f = std::get_if<lkt::failure>(&outcome)) FAIL(lkt::describe(*f));
    CHECK(numbers<float>(std::get<lkt::run_report>(outcome).kept.at(0).outputs.at(0)) ==
          expected(t));
}
