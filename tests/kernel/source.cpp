// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/source.hpp>

#include <doctest/doctest.h>

TEST_CASE("languages have their names") {
    CHECK(to_string(lkt::language::cuda) == "CUDA");
    CHECK(to_string(lkt::language::hip) == "HIP");
    CHECK(to_string(lkt::language::wgsl) == "WGSL");
    CHECK(lkt::kernel_source{}.language == lkt::language::cuda);
}
