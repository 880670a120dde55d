// SPDX-License-Identifier: BSL-1.0
// What can become of a kernel, each as its own typed failure; and after each the next one runs.
#include "programs.hpp"

using namespace conformance;
using namespace support;

namespace {

bool in_wgsl() { return tested().language == lkt::language::wgsl; }
double seconds_since(clock_type::time_point begin) {
    return std::chrono::duration<double>(clock_type::now() - begin).count();
}

} // namespace

TEST_CASE("failures: compile errors are mapped to the user's lines") {
    auto const f = fails<lkt::compile_failed>(
        kernel({"c[i] = undeclared_thing;", "c[i] = undeclared_thing;"}));
    CHECK(f.where.line == 3);
    CHECK((f.where.column == 8 || f.where.column == 0)); // where the compiler tells columns
    CHECK(has(f.log, "undeclared_thing"));
    auto t = kernel({"c[i] = BLOCK +;", "c[i] = f32(BLOCK) +;"},
                    {"", "override BLOCK: u32; "}); // a definition takes no line
    t.definitions.values = {{"BLOCK", std::int64_t{64}}};
    CHECK(fails<lkt::compile_failed>(t).where.line == 3);
    (void)fails<lkt::compile_failed>(kernel({"c[i] = 0; } } {", "c[i] = 0.0; } } {"}));
    // Further down, after a comment and a blank line.
    CHECK(fails<lkt::compile_failed>(kernel({"/* one\n two */\n\nc[i] = a[i]\n;c[i] = nothing;",
                                             "/* one\n two */\n\nc[i] = a[i]\n;c[i] = nothing;"}))
              .where.line == 7);
}

TEST_CASE("failures: a kernel that the text does not have") {
    auto t = kernel({"c[i] = 0;", "c[i] = 0.0;"});
    t.name = "absent";
    CHECK(has(fails_as_either<lkt::compile_failed, lkt::refused>(t), "absent"));
}

TEST_CASE("failures: a block or grid that the device does not have") {
    auto t = kernel({"c[i % n] = 0;", "c[i % n] = 0.0;"});
    auto const device = tested().gpu.device({}).value();
    auto const too_large = 2 * std::max(device.max_threads_per_block, device.max_block.x);
    t.block = {too_large};
    CHECK(has(fails<lkt::launch_failed>(t).why, std::to_string(too_large)));
    t.block = {1, 1, 2 * std::max(device.max_block.z, device.max_threads_per_block)};
    (void)fails<lkt::launch_failed>(t);
    t.block = {64, device.max_threads_per_block / 32};
    (void)fails<lkt::launch_failed>(t);
    t.block = {256};
    t.grid = {1, device.max_grid.y + 1};
    CHECK(has(fails<lkt::launch_failed>(t).why, std::to_string(device.max_grid.y + 1)));
    t.grid = {1, 1, device.max_grid.z + 1};
    (void)fails<lkt::launch_failed>(t);
    t.grid = {0};
    (void)fails<lkt::launch_failed>(t);
    t.grid = {1};
    t.block = {0};
    (void)fails<lkt::launch_failed>(t);
}

TEST_CASE("failures: more shared memory than the device has") {
    auto t =
        kernel({"extern __shared__ float s[]; s[i] = a[i]; __syncthreads(); c[i] = s[255 - i];",
                "s[i] = a[i]; workgroupBarrier(); c[i] = s[255 - i];"},
               {"", "var<workgroup> s: array<f32, 262144>; "});
    t.shared = in_wgsl() ? 0 : 1U << 20;
    auto const why = fails_as_either<lkt::launch_failed, lkt::compile_failed>(t);
    CAPTURE(why);
    CHECK((has(why, "shared") || has(why, "workgroup")));
    CHECK((has(why, "1048576") || has(why, "1 MiB") || has(why, "1.00 MiB")));
}

