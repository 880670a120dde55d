// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/files.hpp>

#include <lkt/core/detail/replace_file.hpp>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace lkt::detail::files {

class file_descriptor {
public:
    explicit file_descriptor(int fd) : fd_(fd) {}
    file_descriptor(file_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    file_descriptor& operator=(file_descriptor&&) = delete;
    ~file_descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool is_open() const { return fd_ >= 0; }
    /// Some file systems report a full disk only here.
    [[nodiscard]] int close() { return ::close(std::exchange(fd_, -1)); }

private:
    int fd_;
};

file_descriptor open_file(std::string const& path, int flags, mode_t created = 0666) {
    int fd = -1;
    do fd = ::open(path.c_str(), flags | O_CLOEXEC, created);
    while (fd < 0 && errno == EINTR);
    return file_descriptor(fd);
}

error file_error(std::string const& path, char const* what, int number) {
    std::string const message = path + " " + what + ": " + std::generic_category().message(number);
    if (number == ENOSPC || number == EDQUOT || number == EFBIG)
        return {condition::exhausted,
                "lkt.file.full",
                message,
                number == EFBIG ? "raise the file size limit (ulimit -f)"
                                : "free some space, or name a file on another disk"};
    std::string hint;
    if (number == ENOENT || number == ENOTDIR) hint = "check the path, and that its folder exists";
    if (number == EACCES || number == EPERM || number == EROFS)
        hint = "check the permissions of the file and its folder";
    return {condition::rejected, "lkt.file.write", message, hint};
}

error read_error(std::string const& path, int number) {
    error e = file_error(path, "cannot be read", number);
    if (number == ENOENT) e.kind = condition::unavailable;
    e.code = number == ENOENT ? "lkt.file.missing" : "lkt.file.read";
    return e;
}

/// Where the text goes: links are followed, so that renaming replaces what they point to.
struct write_target {
    std::string path;
    bool replaced = true; ///< by renaming; else it is a device or pipe
    std::optional<mode_t> mode;
};

result<write_target> target_of(std::string const& path) {
    if (path.empty() || path.find('\0') != std::string::npos)
        return error{condition::rejected, "lkt.file.write", "the file to write has no name", {}};
    write_target target{path, true, {}};
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
        if (errno != ENOENT) return file_error(path, "cannot be written", errno);
        if (path.back() == '/') return file_error(path, "cannot be written", EISDIR);
        // A link to nowhere is replaced itself.
        return target;
    }
    if (S_ISDIR(info.st_mode)) return file_error(path, "cannot be written", EISDIR);
    target.replaced = S_ISREG(info.st_mode);
    target.mode = info.st_mode & 07777;
    if (!target.replaced) return target;
    std::unique_ptr<char, decltype(&std::free)> const real(::realpath(path.c_str(), nullptr),
                                                           &std::free);
    if (real) target.path = real.get();
    return target;
}

/// A name beside `path` that nothing has: hidden, and unique among processes and threads.
std::string hidden_beside(std::string const& path) {
    static std::atomic<unsigned> counter{0};
    std::size_t const slash = path.rfind('/');
    std::size_t const name = slash == std::string::npos ? 0 : slash + 1;
    return path.substr(0, name) + "." + path.substr(name, 100) + "." + std::to_string(::getpid()) +
           "-" + std::to_string(counter++) + ".tmp";
}

/// 0, or what went wrong.
int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        ssize_t const n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return ENOSPC;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

