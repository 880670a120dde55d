// SPDX-License-Identifier: BSL-1.0
// What can go wrong with WebGPU, what is said then, and that the next kernel runs. Endless kernels,
// killed workers and cancelled calls are matters of the conformance suite.
#include "support_webgpu.hpp"

#include <lkt/gpu/webgpu/detail/inspector.hpp>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>

using namespace webgpu_support;
using support::failure_of;
using support::in;
using support::out;

namespace {

bool says(std::string const& text, std::string const& what) {
    bool const found = text.find(what) != std::string::npos;
    if (!found) MESSAGE("`" << text << "` does not say `" << what << "`");
    return found;
}

support::trial writes(std::string const& statements, std::string const& before = {}) {
    return wgsl("@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n" + before +
                    "@compute @workgroup_size(64)\nfn k(@builtin(local_invocation_index) i: u32) "
                    "{\n" +
                    statements + "\n}\n",
                {1},
                {64},
                {out<float>(64)});
}

std::vector<pid_t> workers() {
    namespace fs = std::filesystem;
    std::vector<pid_t> found;
    for (auto const& thread : fs::directory_iterator{"/proc/self/task"}) {
        std::ifstream in{thread.path() / "children"};
        for (pid_t pid = 0; in >> pid;) {
            std::ifstream name{"/proc/" + std::to_string(pid) + "/comm"};
            std::string text;
            if (std::getline(name, text) && text == "lkt-worker") found.push_back(pid);
        }
    }
    return found;
}

} // namespace

TEST_CASE("the compiler's words come with the line and column of the text") {
    if (!have_device()) return;
    auto const wrong_type = failure_of<lkt::compile_failed>(shared(), writes("  y[i] = 1u;"));
    CHECK(wrong_type.where.line == 4);
    CHECK(wrong_type.where.column == 3);
    CHECK(says(wrong_type.log, "cannot convert"));
    CHECK(wrong_type.log.find("In wgpuDevice") == std::string::npos);
    auto const shared_too = failure_of<lkt::compile_failed>(
        shared(),
        writes("  y[i] = tile[i];\n  y[i] = ;", "var<workgroup> tile: array<f32, 64>;\n"));
    CHECK(shared_too.where == lkt::text_location{6, 10});
    // A text that lkt itself does not read is the compiler's to judge.
    auto t = writes("  y[i] = 1;");
    t.text += "fn (";
    auto request = support::compile_request_of(writes("  y[i] = 1;"));
    request.source.text = t.text;
    auto const unread = shared().compile(request);
    REQUIRE(unread.has_value());
    auto const* const no = std::get_if<lkt::failure>(&*unread);
    REQUIRE(no != nullptr);
    REQUIRE(std::holds_alternative<lkt::compile_failed>(*no));
    CHECK(std::get<lkt::compile_failed>(*no).where.line == 6);
    CHECK(works(shared()));
}

TEST_CASE("what cannot be launched is said with its numbers, before the device is asked") {
    if (!have_device()) return;
    auto const facts = lkt::webgpu_inspector::facts(shared());
    auto t = writes("  y[i] = 1;");
    t.block = {32};
    CHECK(says(failure_of<lkt::launch_failed>(shared(), t).why,
               "blocks of 32x1x1 threads, but the text's @workgroup_size is 64x1x1"));
    t = writes("  y[i] = 1;");
    t.grid = {1, facts.workgroups + 1};
    CHECK(says(failure_of<lkt::launch_failed>(shared(), t).why,
               std::to_string(facts.workgroups) + " workgroups in each dimension"));
    t = writes("  y[i] = 1;");
    t.shared = 64;
    CHECK(says(failure_of<lkt::launch_failed>(shared(), t).why, "no dynamic shared memory"));
    t = writes("  y[i] = big[i];", "var<workgroup> big: array<f32, 1000000>;\n");
    CHECK(says(failure_of<lkt::launch_failed>(shared(), t).why, "the workgroup variables take"));
    t = wgsl("@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n@compute "
             "@workgroup_size(64, 64) fn k() { y[0] = 1; }",
             {1},
             {64, 64},
             {out<float>(64)});
    CHECK(says(failure_of<lkt::compile_failed>(shared(), t).log, "4096 total invocations"));

    auto none = doubler();
    none.arguments[0] = in<float>({});
    CHECK_THROWS_WITH(support::run(shared(), none), doctest::Contains("lkt.webgpu.request"));
    if (facts.storage_binding < (std::uint64_t{256} << 20)) { // else the test's memory is at stake
        auto huge = writes("  y[i] = 1;");
        huge.arguments = {out<float>(facts.storage_binding / 4 + 64)};
        auto const why = failure_of<lkt::launch_failed>(shared(), huge).why;
        CHECK(says(why, "`y`, @group(0) @binding(0),"));
        CHECK(says(why, "at most"));
    }
    CHECK(works(shared()));
}

