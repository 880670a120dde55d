// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/detail/read_file.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace lkt::detail {

/// A file that only grows, by whole pieces: a piece is written with one call and then flushed to
/// the disk; of one that cannot be written as a whole nothing stays.
class append_file {
public:
    /// Opens `path`, or makes it; `from` bytes of what is there stay.
    [[nodiscard]] static result<append_file> open(std::string const& path, std::size_t from) {
        append_file opened;
        opened.path_ = path;
        if (!may_be_file(path)) return opened.fail("it is not a regular file");
        errno = 0;
        opened.file_.reset(std::fopen(path.c_str(), "ab"));
        if (!opened.file_) return opened.fail(system_words(errno));
        // Without a buffer each piece is one write, and nothing is left to be written at the end.
        (void)std::setvbuf(opened.file_.get(), nullptr, _IONBF, 0);
        if (opened.size() > from && !opened.cut(from))
            return opened.fail("the rest of an interrupted line cannot be removed");
        return opened;
    }

    [[nodiscard]] result<void> append(std::string_view piece) {
        std::size_t const before = size();
        errno = 0;
        bool good = std::fwrite(piece.data(), 1, piece.size(), file_.get()) == piece.size() &&
                    std::fflush(file_.get()) == 0;
        int why = errno;
#if __has_include(<unistd.h>)
        // EINVAL: a file system without synchronisation.
        if (good && ::fsync(::fileno(file_.get())) != 0 && errno != EINVAL) {
            good = false;
            why = errno;
        }
#endif
        if (good) return {};
        std::clearerr(file_.get());
        (void)cut(before);
        auto e = fail(system_words(why));
        if (is_full(why)) e.kind = condition::exhausted;
        return e;
    }

    /// From now on the file is called `path`, in the place of what had that name.
    [[nodiscard]] result<void> rename(std::string const& path) {
        errno = 0;
        if (std::rename(path_.c_str(), path.c_str()) != 0) return fail(system_words(errno));
        path_ = path;
        return {};
    }

private:
    [[nodiscard]] static bool is_full(int number) {
#ifdef EDQUOT
        if (number == EDQUOT) return true;
#endif
        return number == ENOSPC || number == EFBIG;
    }
    [[nodiscard]] error fail(std::string const& why) const {
        return {condition::unavailable,
                "lkt.cassette.unwritable",
                "cannot write the cassette " + path_ + ": " + why,
                "choose a writable path with free space"};
    }
    [[nodiscard]] std::size_t size() const {
        (void)std::fseek(file_.get(), 0, SEEK_END);
        auto const at = std::ftell(file_.get());
        return at > 0 ? static_cast<std::size_t>(at) : 0;
    }
    [[nodiscard]] bool cut([[maybe_unused]] std::size_t length) {
#if __has_include(<unistd.h>)
        return ::ftruncate(::fileno(file_.get()), static_cast<off_t>(length)) == 0;
#else
        return false;
#endif
    }

    std::string path_;
    file_handle file_;
};

} // namespace lkt::detail
