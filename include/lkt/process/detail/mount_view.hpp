// SPDX-License-Identifier: BSL-1.0
// A mount namespace that shows some files and folders and nothing else, for kernels without
// Landlock. For a process with one thread that was forked for this.
#pragma once

#include <lkt/process/unique_fd.hpp>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <sched.h>
#include <set>
#include <string>
#include <string_view>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lkt::process_detail {

/// What the new root holds: folders and links on the way, and what is shown as it is.
class mount_plan {
public:
    /// Adds a path as it is spelt: its links are there, too, and what they lead to. What does not
    /// exist is left out.
    void add(std::string const& path, bool writable) {
        std::deque<std::string> rest = parts(path);
        std::string at;
        for (int links = 0; !rest.empty();) {
            auto const name = std::move(rest.front());
            rest.pop_front();
            if (name == "..") {
                at.resize(at.empty() ? 0 : at.rfind('/'));
                continue;
            }
            auto const next = at + "/" + name;
            struct stat about{};
            if (::lstat(next.c_str(), &about) != 0) return;
            if (S_ISLNK(about.st_mode)) {
                char target[PATH_MAX];
                auto const n = ::readlink(next.c_str(), target, sizeof target);
                if (n <= 0 || ++links > 40) return;
                std::string const to{target, static_cast<std::size_t>(n)};
                if (!is_shown(at)) links_.emplace(next, to);
                auto more = parts(to);
                rest.insert(rest.begin(), more.begin(), more.end());
                if (to.front() == '/') at.clear();
                continue;
            }
            if (rest.empty() && !S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode)) return;
            at = next;
            if (S_ISDIR(about.st_mode) && !rest.empty() && !is_shown(at)) folders_.insert(at);
            if (!S_ISDIR(about.st_mode) && !rest.empty()) return;
        }
        if (at.empty() || is_shown(at)) return;
        // Opened now: where the new root is put, the old paths may be covered.
        unique_fd source{::open(at.c_str(), O_PATH | O_CLOEXEC)};
        if (source) shown_.push_back({at, std::move(source), writable});
    }

    /// Null, or the step that failed (errno says why). From then on the new root is `/`.
    [[nodiscard]] char const* enter() const {
        constexpr char base[] = "/dev"; // any folder that is there; covered in this process alone
        if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "its mounts";
        constexpr auto plain = MS_NOSUID | MS_NODEV;
        if (::mount("tmpfs", base, "tmpfs", plain, "size=4m,mode=755") != 0) return "a new root";
        for (auto const& folder : folders_) // in order, so parents come first
            if (::mkdir((base + folder).c_str(), 0755) != 0 && errno != EEXIST) return "a folder";
        for (auto const& [name, target] : links_)
            if (::symlink(target.c_str(), (base + name).c_str()) != 0) return "a link";
        for (auto const& s : shown_)
            if (auto const* const step = show(s, base + s.path)) return step;
        if (::mount(nullptr, base, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | plain, nullptr) != 0)
            return "a root that is read-only";
        if (::chdir(base) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0) return "pivot_root";
        // Both lie at the same place; the old one on top.
        return ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0 ? "the old root" : nullptr;
    }

private:
    struct shown {
        std::string path;
        unique_fd source;
        bool writable;
    };

    static std::deque<std::string> parts(std::string_view path) {
        std::deque<std::string> names;
        while (!path.empty()) {
            auto const end = std::min(path.find('/'), path.size());
            auto const name = path.substr(0, end);
            if (!name.empty() && name != ".") names.emplace_back(name);
            path.remove_prefix(std::min(end + 1, path.size()));
        }
        return names;
    }

    /// Whether it lies in what is shown already. Folders come before what is in them.
    [[nodiscard]] bool is_shown(std::string const& path) const {
        for (auto const& s : shown_)
            if (path == s.path || path.starts_with(s.path + "/")) return true;
        return false;
    }

    [[nodiscard]] static char const* show(shown const& s, std::string const& where) {
        struct stat about{};
        struct statvfs flags{};
        if (::fstat(s.source.get(), &about) != 0 || ::fstatvfs(s.source.get(), &flags) != 0)
            return "a look at a folder";
        bool const folder = S_ISDIR(about.st_mode);
        // The folders above it, where it is the first below them.
        for (auto at = where.find('/', 5); at != std::string::npos; at = where.find('/', at + 1))
            (void)::mkdir(where.substr(0, at).c_str(), 0755);
        if (folder && ::mkdir(where.c_str(), 0755) != 0 && errno != EEXIST) return "a folder";
        if (!folder) {
            unique_fd const file{::open(where.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
            if (!file) return "a file";
        }
        auto const source = "/proc/self/fd/" + std::to_string(s.source.get());
        if (::mount(source.c_str(), where.c_str(), nullptr, MS_BIND, nullptr) != 0) return "a bind";
        // In a user namespace, what is forbidden there already has to stay so.
        unsigned long keep = MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV;
        if (s.writable || (flags.f_flag & ST_NOEXEC) != 0) keep |= MS_NOEXEC;
        if (!s.writable || (flags.f_flag & ST_RDONLY) != 0) keep |= MS_RDONLY;
        if ((flags.f_flag & ST_NOATIME) != 0) keep |= MS_NOATIME;
        if ((flags.f_flag & ST_NODIRATIME) != 0) keep |= MS_NODIRATIME;
        if ((flags.f_flag & ST_RELATIME) != 0) keep |= MS_RELATIME;
        if (::mount(nullptr, where.c_str(), nullptr, keep, nullptr) != 0) return "a read-only bind";
        return nullptr;
    }

    std::set<std::string> folders_;
    std::set<std::pair<std::string, std::string>> links_;
    std::vector<shown> shown_;
};

inline bool write_to(char const* path, std::string const& text) {
    unique_fd const fd{::open(path, O_WRONLY | O_CLOEXEC)};
    return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// From here on, this process sees `readable`, and may write below `writable` (empty: nowhere). Its
/// folder is the root. As root, or in a user namespace. Null, or the step that failed.
[[nodiscard]] inline char const* enter_mount_view(std::vector<std::string> readable,
                                                  std::string const& writable) {
    auto const user = ::geteuid();
    auto const group = ::getegid();
    if (::unshare(CLONE_NEWNS) != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "a mount namespace";
        (void)write_to("/proc/self/setgroups", "deny");
        auto const same = [](auto id) {
            return std::to_string(id) + " " + std::to_string(id) + " 1";
        };
        if (!write_to("/proc/self/uid_map", same(user)) ||
            !write_to("/proc/self/gid_map", same(group)))
            return "a user namespace";
    }
    mount_plan plan;
    // Folders before what lies in them, by what they really are.
    std::set<std::string> folders, files;
    for (auto& path : readable) {
        struct stat about{};
        if (::stat(path.c_str(), &about) != 0) continue;
        (S_ISDIR(about.st_mode) ? folders : files).insert(std::move(path));
    }
    if (!writable.empty()) plan.add(writable, true);
    std::set<std::string> real;
    for (auto const& path : folders)
        if (char* const found = ::realpath(path.c_str(), nullptr)) {
            real.insert(found);
            std::free(found);
        }
    for (auto const& path : real) plan.add(path, false);
    for (auto const* const names : {&folders, &files})
        for (auto const& path : *names) plan.add(path, false);
    return plan.enter();
}

} // namespace lkt::process_detail
