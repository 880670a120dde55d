// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/compile_pool.hpp>

#include "support.hpp"

#include <lkt/process/child.hpp>
#include <lkt/verify/static_checks.hpp>

#include <chrono>
#include <csignal>
#include <stop_token>
#include <thread>

using namespace lkt::cuda_detail;
using cuda_support::adder;
using cuda_support::cached_options;
using cuda_support::cubin;
using cuda_support::failure_of;
using cuda_support::job;
using cuda_support::plain_options;
using cuda_support::scratch;
namespace fs = std::filesystem;

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
    return std::chrono::duration<double>(clock_type::now() - start).count();
}

/// Takes a compiler minutes: more and more code out of little text.
compile_job endless() {
    auto j = job("__global__ void k(float* p) {\n"
                 "#pragma unroll\n"
                 "for (int i = 0; i < 4096; ++i)\n"
                 "#pragma unroll\n"
                 "for (int j = 0; j < 4096; ++j) p[(i * j) % 77] = p[i] * p[j + i] + p[i ^ j];\n"
                 "}\n");
    return j;
}

/// Waits until a compiler has been busy for a while, and kills it.
bool kill_a_busy_worker() {
    for (int i = 0; i < 500; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        for (auto const pid : cuda_support::workers()) {
            // What works is its confined child.
            auto const name = std::to_string(pid);
            auto child = cuda_support::read("/proc/" + name + "/task/" + name + "/children");
            child = child.substr(0, child.find(' '));
            auto const stat = cuda_support::read("/proc/" + child + "/stat");
            auto rest = stat.substr(std::min(stat.rfind(')'), stat.size()));
            for (int field = 0; field < 12 && !rest.empty(); ++field)
                rest.erase(0, std::min(rest.find(' ') + 1, rest.size()));
            if (std::atol(rest.c_str()) >= 20) return ::kill(pid, SIGKILL) == 0; // of 10 ms
        }
    }
    return false;
}

std::string beside(char const* program) {
    return (fs::read_symlink("/proc/self/exe").parent_path() / program).string();
}

/// What another process says after compiling `count` kernels.
std::string compile_some(scratch const& folder, int count, lkt::call_context const& c = {}) {
    lkt::child_options o;
    o.arguments = {beside("cuda_compile_some"), folder.text(), std::to_string(count)};
    for (auto const* const name :
         {"CUDA_HOME", "CUDA_PATH", "LKT_NVRTC", "LKT_CUDA_WHEELS", "ASAN_OPTIONS", "TSAN_OPTIONS"})
        o.keep.emplace_back(name);
    auto const r = lkt::run_child(o, c);
    if (!r) return lkt::to_string(r.error());
    return r->succeeded() ? r->out : r->out + r->err; // a sanitizer may have remarks
}

} // namespace

TEST_CASE("A vector addition becomes a cubin, once") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto const c = cubin(pool, job(adder));
    CHECK(c->image.starts_with("\177ELF"));
    CHECK(c->entry == "_Z1kPfPKfi");
    CHECK(c->resources.registers > 0);
    CHECK(c->resources.registers < 40);
    CHECK(c->resources.constant_bytes > 0);
    CHECK(c->resources.spill_store_bytes == 0);
    CHECK(c->resources.static_shared_bytes == 0);
    CHECK(c->compile_time.count() > 0);
    CHECK_FALSE(c->from_cache);
    CHECK(cubin(pool, job(adder)) == c);
    CHECK(pool.counters().compiled == 1);
    CHECK(pool.counters().waiting == 0);
    auto const facts = pool.compiler();
    REQUIRE(facts.has_value());
    CHECK(facts->major >= oldest_nvrtc);
    CHECK_FALSE(facts->place.library.empty());
}

TEST_CASE("Errors are on the lines of the user's text, whatever was put before them") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    for (auto const* const head : {"\n", "#include <cuda_fp16.h>\n"}) {
        CAPTURE(head);
        auto j = job(head + std::string{"// two\n#define N 7\n"
                                        "__global__ void k(float* a) {\n"
                                        "    a[N] = missing + M;\n"
                                        "}\n"});
        for (int definitions = 0; definitions < 3; ++definitions) {
            auto const f = failure_of<lkt::compile_failed>(pool, j);
            CHECK(f.where == lkt::text_location{5, 12});
            CHECK(f.log.find("kernel(5): error: identifier \"missing\"") != std::string::npos);
            CHECK(f.log.find("__nv") == std::string::npos);
            CHECK(f.log.find("Remark") == std::string::npos);
            j.definitions.values.emplace_back(definitions == 0 ? "N" : "M", std::int64_t{3});
        }
    }
}

