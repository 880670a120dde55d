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
    CHECK(cublaslt_api{}.describe(lt_status::not_supported) == "cuBLAS status 15");
    ::setenv("LKT_CUBLASLT", LKT_FAKE_CUBLASLT, 1);
    CHECK(load_cublaslt({}).has_value());
    ::setenv("LKT_CUBLASLT", "/nowhere/libcublasLt.so", 1);
    CHECK(load_cublaslt({}).has_error()); // and nowhere else
    ::unsetenv("LKT_CUBLASLT");
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
