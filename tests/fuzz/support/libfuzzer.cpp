// SPDX-License-Identifier: BSL-1.0
// The target of a program that has one, under libFuzzer's name for it.
#include "property.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static lkt_fuzz::one_input const run = lkt_fuzz::targets().begin()->second;
    return run(data, size);
}
