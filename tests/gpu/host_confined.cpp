// SPDX-License-Identifier: BSL-1.0
// What a compiler may reach, with the screen switched off: no text makes it read a file outside its
// toolchain, and nothing that it starts outlives its limit.
#include "reaching_texts.hpp"
#include "support.hpp"
#include "support_host.hpp"

#include <lkt/gpu/detail/host/session.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace support;
namespace fs = std::filesystem;
using lkt::process_detail::kernel_lack;

namespace {

std::string random_word() {
    std::random_device source;
    std::string word = "lkt_canary_";
    for (int k = 0; k < 24; ++k) word += static_cast<char>('a' + source() % 26);
    return word;
}

/// A folder that others may enter, removed at the end.
struct folder {
    std::string path = "/tmp/lkt-confined-XXXXXX";
    folder() {
        if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder");
        ::chmod(path.c_str(), 0755);
    }
    folder(folder const&) = delete;
    ~folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

void write_text(std::string const& path, std::string const& text) {
    std::ofstream{path} << text;
    ::chmod(path.c_str(), 0755);
}

/// Files with a secret, of this user: in /tmp, at home, in the current folder, beside a compiler.
struct canaries {
    std::string word = random_word(), name = random_word(); ///< a message may repeat the name
    folder where;
    std::vector<std::string> files;
    std::string compiler; ///< in a prefix with a canary
    explicit canaries(std::string const& real_compiler) {
        files.push_back(where.path + "/canary");
        auto const* const home = std::getenv("HOME");
        if (home != nullptr && ::access(home, W_OK) == 0)
            files.push_back(std::string{home} + "/." + name);
        files.push_back(fs::current_path().string() + "/." + name);
        fs::create_directories(where.path + "/prefix/bin");
        compiler = where.path + "/prefix/bin/" + fs::path{real_compiler}.filename().string();
        fs::create_symlink(real_compiler, compiler);
        files.push_back(where.path + "/prefix/bin/canary");
        for (auto const& file : files) write_text(file, word + "\n");
    }
    ~canaries() {
        for (auto const& file : files) ::unlink(file.c_str());
    }
};

struct pretend {
    explicit pretend(kernel_lack lack) { lkt::process_detail::pretended_lack = lack; }
    ~pretend() { lkt::process_detail::pretended_lack = kernel_lack::nothing; }
};

/// All that is left of a compilation: what the model, the log and the module hold.
std::string all_of(lkt::host_detail::session& s,
                   std::string const& text,
                   bool checked = false,
                   lkt::seconds limit = lkt::seconds{60}) {
    lkt::compile_request q;
    q.source.text = text;
    q.source.language = lkt::language::cuda;
    q.signature.name = "k";
    q.checked = checked;
    q.time_limit = limit;
    auto const r = s.compile(q, {});
    if (!r) return "error: " + lkt::to_string(r.error());
    if (auto const* const f = std::get_if<lkt::failure>(&*r)) return lkt::describe(*f);
    auto const& made = std::get<lkt::compiled_kernel>(*r);
    auto const* const module =
        static_cast<lkt::host_detail::compiled_module const*>(made.handle.get());
    std::string all{module->code.text()};
    for (auto const& note : made.notes) all += note + "\n";
    return all;
}

std::vector<std::string> compilers() {
    std::vector<std::string> found;
    for (auto const* const name : {"g++", "clang++-16", "clang++-19"})
        if (auto const path = lkt::host_detail::find_program(name); !path.empty())
            found.push_back(path);
    return found;
}

constexpr char kernel_text[] = "\n__global__ void k(int* c, int n) { c[0] = n; }\n";

std::vector<std::string> texts_about_processes() {
    std::vector<std::string> all;
    for (auto const* const name : {"environ", "cmdline", "maps", "fd/0", "fd/1", "status"}) {
        auto const path = std::string{"/proc/self/"} + name;
        all.push_back("asm(\".section .data\\n.incbin \\\"" + path + "\\\"\\n.text\");" +
                      kernel_text);
    }
    return all;
}

/// How many of the texts brought a canary in.
int leaks(lkt::host_detail::session& s, canaries const& c, std::size_t step) {
    int found = 0;
    for (std::size_t f = 0; f < c.files.size(); ++f) {
        auto const texts = reaching_texts(c.files[f]);
        // Each other file needs fewer of them.
        for (std::size_t t = texts.size() - 1 - f; t < texts.size(); t -= f == 0 ? step : 5 * step)
            if (all_of(s, texts[t]).find(c.word) != std::string::npos) ++found;
    }
    return found;
}

lkt::host_detail::session naive(std::string const& compiler, bool unconfined = false) {
    lkt::host_options options;
    options.compiler = compiler;
    options.unconfined_compiler = unconfined;
    return lkt::host_detail::session{std::move(options)};
}

/// Runs `what` as nobody, in a copy of this process; its answer, or -1.
int as_nobody(std::function<int()> const& what) {
    auto const pid = ::fork();
    if (pid == 0) {
        if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(100);
        ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); // or its /proc/self/exe is root's
        ::_exit(what());
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Processes whose command line holds `word`.
int alive(std::string const& word) {
    int n = 0;
    for (auto const& entry : fs::directory_iterator{"/proc"}) {
        std::ifstream file{entry.path() / "cmdline"};
        std::stringstream text;
        text << file.rdbuf();
        if (text.str().find(word) != std::string::npos) ++n;
    }
    return n;
}

/// A compiler that answers like the system's and then does something else.
std::string fake_compiler(folder const& where, std::string const& act) {
    auto const path = where.path + "/fake-g++";
    write_text(path,
               "#!/bin/sh\ncase \"$1\" in\n--version) echo 'g++ fake'; exit 0;;\n"
               "-print-search-dirs) exec /usr/bin/g++ -print-search-dirs;;\nesac\n" +
                   act + "\n");
    return path;
}

} // namespace

TEST_CASE("host confined: a compiler that is not confined brings a canary in: the test can fail") {
    canaries const c{compilers().at(0)};
    pretend const lack{kernel_lack::landlock_and_mounts};
    auto s = naive(c.compiler, true);
    s.screened = false;
    auto const found = leaks(s, c, stride(37));
    CHECK(found > 0);
    MESSAGE("not confined, " << found << " texts bring a canary in");
    auto const notes = all_of(s, kernel_text);
    CHECK(notes.find("compiler: not confined") != std::string::npos);
}

TEST_CASE("host confined: no text brings a canary in, for any compiler") {
    for (auto const& path : compilers()) {
        CAPTURE(path);
        canaries const c{path};
        auto s = naive(c.compiler);
        s.screened = false;
        CHECK(all_of(s, kernel_text).find("ELF") != std::string::npos); // it does compile
        // What keeps a compiler out is the same for all of them.
        CHECK(leaks(s, c, stride(path == compilers().front() ? 23 : 71)) == 0);
        for (auto const& text : texts_about_processes()) {
            // A pipe that it reads never ends.
            auto const seen = all_of(s, text, false, lkt::seconds{3});
            CHECK(seen.find("TMPDIR=") == std::string::npos);
            if (text.find("/fd/") == std::string::npos) // its own, empty or a pipe
                CHECK(seen.find("ELF") == std::string::npos);
        }
    }
}

TEST_CASE("host confined: a mount namespace does the same where there is no Landlock") {
    pretend const lack{kernel_lack::landlock};
    for (auto const& path : compilers()) {
        CAPTURE(path);
        canaries const c{path};
        auto s = naive(c.compiler);
        s.screened = false;
        auto const plain = all_of(s, kernel_text);
        if (plain.find("lkt.sandbox.unavailable") != std::string::npos) {
            MESSAGE("skipped: no mount namespaces here: " << plain);
            return;
        }
        CHECK(plain.find("ELF") != std::string::npos);
        CHECK(leaks(s, c, stride(path == compilers().front() ? 43 : 97)) == 0);
    }
}

TEST_CASE("host confined: as an ordinary user") {
    canaries const c{compilers().at(0)};
    for (auto const lack : {kernel_lack::nothing, kernel_lack::landlock}) {
        CAPTURE(static_cast<int>(lack));
        auto const answer = as_nobody([&] {
            pretend const without{lack};
            auto s = naive(c.compiler);
            s.screened = false;
            auto const plain = all_of(s, kernel_text);
            if (plain.find("lkt.sandbox.unavailable") != std::string::npos) return 50;
            if (plain.find("ELF") == std::string::npos) return 51;
            return leaks(s, c, stride(61)) == 0 ? 0 : 52;
        });
        if (answer == 50 && lack == kernel_lack::landlock)
            MESSAGE("skipped: no user namespaces for ordinary users here");
        else
            CHECK(answer == 0);
    }
}

TEST_CASE("host confined: without both, nothing is compiled, and the error names the way out") {
    pretend const lack{kernel_lack::landlock_and_mounts};
    auto s = naive(compilers().at(0));
    auto const said = all_of(s, kernel_text);
    CHECK(said.find("lkt.sandbox.unavailable") != std::string::npos);
    CHECK(said.find("Landlock") != std::string::npos);
}

TEST_CASE("host confined: nothing of a compiler is alive after its limit") {
    std::string const acts[] = {
        "b() { b | b & }\nb\nsleep 1000", // a fork bomb
        "setsid sleep 1000 &\nsetsid -f sleep 1000\nsleep 1000",
        "while :; do cat module.cpp module.cpp; done",
        "while :; do cat module.cpp module.cpp >> big; done",
        "i=0; while :; do : > f$i; i=$((i+1)); done",
    };
    for (auto const& act : acts) {
        CAPTURE(act);
        folder const where;
        auto s = naive(fake_compiler(where, act));
        lkt::compile_request q;
        q.source.text = kernel_text;
        q.source.language = lkt::language::cuda;
        q.signature.name = "k";
        q.time_limit = lkt::seconds{1};
        auto const start = std::chrono::steady_clock::now();
        auto const r = s.compile(q, {});
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{30});
        REQUIRE(r.has_value());
        REQUIRE(std::holds_alternative<lkt::failure>(*r));
        INFO(lkt::describe(std::get<lkt::failure>(*r)));
        for (int k = 0; k < 100 && alive(where.path) > 0; ++k) ::usleep(20'000);
        CHECK(alive(where.path) == 0);
    }
}

TEST_CASE("host confined: traced, a compilation opens no file outside its list and no socket") {
    auto const strace = lkt::host_detail::find_program("strace");
    if (strace.empty()) {
        MESSAGE("skipped: there is no strace");
        return;
    }
    for (auto const& path : compilers()) {
        CAPTURE(path);
        folder const where;
        auto const log = where.path + "/trace";
        lkt::host_options options;
        options.compiler = path;
        lkt::gpu_detail::compile_cache none{{.kind = "host", .limit = 0}};
        auto const facts = lkt::host_detail::find_compiler(options, none, {});
        REQUIRE(facts.has_value());
        std::vector<std::string> allowed;
        for (auto const& file : facts->parts.readable)
            allowed.push_back(fs::weakly_canonical(file));
        auto run = lkt::host_detail::confined_run(options,
                                                  *facts,
                                                  {facts->program,
                                                   "-nostdinc",
                                                   "-x",
                                                   "c++",
                                                   "-shared",
                                                   "-fPIC",
                                                   "-nostartfiles",
                                                   "-o",
                                                   "m.so",
                                                   "m.cpp",
                                                   "-lm"});
        run.files = {{"m.cpp", "extern \"C\" int f() { return 1; }\n"}};
        run.collect = {"m.so"};
        run.worker.launcher = {
            strace, "-f", "-qq", "-s", "300", "-e", "trace=file,network,process", "-o", log};
        auto const r = lkt::run_child(run);
        INFO((r ? std::string{} : lkt::to_string(r.error())));
        REQUIRE(r.has_value());
        INFO(r->err);
        CHECK(r->succeeded());
        std::set<std::string> before;
        std::map<std::string, std::string> unfinished;
        bool started = false;
        int opened = 0;
        std::ifstream lines{log};
        for (std::string line; std::getline(lines, line);) {
            auto const pid = line.substr(0, line.find(' '));
            if (!started) {
                started = line.find("execve(\"" + facts->program + "\"") != std::string::npos;
                if (!started)
                    before.insert(pid);
                else
                    before.erase(pid);
                // The worker's other thread.
                if (auto const at = line.find("parent_tid=["); at != std::string::npos)
                    before.insert(line.substr(at + 12, line.find(']', at) - at - 12));
                continue;
            }
            if (before.contains(pid)) continue;
            if (line.find("<unfinished ...>") != std::string::npos) {
                unfinished[pid] = line;
                continue;
            }
            if (line.find(" resumed>") != std::string::npos) line = unfinished[pid] + line;
            if (line.find(" = -1 ") != std::string::npos) continue;
            CHECK(line.find(" socket(") == std::string::npos);
            CHECK(line.find(" connect(") == std::string::npos);
            if (line.find(" openat(") == std::string::npos &&
                line.find(" open(") == std::string::npos)
                continue;
            auto const from = line.find('"') + 1;
            auto const name = line.substr(from, line.find('"', from) - from);
            ++opened;
            bool good = name.front() != '/' || name.find("/lkt-") != std::string::npos;
            auto const real = fs::weakly_canonical(name).string();
            for (auto const& a : allowed) good = good || real == a || real.starts_with(a + "/");
            CAPTURE(line);
            CHECK(good);
        }
        CHECK(started);
        CHECK(opened > 10);
    }
}
