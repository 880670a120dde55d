// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/journal_file.hpp>

#include <doctest/doctest.h>

#include <lkt/core/files.hpp>
#include <lkt/store/journal.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct folder {
    folder() {
        char name[] = "/tmp/lkt-journal-XXXXXX";
        path = ::mkdtemp(name);
    }
    ~folder() { std::filesystem::remove_all(path); }
    [[nodiscard]] std::string file(char const* name) const { return path + "/" + name; }
    std::string path;
};

} // namespace

TEST_CASE("a journal file keeps what is appended, with every policy") {
    folder const f;
    for (auto const policy :
         {lkt::sync_policy::each, lkt::sync_policy::interval, lkt::sync_policy::exit}) {
        auto const path = f.file("run.journal");
        std::filesystem::remove(path);
        {
            auto file = lkt::journal_file::open(path, {policy, std::chrono::milliseconds(0)});
            REQUIRE(file.has_value());
            REQUIRE(file->append("one").has_value());
            REQUIRE(file->append("two").has_value());
            CHECK(lkt::read_text_file(path).value() == "onetwo"); // at once, for everybody
            REQUIRE(file->cut(4).has_value());
            REQUIRE(file->append("!").has_value());
            CHECK(file->read().value() == "onet!");
            CHECK(file->sync().has_value());
        }
        auto again = lkt::journal_file::open(path);
        REQUIRE(again.has_value());
        CHECK(again->read().value() == "onet!");
        REQUIRE(again->append("?").has_value());
        CHECK(again->read().value() == "onet!?");
    }
}

TEST_CASE("one writer at a time") {
    folder const f;
    auto const path = f.file("run.journal");
    {
        auto file = lkt::journal_file::open(path);
        REQUIRE(file.has_value());
        auto second = lkt::journal_file::open(path);
        REQUIRE_FALSE(second.has_value());
        CHECK(second.error().code == "lkt.journal.busy");
        CHECK(second.error().kind == lkt::condition::unavailable);
        CHECK(second.error().message.find(path) != std::string::npos);
    }
    CHECK(lkt::journal_file::open(path).has_value());
}

TEST_CASE("the lock of a killed process is gone with it") {
    folder const f;
    auto const path = f.file("run.journal");
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    pid_t const child = ::fork();
    if (child == 0) {
        auto file = lkt::journal_file::open(path);
        (void)file->append("x");
        (void)!::write(ready[1], "r", 1);
        for (;;) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    CHECK_FALSE(lkt::journal_file::open(path).has_value());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    auto after = lkt::journal_file::open(path);
    REQUIRE(after.has_value());
    CHECK(after->read().value() == "x");
}

TEST_CASE("what cannot be opened is said") {
    folder const f;
    auto const none = lkt::journal_file::open(f.file("no/such/folder"));
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().code == "lkt.journal.open");
    CHECK(none.error().hint.find("folder") != std::string::npos);
    CHECK_FALSE(lkt::journal_file::open(f.path).has_value());
    CHECK_FALSE(lkt::journal_file::open("").has_value());
}

TEST_CASE("of a record that does not fit the disk nothing stays") {
    folder const f;
    auto const path = f.file("run.journal");
    pid_t const child = ::fork();
    if (child == 0) { // a limit is for a whole process
        ::signal(SIGXFSZ, SIG_IGN);
        rlimit const small{100, 100};
        ::setrlimit(RLIMIT_FSIZE, &small);
        auto file = lkt::journal_file::open(path);
        bool good = file->append(std::string(80, 'a')).has_value();
        auto const failed = file->append(std::string(80, 'b'));
        good = good && !failed && failed.error().code == "lkt.journal.write" &&
               failed.error().kind == lkt::condition::unavailable;
        good = good && file->append(std::string(10, 'c')).has_value();
        ::_exit(good ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(lkt::read_text_file(path).value() == std::string(80, 'a') + std::string(10, 'c'));
}