TEST_CASE("Failures are remembered") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto const j = job("__global__ void k() { x; }");
    (void)failure_of<lkt::compile_failed>(pool, j);
    (void)failure_of<lkt::compile_failed>(pool, j);
    CHECK(pool.counters().compiled == 1);
}

TEST_CASE("Instances of templates, names in namespaces, C linkage") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    std::string const text = "namespace a { template <class T, int N> __global__ void k(T* p) {\n"
                             "    __shared__ T s[N]; s[threadIdx.x] = p[0];\n"
                             "    __syncthreads(); p[1] = s[N - 1 - threadIdx.x]; } }\n"
                             "extern \"C\" __global__ void c() {}\n";
    auto const f = cubin(pool, job(text, "a::k<float, 32>"));
    auto const d = cubin(pool, job(text, "a::k<double, (1 << 7)>"));
    CHECK(f->resources.static_shared_bytes == 128);
    CHECK(d->resources.static_shared_bytes == 1024);
    CHECK(f->entry != d->entry);
    CHECK(cubin(pool, job(text, "c"))->entry == "c");
    auto const no = failure_of<lkt::compile_failed>(pool, job(text, "q<int>"));
    CHECK(no.log.find("error: the kernel's name: ") != std::string::npos);
    CHECK(no.log.find('q') != std::string::npos);
}

TEST_CASE("The toolkit's headers are there without being asked for") {
    if (!cuda_support::have_nvrtc() || find_nvrtc()->includes.empty()) return;
    compile_pool pool{plain_options()};
    auto j = job("#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <mma.h>\n"
                 "#include <cuda/std/array>\n"
                 "__global__ void k(__half* p) {\n"
                 "    cuda::std::array<__half, N> a{};\n"
                 "    cooperative_groups::this_thread_block().sync();\n"
                 "    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> f;\n"
                 "    nvcuda::wmma::fill_fragment(f, 0.0f);\n"
                 "    p[0] = a[N - 1] + __half(f.x[0]);\n"
                 "}\n");
    for (std::int64_t n = 1; n < 4; ++n) {
        j.definitions.values = {{"N", n}};
        auto const c = cubin(pool, j);
        CHECK(c->resources.registers > 0);
        CHECK(c->log.find("PCH") == std::string::npos);
        MESSAGE("with four headers, configuration " << n << ": "
                                                    << lkt::to_string(c->compile_time));
    }
}

TEST_CASE("Every header that kernels are offered compiles by itself and passes the static checks") {
    if (!cuda_support::have_nvrtc() || find_nvrtc()->includes.empty()) return;
    compile_pool pool{plain_options()};
    auto const offered = offered_headers(*find_nvrtc());
    CHECK(offered.size() >= 10);
    for (auto const& header : offered)
        pool.prefetch(
            job("#include <" + header + ">\n__global__ void k(float* p) { p[0] = 1; }\n"));
    for (auto const& header : offered) {
        CAPTURE(header);
        auto const j =
            job("#include <" + header + ">\n__global__ void k(float* p) { p[0] = 1; }\n");
        CHECK(cubin(pool, j)->resources.registers > 0);
        auto const findings = lkt::static_findings(j.source, lkt::problem{});
        REQUIRE(findings);
        CHECK(findings->empty());
    }
}

TEST_CASE("Spills, stack and shared memory are told") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto j = job("__global__ void k(float* p) {\n"
                 "    __shared__ float s[300];\n"
                 "    float a[64];\n"
                 "    for (int i = 0; i < 64; ++i) a[i] = p[i * 32 + threadIdx.x];\n"
                 "    s[threadIdx.x] = a[1];\n"
                 "    __syncthreads();\n"
                 "    for (int r = 0; r < 9; ++r)\n"
                 "    for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i + 7) % 64] + s[i];\n"
                 "    for (int i = 0; i < 64; ++i) p[i * 32 + threadIdx.x] = a[i];\n"
                 "}\n");
    auto const free = cubin(pool, j);
    j.options = {"-maxrregcount=32"};
    auto const spilling = cubin(pool, j);
    CHECK(free->resources.static_shared_bytes == 1200);
    CHECK(free->resources.registers > 64);
    CHECK(free->resources.spill_store_bytes == 0);
    CHECK(spilling->resources.registers <= 32);
    CHECK(spilling->resources.spill_store_bytes > 0);
    CHECK(spilling->resources.spill_load_bytes > 0);
    CHECK(spilling->resources.stack_bytes > 0);
}

