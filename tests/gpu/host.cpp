// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/host.hpp>

#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"

#include <lkt/gpu/detail/host/build_flags.hpp>
#include <lkt/gpu/detail/host/fibre.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace support;

namespace {

using clock_type = std::chrono::steady_clock;

lkt::compiled_kernel compiled(trial const& t) {
    auto outcome = shared_host().compile(compile_request_of(t));
    if (!outcome) throw std::runtime_error(lkt::to_string(outcome.error()));
    if (auto const* const f = std::get_if<lkt::failure>(&*outcome))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<lkt::compiled_kernel>(*outcome);
}
lkt::run_report report_of(trial const& t) {
    auto outcome = run(shared_host(), t);
    if (auto const* const f = std::get_if<lkt::failure>(&outcome))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<lkt::run_report>(outcome);
}
trial counter() {
    return {"__global__ void k(int* a, int* b) { atomicAdd(a, 1); if (*a < 0) *b = 1; }",
            {2},
            {8},
            {inout(std::vector<int>{100}), out<int>(3)}};
}

} // namespace

TEST_CASE("host: it describes itself as what it is") {
    auto const d = shared_host().device().value();
    CHECK(d.name.find("host CPU (") == 0);
    CHECK(d.simulated);
    CHECK(d.warp_size == 32);
    CHECK(d.max_threads_per_block == 1024);
}

TEST_CASE("host: it says what the compiler did with loops, and shows its code by lines") {
    trial const t{"__global__ void k(float const* a, float* b, int n) {\n"
                  "    float last = 0;\n"
                  "    for (int i = 0; i < n; ++i)\n"
                  "        b[i] = 3 * a[i];\n"
                  "    for (int i = 0; i < n; ++i)\n"
                  "        last = last * a[i] + 1;\n"
                  "    b[0] = last;\n"
                  "}",
                  {1},
                  {1},
                  {in(std::vector<float>(64)), out<float>(64), value(64)}};
    auto const offer = shared_host().offered_evidence();
    CHECK_FALSE(offer.compiler.empty());
    CHECK(offer.counters.empty());
    auto const text = compile_request_of(t);
    auto const kernel = compiled(t);
    request_over const over(t);
    lkt::evidence_subject const of{text, kernel, over.request};
    auto const ask = [&](lkt::evidence_question const& q) {
        auto const lines = shared_host().evidence(of, q);
        REQUIRE_MESSAGE(lines.has_value(), lkt::to_string(lines.error()));
        CHECK(lines->size() <= lkt::evidence_lines);
        std::string all;
        for (std::string const& line : *lines) all += line + "\n";
        return all;
    };
    auto const remarks = ask({.what = lkt::evidence_kind::compiler, .containing = ""});
    CHECK_MESSAGE(remarks.find("line 3: ") != remarks.npos, remarks);
    CHECK_MESSAGE(remarks.find("line 5: ") != remarks.npos, remarks);
    CHECK(remarks.find("/") == remarks.npos); // no file of this machine
    auto const before = shared_host().counters().compiled;
    if (!offer.code.empty()) {
        auto const code = ask({.what = lkt::evidence_kind::code, .line = 6, .containing = ""});
        CHECK_MESSAGE(code.find("line 6\t") != code.npos, code);
        CHECK(code.find("instructions: ") != code.npos);
        CHECK(ask({.what = lkt::evidence_kind::code, .containing = "no-such-thing"})
                  .find("none of them contains 'no-such-thing'") != std::string::npos);
    }
    CHECK(shared_host().counters().compiled == before);
    auto const counters = shared_host().evidence(
        of, {.what = lkt::evidence_kind::counters, .containing = "", .counters = {"x"}});
    CHECK(counters.error().kind == lkt::condition::rejected);
    auto broken = text;
    broken.source.text = "__global__ void k(float const* a, float* b, int n) { b[0] = nobody; }";
    CHECK(shared_host()
              .evidence({broken, kernel, over.request},
                        {.what = lkt::evidence_kind::compiler, .containing = ""})
              .error()
              .code == "lkt.host.evidence");
}

