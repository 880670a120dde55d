// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/compile_cache.hpp>

#include "cuda/support.hpp"

#include <chrono>
#include <thread>

using cuda_support::scratch;
using lkt::gpu_detail::compile_cache;
using lkt::gpu_detail::compile_cache_options;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files(compile_cache const& cache) {
    std::vector<fs::path> found;
    if (fs::exists(cache.folder()))
        for (auto const& f : fs::directory_iterator{cache.folder()}) found.push_back(f.path());
    return found;
}
std::uint64_t bytes(compile_cache const& cache) {
    std::uint64_t sum = 0;
    for (auto const& f : files(cache)) sum += fs::file_size(f);
    return sum;
}
compile_cache_options in(scratch const& folder, std::uint64_t limit = 1 << 20) {
    return {"cuda", folder.text(), limit};
}

/// Null where there is nothing, or a failure.
std::optional<std::string> text_in(compile_cache& cache, std::string const& key) {
    auto const found = cache.find(key);
    auto const* const text = found ? std::get_if<std::string>(&*found) : nullptr;
    return text != nullptr ? std::optional{*text} : std::nullopt;
}

} // namespace

TEST_CASE("What is stored is found, in this process and the next") {
    scratch const folder;
    std::string const value{"a\0b", 3};
    {
        compile_cache cache{in(folder)};
        CHECK_FALSE(text_in(cache, "key").has_value());
        cache.store("key", value);
        CHECK(text_in(cache, "key") == value);
        CHECK_FALSE(text_in(cache, "kez").has_value());
        cache.store("key", "newer");
    }
    compile_cache cache{in(folder)};
    CHECK(text_in(cache, "key") == "newer");
    CHECK(files(cache).size() == 1);
    CHECK(cache.notes().empty());
}

TEST_CASE("No damage and no exchange of files makes a wrong value") {
    scratch const folder;
    compile_cache cache{in(folder)};
    cache.store("key", std::string(100, 'v'));
    auto const file = files(cache).at(0);
    auto const whole = cuda_support::read(file);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        auto damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        cuda_support::write(file, damaged);
        CHECK_FALSE(text_in(cache, "key").has_value());
        cuda_support::write(file, whole.substr(0, i));
        CHECK_FALSE(text_in(cache, "key").has_value());
    }
    cuda_support::write(file, whole + "x");
    CHECK_FALSE(text_in(cache, "key").has_value());
    cuda_support::write(file, whole);
    CHECK(text_in(cache, "key").has_value());

    // As if two keys had one hash: the file of one lies where the other's is sought.
    cache.store("other", "value");
    auto const all = files(cache);
    auto const second = all.at(0) == file ? all.at(1) : all.at(0);
    fs::copy_file(second, file, fs::copy_options::overwrite_existing);
    CHECK_FALSE(text_in(cache, "key").has_value());
    CHECK(text_in(cache, "other") == "value");
}

TEST_CASE("A failure is kept like a result, without a folder in memory alone") {
    scratch const folder;
    lkt::compile_failed const why{"kernel:3:5: error: no", {3, 5}};
    for (std::uint64_t const limit : {1 << 20, 0}) {
        bool const on_disk = limit > 0;
        {
            compile_cache cache{in(folder, limit)};
            cache.store("key", why);
            CHECK_FALSE(text_in(cache, "key").has_value());
            auto const found = cache.find("key");
            REQUIRE(found.has_value());
            CHECK(std::get<lkt::compile_failed>(*found).log == why.log);
        }
        compile_cache next{in(folder, limit)};
        auto const found = next.find("key");
        REQUIRE(found.has_value() == on_disk);
        if (!on_disk) continue;
        auto const& same = std::get<lkt::compile_failed>(*found);
        CHECK(same.log == why.log);
        CHECK(same.where == why.where);
        // Damage is no failure of a text.
        auto const file = files(next).at(0);
        auto const whole = cuda_support::read(file);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            auto damaged = whole;
            damaged[i] = static_cast<char>(damaged[i] ^ 1);
            cuda_support::write(file, damaged);
            CHECK_FALSE(next.find("key").has_value());
        }
    }
}

