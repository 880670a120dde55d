// SPDX-License-Identifier: BSL-1.0
// Prints what lkt reads from the note of a code object: a line for each kernel, for
// architectures.py.
#include <lkt/core/files.hpp>
#include <lkt/gpu/code_object.hpp>

#include <iostream>

int main(int argc, char** argv) {
    auto const image = argc == 2 ? lkt::read_text_file(argv[1])
                                 : lkt::result<std::string>(lkt::error{
                                       lkt::condition::rejected, "test.usage", "one file", {}});
    if (!image) return std::cerr << to_string(image.error()) << '\n', 1;
    auto const kernels = lkt::kernels_in_code_object(*image);
    if (!kernels) return std::cerr << argv[1] << " is no code object\n", 1;
    for (auto const& k : *kernels)
        std::cout << k.name << ' ' << k.vgprs << ' ' << k.sgprs << ' ' << k.spilt_vgprs << ' '
                  << k.lds_bytes << ' ' << k.wave_lanes << '\n';
}
