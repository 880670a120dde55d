// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/unique_fd.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

} // namespace

TEST_CASE("a descriptor is closed by its last owner, once") {
    int const raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    REQUIRE(raw >= 0);
    {
        lkt::unique_fd a{raw};
        lkt::unique_fd b = std::move(a);
        CHECK_FALSE(a); // NOLINT: what a moved-from descriptor holds is part of the interface
        CHECK(b.get() == raw);
        CHECK(is_open(raw));
    }
    CHECK_FALSE(is_open(raw));
}

TEST_CASE("a duplicate lives on, and is closed on exec") {
    lkt::unique_fd a{::open("/dev/null", O_RDONLY)};
    auto const b = a.duplicate();
    REQUIRE(b);
    CHECK(b.get() != a.get());
    a.reset();
    CHECK(is_open(b.get()));
    CHECK((::fcntl(b.get(), F_GETFD) & FD_CLOEXEC) != 0);
    CHECK_FALSE(lkt::unique_fd{}.duplicate());
}

TEST_CASE("release gives it up, and moving onto itself keeps it") {
    lkt::unique_fd a{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    auto& same = a;
    a = std::move(same);
    int const raw = a.release();
    CHECK_FALSE(a);
    CHECK(is_open(raw));
    ::close(raw);
}
