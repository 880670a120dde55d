// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/cell.hpp>

#include <doctest/doctest.h>

#include "acts.hpp"
#include "support.hpp"

#include <lkt/process/child.hpp>
#include <lkt/process/detail/cell_inside.hpp>
#include <lkt/process/worker.hpp>

#include <algorithm>

using namespace process_test;
namespace pd = lkt::process_detail;

namespace {

struct order {
    std::string kind{}, what{}, file{}, target{};
    std::uint64_t memory = std::uint64_t{1} << 30;
    std::int64_t time_ms = 10'000;
    bool lock = false, strict = false, unsandboxed = false;
    std::string without{}; ///< what the worker's kernel is to lack
};

std::string pack(order const& o) {
    lkt::packer out;
    out.put(o.kind).put(o.what).put(o.file).put(o.target).put(o.memory).put(o.time_ms);
    out.put(o.lock).put(o.strict).put(o.unsandboxed).put(o.without);
    return std::move(out).bytes();
}

/// Makes this worker's kernel look older, for good.
void take_away(std::string const& what) {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    pd::bpf_builder filter;
    if (what == "seccomp") filter.always(__NR_seccomp, pd::bpf_errno(ENOSYS));
    if (what == "landlock") filter.always(__NR_landlock_create_ruleset, pd::bpf_errno(ENOSYS));
    if (what == "pidfd") filter.always(__NR_pidfd_open, pd::bpf_errno(ENOSYS));
    if (what == "filters")
        filter.if_equal(
            __NR_prctl, 0, PR_SET_SECCOMP, PR_SET_SECCOMP, pd::bpf_errno(EACCES), pd::bpf_allow);
    if (!what.empty()) (void)filter.program(pd::bpf_allow).install();
}

int load(std::string const& path, lkt::cell const& c) {
    auto* const library = ::dlopen(path.c_str(), RTLD_NOW);
    if (library == nullptr) {
        c.report(::dlerror());
        return 50;
    }
    auto* const symbol = ::dlsym(library, "entry");
    int (*entry)(int) = nullptr;
    std::memcpy(&entry, &symbol, sizeof entry);
    c.forbid_loading();
    return entry(100);
}

lkt::result<lkt::worker_message> serve_cell(lkt::worker_message m) {
    lkt::unpacker in{m.bytes};
    order o;
    for (auto* const text : {&o.kind, &o.what, &o.file, &o.target}) *text = in.text();
    o.memory = in.get<std::uint64_t>();
    o.time_ms = in.get<std::int64_t>();
    for (auto* const flag : {&o.lock, &o.strict, &o.unsandboxed}) *flag = in.get<bool>();
    o.without = in.text();
    take_away(o.without);

    lkt::cell_options options;
    options.memory_limit = o.memory;
    options.time_limit = std::chrono::milliseconds{o.time_ms};
    options.sandbox.strict = o.strict;
    options.sandbox.unsandboxed = o.unsandboxed;
    std::string path;
    if (!m.fds.empty()) {
        options.keep_fds = {m.fds[0].get()};
        path = "/proc/self/fd/" + std::to_string(m.fds[0].get());
    }
    auto const outcome = lkt::run_cell(options, [&](lkt::cell const& c) {
        if (!path.empty()) return load(path, c);
        if (o.lock) c.forbid_loading();
        c.report("started");
        if (o.kind == "scribble") // all that a cell shares with its worker
            std::memset(static_cast<void*>(pd::own_page), std::stoi(o.what), sizeof(pd::cell_page));
        if (o.kind == "good") return good_act(o.what);
        if (o.kind == "broken") return broken_act(o.what);
        if (o.kind == "hostile") return hostile_act(o.what, o.file, o.target);
        return 0;
    });
    if (!outcome) return outcome.error();
    lkt::packer out;
    put(out, *outcome);
    return lkt::worker_message{std::move(out).bytes(), {}};
}
constexpr lkt::service_key cell_key{"test.cell", 1};
lkt::service_entry const cell_entry{cell_key, &serve_cell};

lkt::result<lkt::cell_outcome>
try_in(lkt::worker& w, order const& o, std::span<int const> fds = {}) {
    auto const r = w.call({cell_key, pack(o), fds}, 30s);
    if (!r) return r.error();
    REQUIRE(std::holds_alternative<lkt::worker_message>(*r));
    lkt::unpacker in{std::get<lkt::worker_message>(*r).bytes};
    auto outcome = lkt::read_cell_outcome(in);
    REQUIRE(in.complete());
    return outcome;
}
lkt::cell_outcome in_cell(lkt::worker& w, order const& o, std::span<int const> fds = {}) {
    auto r = try_in(w, o, fds);
    REQUIRE(r);
    return std::move(*r);
}

template <class End>
End const& end_as(lkt::cell_outcome const& o) {
    INFO(describe(o.end), " ", o.output);
    REQUIRE(std::holds_alternative<End>(o.end));
    return std::get<End>(o.end);
}

/// If this test program itself is built with AddressSanitizer, that reports faults instead.
bool reported_by_sanitizer(lkt::cell_outcome const& o) {
    return pd::has_address_sanitizer() && std::holds_alternative<lkt::cell_exited>(o.end) &&
           (o.output.find("AddressSanitizer") != std::string::npos ||
            o.output.find("runtime error") != std::string::npos);
}

/// Compiled code as memory; `flags` for the compiler.
lkt::shared_memory compile(std::string const& text, std::vector<std::string> const& flags) {
    lkt::child_options o;
    o.arguments = {"c++", "-g", "-O1", "-fPIC", "-shared", "-o", "k.so", "k.cpp"};
    o.arguments.insert(o.arguments.end(), flags.begin(), flags.end());
    o.files = {{"k.cpp", text}};
    o.collect = {"k.so"};
    auto r = lkt::run_child(o);
    REQUIRE(r);
    INFO(r->err);
    REQUIRE(r->files.size() == 1);
    return std::move(r->files[0].second);
}

char const* const buffer_overflow = R"(#include <cstdlib>
extern "C" int entry(int n) {
    int* p = static_cast<int*>(std::malloc(sizeof(int) * n));
    for (int i = 0; i <= n; ++i) p[i] = i;
    int const r = p[n / 2];
    std::free(p);
    return r;
}
)";
char const* const at_load = R"(#include <cstdlib>
__attribute__((constructor)) static void at_load() { std::system("touch TARGET"); }
extern "C" int entry(int n) { return n; }
)";

} // namespace

