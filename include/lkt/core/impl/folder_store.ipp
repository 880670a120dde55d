// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/folder_store.hpp>

#include <lkt/core/detail/replace_file.hpp>
#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace lkt::detail::files {

constexpr std::size_t longest_entry = 200;
constexpr std::int64_t an_hour = std::int64_t{3600} * 1'000'000'000;

std::int64_t nanoseconds_of(timespec const& t) {
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::int64_t now_in_nanoseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return nanoseconds_of(now);
}

/// The regular files of a folder for which `wanted(name)`; 0, or what went wrong.
template <class Wanted>
int list_files(std::string const& folder, Wanted&& wanted, std::vector<stored_file>& found) {
    struct closing {
        void operator()(DIR* d) const { ::closedir(d); }
    };
    std::unique_ptr<DIR, closing> const open(::opendir(folder.c_str()));
    if (!open) return errno;
    for (;;) {
        errno = 0;
        dirent const* const entry = ::readdir(open.get());
        if (entry == nullptr) return errno;
        std::string name = entry->d_name;
        struct stat about{};
        if (!wanted(name) ||
            ::fstatat(::dirfd(open.get()), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(about.st_mode))
            continue;
        found.push_back({std::move(name),
                         static_cast<std::uint64_t>(about.st_size),
                         nanoseconds_of(about.st_mtim)});
    }
}

error folder_fault(std::string const& folder, int number) {
    return {condition::unavailable,
            "lkt.store.folder",
            "the folder " + folder + " cannot be used: " + std::generic_category().message(number),
            "name a folder that you may read and write"};
}

error name_fault(std::string_view name) {
    return {condition::rejected,
            "lkt.store.name",
            "`" + plain_line(name, 80) + "` is no name of an entry",
            "name one as the list has it"};
}

} // namespace lkt::detail::files

namespace lkt {

folder_store::folder_store(std::string folder, folder_store_options options)
    : folder_(std::move(folder)), options_(std::move(options)) {}

bool folder_store::is_name(std::string_view name) const {
    auto const plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_-+=.,").find(c) != std::string_view::npos;
    };
    return name.size() > options_.ending.size() && name.size() <= detail::files::longest_entry &&
           name.front() != '.' && name.front() != '-' && name.ends_with(options_.ending) &&
           std::all_of(name.begin(), name.end(), plain);
}

std::string folder_store::path_of(std::string_view name) const {
    return folder_ + (folder_.ends_with('/') ? "" : "/") + std::string(name);
}

result<std::string> folder_store::read(std::string_view name, std::size_t limit) const {
    if (!is_name(name)) return detail::files::name_fault(name);
    struct stat about{};
    auto const path = path_of(name);
    // A link may lead anywhere, and a pipe may never end.
    if (::lstat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode))
        return error{condition::rejected, "lkt.file.read", path + " is not a file of its own", {}};
    return read_text_file(path, limit);
}

std::optional<error> folder_store::write(std::string_view name, std::string_view bytes) {
    if (!is_name(name)) return detail::files::name_fault(name);
    if (options_.limit > 0 && bytes.size() > options_.limit) return {};
    auto const path = path_of(name);
    int number = 0;
    for (int tries = 0; tries < 3; ++tries) {
        number = detail::files::replace_file(
            path, bytes, options_.flushed, options_.is_private ? 0600 : 0666);
        if (number != ENOENT) break;
        // It is missing, or somebody has removed it.
        std::error_code failed;
        auto const parent = std::filesystem::path(folder_).parent_path();
        if (!parent.empty()) std::filesystem::create_directories(parent, failed);
        if (::mkdir(folder_.c_str(), options_.is_private ? 0700 : 0777) != 0 && errno != EEXIST)
            return detail::files::folder_fault(folder_, errno);
    }
    if (number == ENOTDIR) return detail::files::folder_fault(folder_, number);
    if (number == ENOSPC || number == EDQUOT || number == EFBIG)
        return error{condition::exhausted,
                     "lkt.file.full",
                     path + " cannot be written: " + std::generic_category().message(number),
                     "free some space, or name a folder on another disk"};
    if (number != 0)
        return error{condition::rejected,
                     "lkt.file.write",
                     path + " cannot be written: " + std::generic_category().message(number),
                     "check the permissions of the folder"};
    std::lock_guard const guard(lock_);
    unseen_ += bytes.size();
    // What other processes write is only seen when the folder is read.
    if (options_.limit > 0 && (!measured_ || unseen_ > options_.limit / 16)) trim();
    return {};
}

void folder_store::mark_used(std::string_view name) const {
    // The time of the last access is not kept everywhere.
    if (is_name(name))
        (void)::utimensat(AT_FDCWD, path_of(name).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

bool folder_store::remove(std::string_view name) const {
    return is_name(name) && ::unlink(path_of(name).c_str()) == 0;
}

result<std::vector<stored_file>> folder_store::entries() const {
    std::vector<stored_file> found;
    int const number = detail::files::list_files(
        folder_, [&](std::string const& name) { return is_name(name); }, found);
    if (number != 0) return detail::files::folder_fault(folder_, number);
    std::sort(found.begin(), found.end(), [](stored_file const& a, stored_file const& b) {
        return a.name < b.name;
    });
    return found;
}

std::vector<stored_file> folder_store::leftovers() const {
    std::vector<stored_file> found;
    (void)detail::files::list_files(
        folder_,
        [&](std::string const& name) {
            return detail::files::is_hidden_copy(name, options_.ending);
        },
        found);
    auto const now = detail::files::now_in_nanoseconds();
    std::erase_if(found,
                  [&](stored_file const& f) { return now - f.used < detail::files::an_hour; });
    return found;
}

void folder_store::sweep() const {
    for (stored_file const& f : leftovers()) ::unlink(path_of(f.name).c_str());
}

/// Several processes may do this at once; what one has removed, the other does not find.
void folder_store::trim() {
    measured_ = true;
    unseen_ = 0;
    sweep();
    auto files = entries();
    if (!files) return;
    std::uint64_t sum = 0;
    for (stored_file const& f : *files) sum += f.bytes;
    if (sum <= options_.limit - options_.limit / 16) return; // the next may be written unseen
    std::sort(files->begin(), files->end(), [](stored_file const& a, stored_file const& b) {
        return a.used < b.used;
    });
    for (stored_file const& f : *files) {
        if (sum <= options_.limit - options_.limit / 8) break;
        (void)remove(f.name);
        sum -= f.bytes;
    }
}

} // namespace lkt