TEST_CASE("A compiler that speaks of itself has not judged a text") {
    using lkt::gpu_detail::compiler_broke;
    for (auto const* const log : {"kernel:3:5: internal compiler error: Segmentation fault",
                                  "g++: fatal error: Killed signal terminated program cc1plus",
                                  "clang: error: clang frontend command failed due to signal",
                                  "kernel(3): catastrophic error: out of memory",
                                  "/tmp/x.s: Fatal error: No space left on device"})
        CHECK(compiler_broke(log));
    CHECK_FALSE(compiler_broke("kernel:3:5: error: 'x' was not declared in this scope"));
    CHECK_FALSE(compiler_broke("ptxas error   : Entry function 'k' uses too much shared data"));
}

TEST_CASE("The folder keeps to its limit, and the least recently used goes first") {
    scratch const folder;
    constexpr std::uint64_t limit = 200'000;
    compile_cache cache{in(folder, limit)};
    cache.store("precious", std::string(1000, 'p'));
    for (int i = 0; i < 300; ++i) {
        cache.store("key " + std::to_string(i), std::string(4000, 'v'));
        CHECK(bytes(cache) <= limit);
        if (i % 10 == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds{2}); // file times are coarse
            CHECK(text_in(cache, "precious").has_value());
        }
    }
    CHECK(text_in(cache, "precious").has_value());
    CHECK(text_in(cache, "key 299").has_value());
    CHECK_FALSE(text_in(cache, "key 0").has_value());
    cache.store("huge", std::string(limit, 'h'));
    CHECK_FALSE(text_in(cache, "huge").has_value());
    CHECK(text_in(cache, "precious").has_value());
}

TEST_CASE("What a killed writer left is no entry, and goes in time") {
    scratch const folder;
    compile_cache first{in(folder)};
    first.store("key", "value");
    auto const left = fs::path{first.folder()} / ".0a.entry.1-1.tmp";
    cuda_support::write(left, "half of an ent");
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours{2});
    compile_cache second{in(folder)};
    second.store("key 2", "value");
    CHECK_FALSE(fs::exists(left));
    CHECK(text_in(second, "key") == "value");
}

TEST_CASE("A folder that cannot be used is a note") {
    scratch const folder;
    auto const file = folder.path() / "file";
    cuda_support::write(file, "no folder");
    compile_cache cache{{"cuda", file.string(), 1 << 20}};
    cache.store("key", "value");
    cache.store("key 2", "value");
    CHECK_FALSE(text_in(cache, "key").has_value());
    REQUIRE(cache.notes().size() == 1);
    CHECK(cache.notes()[0].find("cannot be written") != std::string::npos);

    fs::create_directories(folder.path() / "cuda");
    fs::permissions(folder.path() / "cuda", fs::perms::all);
    compile_cache open{in(folder)};
    CHECK(open.folder().empty());
    CHECK(open.notes().size() == 1);

    compile_cache off{{"cuda", folder.text(), 0}};
    off.store("key", "value");
    CHECK_FALSE(text_in(off, "key").has_value());
    CHECK(off.notes().empty());
}

TEST_CASE("Threads and removals from outside do no harm") {
    scratch const folder;
    compile_cache cache{in(folder, 100'000)};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&cache, t] {
            for (int i = 0; i < 100; ++i) {
                auto const key = std::to_string(i % 10);
                cache.store(key, key + std::string(1000, 'v'));
                auto const found = text_in(cache, key);
                if (found) CHECK(*found == key + std::string(1000, 'v'));
                std::error_code ignored;
                if (t == 0 && i == 50) fs::remove_all(cache.folder(), ignored);
            }
        });
    for (auto& t : threads) t.join();
    cache.store("last", "value");
    cache.store("last", "value");
    CHECK(text_in(cache, "last") == "value");
}
