// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/python_script.hpp>

#include <doctest/doctest.h>

#include "python.hpp"

#include <algorithm>
#include <string>
#include <unistd.h>

TEST_CASE("A Python with NumPy is found, with the folders that it reads") {
    if (!test::has_python()) return;
    auto const found = lkt::find_python(lkt::array_library::numpy).value();
    CHECK(found.path.front() == '/');
    CHECK(::access(found.path.c_str(), X_OK) == 0);
    CHECK_FALSE(found.readable.empty());
    CHECK(std::find(found.readable.begin(), found.readable.end(), "/") == found.readable.end());
}

TEST_CASE("An interpreter that is named is the only one that is asked") {
    test::chosen_python const nowhere{"/no/such/python"};
    auto const missing = lkt::find_python(lkt::array_library::numpy);
    REQUIRE(missing.has_error());
    CHECK(missing.error().kind == lkt::condition::unavailable);
    CHECK(missing.error().code == "lkt.verify.python");
    CHECK(test::has(missing.error().message, "/no/such/python"));
    CHECK(test::has(missing.error().hint, "python3-numpy"));
    CHECK(test::has(missing.error().hint, "LKT_PYTHON"));
    test::chosen_python const no_python{"/bin/true"};
    CHECK(lkt::find_python(lkt::array_library::torch).error().code == "lkt.verify.python");
}

TEST_CASE("The search can be cancelled") {
    std::stop_source stop;
    stop.request_stop();
    auto const found =
        lkt::find_python(lkt::array_library::numpy, {.stop = stop.get_token(), .on_text = {}});
    CHECK(found.error().kind == lkt::condition::cancelled);
}
