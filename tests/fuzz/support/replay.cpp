// SPDX-License-Identifier: BSL-1.0
// `fuzz_replay TARGET FILE...`: runs a target over files, and those in folders, without libFuzzer:
// the gate's way to replay what fuzzing has found.
#include "property.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    auto const& targets = lkt_fuzz::targets();
    auto const target = argc > 1 ? targets.find(argv[1]) : targets.end();
    if (target == targets.end()) {
        std::fprintf(stderr, "usage: fuzz_replay TARGET FILE...; the targets are:\n");
        for (auto const& [name, run] : targets) std::fprintf(stderr, "%s\n", name.data());
        return 2;
    }
    std::vector<fs::path> files;
    for (int k = 2; k < argc; ++k) {
        if (!fs::is_directory(argv[k])) {
            files.emplace_back(argv[k]);
            continue;
        }
        for (auto const& entry : fs::recursive_directory_iterator(argv[k]))
            if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::size_t read = 0;
    for (fs::path const& file : files) {
        std::ifstream in(file, std::ios::binary);
        std::string const text{std::istreambuf_iterator<char>(in), {}};
        if (!in) {
            std::fprintf(stderr, "%s cannot be read\n", file.c_str());
            continue;
        }
        // Said first: what fails does not come back.
        std::printf("%s\n", file.filename().c_str());
        std::fflush(stdout);
        target->second(reinterpret_cast<std::uint8_t const*>(text.data()), text.size());
        ++read;
    }
    std::printf("%zu passed, %zu failed\n", read, files.size() - read);
    return read > 0 && read == files.size() ? 0 : 1;
}
