// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/peaks.hpp>

#include <doctest/doctest.h>

TEST_CASE("Every kind of arithmetic has a name, and is found by it") {
    for (lkt::arithmetic const one : lkt::every_arithmetic) {
        CHECK(!lkt::to_string(one).empty());
        CHECK(lkt::arithmetic_called(lkt::to_string(one)) == one);
    }
    CHECK(!lkt::arithmetic_called("half"));
    CHECK(!lkt::arithmetic_called(""));
}

TEST_CASE("A rate is that of the fastest units for the arithmetic") {
    using lkt::arithmetic;
    lkt::device_rates r;
    for (arithmetic const one : lkt::every_arithmetic) CHECK(r.of(one) == 0);
    r.fp64 = 1, r.fp32 = 2, r.fp16 = 4; // without tensor cores
    CHECK(r.of(arithmetic::float64) == 1);
    CHECK(r.of(arithmetic::float32) == 2);
    CHECK(r.of(arithmetic::tf32) == 2);
    CHECK(r.of(arithmetic::float16) == 4);
    CHECK(r.of(arithmetic::bfloat16) == 0);
    r.tensor_tf32 = 8, r.tensor_fp16 = 16, r.tensor_bf16 = 15, r.tensor_fp8 = 32;
    r.tensor_int8 = 31;
    CHECK(r.of(arithmetic::float32) == 2); // tf32 is narrower
    CHECK(r.of(arithmetic::tf32) == 8);
    CHECK(r.of(arithmetic::float16) == 16);
    CHECK(r.of(arithmetic::bfloat16) == 15);
    CHECK(r.of(arithmetic::float8) == 32);
    r.tensor_fp8 = 0; // in half
    CHECK(r.of(arithmetic::float8) == 16);
    CHECK(r.of(arithmetic::int8) == 31);
}