std::string folder_of(std::string const& path) {
    std::size_t const slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Renaming is on the disk once its folder is; not every file system can say so.
void sync_folder_of(std::string const& path) {
    file_descriptor const fd = open_file(folder_of(path), O_RDONLY | O_DIRECTORY);
    if (fd.is_open()) (void)::fsync(fd.get());
}

/// A new hidden file, and its name. One that a killed process of the same number left stays.
file_descriptor open_hidden(std::string const& path, std::string& name, mode_t created = 0666) {
    for (int tries = 0;; ++tries) {
        name = hidden_beside(path);
        file_descriptor fd = open_file(name, O_WRONLY | O_CREAT | O_EXCL, created);
        if (fd.is_open() || errno != EEXIST || tries == 1000) return fd;
    }
}

int replace_file(std::string const& path,
                 std::string_view text,
                 bool flush,
                 mode_t created,
                 std::optional<mode_t> changed) {
    std::string hidden;
    file_descriptor fd = open_hidden(path, hidden, created);
    if (!fd.is_open()) return errno;
    int number = write_all(fd.get(), text);
    if (number == 0 && changed && ::fchmod(fd.get(), *changed) != 0) number = errno;
    if (number == 0 && flush && ::fsync(fd.get()) != 0) number = errno;
    if (fd.close() != 0 && number == 0) number = errno;
    if (number == 0 && ::rename(hidden.c_str(), path.c_str()) != 0) number = errno;
    if (number != 0)
        ::unlink(hidden.c_str());
    else if (flush)
        sync_folder_of(path);
    return number;
}

bool is_hidden_copy(std::string_view name, std::string_view part) {
    return name.starts_with('.') && name.ends_with(".tmp") && name.find(part) != name.npos;
}

} // namespace lkt::detail::files

namespace lkt {

result<std::string> read_text_file(std::string const& path, std::size_t limit) {
    if (path.find('\0') != std::string::npos)
        return error{condition::rejected, "lkt.file.read", "the file name contains a NUL byte", {}};
    detail::files::file_descriptor const fd = detail::files::open_file(path, O_RDONLY);
    struct stat info{};
    if (!fd.is_open() || ::fstat(fd.get(), &info) != 0)
        return detail::files::read_error(path, errno);
    if (S_ISDIR(info.st_mode)) return detail::files::read_error(path, EISDIR);
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode))
        return error{
            condition::rejected, "lkt.file.read", path + " is neither a file nor a pipe", {}};
    std::string text;
    std::string block(std::size_t{1} << 16, '\0');
    for (;;) {
        ssize_t const n = ::read(fd.get(), block.data(), block.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return detail::files::read_error(path, errno);
        if (n == 0) break;
        if (static_cast<std::size_t>(n) > limit - text.size())
            return error{condition::rejected,
                         "lkt.file.large",
                         path + " has more than " + std::to_string(limit) + " bytes",
                         "check that it is the file you mean"};
        text.append(block.data(), static_cast<std::size_t>(n));
    }
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (text.starts_with(mark)) text.erase(0, mark.size());
    return text;
}

std::optional<error> write_text_file(std::string const& path, std::string_view text) {
    auto const target = detail::files::target_of(path);
    if (!target) return target.error();
    auto const failed = [&](int number) {
        return detail::files::file_error(path, "cannot be written", number);
    };
    if (!target->replaced) {
        detail::files::file_descriptor fd = detail::files::open_file(path, O_WRONLY);
        if (!fd.is_open()) return failed(errno);
        if (int const number = detail::files::write_all(fd.get(), text)) return failed(number);
        if (fd.close() != 0) return failed(errno);
        return {};
    }
    int const number = detail::files::replace_file(target->path, text, true, 0666, target->mode);
    if (number != 0) return failed(number);
    return {};
}

std::optional<error> check_writable(std::string const& path) {
    auto const target = detail::files::target_of(path);
    if (!target) return target.error();
    if (!target->replaced || target->mode) {
        if (::access(target->path.c_str(), W_OK) != 0)
            return detail::files::file_error(path, "cannot be written", errno);
        if (!target->replaced) return {};
    }
    // A file without a name is gone even if the process is killed here; not every file system has
    // such files.
    int const unnamed = O_WRONLY | O_TMPFILE;
    if (detail::files::open_file(detail::files::folder_of(target->path), unnamed).is_open())
        return {};
    std::string hidden;
    detail::files::file_descriptor const fd = detail::files::open_hidden(target->path, hidden);
    if (!fd.is_open()) return detail::files::file_error(path, "cannot be written", errno);
    ::unlink(hidden.c_str());
    return {};
}

} // namespace lkt
