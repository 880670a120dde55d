// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/compile_cache.hpp>

#include "support.hpp"

#include <chrono>
#include <thread>

using cuda_support::scratch;
using lkt::cuda_detail::compile_cache;
using lkt::cuda_detail::compile_cache_options;
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
    return {true, folder.text(), limit};
}

} // namespace

TEST_CASE("What is stored is found, in this process and the next") {
    scratch const folder;
    std::string const value{"a\0b", 3};
    {
        compile_cache cache{in(folder)};
        CHECK_FALSE(cache.find("key").has_value());
        cache.store("key", value);
        CHECK(cache.find("key") == value);
        CHECK_FALSE(cache.find("kez").has_value());
        cache.store("key", "newer");
    }
    compile_cache cache{in(folder)};
    CHECK(cache.find("key") == "newer");
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
        CHECK_FALSE(cache.find("key").has_value());
        cuda_support::write(file, whole.substr(0, i));
        CHECK_FALSE(cache.find("key").has_value());
    }
    cuda_support::write(file, whole + "x");
    CHECK_FALSE(cache.find("key").has_value());
    cuda_support::write(file, whole);
    CHECK(cache.find("key").has_value());

    // As if two keys had one hash: the file of one lies where the other's is sought.
    cache.store("other", "value");
    auto const all = files(cache);
    auto const second = all.at(0) == file ? all.at(1) : all.at(0);
    fs::copy_file(second, file, fs::copy_options::overwrite_existing);
    CHECK_FALSE(cache.find("key").has_value());
    CHECK(cache.find("other") == "value");
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
            CHECK(cache.find("precious").has_value());
        }
    }
    CHECK(cache.find("precious").has_value());
    CHECK(cache.find("key 299").has_value());
    CHECK_FALSE(cache.find("key 0").has_value());
    cache.store("huge", std::string(limit, 'h'));
    CHECK_FALSE(cache.find("huge").has_value());
    CHECK(cache.find("precious").has_value());
}

TEST_CASE("What a killed writer left is no entry, and goes in time") {
    scratch const folder;
    compile_cache first{in(folder)};
    first.store("key", "value");
    auto const left = fs::path{first.folder()} / ".new-1-1";
    cuda_support::write(left, "half of an ent");
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours{2});
    compile_cache second{in(folder)};
    second.store("key 2", "value");
    CHECK_FALSE(fs::exists(left));
    CHECK(second.find("key") == "value");
}

TEST_CASE("A folder that cannot be used is a note") {
    scratch const folder;
    auto const file = folder.path() / "file";
    cuda_support::write(file, "no folder");
    compile_cache cache{{true, file.string(), 1 << 20}};
    cache.store("key", "value");
    cache.store("key 2", "value");
    CHECK_FALSE(cache.find("key").has_value());
    REQUIRE(cache.notes().size() == 1);
    CHECK(cache.notes()[0].find("not written to") != std::string::npos);

    fs::create_directories(folder.path() / "cuda");
    fs::permissions(folder.path() / "cuda", fs::perms::all);
    compile_cache open{in(folder)};
    CHECK(open.folder().empty());
    CHECK(open.notes().size() == 1);

    compile_cache off{{false, folder.text(), 1 << 20}};
    off.store("key", "value");
    CHECK_FALSE(off.find("key").has_value());
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
                auto const found = cache.find(key);
                if (found) CHECK(*found == key + std::string(1000, 'v'));
                std::error_code ignored;
                if (t == 0 && i == 50) fs::remove_all(cache.folder(), ignored);
            }
        });
    for (auto& t : threads) t.join();
    cache.store("last", "value");
    cache.store("last", "value");
    CHECK(cache.find("last") == "value");
}