TEST_CASE("failures: accesses outside of every buffer") {
    auto t =
        kernel({"c[i] = 5; c[(long long)n << 32] = 1;", "c[i] = 5.0; c[i + 100000000] = 1.0;"});
    if (tested().wild == wild_access::crashes) {
        CHECK(!fails<lkt::crashed>(t).what.empty());
        (void)fails<lkt::crashed>(kernel({"c[-((long long)n << 32)] = 1;", ""}));
        CHECK(
            !fails<lkt::crashed>(kernel({"float* p = (float*)(long long)(n >> 20); p[i] = 1;", ""}))
                 .what.empty());
        return;
    }
    // A write may be dropped, or land somewhere in the same buffer: at its end, as a rule.
    auto const inside = numbers<float>(outputs(tested().gpu, t).at(0));
    CHECK(inside[0] == 5);
    CHECK(inside[127] == 5);
    CHECK(next_one_runs());
    // A read is of anything in the buffer, or zero.
    auto const read = numbers<float>(
        outputs(tested().gpu, kernel({"", "c[i] = a[i + 100000000] + a[i - n * 1000000];"})).at(0));
    for (float const v : read) CHECK((v == 0 || v == 1 || v == 2));
    CHECK(next_one_runs());
}

TEST_CASE("failures: a write just beside a buffer") {
    auto t = kernel({"if (i < n) c[i] = 1; if (i == 7) c[n + 1] = 1;",
                     "if (i < n) { c[i] = 1.0; } if (i == 7) { c[n + 1] = 9.0; }"});
    t.arguments[1] = out<float>(250);
    t.arguments[2] = value(250);
    if (tested().wild == wild_access::crashes) {
        auto const what = fails<lkt::out_of_bounds>(t).what;
        CAPTURE(what);
        CHECK((has(what, "a1") || has(what, "argument 2"))); // as the back end names it
        return;
    }
    auto const y = numbers<float>(outputs(tested().gpu, t).at(0));
    REQUIRE(y.size() == 250);
    for (std::size_t i = 0; i < 249; ++i) CHECK(y[i] == 1);
    CHECK(next_one_runs());
}

TEST_CASE("failures: an input that a kernel writes, and the next one gets whole") {
    if (in_wgsl()) { // a store to what is read-only does not compile
        CHECK(fails<lkt::compile_failed>(kernel({"", "c[i] = a[i]; a[i] = 0.0;"})).where.line == 3);
        return;
    }
    auto const x = random_floats(1000, 1);
    auto const good = doubling(x);
    auto bad = good;
    bad.text = R"(__global__ void twice(float const* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { y[i] = 2 * x[i]; ((float*)x)[i] = 0; }
})";
    request_over r(good);
    r.request.contents = lkt::fresh_contents(); // may be kept on the device from kernel to kernel
    auto const right = compiled(good), wrong = compiled(bad);
    for (int again = 0; again < 2; ++again) {
        CHECK(numbers<float>(r.run(tested().gpu, right).kept.at(0).outputs.at(0))[7] == 2 * x[7]);
        auto const outcome = tested().gpu.run(wrong, r.request, {}).value();
        REQUIRE(std::holds_alternative<lkt::failure>(outcome));
        auto const& why = std::get<lkt::failure>(outcome);
        CAPTURE(lkt::describe(why));
        CHECK(lkt::verdict_of(why) == lkt::verdict::input_mutated);
        CHECK(has(lkt::describe(why), "input"));
    }
}

TEST_CASE("failures: an endless loop is timed out, and soon") {
    auto const begin = clock_type::now();
    auto const f = fails<lkt::timed_out>(endless(0.4));
    CHECK(f.phase == "launch");
    CHECK(f.limit.count() == doctest::Approx(0.4));
    CHECK(seconds_since(begin) < 10);
    if (in_wgsl()) return; // such a barrier is wrong, but not every compiler says so
    auto stuck =
        kernel({"volatile float* v = c; v[i] = 0; __syncthreads();\nwhile (v[0] == 0) {}", ""});
    stuck.time_limit = lkt::seconds{0.4};
    CHECK(fails<lkt::timed_out>(stuck).limit.count() == doctest::Approx(0.4));
}

TEST_CASE("failures: the time limit is one launch's, not the run's") {
    auto t = kernel({"c[i] = a[i];", "c[i] = a[i];"});
    t.time_limit = lkt::seconds{0.5};
    t.launches = 300;
    auto const begin = clock_type::now();
    while (seconds_since(begin) < 0.6) CHECK(report_of(t).samples.size() == 300);
}
