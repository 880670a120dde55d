// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/cuda/driver.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace lkt::cuda_detail;

namespace {

lkt::error refusal(char const* behaviour, std::string const& library = LKT_FAKE_DRIVER_LIBRARY) {
    ::setenv("LKT_FAKE_DRIVER", behaviour, 1);
    auto const loaded = load_driver(library);
    ::unsetenv("LKT_FAKE_DRIVER");
    REQUIRE(loaded.has_error());
    CHECK(loaded.error().kind == lkt::condition::unavailable);
    CHECK(!loaded.error().hint.empty());
    return loaded.error();
}

} // namespace

TEST_CASE("cuda driver: a library with everything is taken") {
    auto const loaded = load_driver(LKT_FAKE_DRIVER_LIBRARY);
    REQUIRE(loaded.has_value());
    int version = 0;
    CHECK(loaded->driver_version(&version) == cu_status::success);
    CHECK(version == 13000);
    CHECK((loaded->parameter == nullptr)); // newer than what lkt needs
    CHECK(loaded->describe(cu_status::launch_failed) == "FAKE: a fake error");
    CHECK(driver_api{}.describe(cu_status::no_device) == "CUDA error 100");
}

TEST_CASE("cuda driver: each way of not being there has its own message") {
    CHECK(refusal("", "/nowhere/libcuda.so.1").code == "lkt.cuda.driver");
    CHECK(refusal("", "/nowhere/libcuda.so.1").hint.find("nvidia-smi") != std::string::npos);
    CHECK(refusal("init=34").code == "lkt.cuda.stub");
    CHECK(refusal("init=34").hint.find("stubs") != std::string::npos);
    CHECK(refusal("init=100").code == "lkt.cuda.no-device");
    CHECK(refusal("init=100").hint.find("CUDA_VISIBLE_DEVICES") != std::string::npos);
    CHECK(refusal("init=803").hint.find("restart") != std::string::npos);
    CHECK(refusal("init=999").message.find("FAKE_UNKNOWN") != std::string::npos);
    auto const old = refusal("version=11040");
    CHECK(old.code == "lkt.cuda.driver-old");
    CHECK(old.message.find("CUDA 11.4") != std::string::npos);
    CHECK(old.message.find("12.0") != std::string::npos);
    // A library that is not one of the driver's.
    auto const other = refusal("", "libm.so.6");
    CHECK(other.code == "lkt.cuda.driver-old");
    CHECK(other.message.find("cuInit") != std::string::npos);
}

TEST_CASE("cuda driver: after some errors the context is lost, after others it is not") {
    for (auto const s : {cu_status::illegal_address,
                         cu_status::misaligned_address,
                         cu_status::launch_failed,
                         cu_status::assert_failed,
                         static_cast<cu_status>(4711)})
        CHECK(is_fatal(s));
    for (auto const s : {cu_status::success,
                         cu_status::out_of_memory,
                         cu_status::launch_out_of_resources,
                         cu_status::invalid_value,
                         cu_status::not_ready})
        CHECK(!is_fatal(s));
}