TEST_CASE("Too much shared memory is ptxas's sentence") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto const f = failure_of<lkt::compile_failed>(
        pool,
        job("__global__ void k(float* p) { __shared__ float s[99999]; s[0] = p[0]; "
            "__syncthreads(); p[1] = s[threadIdx.x]; }"));
    CHECK_MESSAGE(f.log.find("too much shared data") != std::string::npos, f.log);
}

TEST_CASE("A compiler that hangs is a time-out, and its neighbours go on") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto j = endless();
    j.time_limit = lkt::seconds{1.0};
    pool.prefetch(j);
    CHECK(cubin(pool, job(adder))->resources.registers > 0);
    auto const start = clock_type::now();
    auto const f = failure_of<lkt::timed_out>(pool, j);
    CHECK(f.phase == "compile");
    CHECK(f.limit == j.time_limit);
    CHECK(seconds_since(start) < 4);
    CHECK(pool.counters().lost == 1);
    // Told once: the machine may have been busy.
    (void)failure_of<lkt::timed_out>(pool, j);
    CHECK(pool.counters().lost == 2);
    CHECK(cubin(pool, job(adder + "// again"))->resources.registers > 0);
}

TEST_CASE("A text that eats memory ends its compiler alone") {
    if (!cuda_support::have_nvrtc()) return;
    auto o = plain_options();
    o.memory_limit = std::uint64_t{1} << 30;
    compile_pool pool{o};
    std::string text = "#define A0 +1+1+1+1+1+1+1+1\n";
    for (int i = 1; i < 12; ++i) {
        auto const before = " A" + std::to_string(i - 1);
        text += "#define A" + std::to_string(i);
        for (int n = 0; n < 8; ++n) text += before;
        text += '\n';
    }
    auto j = job(text + "__global__ void k(int* p) { *p = A11; }");
    j.time_limit = lkt::seconds{20};
    auto const r = pool.get(j);
    // The compiler gives up, dies or is stopped, as it likes.
    if (r) CHECK(std::holds_alternative<lkt::failure>(*r));
    CHECK(cubin(pool, job(adder))->resources.registers > 0);
}

TEST_CASE("What reads files is refused, and nothing started") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto const r = failure_of<lkt::refused>(
        pool, job("int a;\n#include \"/etc/passwd\"\n__global__ void k() {}"));
    CHECK(r.where.line == 2);
    CHECK(r.what == "#include \"/etc/passwd\"");
    CHECK(pool.counters().compiled == 0);
    CHECK(cuda_support::workers().empty());
}

TEST_CASE("An architecture that NVRTC does not know is an error") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto j = job(adder);
    j.arch = "sm_999";
    auto const r = pool.get(j);
    REQUIRE_FALSE(r.has_value());
    CHECK(r.error().code == "lkt.cuda.arch");
}

