// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/shared_memory.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <vector>

using lkt::memory_access;
using lkt::shared_memory;

TEST_CASE("what one mapping writes, another of the same memory reads") {
    auto a = shared_memory::create(1000 * sizeof(float));
    REQUIRE(a);
    CHECK(a->size() == 4000);
    CHECK(a->as<float>().size() == 1000);
    CHECK(a->as<float>()[999] == 0.0F);
    a->as<float>()[999] = 1.5F;
    auto b = shared_memory::adopt(lkt::unique_fd{::dup(a->fd())}, memory_access::read_only);
    REQUIRE(b);
    CHECK(b->size() == 4000);
    CHECK(b->as<float const>()[999] == 1.5F);
    CHECK(b->as<float>().empty()); // no writing through a read-only mapping
    CHECK(b->writable_bytes().empty());
}

TEST_CASE("nobody can resize it, and frozen memory nobody can write") {
    auto a = shared_memory::create(4096);
    REQUIRE(a);
    CHECK(::ftruncate(a->fd(), 0) != 0);
    CHECK(::ftruncate(a->fd(), 8192) != 0);
    auto frozen = shared_memory::frozen("kernel");
    REQUIRE(frozen);
    CHECK(frozen->text() == "kernel");
    CHECK(::pwrite(frozen->fd(), "K", 1, 0) < 0);
    CHECK_FALSE(shared_memory::adopt(lkt::unique_fd{::dup(frozen->fd())},
                                     memory_access::read_write)); // mapping it to write fails
    CHECK(frozen->text() == "kernel");
}

TEST_CASE("memory that its sender could shrink is not adopted") {
    lkt::unique_fd fd{::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    REQUIRE(::ftruncate(fd.get(), 100) == 0);
    auto const r = shared_memory::adopt(std::move(fd), memory_access::read_only);
    REQUIRE_FALSE(r);
    CHECK(r.error().code == "lkt.memory.unsealed");
    auto const file = shared_memory::adopt(lkt::unique_fd{::open("/dev/null", O_RDONLY)},
                                           memory_access::read_only);
    REQUIRE_FALSE(file);
    auto const none = shared_memory::adopt(lkt::unique_fd{}, memory_access::read_only);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == "lkt.memory.refused");
}

TEST_CASE("what is written goes to its place, whatever its size") {
    for (std::size_t const size :
         {std::size_t{0}, std::size_t{5}, std::size_t{70000}, (std::size_t{16} << 20) + 4099}) {
        CAPTURE(size);
        std::vector<std::byte> bytes(size);
        for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<std::byte>(k * 37 + k / 251);
        auto a = shared_memory::create(size + 300);
        REQUIRE(a);
        a->write(200, bytes);
        auto const got = a->bytes();
        CHECK(std::equal(bytes.begin(), bytes.end(), got.begin() + 200));
        for (std::size_t k = 0; k < 300; ++k) CHECK(got[k < 200 ? k : size + k] == std::byte{});
    }
}

TEST_CASE("memory that is found at once keeps what it holds") {
    for (std::size_t const size : {std::size_t{0}, std::size_t{5000}, std::size_t{20} << 20}) {
        auto a = shared_memory::create(size);
        REQUIRE(a);
        if (size != 0) a->writable_bytes()[size - 1] = std::byte{7};
        a->populate();
        struct stat about{};
        REQUIRE(::fstat(a->fd(), &about) == 0);
        // The whole of a large one lies in memory.
        if (size > 5000) CHECK(static_cast<std::size_t>(about.st_blocks) * 512 == size);
        if (size == 0) continue;
        CHECK(a->bytes()[size - 1] == std::byte{7});
        CHECK(a->bytes()[0] == std::byte{});
    }
}

TEST_CASE("no size crashes") {
    auto empty = shared_memory::create(0);
    REQUIRE(empty);
    CHECK(empty->size() == 0);
    CHECK(empty->bytes().empty());
    CHECK(shared_memory::frozen("")->text().empty());
    auto const huge = shared_memory::create(SIZE_MAX);
    REQUIRE_FALSE(huge);
    CHECK(huge.error().code == "lkt.memory.exhausted");
    CHECK(huge.error().kind == lkt::condition::exhausted);
}

TEST_CASE("it is moved, not copied, and closed on exec") {
    auto a = shared_memory::frozen("x");
    REQUIRE(a);
    CHECK((::fcntl(a->fd(), F_GETFD) & FD_CLOEXEC) != 0);
    shared_memory b = std::move(*a);
    CHECK(b.text() == "x");
    CHECK_FALSE(*a); // NOLINT
    auto other = shared_memory::frozen("yz");
    REQUIRE(other);
    b = std::move(*other);
    CHECK(b.text() == "yz");
}