TEST_CASE("a buffer that is smaller than the text has it is a launch that failed") {
    if (!have_device()) return;
    auto t = writes("  y[i] = 1;");
    t.text.replace(t.text.find("array<f32>"), 10, "array<f32, 1000>");
    auto const before = shared().counters().workers_lost;
    auto const why = failure_of<lkt::launch_failed>(shared(), t).why;
    CHECK(says(why, "4000"));
    CHECK(says(why, "256"));
    CHECK(shared().counters().workers_lost == before);
    CHECK(works(shared()));
}

TEST_CASE("what a text or a request may not hold is refused") {
    if (!have_device()) return;
    auto t = writes("  y[i] = 1;");
    t.definitions.values = {{"TILE", std::int64_t{4}}};
    CHECK(failure_of<lkt::refused>(shared(), t).what == "TILE");
    t = writes("  y[i] = f32(TILE);", "override TILE: u32;\n");
    CHECK(says(failure_of<lkt::refused>(shared(), t).what, "TILE"));
    t = writes("  y[i] = 1;");
    t.options = {"-O3"};
    CHECK(failure_of<lkt::refused>(shared(), t).what == "-O3");
    lkt::compile_request cuda;
    cuda.source.text = "__global__ void k() {}";
    cuda.signature.name = "k";
    auto const no = shared().compile(cuda);
    REQUIRE(no.has_value());
    REQUIRE(std::holds_alternative<lkt::failure>(*no));
    CHECK(std::holds_alternative<lkt::refused>(std::get<lkt::failure>(*no)));
    auto other = support::compile_request_of(doubler());
    other.source.text = writes("  y[i] = 1;").text;
    other.signature.name = "k";
    auto const mismatch = shared().compile(other);
    REQUIRE(mismatch.has_value());
    REQUIRE(std::holds_alternative<lkt::failure>(*mismatch));
    CHECK(std::holds_alternative<lkt::wrong_signature>(std::get<lkt::failure>(*mismatch)));
}

TEST_CASE("an input that a kernel writes is noticed") {
    if (!have_device()) return;
    auto t = wgsl("@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
                  "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
                  "@compute @workgroup_size(64) fn k(@builtin(local_invocation_index) i: u32) {\n"
                  "  y[i] = x[i]; if i == 40 { x[i] = 0; } }",
                  {1},
                  {64},
                  {in(std::vector<float>(64, 1)), out<float>(64)});
    auto const why = failure_of<lkt::out_of_bounds>(shared(), t);
    CHECK(says(why.what, "argument 1, `x`, an input, was"));
    CHECK(why.as == lkt::verdict::input_mutated);
    t.text.replace(t.text.find("i == 40"), 7, "i == 99");
    CHECK(support::outputs(shared(), t).size() == 1);
}

TEST_CASE("a device that is lost is replaced") {
    if (!have_device()) return;
    REQUIRE(works(shared()));
    REQUIRE(lkt::webgpu_inspector::lose_device(shared()).has_value());
    // That is no verdict on the next kernel: another worker runs it.
    auto const before = shared().counters().workers_lost;
    CHECK(works(shared()));
    CHECK(shared().counters().workers_lost == before + 1);
    REQUIRE(lkt::webgpu_inspector::lose_device(shared()).has_value());
    CHECK(failure_of<lkt::compile_failed>(shared(), writes("  y[i] = nothing;")).where.line == 4);
}

