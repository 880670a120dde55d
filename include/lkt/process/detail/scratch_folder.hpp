// SPDX-License-Identifier: BSL-1.0
// Folders that nobody else uses, and that somebody removes: whoever made one holds a lock on it as
// long as he lives, however he dies, so whoever comes next sees which ones are left.
#pragma once

#include <lkt/process/unique_fd.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lkt::process_detail {

inline constexpr std::string_view scratch_stem = "lkt-scratch-";

/// Where scratch folders are made.
[[nodiscard]] inline std::string scratch_base() {
    auto const* const base = std::getenv("TMPDIR");
    return base != nullptr && *base != '\0' ? base : "/tmp";
}

inline void remove_tree(std::string const& path) {
    auto const remove_one = [](char const* name, struct stat const*, int, struct FTW*) {
        (void)std::remove(name);
        return 0;
    };
    ::nftw(path.c_str(), remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/// Opens a folder and takes its lock; empty where another process has it, or it is gone.
[[nodiscard]] inline unique_fd lock_folder(std::string const& path) {
    unique_fd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return {};
    struct stat opened{}, named{};
    bool const same = ::fstat(fd.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
                      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    return same && opened.st_uid == ::geteuid() ? std::move(fd) : unique_fd{};
}

/// Removes the scratch folders of this user that nobody holds any more: those of processes that
/// were killed before they could.
inline void remove_left_scratch(std::string const& base) {
    auto* const folder = ::opendir(base.c_str());
    if (folder == nullptr) return;
    while (auto const* const entry = ::readdir(folder)) {
        std::string_view const name = entry->d_name;
        if (!name.starts_with(scratch_stem)) continue;
        std::string const path = base + "/" + std::string{name};
        // Held until the folder is gone: somebody who has just made it takes it otherwise.
        if (auto const held = lock_folder(path)) remove_tree(path);
    }
    ::closedir(folder);
}

/// A folder and the lock that says that it is in use.
struct scratch_folder {
    std::string path; ///< empty: `errno` says why
    unique_fd lock;
};

[[nodiscard]] inline scratch_folder make_scratch_folder(std::string const& base) {
    scratch_folder made;
    // Somebody who cleans up may come between the folder and its lock, which is seen.
    for (int tries = 0; tries < 8; ++tries) {
        made.path = base + "/" + std::string{scratch_stem} + "XXXXXX";
        if (::mkdtemp(made.path.data()) == nullptr) break;
        made.lock = lock_folder(made.path);
        if (made.lock) return made;
        (void)::rmdir(made.path.c_str());
        errno = EAGAIN;
    }
    made.path.clear();
    return made;
}

} // namespace lkt::process_detail