TEST_CASE("a cell can be made by a worker only") {
    auto const r = lkt::run_cell({}, [](lkt::cell const&) { return 0; });
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.cell.not-in-worker");
}

TEST_CASE("well-meaning code runs, before and after loading is forbidden") {
    lkt::worker w;
    for (bool const lock : {false, true}) {
        for (bool const strict : {false, true}) {
            for (auto const* const what :
                 {"print", "threads", "memory", "sleep", "catch", "context"}) {
                INFO(what);
                auto const o =
                    in_cell(w, {.kind = "good", .what = what, .lock = lock, .strict = strict});
                CHECK(end_as<lkt::cell_exited>(o).code == 0);
                CHECK(o.message == "started");
            }
        }
    }
    auto const o = in_cell(w, {.kind = "good", .what = "print"});
    CHECK(o.output == "printed\n");
    CHECK(o.wall > 0ns);
    CHECK(o.wall < 5s);
    CHECK(o.peak_rss > 100'000);
    CHECK(end_as<lkt::cell_exited>(in_cell(w, {.kind = "good", .what = "return"})).code == 7);
    if (!pd::has_address_sanitizer()) // which looks for leaks then, in a process of its own
        CHECK(end_as<lkt::cell_exited>(in_cell(w, {.kind = "good", .what = "exit"})).code == 8);
    CHECK(w.starts() == 1);
}

TEST_CASE("each way to break down has its own end, and the worker goes on") {
    lkt::worker w;
    auto const signal_of = [&](char const* what, int signal) {
        auto const o = in_cell(w, {.kind = "broken", .what = what, .lock = true});
        INFO(what, ": ", describe(o.end));
        if (reported_by_sanitizer(o)) return lkt::cell_signalled{signal, true, 0, 0, true};
        CHECK(end_as<lkt::cell_signalled>(o).signal == signal);
        return end_as<lkt::cell_signalled>(o);
    };
    bool const asan = pd::has_address_sanitizer();
    auto const null = signal_of("null", SIGSEGV);
    CHECK(null.located);
    CHECK(null.address == 0);
    CHECK(null.stack_overflow == asan);
    auto const wild = signal_of("wild", SIGSEGV);
    CHECK(wild.address == (asan ? 0U : 0x123456789000U));
    CHECK(wild.stack_overflow == asan);
    CHECK(signal_of("stack", SIGSEGV).stack_overflow);
    CHECK(signal_of("thread stack", SIGSEGV).stack_overflow);
    CHECK(signal_of("divide", SIGFPE).located);
    CHECK(signal_of("abort", SIGABRT).signal == SIGABRT);
    CHECK(end_as<lkt::cell_threw>(in_cell(w, {.kind = "broken", .what = "throw"})).what ==
          "a reason");
    CHECK(end_as<lkt::cell_threw>(in_cell(w, {.kind = "broken", .what = "throw int"})).what ==
          "something that is not a std::exception");
    CHECK(w.starts() == 1);
}

TEST_CASE("what takes too long is ended, whether it computes, waits or stops itself") {
    lkt::worker w;
    for (auto const* const what : {"loop", "wait", "stop"}) {
        auto const start = std::chrono::steady_clock::now();
        auto const o = in_cell(w, {.kind = "broken", .what = what, .time_ms = 200});
        auto const took = std::chrono::steady_clock::now() - start;
        INFO(what, ": ", describe(o.end));
        CHECK(std::holds_alternative<lkt::cell_timed_out>(o.end));
        CHECK(took >= 200ms);
        CHECK(took < 700ms);
    }
    CHECK(w.starts() == 1);
}

TEST_CASE("memory is limited: at once, bit by bit") {
    lkt::worker w;
    if (!pd::has_shadow_memory()) { // address space, not what is resident
        auto const at_once = in_cell(w, {.kind = "broken", .what = "new 100 GB"});
        CHECK(end_as<lkt::cell_out_of_memory>(at_once).why == "std::bad_alloc");
        auto const malloc = in_cell(w, {.kind = "broken", .what = "malloc 100 GB"});
        CHECK(end_as<lkt::cell_signalled>(malloc).address == 0);
        auto const unused =
            in_cell(w, {.kind = "broken", .what = "new 1 GB", .memory = std::uint64_t{256} << 20});
        CHECK(end_as<lkt::cell_out_of_memory>(unused).why == "std::bad_alloc");
        auto const allowed =
            in_cell(w, {.kind = "broken", .what = "new 1 GB", .memory = std::uint64_t{2} << 30});
        CHECK(end_as<lkt::cell_exited>(allowed).code == 98);
    }
    auto const hog =
        in_cell(w, {.kind = "broken", .what = "hog", .memory = std::uint64_t{200} << 20});
    // Either the address space ends (memset of a null pointer) or the worker sees it grow.
    CHECK((std::holds_alternative<lkt::cell_out_of_memory>(hog.end) ||
           std::holds_alternative<lkt::cell_signalled>(hog.end)));
    CHECK(hog.peak_rss < std::uint64_t{400} << 20);
}

TEST_CASE("a flood of output is cut") {
    lkt::worker w;
    auto const o = in_cell(w, {.kind = "broken", .what = "flood"});
    CHECK(end_as<lkt::cell_exited>(o).code == 99);
    CHECK(o.output.size() == 64 << 10);
    CHECK(o.output_cut);
}

TEST_CASE("hostile acts end the cell and are named") {
    REQUIRE(lkt::probe_sandbox().seccomp);
    temporary_folder const folder;
    auto const file = folder.path() + "/file", target = folder.path() + "/target";
    std::ofstream{file} << "precious";
    ::chmod(file.c_str(), 0640);
    lkt::worker w;
    std::pair<char const*, char const*> const acts[] = {
        {"system", "clone"},
        {"popen", ""}, // needs a pipe first, which just fails; see below
        {"fork", "clone"},
        {"raw fork", "clone"},
        {"namespace thread", "clone"},
        {"fork bomb", "clone"},
        {"exec", "execve"},
        {"socket", "socket"},
        {"unix socket", "socket"},
        {"fopen", "openat"},
        {"append", "openat"},
        {"creat", "creat"},
        {"tmpfile", "openat"},
        {"truncate", "truncate"},
        {"unlink", "unlink"},
        {"rename", "rename"},
        {"mkdir", "mkdir"},
        {"symlink", "symlink"},
        {"link", "link"},
        {"chmod", "chmod"},
        {"kill parent", "kill"},
        {"kill all", "kill"},
        {"kill group", "kill"},
        {"tgkill", "tgkill"},
        {"ptrace", "ptrace"},
        {"process_vm_writev", "process_vm_writev"},
        {"setsid", "setsid"},
        {"unshare", "unshare"},
        {"mount", "mount"},
        {"chroot", "chroot"},
        {"setuid", "setuid"},
        {"bpf", "bpf"},
        {"perf", "perf_event_open"},
        {"io_uring", "io_uring_setup"},
        {"shmget", "shmget"},
        {"ignore SIGSYS", "socket"},
#if defined(__x86_64__)
        {"int 0x80", "a system call"},
        {"x32", "a system call"},
#endif
    };
    for (bool const lock : {false, true}) {
        for (auto const& [what, call] : acts) {
            auto const o = in_cell(
                w, {.kind = "hostile", .what = what, .file = file, .target = target, .lock = lock});
            INFO(what, ": ", describe(o.end));
            if (std::string_view{what} == "popen") {
                CHECK((std::holds_alternative<lkt::cell_refused>(o.end) ||
                       end_as<lkt::cell_exited>(o).code == 1));
                continue;
            }
            // Elsewhere than on x86-64 the same functions make calls that end in "at".
            CHECK(end_as<lkt::cell_refused>(o).call.starts_with(call));
        }
    }
    CHECK(read_whole(file) == "precious");
    CHECK(names_in(folder.path()) == std::vector<std::string>{"file"});
    struct stat about{};
    CHECK(::stat(file.c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0640);
    CHECK(w.starts() == 1); // nobody killed it
}

TEST_CASE("unsandboxed, the same acts succeed: so they are real") {
    temporary_folder const folder;
    auto const file = folder.path() + "/file", target = folder.path() + "/target";
    std::ofstream{file} << "precious";
    lkt::worker w;
    auto const code = [&](char const* what) {
        auto const o = in_cell(
            w,
            {.kind = "hostile", .what = what, .file = file, .target = target, .unsandboxed = true});
        return end_as<lkt::cell_exited>(o).code;
    };
    CHECK(code("system") == 0);
    CHECK(names_in(folder.path()).size() == 2);
    CHECK(code("unlink") == 0);
    CHECK(names_in(folder.path()) == std::vector<std::string>{"target"});
    CHECK(code("fork") == 0);
    CHECK(code("socket") == 0);
    CHECK(code("read") == 0);
    CHECK(code("memfd") == 0);
    CHECK(code("shared memory") == 0);
    CHECK(code("executable memory") == 0);
    CHECK(code("forge") == 100 + EBADF); // descriptors are closed in any case
}

TEST_CASE("what a C library tries now and then just fails") {
    lkt::worker w;
    auto const code = [&](char const* what, bool lock) {
        auto const o = in_cell(w, {.kind = "hostile", .what = what, .lock = lock});
        return end_as<lkt::cell_exited>(o).code;
    };
    for (bool const lock : {false, true}) {
        CHECK(code("memfd", lock) == 100 + EPERM);
        CHECK(code("shared memory", lock) == 100 + EPERM);
        CHECK(code("raise limits", lock) == 100 + EPERM);
        CHECK(code("forge", lock) == 100 + EBADF);
        CHECK(code("raw clone3", lock) == 100 + ENOSYS);
    }
    if (!pd::has_shadow_memory()) {
        CHECK(code("read", true) == 100 + EACCES);
        CHECK(code("list", true) == 100 + EACCES);
        CHECK(code("read parent", true) == 100 + EACCES);
    }
    CHECK(code("executable memory", true) == 100 + EPERM);
    CHECK(code("executable memory", false) == 0); // loading needs it
    if (lkt::probe_sandbox().landlock_version > 0) CHECK(code("read", false) == 100 + EACCES);
    auto const strict =
        in_cell(w, {.kind = "hostile", .what = "memfd", .lock = true, .strict = true});
    CHECK(end_as<lkt::cell_refused>(strict).number == __NR_memfd_create);
}

TEST_CASE("a bomb of threads is ended by its number") {
    lkt::worker w;
    auto const o =
        in_cell(w, {.kind = "hostile", .what = "thread bomb", .memory = std::uint64_t{64} << 30});
    CHECK(end_as<lkt::cell_overcrowded>(o).threads > 256);
    CHECK(w.starts() == 1);
}

TEST_CASE("nothing that a cell writes to the page it shares hurts the worker") {
    lkt::worker w;
    for (auto const* const byte : {"255", "1", "127"}) {
        auto const o = in_cell(w, {.kind = "scribble", .what = byte});
        CHECK(o.message.size() <= 4096);
        CHECK(o.end.index() != std::variant_npos);
    }
    CHECK(w.starts() == 1);
}

TEST_CASE("without seccomp a cell is refused, unless the user says otherwise") {
    lkt::worker w;
    auto const r = try_in(w, {.kind = "good", .what = "return", .without = "seccomp"});
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.sandbox.unavailable");
    CHECK(r.error().kind == lkt::condition::unavailable);
    CHECK(r.error().hint.find("unsandboxed") != std::string::npos);
    auto const o = in_cell(w, {.kind = "good", .what = "return", .unsandboxed = true});
    CHECK(end_as<lkt::cell_exited>(o).code == 7);

    lkt::worker other;
    auto const failed = try_in(other, {.kind = "good", .what = "return", .without = "filters"});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == "lkt.sandbox.failed");
    CHECK(failed.error().message.find("seccomp") != std::string::npos);
}

TEST_CASE("without Landlock the filters still hold") {
    temporary_folder const folder;
    lkt::worker w;
    auto const target = folder.path() + "/target";
    auto const o =
        in_cell(w, {.kind = "hostile", .what = "fopen", .target = target, .without = "landlock"});
    CHECK(end_as<lkt::cell_refused>(o).call == "openat");
    CHECK(names_in(folder.path()).empty());
    if (pd::has_shadow_memory()) return;
    CHECK(end_as<lkt::cell_exited>(in_cell(w, {.kind = "hostile", .what = "read", .lock = true}))
              .code == 100 + EACCES);
}

TEST_CASE("an old kernel without process descriptors follows cells as well") {
    lkt::worker w;
    CHECK(
        end_as<lkt::cell_exited>(in_cell(w, {.kind = "good", .what = "return", .without = "pidfd"}))
            .code == 7);
    auto const o = in_cell(w, {.kind = "broken", .what = "loop", .time_ms = 100});
    CHECK(std::holds_alternative<lkt::cell_timed_out>(o.end));
}

TEST_CASE("code is loaded from memory inside; its constructors run inside, too") {
    temporary_folder const folder;
    lkt::worker w;
    auto const good = compile("extern \"C\" int entry(int n) { return n - 90; }", {});
    int fds[] = {good.fd()};
    CHECK(end_as<lkt::cell_exited>(in_cell(w, {}, fds)).code == 10);

    std::string hostile = at_load;
    hostile.replace(hostile.find("TARGET"), 6, folder.path() + "/target");
    auto const bad = compile(hostile, {});
    fds[0] = bad.fd();
    CHECK(end_as<lkt::cell_refused>(in_cell(w, {}, fds)).call == "clone");
    CHECK(names_in(folder.path()).empty());
    auto const free = in_cell(w, {.unsandboxed = true}, fds);
    CHECK(end_as<lkt::cell_exited>(free).code == 100);
    CHECK(names_in(folder.path()).size() == 1); // it would have

    auto const none = lkt::shared_memory::frozen("no object file");
    fds[0] = none->fd();
    auto const o = in_cell(w, {}, fds);
    CHECK(end_as<lkt::cell_exited>(o).code == 50);
    CHECK(o.message.find("file too short") != std::string::npos);
}

TEST_CASE("under AddressSanitizer a cell names file and line, and confines as before") {
    auto const where = lkt::run_child({.arguments = {"c++", "-print-file-name=libasan.so"}});
    REQUIRE(where);
    auto path = where->out;
    path.pop_back();
    if (path.find('/') == std::string::npos) {
        MESSAGE("no libasan here: skipped");
        return;
    }
    lkt::worker_options options;
    options.environment = {"ASAN_OPTIONS=detect_leaks=0:exitcode=77"};
    if (!pd::has_address_sanitizer()) {
        // The linker's name may be a script; the loader's has a version.
        auto const preload = lkt::run_child({.arguments = {"readlink", "-f", path}});
        options.environment.push_back("LD_PRELOAD=" +
                                      preload->out.substr(0, preload->out.find('\n')));
    }
    lkt::worker w{options};
    temporary_folder const folder;
    auto const overflow = compile(buffer_overflow, {"-fsanitize=address"});
    int fds[] = {overflow.fd()};
    auto const o = in_cell(w, {}, fds);
    CHECK(end_as<lkt::cell_exited>(o).code == 77);
    CHECK(o.output.find("heap-buffer-overflow") != std::string::npos);
    CHECK(o.output.find("k.cpp:4") != std::string::npos);

    std::string hostile = at_load;
    hostile.replace(hostile.find("TARGET"), 6, folder.path() + "/target");
    auto const bad = compile(hostile, {"-fsanitize=address"});
    fds[0] = bad.fd();
    CHECK(end_as<lkt::cell_refused>(in_cell(w, {}, fds)).call == "clone");
    CHECK(names_in(folder.path()).empty());
    for (auto const* const what : {"socket", "fopen", "kill all"}) {
        auto const h = in_cell(
            w,
            {.kind = "hostile", .what = what, .target = folder.path() + "/target", .lock = true});
        CHECK(std::holds_alternative<lkt::cell_refused>(h.end));
    }
    CHECK(names_in(folder.path()).empty());
    auto const hog =
        in_cell(w, {.kind = "broken", .what = "hog", .memory = std::uint64_t{200} << 20});
    CHECK(std::holds_alternative<lkt::cell_out_of_memory>(hog.end));
}