TEST_CASE("host: globals of a kernel are fresh in each run") {
    trial t{"__device__ int launches = 0;\n__global__ void k(int* a) { *a = ++launches; }",
            {1},
            {1},
            {out<int>(1)}};
    t.launches = 3;
    t.keep = {0, 1, 2};
    for (int again = 0; again < 2; ++again) {
        auto const r = report_of(t);
        for (int i = 0; i < 3; ++i)
            CHECK(numbers<int>(r.kept[static_cast<std::size_t>(i)].outputs[0])[0] == i + 1);
    }
}

TEST_CASE("host: fibres only where threads wait for each other") {
    auto t = counter();
    CHECK(compiled(t).notes.at(0) == "plain loop over the threads of a block");
    t.text = "__global__ void k(int* a, int* b) { __syncthreads(); *a = 1; b[0] = 2; }";
    auto const notes = compiled(t).notes;
    CHECK(notes.at(0) == std::string{"fibres: "} + lkt::host_detail::fibre::mechanism);
    CHECK(notes.at(1).find("compiler: ") == 0);
    t.text = "// __syncthreads();\n__global__ void k(int* a, int* b) { *a = 1; b[0] = 2; }";
    CHECK(compiled(t).notes.at(0) == "plain loop over the threads of a block");
}

TEST_CASE("host: a module is linked with the libraries of C where it calls them") {
    namespace hd = lkt::host_detail;
    auto const needs = [](hd::compiled_module const& module) {
        return module.code.text().find("libc.so.6") != std::string_view::npos ||
               module.code.text().find("libm.so.6") != std::string_view::npos;
    };
    auto const plain = [](trial const& t) {
        return static_cast<hd::compiled_module const*>(compiled(t).handle.get());
    };
    auto t = counter();
    CHECK(hd::libraries_for(t.text) == hd::libraries::loader);
    auto const kept = compiled(t);
    CHECK_FALSE(needs(*plain(t)));
    t.checked = true;
    auto const watched = compiled(t);
    REQUIRE(plain(t)->races != nullptr);
    CHECK_FALSE(needs(*plain(t)->races));

    trial u{"__global__ void k(float* a) { *a = erff(*a); }", {1}, {1}, {inout<float>({0.5f})}};
    auto const erf = compiled(u);
    CHECK(needs(*plain(u)));

    CHECK(hd::libraries_for("int i; b = __expf(a);") == hd::libraries::all);
    CHECK(hd::libraries_for("float distance, next_layer_norm;") == hd::libraries::loader);

    // No name says that the compiler calls memcpy; it is linked all the same.
    trial v{"struct large { int all[3000]; };\n"
            "__global__ void k(large const* a, large* b) { *b = *a; }",
            {1},
            {1},
            {in(std::vector<int>(3000, 7)), out<int>(3000)}};
    CHECK(hd::libraries_for(v.text) == hd::libraries::loader);
    auto const report = report_of(v);
    CHECK(report.kept[0].outputs[0].lane<int>(2999) == 7);
    auto const copies = compiled(v);
    CHECK(needs(*plain(v)));

    // Nor is what is defined nowhere.
    trial w{"__device__ int elsewhere(int);\n__global__ void k(int* a) { *a = elsewhere(*a); }",
            {1},
            {1},
            {inout(std::vector<int>{1})}};
    auto const none = run(shared_host(), w);
    CHECK(lkt::describe(std::get<lkt::failure>(none)).find("elsewhere") != std::string::npos);
}

TEST_CASE("host: what was compiled is kept while somebody holds it") {
    auto t = counter();
    t.text += "// kept";
    auto const first = compiled(t);
    auto const start = clock_type::now();
    auto second = compiled(t);
    CHECK(clock_type::now() - start < std::chrono::milliseconds{20});
    CHECK(first.handle == second.handle);
    t.definitions.values = {{"X", std::int64_t{1}}};
    CHECK(compiled(t).handle != first.handle);
    t.definitions.values.clear();
    t.checked = true;
    CHECK(compiled(t).handle != first.handle);
}