TEST_CASE("no adapter, and none of that name") {
    if (!have_device()) return;
    lkt::webgpu_options nothing;
    nothing.worker.environment = {"VK_DRIVER_FILES=/nowhere.json",
                                  "VK_ICD_FILENAMES=/nowhere.json"};
    auto const e = lkt::webgpu(std::move(nothing)).device().error();
    CHECK(e.code == "lkt.webgpu.no-adapter");
    CHECK(e.kind == lkt::condition::unavailable);
    CHECK(says(e.hint, "mesa-vulkan-drivers"));
    CHECK(says(e.hint, "VK_DRIVER_FILES"));
    std::string const name = shared().device()->name;
    for (char const* const which : {"99", "a device that nobody has"}) {
        lkt::webgpu_options o;
        o.adapter = which;
        auto const no = lkt::webgpu(std::move(o)).device().error();
        CHECK(no.code == "lkt.webgpu.adapter");
        CHECK(says(no.message, name));
    }
    for (std::string const& which : {std::string("0"), name, name.substr(0, 4)}) {
        lkt::webgpu_options o;
        o.adapter = which;
        CHECK(lkt::webgpu(std::move(o)).device().has_value());
    }
}

TEST_CASE("a device in software says so, and what it can") {
    if (!have_device()) return;
    auto const facts = lkt::webgpu_inspector::facts(shared());
    auto const device = shared().device();
    REQUIRE(device.has_value());
    CHECK(device->backend == "webgpu");
    CHECK(device->languages == std::vector{lkt::language::wgsl});
    CHECK(device->simulated == (facts.kind == lkt::webgpu_detail::wg_adapter_kind::software));
    CHECK(says(device->driver, "wgpu-native 29."));
    CHECK(device->max_threads_per_block >= 256);
    CHECK(device->shared_memory_per_block.count >= 16384);
}

TEST_CASE("what is built ahead is there when it is asked for, right or wrong") {
    if (!have_device()) return;
    std::vector<lkt::compile_request> requests;
    for (int k = 1; k <= 12; ++k) {
        auto t =
            writes("  y[i] = N * f32(i) + " + std::to_string(k) + ";", "override N: f32 = 1;\n");
        t.definitions.values = {{"N", double(k)}};
        requests.push_back(support::compile_request_of(t));
        shared().prefetch(requests.back());
    }
    auto const broken = support::compile_request_of(writes("  y[i] = nothing;"));
    shared().prefetch(broken);
    for (int k = 12; k >= 1; --k) {
        auto const compiled = shared().compile(requests[static_cast<std::size_t>(k - 1)]);
        REQUIRE(compiled.has_value());
        REQUIRE(std::holds_alternative<lkt::compiled_kernel>(*compiled));
        auto const outcome =
            support::run_compiled(shared(), std::get<lkt::compiled_kernel>(*compiled), writes(""));
        REQUIRE(std::holds_alternative<lkt::run_report>(outcome));
        auto const y =
            support::numbers<float>(std::get<lkt::run_report>(outcome).kept.at(0).outputs.at(0));
        CHECK(y.at(5) == float(6 * k));
    }
    auto const no = shared().compile(broken);
    REQUIRE(no.has_value());
    CHECK(std::holds_alternative<lkt::failure>(*no));
}

TEST_CASE("what the library refuses is known to the next process") {
    if (!have_device()) return;
    char name[] = "/tmp/lkt-refused-XXXXXX";
    std::string const folder = ::mkdtemp(name);
    lkt::webgpu_options options;
    options.checker.cache_folder = folder;
    std::string log;
    for (std::uint64_t const known : {0, 1}) {
        lkt::webgpu gpu(options);
        REQUIRE(gpu.device().has_value());
        auto const no = failure_of<lkt::compile_failed>(gpu, writes("  y[i] = 1u;"));
        CHECK(no.where.line == 4);
        CHECK((log.empty() || no.log == log));
        log = no.log;
        CHECK(gpu.counters().from_cache == known);
        (void)failure_of<lkt::compile_failed>(gpu, writes("  y[i] = 1u;"));
        CHECK(gpu.counters().from_cache == known + 1);
        CHECK(works(gpu));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("a compiler that takes too long is ended") {
    if (!have_device()) return;
    REQUIRE(works(shared()));
    for (pid_t const pid : workers()) ::kill(pid, SIGSTOP);
    auto request = support::compile_request_of(writes("  y[i] = 3;"));
    request.time_limit = lkt::seconds{0.2};
    auto const compiled = shared().compile(request);
    REQUIRE(compiled.has_value());
    auto const* const no = std::get_if<lkt::failure>(&*compiled);
    REQUIRE(no != nullptr);
    REQUIRE(std::holds_alternative<lkt::timed_out>(*no));
    CHECK(std::get<lkt::timed_out>(*no).phase == "compile");
    CHECK(works(shared()));
}