TEST_CASE("The second program compiles nothing") {
    if (!cuda_support::have_nvrtc()) return;
    scratch const folder;
    auto j = job("#include <cuda_fp16.h>\n" + adder);
    std::shared_ptr<compiled_cubin const> first;
    {
        compile_pool pool{cached_options(folder)};
        first = cubin(pool, j);
        CHECK(pool.notes().empty());
    }
    {
        compile_pool pool{cached_options(folder)};
        auto const c = cubin(pool, j);
        CHECK(c->from_cache);
        CHECK(c->image == first->image);
        CHECK(c->entry == first->entry);
        CHECK(c->resources == first->resources);
        CHECK(c->log == first->log);
        CHECK(pool.counters().compiled == 0);
        CHECK(pool.counters().from_cache == 1);
        CHECK(cuda_support::workers().empty());
        j.arch = "sm_80"; // another key
        CHECK_FALSE(cubin(pool, j)->from_cache);
        j.arch = "sm_90";
        j.options = {"-use_fast_math"};
        CHECK_FALSE(cubin(pool, j)->from_cache);
        j.options = {};
        j.definitions.values = {{"N", std::int64_t{3}}};
        CHECK_FALSE(cubin(pool, j)->from_cache);
    }
    // Damage is found, and mended.
    j.definitions = {};
    for (auto const& f : fs::recursive_directory_iterator{folder.path()}) {
        if (!f.is_regular_file()) continue;
        auto text = cuda_support::read(f.path());
        text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 4);
        cuda_support::write(f.path(), text);
    }
    for (bool const damaged : {true, false}) {
        compile_pool pool{cached_options(folder)};
        auto const c = cubin(pool, j);
        CHECK(c->from_cache == !damaged);
        CHECK(c->image == first->image);
    }
}

TEST_CASE("The second program does not compile what the first could not") {
    if (!cuda_support::have_nvrtc()) return;
    scratch const folder;
    auto const unknown = job("__global__ void k(float* p) {\n    *p = missing;\n}");
    auto const large = job("__global__ void k(float* p) { __shared__ float s[99999]; s[0] = p[0]; "
                           "__syncthreads(); p[1] = s[threadIdx.x]; }");
    auto slow = endless();
    slow.time_limit = lkt::seconds{0.5};
    std::string log;
    for (bool const second : {false, true}) {
        compile_pool pool{cached_options(folder)};
        auto const no = failure_of<lkt::compile_failed>(pool, unknown);
        CHECK(no.where.line == 2);
        CHECK((!second || no.log == log));
        log = no.log;
        CHECK(failure_of<lkt::compile_failed>(pool, large).log.find("too much shared data") !=
              std::string::npos);
        CHECK(pool.counters().compiled == (second ? 0 : 2));
        CHECK(pool.counters().from_cache == (second ? 2 : 0));
        // Whoever took too long may be faster another time.
        (void)failure_of<lkt::timed_out>(pool, slow);
        CHECK(pool.counters().compiled == (second ? 1 : 3));
    }
}

TEST_CASE("Headers of the user's are part of the key") {
    if (!cuda_support::have_nvrtc()) return;
    scratch const folder, mine;
    auto const header = mine.path() / "size.h";
    cuda_support::write(header, "#define SIZE 8\n");
    auto j =
        job("#include \"size.h\"\n__global__ void k(float* p) { __shared__ float s[SIZE * N];\n"
            "s[threadIdx.x] = p[0]; __syncthreads(); p[1] = s[0]; }");
    j.options = {"-I" + mine.text()};
    j.definitions.values = {{"N", std::int64_t{1}}};
    auto const compile = [&] {
        compile_pool pool{cached_options(folder)};
        auto const c = cubin(pool, j);
        return std::pair{c->from_cache, c->resources.static_shared_bytes};
    };
    CHECK(compile() == std::pair{false, 32});
    CHECK(compile() == std::pair{true, 32});
    cuda_support::write(header, "#define SIZE 9\n");
    CHECK(compile() == std::pair{false, 36});
    CHECK(compile() == std::pair{true, 36});
    // What reaches outside of the folder is not known here, so nothing is kept.
    cuda_support::write(mine.path() / "sub/other.h", "#include \"../size.h\"\n");
    CHECK(compile() == std::pair{false, 36});
    CHECK(compile() == std::pair{false, 36});
    compile_pool pool{cached_options(folder)};
    (void)cubin(pool, j);
    REQUIRE(pool.notes().size() == 1);
    CHECK(pool.notes()[0].find("include folder") != std::string::npos);
}

TEST_CASE("A cache that cannot be written is a note") {
    if (!cuda_support::have_nvrtc()) return;
    scratch const folder;
    cuda_support::write(folder.path() / "cuda", "a file");
    compile_pool pool{cached_options(folder)};
    CHECK_FALSE(cubin(pool, job(adder))->from_cache);
    REQUIRE(pool.notes().size() == 1);
    CHECK(pool.notes()[0].find("cannot be written") != std::string::npos);
}

