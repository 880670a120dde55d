// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/files.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// A folder of its own, gone afterwards.
struct folder {
    folder() {
        std::string name = (fs::temp_directory_path() / "lkt-files-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() {
        std::error_code ignored;
        fs::permissions(path, fs::perms::owner_all, ignored);
        fs::remove_all(path, ignored);
    }
    [[nodiscard]] std::string file(std::string const& name) const { return (path / name).string(); }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
    fs::path path;
};

std::string code(std::optional<lkt::error> const& e) { return e ? e->code : "none"; }
template <class T>
std::string code(lkt::result<T> const& r) {
    return r ? "none" : r.error().code;
}

} // namespace

TEST_CASE("what was written is read") {
    folder const here;
    std::string const text("line\n\0\xff and more", 16);
    REQUIRE_FALSE(lkt::write_text_file(here.file("a"), text));
    CHECK(lkt::read_text_file(here.file("a")).value() == text);
    CHECK_FALSE(lkt::write_text_file(here.file("a"), "shorter"));
    CHECK(lkt::read_text_file(here.file("a")).value() == "shorter");
    CHECK_FALSE(lkt::write_text_file(here.file("empty"), ""));
    CHECK(lkt::read_text_file(here.file("empty")).value().empty());
    CHECK(here.entries() == 2);
    REQUIRE_FALSE(lkt::write_text_file(here.file("a"), "\xef\xbb\xbf{\xef\xbb\xbf}"));
    CHECK(lkt::read_text_file(here.file("a")).value() == "{\xef\xbb\xbf}"); // of Windows editors
}

TEST_CASE("reading has a limit") {
    folder const here;
    REQUIRE_FALSE(lkt::write_text_file(here.file("a"), std::string(100000, 'x')));
    CHECK(lkt::read_text_file(here.file("a"), 100000).value().size() == 100000);
    auto const large = lkt::read_text_file(here.file("a"), 99999);
    REQUIRE(large.has_error());
    CHECK(large.error().code == "lkt.file.large");
    CHECK(large.error().message == here.file("a") + " has more than 99999 bytes");
}

TEST_CASE("what cannot be read says why") {
    folder const here;
    auto const missing = lkt::read_text_file(here.file("missing"));
    REQUIRE(missing.has_error());
    CHECK(missing.error().code == "lkt.file.missing");
    CHECK(missing.error().kind == lkt::condition::unavailable);
    CHECK(missing.error().message ==
          here.file("missing") + " cannot be read: No such file or directory");
    CHECK(code(lkt::read_text_file(here.path.string())) == "lkt.file.read");
    CHECK(code(lkt::read_text_file("/dev/zero")) == "lkt.file.read");
    CHECK(code(lkt::read_text_file("")) == "lkt.file.missing");
    CHECK(code(lkt::read_text_file(std::string("a\0b", 3))) == "lkt.file.read");
}

TEST_CASE("a full disk is one error, and the old text stays") {
    auto const full = lkt::write_text_file("/dev/full", "text");
    REQUIRE(full.has_value());
    CHECK(full->code == "lkt.file.full");
    CHECK(full->kind == lkt::condition::exhausted);
    CHECK(full->message == "/dev/full cannot be written: No space left on device");

    // A limit on the size of files fails a write in its middle, as a full disk does.
    folder const here;
    REQUIRE_FALSE(lkt::write_text_file(here.file("a"), "old"));
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit const small{5000, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    auto const cut = lkt::write_text_file(here.file("a"), std::string(100000, 'x'));
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(code(cut) == "lkt.file.full");
    CHECK(lkt::read_text_file(here.file("a")).value() == "old");
    CHECK(here.entries() == 1);
}

TEST_CASE("what cannot be written says why") {
    folder const here;
    CHECK(code(lkt::write_text_file(here.path.string(), "x")) == "lkt.file.write");
    CHECK(code(lkt::write_text_file(here.file("no/such"), "x")) == "lkt.file.write");
    CHECK(code(lkt::write_text_file(here.file("slash/"), "x")) == "lkt.file.write");
    CHECK(code(lkt::write_text_file("", "x")) == "lkt.file.write");
    CHECK(code(lkt::check_writable(here.path.string())) == "lkt.file.write");
    CHECK(code(lkt::check_writable(here.file("no/such"))) == "lkt.file.write");
    REQUIRE_FALSE(lkt::write_text_file(here.file("plain"), "x"));
    CHECK(code(lkt::write_text_file(here.file("plain/below"), "x")) == "lkt.file.write");
    CHECK(code(lkt::write_text_file("/proc/lkt-no-such-file", "x")) == "lkt.file.write");
    if (::geteuid() != 0) { // permissions do not stop root
        fs::permissions(here.path, fs::perms::owner_read | fs::perms::owner_exec);
        CHECK(code(lkt::write_text_file(here.file("new"), "x")) == "lkt.file.write");
        CHECK(code(lkt::check_writable(here.file("new"))) == "lkt.file.write");
    }
}

TEST_CASE("asking leaves no trace") {
    folder const here;
    CHECK_FALSE(lkt::check_writable(here.file("new")));
    CHECK(here.entries() == 0);
    REQUIRE_FALSE(lkt::write_text_file(here.file("old"), "text"));
    CHECK_FALSE(lkt::check_writable(here.file("old")));
    CHECK(lkt::read_text_file(here.file("old")).value() == "text");
    CHECK(here.entries() == 1);
    CHECK_FALSE(lkt::check_writable("/dev/null"));
}

TEST_CASE("permissions and links stay") {
    folder const here;
    REQUIRE_FALSE(lkt::write_text_file(here.file("target"), "old"));
    fs::permissions(here.file("target"), fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("target", here.file("link"));
    CHECK_FALSE(lkt::write_text_file(here.file("link"), "new"));
    CHECK(fs::is_symlink(here.file("link")));
    CHECK(lkt::read_text_file(here.file("target")).value() == "new");
    CHECK(fs::status(here.file("target")).permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a reader sees the old text or the new one, never a part") {
    folder const here;
    std::string const file = here.file("a");
    std::string const a(200000, 'a'), b(200000, 'b');
    REQUIRE_FALSE(lkt::write_text_file(file, a));
    std::jthread const writer([&](std::stop_token stop) {
        for (int i = 0; i < 40 && !stop.stop_requested(); ++i)
            (void)lkt::write_text_file(file, i % 2 == 0 ? b : a);
    });
    int mixed = 0, reads = 0;
    for (; reads < 200; ++reads) {
        auto const text = lkt::read_text_file(file);
        if (!text || (*text != a && *text != b)) ++mixed;
    }
    CHECK(reads == 200);
    CHECK(mixed == 0);
}

TEST_CASE("several writers do not meet") {
    folder const here;
    std::vector<std::jthread> writers;
    for (char c : {'a', 'b', 'c', 'd'})
        writers.emplace_back([&here, c] {
            for (int i = 0; i < 10; ++i)
                (void)lkt::write_text_file(here.file("same"), std::string(1000, c));
        });
    writers.clear();
    auto const text = lkt::read_text_file(here.file("same"));
    REQUIRE(text.has_value());
    CHECK(text->size() == 1000);
    CHECK(text->find_first_not_of((*text)[0]) == std::string::npos);
    CHECK(here.entries() == 1);
}
