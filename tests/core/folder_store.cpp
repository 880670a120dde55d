// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/folder_store.hpp>

#include "../llm/scratch.hpp"

#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using lkt::folder_store;
namespace fs = std::filesystem;

TEST_CASE("an entry is read as it was written, and files of other names are left alone") {
    scratch_folder const folder;
    folder_store store(folder.path("a/b"), {.ending = ".entry"});
    CHECK(store.entries().error().code == "lkt.store.folder");
    CHECK_FALSE(store.write("one.entry", std::string("x\0y", 3)).has_value());
    CHECK_FALSE(store.write("one.entry", "newer").has_value());
    CHECK_FALSE(store.write("two.entry", "2").has_value());
    (void)folder.file("a/b/readme.txt", "mine");
    CHECK(*store.read("one.entry", 100) == "newer");
    CHECK(store.read("one.entry", 4).error().code == "lkt.file.large");
    CHECK(store.read("three.entry", 4).error().code == "lkt.file.missing");
    auto const all = store.entries();
    REQUIRE(all->size() == 2);
    CHECK(all->at(0).name == "one.entry");
    CHECK(all->at(1).bytes == 1);
    CHECK(store.remove("two.entry"));
    CHECK_FALSE(store.remove("two.entry"));
}

TEST_CASE("no name leads out of the folder, and no link, pipe or folder is an entry") {
    scratch_folder const folder;
    folder_store store(folder.path("s"), {.ending = ".entry"});
    CHECK_FALSE(store.write("a.entry", "a").has_value());
    auto const outside = folder.file("secret.entry", "secret");
    for (std::string const& name : {std::string("../secret.entry"),
                                    outside,
                                    std::string(".hidden.entry"),
                                    std::string("-rf.entry"),
                                    std::string(".entry"),
                                    std::string("a.text"),
                                    std::string("a\0.entry", 8),
                                    std::string("a b.entry"),
                                    std::string(300, 'a') + ".entry"}) {
        CHECK(store.read(name, 100).error().code == "lkt.store.name");
        CHECK(store.write(name, "x")->code == "lkt.store.name");
        CHECK_FALSE(store.remove(name));
    }
    fs::create_symlink(outside, folder.path("s/link.entry"));
    fs::create_directories(folder.path("s/folder.entry"));
    REQUIRE(::mkfifo(folder.path("s/pipe.entry").c_str(), 0600) == 0);
    for (char const* const name : {"link.entry", "folder.entry", "pipe.entry"})
        CHECK_FALSE(store.read(name, 100).has_value());
    CHECK(store.entries()->size() == 1);
    // A link is replaced, not followed.
    CHECK_FALSE(store.write("link.entry", "mine").has_value());
    CHECK(folder.text("secret.entry") == "secret");
}

TEST_CASE("what was not used longest goes first, and what killed writers left goes in time") {
    scratch_folder const folder;
    folder_store store(folder.path("s"), {.ending = ".entry", .limit = 10'000});
    auto const old = fs::file_time_type::clock::now() - std::chrono::hours(2);
    fs::create_directories(folder.path("s"));
    auto const left = folder.file("s/.a.entry.1-1.tmp", "half");
    fs::last_write_time(left, old);
    auto const fresh = folder.file("s/.b.entry.1-1.tmp", "half");
    for (int i = 0; i < 40; ++i) {
        CHECK_FALSE(store.write(std::to_string(i) + ".entry", std::string(900, 'x')).has_value());
        fs::last_write_time(folder.path("s/" + std::to_string(i) + ".entry"),
                            old + std::chrono::seconds(i));
        store.mark_used("0.entry");
    }
    CHECK_FALSE(store.write("huge.entry", std::string(20'000, 'x')).has_value());
    CHECK_FALSE(fs::exists(left));
    CHECK(fs::exists(fresh));
    CHECK(store.read("0.entry", 1000).has_value());
    CHECK(store.read("39.entry", 1000).has_value());
    CHECK_FALSE(store.read("1.entry", 1000).has_value());
    CHECK_FALSE(store.read("huge.entry", 100'000).has_value());
    CHECK(store.entries()->size() <= 11);
}

TEST_CASE("a writer that is killed leaves whole entries alone") {
    scratch_folder const folder;
    auto const text_of = [](int i) { return std::string(1 << 16, static_cast<char>('a' + i)); };
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    folder_store store(folder.path("s"), {.ending = ".entry", .flushed = false});
    if (child == 0)
        for (int i = 0;; i = (i + 1) % 20)
            (void)store.write(std::to_string(i) + ".entry", text_of(i));
    while (!store.entries() || store.entries()->size() < 5) ::usleep(1000);
    ::kill(child, SIGKILL);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    for (auto const& one : *store.entries())
        CHECK(*store.read(one.name, 1 << 20) == text_of(std::stoi(one.name)));
}
