// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/cublaslt/api.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace lkt::cublaslt_detail;

TEST_CASE("cublaslt api: a library with everything is taken, named or by the environment") {
    auto const loaded = load_cublaslt(LKT_FAKE_CUBLASLT);
    REQUIRE(loaded.has_value());
    CHECK(loaded->version() == 130100);
    CHECK(loaded->describe(lt_status::not_supported) == "CUBLAS_STATUS_NOT_SUPPORTED");
    CHECK(cublaslt_api{}.describe(lt_status::not_supported) == "cuBLASLt status 15");
    ::setenv("LKT_CUBLASLT", LKT_FAKE_CUBLASLT, 1);
    CHECK(load_cublaslt({}).has_value());
    ::setenv("LKT_CUBLASLT", "/nowhere/libcublasLt.so", 1);
    CHECK(load_cublaslt({}).has_error()); // and nowhere else
    ::unsetenv("LKT_CUBLASLT");
}

TEST_CASE("cublaslt api: hipBLASLt takes its place, with its own version and statuses") {
    auto const loaded = load_hipblaslt(LKT_HIPBLASLT_ON_CUBLASLT);
    REQUIRE(loaded.has_value());
    CHECK(loaded->title == "hipBLASLt");
    CHECK(loaded->describe(lt_status::not_supported) == "HIPBLAS_STATUS_NOT_SUPPORTED");
    ::setenv("LKT_CUBLASLT", LKT_FAKE_CUBLASLT, 1); // of which the stand-in is made
    lt_handle handle = nullptr;
    CHECK(loaded->version() == 0); // without a handle
    REQUIRE(loaded->create(&handle) == lt_status::success);
    CHECK(loaded->version() == 10102); // 1.1.2
    lt_matrix matrix = nullptr;
    auto const refused = loaded->matrix_create(&matrix, lt_type::f32, 4, 4, 1);
    CHECK(loaded->describe(refused) == "HIPBLAS_STATUS_INVALID_VALUE");
    CHECK(loaded->describe(static_cast<lt_status>(1099)) == "hipBLASLt status 1099");
    ::unsetenv("LKT_CUBLASLT");
    for (std::string const file : {"/nowhere/libhipblaslt.so", "libm.so.6"}) {
        auto const e = load_hipblaslt(file).error();
        CHECK(e.kind == lkt::condition::unavailable);
        CHECK(e.code == "lkt.scan.hipblaslt");
        CHECK(e.message.find(file) != std::string::npos);
    }
}

TEST_CASE("cublaslt api: what is missing is named, and how it is had") {
    for (auto const& [file, word] :
         {std::pair<std::string, std::string>{"/nowhere/libcublasLt.so", "/nowhere"},
          {"libm.so.6", "libm.so.6 has no cublasLtGetVersion"}}) {
        auto const e = load_cublaslt(file).error();
        CHECK(e.kind == lkt::condition::unavailable);
        CHECK(e.code == "lkt.scan.cublaslt");
        CHECK(e.message.find(word) != std::string::npos);
        CHECK(e.hint.find("LKT_CUBLASLT") != std::string::npos);
    }
}
