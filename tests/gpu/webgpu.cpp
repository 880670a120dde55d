// SPDX-License-Identifier: BSL-1.0
// What the WebGPU back end says where there is no library or no device; tests/gpu/webgpu needs
// them.
#include <lkt/gpu/webgpu.hpp>

#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

TEST_CASE("webgpu: without a library every call says what is missing, and does not crash") {
    lkt::webgpu_options o;
    o.library = "/nowhere/libwgpu_native.so";
    lkt::webgpu gpu(std::move(o));
    CHECK(gpu.device().error().code == "lkt.webgpu.library");
    CHECK(gpu.device().error().kind == lkt::condition::unavailable);
    CHECK(gpu.compile({}).error().code == "lkt.webgpu.library");
    gpu.prefetch({});
    CHECK(gpu.counters().compiled == 0);
    gpu.release();
    lkt::any_gpu_backend any = std::move(gpu);
    CHECK(any.device({}).error().hint.find("LKT_WGPU") != std::string::npos);
}

TEST_CASE("webgpu: another library is refused before anything is asked of it") {
    lkt::webgpu_options o;
    o.library = "libm.so.6";
    CHECK(lkt::webgpu(std::move(o)).device().error().code == "lkt.webgpu.version");
}

namespace {

/// `body` over 64 words and workgroups of 64.
lkt::compile_request checked(std::string const& body) {
    lkt::compile_request request;
    request.source.language = lkt::language::wgsl;
    request.source.text = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
                          "@compute @workgroup_size(64) "
                          "fn k(@builtin(local_invocation_index) i: u32) { " +
                          body + " }";
    if (auto found = lkt::find_kernel(request.source)) request.signature = std::move(*found);
    request.checked = true;
    return request;
}

std::variant<lkt::run_report, lkt::failure> outcome_of(lkt::webgpu& gpu, std::string const& body) {
    auto const compiled = gpu.compile(checked(body));
    REQUIRE_MESSAGE(compiled.has_value(), lkt::to_string(compiled.error()));
    auto const& kernel = std::get<lkt::compiled_kernel>(*compiled);
    CHECK(kernel.checked);
    CHECK(kernel.stands_in);
    CHECK(kernel.unchecked.starts_with("checked in a translation to C++ on the CPU"));
    std::vector<std::uint32_t> const words(64, 1);
    std::vector<lkt::argument_data> const arguments{
        lkt::make_buffer({lkt::scalar_type::uint32}, std::span{words})};
    std::vector<lkt::direction> const directions{lkt::direction::inout};
    lkt::run_request run;
    run.dimensions.block = {64};
    run.arguments = arguments;
    run.directions = directions;
    run.time_limit = lkt::seconds{1};
    auto ran = gpu.run(kernel, run);
    REQUIRE_MESSAGE(ran.has_value(), lkt::to_string(ran.error()));
    return std::move(*ran);
}

lkt::webgpu without_library() {
    lkt::webgpu_options o;
    o.library = "/nowhere/libwgpu_native.so";
    return lkt::webgpu(std::move(o));
}

} // namespace

TEST_CASE("webgpu: the checked mode finds races, and needs no device for it") {
    auto gpu = without_library();
    auto const raced = outcome_of(gpu, "x[0] += x[i];");
    auto const* const why = std::get_if<lkt::failure>(&raced);
    REQUIRE(why != nullptr);
    CHECK(lkt::verdict_of(*why) == lkt::verdict::race);
    auto const honest = outcome_of(gpu, "x[i] += 2u;");
    REQUIRE(std::holds_alternative<lkt::run_report>(honest));
    auto const& kept = std::get<lkt::run_report>(honest).kept.at(0);
    CHECK(kept.outputs.at(0).lane<std::uint32_t>(63) == 3);
}

TEST_CASE("webgpu: what the checked mode cannot run says nothing against a kernel") {
    auto gpu = without_library();
    auto const said = [&](std::string const& body) {
        auto const made = gpu.compile(checked(body));
        if (made) return std::string("compiled");
        CHECK(made.error().code == "lkt.webgpu.checked");
        CHECK(made.error().kind == lkt::condition::unavailable);
        return made.error().message;
    };
    CHECK(said("x[i] = u32(dpdx(1.0));") ==
          "the CPU did not check it: line 2, column 89: `dpdx` is not a function that is "
          "translated");
    CHECK(said("x[i] = x;") == "the CPU did not check it: its translation to C++ does not "
                               "compile for the CPU (line 2)");
    CHECK(said("x[i] = ;").find("expected a value") != std::string::npos);
    // The stack is the translation's matter: it says nothing of WGSL.
    auto const large =
        gpu.compile(checked("var a: array<u32, 1000000>; a[i] = i; x[i] = a[i + 1];"));
    if (large && std::holds_alternative<lkt::compiled_kernel>(*large)) {
        std::vector<lkt::argument_data> const arguments{
            {{lkt::scalar_type::uint32}, true, lkt::byte_buffer(256)}};
        std::vector<lkt::direction> const directions{lkt::direction::inout};
        lkt::run_request run;
        run.dimensions.block = {64};
        run.arguments = arguments;
        run.directions = directions;
        auto const ran = gpu.run(std::get<lkt::compiled_kernel>(*large), run);
        CHECK((ran.has_error() ? ran.error().code == "lkt.webgpu.checked"
                               : std::holds_alternative<lkt::run_report>(*ran)));
    }
    CHECK(std::holds_alternative<lkt::timed_out>(
        std::get<lkt::failure>(outcome_of(gpu, "loop { x[i] += 1u; if x[i] == 0u { break; } }"))));
    lkt::webgpu_options o;
    o.checker.compiler = "/nowhere/c++";
    auto const made = lkt::webgpu(std::move(o)).compile(checked("x[i] = 1u;"));
    CHECK(made.error().code == "lkt.webgpu.checked");
    CHECK(made.error().message.find("/nowhere/c++") != std::string::npos);
}

TEST_CASE("webgpu: the checked mode refuses what the back end refuses") {
    auto gpu = without_library();
    lkt::compile_request cuda;
    cuda.checked = true;
    CHECK(std::holds_alternative<lkt::refused>(std::get<lkt::failure>(*gpu.compile(cuda))));
    auto request = checked("x[i] = 1u;");
    request.definitions.values = {{"missing", std::int64_t{1}}};
    CHECK(std::holds_alternative<lkt::refused>(std::get<lkt::failure>(*gpu.compile(request))));
}
