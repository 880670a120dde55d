// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/ck_compiler.hpp>

#include <doctest/doctest.h>

#include <lkt/core/files.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

/// A folder with files, which is removed at the end.
struct folder {
    fs::path at = fs::temp_directory_path() / ("lkt-ck-" + std::to_string(::getpid()));
    folder() { fs::create_directories(at / "ck"); }
    ~folder() {
        std::error_code ignored;
        fs::remove_all(at, ignored);
    }
    std::string put(std::string const& name, std::string const& text, bool program = false) const {
        auto const file = (at / name).string();
        REQUIRE_FALSE(lkt::write_text_file(file, text));
        if (program) fs::permissions(file, fs::perms::owner_all);
        return file;
    }
};

} // namespace

// A compiler that is none stands in for the real one, which ck.compiles uses: tests/scan/ck.
TEST_CASE("ck_compiler: what is missing, what is refused, what does not end") {
    folder const here;
    auto const compiler = here.put("clang++", "#!/bin/sh\nexit 1\n", true);
    auto const missing = lkt::find_ck_compiler({.compiler = compiler, .include = here.at.string()});
    REQUIRE(missing.has_error());
    CHECK(missing.error().code == "lkt.scan.ck-compiler");
    CHECK(missing.error().message.find("has no file ck/ck.hpp") != std::string::npos);
    here.put("ck/ck.hpp", "");
    here.put("ck/config.h", "");
    auto found = lkt::find_ck_compiler({.compiler = compiler, .include = here.at.string()});
    REQUIRE(found.has_value());
    CHECK(found->architecture == "gfx942");

    auto const with = [&](std::string const& script) {
        here.put("clang++", "#!/bin/sh\n" + script, true);
        return lkt::compile_ck("text\n", *found);
    };
    auto const silent = with("exit 1\n");
    REQUIRE(silent.has_value());
    CHECK(silent->refused == "the compiler says nothing");
    auto const refused =
        with("cat instance.hip >&2\necho '/usr/include/ck/grid.hpp:7:9: error: static assertion "
             "failed: \"wrong!\"' >&2\necho 'x.hpp:1:1: error: another' >&2\nexit 1\n");
    REQUIRE(refused.has_value());
    CHECK(refused->refused == "grid.hpp:7:9: error: static assertion failed: \"wrong!\"");
    CHECK(refused->kernels.empty());
    auto const odd = with("echo no object > instance.o\n");
    REQUIRE(odd.has_value());
    CHECK(odd->refused == "the compiler made a file without kernels");
    auto const killed = with("kill -9 $$\n");
    REQUIRE(killed.has_value());
    CHECK(killed->refused == "the compiler was ended by signal 9");
    // What it is told.
    auto const told = with("echo \"error: $*\" >&2; exit 1\n");
    REQUIRE(told.has_value());
    CHECK(told->refused.find("--offload-arch=gfx942 --cuda-device-only") != std::string::npos);

    found->time_limit = std::chrono::milliseconds(50);
    auto const slow = with("exec sleep 60\n");
    REQUIRE(slow.has_error());
    CHECK(slow.error().code == "lkt.scan.ck-time-limit");
    found->compiler = (here.at / "nowhere").string();
    CHECK(lkt::compile_ck("", *found).error().code == "lkt.scan.ck-compiler");
}