TEST_CASE("Programs that compile the same at once, one of them killed, share what they made") {
    if (!cuda_support::have_nvrtc()) return;
    scratch const folder;
    std::string one, two;
    {
        std::stop_source stop;
        std::jthread const killed{[&] { (void)compile_some(folder, 24, {stop.get_token(), {}}); }};
        std::jthread const first{[&] { one = compile_some(folder, 24); }};
        std::jthread const second{[&] { two = compile_some(folder, 24); }};
        std::this_thread::sleep_for(std::chrono::milliseconds{700});
        stop.request_stop(); // with SIGKILL
    }
    CHECK(one.starts_with("compiled "));
    CHECK(two.starts_with("compiled "));
    CHECK(compile_some(folder, 24) == "compiled 0, from the cache 24\n");
}

TEST_CASE("A compiler that is killed is started again, once") {
    if (!cuda_support::have_nvrtc()) return;
    auto o = plain_options();
    o.workers = 1;
    compile_pool pool{o};
    auto j = endless();
    j.time_limit = lkt::seconds{30};
    pool.prefetch(j);
    REQUIRE(kill_a_busy_worker());
    while (pool.counters().lost == 0) std::this_thread::sleep_for(std::chrono::milliseconds{5});
    CHECK(pool.counters().waiting == 1);
    REQUIRE(kill_a_busy_worker());
    auto const f = failure_of<lkt::compile_failed>(pool, j);
    CHECK(f.log.find("the compiler died: killed by signal 9") != std::string::npos);
    auto const start = clock_type::now();
    CHECK(cubin(pool, job(adder))->resources.registers > 0);
    CHECK(seconds_since(start) < 5);
}

TEST_CASE("The stop token ends the waiting, the destructor the compiling") {
    if (!cuda_support::have_nvrtc()) return;
    auto start = clock_type::now();
    {
        compile_pool pool{plain_options()};
        std::stop_source stop;
        std::jthread const later{[&] {
            std::this_thread::sleep_for(std::chrono::milliseconds{300});
            stop.request_stop();
        }};
        auto const r = pool.get(endless(), {stop.get_token(), {}});
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error().kind == lkt::condition::cancelled);
        CHECK(seconds_since(start) < 2);
        for (int i = 0; i < 20; ++i) pool.prefetch(job(adder + "// " + std::to_string(i)));
        start = clock_type::now();
    }
    CHECK(seconds_since(start) < 2);
    CHECK(cuda_support::workers().empty());
    std::stop_source stopped;
    stopped.request_stop();
    compile_pool pool{plain_options()};
    CHECK_FALSE(pool.get(job(adder), {stopped.get_token(), {}}).has_value());
}

TEST_CASE("Equal jobs are compiled once, ahead of being asked for") {
    if (!cuda_support::have_nvrtc()) return;
    auto o = plain_options();
    o.prefetch_limit = 8;
    compile_pool pool{o};
    auto j = job("__global__ void k(float* p) { p[N] = 0; }");
    for (std::int64_t n = 0; n < 50; ++n) {
        j.definitions.values = {{"N", n % 25}};
        pool.prefetch(j);
    }
    CHECK(pool.counters().waiting <= 8);
    j.definitions.values = {{"N", std::int64_t{1}}};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t) threads.emplace_back([&] { CHECK(pool.get(j).has_value()); });
    }
    for (int i = 0; i < 1000 && pool.counters().waiting > 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    auto const compiled = pool.counters().compiled;
    CHECK(compiled >= 8);
    CHECK(compiled <= 16); // those that fitted into the queue
    (void)cubin(pool, j);
    CHECK(pool.counters().compiled == compiled);
}

TEST_CASE("Results in memory are bounded") {
    if (!cuda_support::have_nvrtc()) return;
    auto o = plain_options();
    o.kept_bytes = 20'000;
    compile_pool pool{o};
    auto j = job("__global__ void k(float* p) { p[N] = 0; }");
    for (std::int64_t n = 0; n < 12; ++n) {
        j.definitions.values = {{"N", n}};
        (void)cubin(pool, j);
    }
    CHECK(pool.counters().compiled == 12);
    (void)cubin(pool, j);
    CHECK(pool.counters().compiled == 12);
    j.definitions.values = {{"N", std::int64_t{0}}};
    (void)cubin(pool, j);
    CHECK(pool.counters().compiled == 13);
}
