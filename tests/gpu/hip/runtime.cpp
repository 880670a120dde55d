// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/hip/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace lkt::hip_detail;

TEST_CASE("Without HIP's runtime there is a sentence that says so") {
    auto const none = load_hip("/nowhere/libamdhip64.so");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().kind == lkt::condition::unavailable);
    CHECK(none.error().code == "lkt.hip.driver");
    CHECK(none.error().message.find("/nowhere/libamdhip64.so") != std::string::npos);
    auto const other = load_hip("libm.so.6");
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().message == "libm.so.6 is not HIP's runtime: it has no hipInit");
}

TEST_CASE("ROCm's libraries are found, the newest of a folder first") {
    namespace fs = std::filesystem;
    auto const root = fs::temp_directory_path() / ("lkt-test-rocm-" + std::to_string(::getpid()));
    fs::create_directories(root / "lib");
    for (auto const* const name : {"libsome.so.5", "libsome.so.7", "libsome.so.6", "libsome.so"})
        std::ofstream{root / "lib" / name} << name;
    ::setenv("LKT_ROCM", ("/nowhere:" + root.string()).c_str(), 1);
    auto const found = rocm_files({"libother.so", "libsome.so"});
    ::unsetenv("LKT_ROCM");
    REQUIRE(found.size() == 3);
    CHECK(fs::path{found[0]}.filename() == "libsome.so.7");
    CHECK(fs::path{found[2]}.filename() == "libsome.so.5");
    std::error_code ignored;
    fs::remove_all(root, ignored);
}