TEST_CASE(
    "host: a text that does not compile is compiled once, one that takes too long each time") {
    lkt::host backend; // without a cache on disk, see tests/main.cpp
    trial t = counter();
    t.text = "__global__ void k(int* a, int* b) {\n    *a = missing;\n}";
    auto request = compile_request_of(t);
    for (std::uint64_t again = 0; again < 3; ++again) {
        auto const outcome = backend.compile(request);
        REQUIRE(outcome.has_value());
        auto const* const why = std::get_if<lkt::failure>(&*outcome);
        REQUIRE(why != nullptr);
        CHECK(std::get<lkt::compile_failed>(*why).where.line == 2);
        CHECK(backend.counters().compiled == 1);
        CHECK(backend.counters().from_cache == again);
    }
    request.options = {"-O0"};
    REQUIRE(backend.compile(request).has_value());
    CHECK(backend.counters().compiled == 2);

    request.time_limit = lkt::seconds{0.001};
    request.source.text = counter().text;
    for (std::uint64_t again = 0; again < 2; ++again) {
        auto const outcome = backend.compile(request);
        REQUIRE(outcome.has_value());
        CHECK(std::holds_alternative<lkt::timed_out>(std::get<lkt::failure>(*outcome)));
        CHECK(backend.counters().compiled == 3 + again);
    }
}

TEST_CASE("host: what the text does not use makes no difference to the cache") {
    char folder[] = "/tmp/lkt-host-cache-XXXXXX";
    REQUIRE(::mkdtemp(folder) != nullptr);
    lkt::host_options options;
    options.cache_folder = folder;
    lkt::host backend{options};
    trial t = counter();
    t.text = "__global__ void k(int* a, int* b) { *a = USED; }";
    auto const compiled_with = [&](std::int64_t used, std::int64_t unused) {
        t.definitions.values.clear();
        t.definitions.values.emplace_back("USED", used);
        t.definitions.values.emplace_back("UNUSED", unused);
        REQUIRE(backend.compile(compile_request_of(t)).has_value());
        return backend.counters().compiled;
    };
    CHECK(compiled_with(1, 1) == 1);
    CHECK(compiled_with(1, 2) == 1);
    CHECK(compiled_with(2, 2) == 2);
    // Words are told from the text's own, which values are, so those have an entry for each.
    t.text = "__global__ void k(int* a, int* b) { *a = missing; }";
    CHECK(compiled_with(1, 1) == 3);
    CHECK(compiled_with(1, 1) == 3);
    CHECK(compiled_with(1, 2) == 4);
    std::filesystem::remove_all(folder);
}

TEST_CASE("host: blocks are spread over threads of the system, shared memory belongs to a block") {
    lkt::host_options options;
    options.threads = 4;
    lkt::host backend{options};
    trial t{R"(
__global__ void k(unsigned* y) {
    __shared__ unsigned s[64];
    for (int round = 0; round < 20; ++round) {
        s[threadIdx.x] = blockIdx.x * 64 + threadIdx.x + round;
        __syncthreads();
        unsigned other = s[63 - threadIdx.x];
        __syncthreads();
        if (other != blockIdx.x * 64 + 63 - threadIdx.x + round) atomicAdd(y, 1u);
    }
})",
            {300},
            {64},
            {inout(std::vector<std::uint32_t>{0})}};
    for (int again = 0; again < 3; ++again)
        CHECK(numbers<std::uint32_t>(outputs(backend, t)[0])[0] == 0);
}

