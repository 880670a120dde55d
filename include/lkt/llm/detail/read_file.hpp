// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#if __has_include(<sys/stat.h>)
#include <sys/stat.h>
#endif

namespace lkt::detail {

struct close_file {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, close_file>;

[[nodiscard]] inline std::string system_words(int number) {
    return std::generic_category().message(number);
}

/// False for what is there and cannot hold text: folders, pipes (opening one would wait), devices.
[[nodiscard]] inline bool may_be_file([[maybe_unused]] std::string const& path) {
#if __has_include(<sys/stat.h>)
    struct stat facts{};
    if (::stat(path.c_str(), &facts) == 0) return S_ISREG(facts.st_mode);
#endif
    return true;
}

[[nodiscard]] inline result<std::string> read_file(std::string const& path, std::size_t limit) {
    auto const fail = [&](std::string const& why) {
        return error{condition::unavailable,
                     "lkt.cassette.unreadable",
                     "cannot read the cassette " + path + ": " + why,
                     "check the path"};
    };
    if (!may_be_file(path)) return fail("it is not a regular file");
    errno = 0;
    file_handle const file(std::fopen(path.c_str(), "rb"));
    if (!file) return fail(system_words(errno));
    std::string text;
    std::string part(1u << 16, '\0');
    while (auto const n = std::fread(part.data(), 1, part.size(), file.get())) {
        if (text.size() + n > limit)
            return fail("it has more than " + std::to_string(limit >> 20) + " MiB");
        text.append(part, 0, n);
    }
    if (std::ferror(file.get()) != 0) return fail(system_words(errno));
    return text;
}

} // namespace lkt::detail
