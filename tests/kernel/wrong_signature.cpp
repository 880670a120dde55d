// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/wrong_signature.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_CASE("a wrong signature holds both declarations") {
    lkt::wrong_signature const w{"void k(float* a)", "void k(int* a)"};
    CHECK(w.expected == "void k(float* a)");
    CHECK(w.got == "void k(int* a)");
}
