// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/byte_buffer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

using lkt::byte_buffer;

namespace {

// Below and above what is copied on threads, and what the C library maps.
std::vector<std::size_t> const sizes{0,
                                     1,
                                     4096,
                                     (std::size_t{16} << 20) - 1,
                                     (std::size_t{16} << 20) + 5,
                                     (std::size_t{40} << 20) + 3};

void fill(byte_buffer& b) {
    std::uint64_t x = 1;
    for (std::size_t at = 0; at + 8 <= b.size(); at += 8) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        std::memcpy(b.data() + at, &x, 8);
    }
    if (!b.empty()) b[b.size() - 1] = std::byte{0xa5};
}
bool zeros(std::span<std::byte const> bytes) {
    return bytes.empty() || (bytes[0] == std::byte{} &&
                             std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}
/// In MiB.
std::size_t resident() {
    std::size_t all = 0, here = 0;
    std::ifstream("/proc/self/statm") >> all >> here;
    REQUIRE(here > 0);
    return here * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) >> 20;
}

} // namespace

TEST_CASE("a new buffer is zero, also where another one was before") {
    for (std::size_t const size : sizes)
        for (int round = 0; round < 3; ++round) {
            byte_buffer b(size);
            REQUIRE(b.size() == size);
            CHECK(b.empty() == (size == 0));
            CHECK(zeros(b));
            fill(b);
        }
}

TEST_CASE("copies are of the same bytes, and their own") {
    for (std::size_t const size : sizes) {
        CAPTURE(size);
        byte_buffer a(size);
        fill(a);
        byte_buffer b = a;
        CHECK(b == a);
        CHECK(byte_buffer(std::span<std::byte const>(a)) == a);
        if (size == 0) continue;
        CHECK(b.data() != a.data());
        b[size - 1] = std::byte{0x5a};
        CHECK(!(b == a));
        a = b;
        CHECK(b == a);
        auto const* const place = b.data();
        byte_buffer const c = std::move(b);
        CHECK(c.data() == place);
        CHECK(b.empty()); // NOLINT: a buffer that was moved from is empty
        CHECK(b.data() == nullptr);
        CHECK(c == a);
    }
    byte_buffer const small{std::byte{1}, std::byte{2}};
    CHECK(small == std::vector{std::byte{1}, std::byte{2}});
    CHECK(!(small == byte_buffer(2)));
    CHECK(!(small == byte_buffer(3)));
}

TEST_CASE("a buffer of another size begins as before and ends in zeros") {
    for (std::size_t const size : sizes) {
        byte_buffer a(size);
        fill(a);
        byte_buffer const before = a;
        a.resize(size + 100);
        REQUIRE(a.size() == size + 100);
        CHECK(std::equal(before.begin(), before.end(), a.begin()));
        CHECK(zeros(std::span<std::byte const>(a).subspan(size)));
        a.resize(size / 2);
        REQUIRE(a.size() == size / 2);
        CHECK(std::equal(a.begin(), a.end(), before.begin()));
        a.resize(size); // what was cut off is gone
        CHECK(zeros(std::span<std::byte const>(a).subspan(size / 2)));
    }
}

TEST_CASE("bytes that are copied stay within their bounds") {
    std::size_t const size = (std::size_t{17} << 20) + 11;
    byte_buffer from(size), to(size + 2);
    fill(from);
    lkt::copy_bytes(std::span(to).subspan(1), from);
    CHECK(std::memcmp(to.data() + 1, from.data(), size) == 0);
    CHECK(to[0] == std::byte{});
    CHECK(to[size + 1] == std::byte{});
}

TEST_CASE("a large buffer costs no memory before it is written") {
    auto const before = resident();
    byte_buffer b(std::size_t{256} << 20);
    CHECK(resident() < before + 64); // AddressSanitizer writes an eighth beside it
    CHECK(b[b.size() / 2] == std::byte{});
    std::memset(b.data(), 1, b.size());
    CHECK(resident() > before + 200);
}

TEST_CASE("memory that there is not is refused") {
    if (::dlsym(RTLD_DEFAULT, "__asan_init") != nullptr) return; // it ends the program instead
    CHECK_THROWS_AS(byte_buffer(~std::size_t{0} / 4), std::bad_alloc);
    byte_buffer a(10);
    a[9] = std::byte{1};
    CHECK_THROWS_AS(a.resize(~std::size_t{0} / 4), std::bad_alloc);
    CHECK(a.size() == 10);
    CHECK(a[9] == std::byte{1});
}