TEST_CASE("host: buffers of no elements, of odd sizes, and many of them") {
    trial t{"__global__ void k(char* a, float* b, int n) { for (int i = 0; i < n; ++i) a[i] = 7; }",
            {1},
            {1},
            {out<std::uint8_t>(4097), out<float>(0), value(4097)}};
    CHECK(numbers<std::uint8_t>(outputs(shared_host(), t)[0]) ==
          std::vector<std::uint8_t>(4097, 7));
    std::string text = "__global__ void k(", body;
    t.arguments.clear();
    for (int i = 0; i < 40; ++i) {
        text += (i > 0 ? ", int* p" : "int* p") + std::to_string(i);
        body += "*p" + std::to_string(i) + " = " + std::to_string(i) + ";";
        t.arguments.push_back(out<int>(1));
    }
    t.text = text + ") {" + body + "}";
    auto const got = outputs(shared_host(), t);
    for (int i = 0; i < 40; ++i) CHECK(numbers<int>(got[static_cast<std::size_t>(i)])[0] == i);
}

TEST_CASE("host: a stop token ends a compilation soon") {
    auto slow = compile_request_of(counter());
    slow.source.text +=
        "\n__device__ constexpr int spin(int n) { int s = 0; for (int i = 0; i < n; ++i) "
        "s += i & 1; return s; }\nstatic_assert(spin(8000000) + spin(8000001) + "
        "spin(8000002) + spin(8000003) + spin(8000004) > 0);";
    lkt::host_options options;
    bool const clang = shared_host().device().value().driver.find("clang") != std::string::npos;
    options.flags = {"-fconstexpr-ops-limit=4000000000", "-fconstexpr-loop-limit=100000000"};
    if (clang) options.flags = {"-fconstexpr-steps=2147483647"};
    lkt::host backend{options};
    (void)backend.device();
    std::stop_source stop;
    clock_type::time_point asked;
    std::thread later{[&] {
        std::this_thread::sleep_for(std::chrono::milliseconds{400});
        asked = clock_type::now();
        stop.request_stop();
    }};
    auto const outcome = backend.compile(slow, {stop.get_token(), {}});
    auto const ended = clock_type::now();
    later.join();
    REQUIRE(!outcome.has_value());
    CHECK(outcome.error().kind == lkt::condition::cancelled);
    CHECK(std::chrono::duration<double>(ended - asked).count() < 0.5);
    CHECK(numbers<int>(outputs(backend, counter())[0]) == std::vector<int>{116});
}

TEST_CASE("host: moved, it stays what it was") {
    lkt::host a;
    auto t = counter();
    CHECK(numbers<int>(outputs(a, t)[0]) == std::vector<int>{116});
    lkt::host b = std::move(a);
    CHECK(numbers<int>(outputs(b, t)[0]) == std::vector<int>{116});
}

TEST_CASE("host: arithmetic that is rounded to one side") {
    trial const t{R"(
__global__ void k(float* y, float one, float tiny) {
    y[0] = __fadd_rd(one, -tiny), y[1] = __fadd_ru(one, tiny), y[2] = __fadd_rz(-one, tiny), y[3] = __fadd_rd(one, tiny);
    y[4] = __fmul_ru(one + 0x1p-23f, one + 0x1p-23f), y[5] = __fmul_rz(-0x1p-100f, tiny), y[6] = __fmaf_ru(one, one, tiny);
    y[7] = __double2float_rd(-0x1p-200), y[8] = __fsub_rd(one, one), y[9] = __fadd_rd(0x1.fffffep127f, 0x1p103f);
})",
                  {1},
                  {1},
                  {out<float>(10), value(1.0F), value(0x1p-80F)}};
    auto const y = numbers<float>(outputs(shared_host(), t)[0]);
    std::vector<float> const expected{1 - 0x1p-24F,
                                      1 + 0x1p-23F,
                                      -1 + 0x1p-24F,
                                      1,
                                      1 + 0x1.8p-22F,
                                      0,
                                      1 + 0x1p-23F,
                                      -0x1p-149F,
                                      0,
                                      0x1.fffffep127F};
    for (std::size_t i = 0; i < y.size(); ++i) {
        CAPTURE(i);
        CHECK(y[i] == expected[i]);
    }
}
