// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/journal_file.hpp>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lkt {

namespace detail {

error journal_error(char const* code, std::string const& path, char const* what, int number) {
    std::string hint;
    if (number == ENOSPC || number == EDQUOT) hint = "free some space, then resume the run";
    if (number == EFBIG) hint = "raise the file size limit (ulimit -f), then resume the run";
    if (number == ENOENT || number == ENOTDIR) hint = "check the path, and that its folder exists";
    if (number == EACCES || number == EPERM || number == EROFS)
        hint = "check the permissions of the file and its folder";
    return {condition::unavailable,
            code,
            "the journal " + path + " cannot be " + what + ": " +
                std::generic_category().message(number),
            std::move(hint)};
}

/// Not every file system has synchronisation; those that have not say EINVAL.
bool flushed(int fd) { return ::fdatasync(fd) == 0 || errno == EINVAL; }

/// Flushes on a thread of its own: a disk that is busy takes its time, and a run need not wait.
class background_flush {
public:
    explicit background_flush(int fd)
        : worker_([this, fd] {
              number_ = flushed(fd) ? 0 : errno;
              over_ = true;
          }) {}
    ~background_flush() { (void)wait(); }

    [[nodiscard]] bool over() const { return over_; }
    /// 0, or what went wrong.
    [[nodiscard]] int wait() {
        if (worker_.joinable()) worker_.join();
        return number_;
    }

private:
    int number_ = 0;
    std::atomic<bool> over_ = false;
    std::thread worker_; // last: it uses the others
};

/// A new name is on the disk once its folder is.
void flush_folder_of(std::string const& path) {
    auto const slash = path.rfind('/');
    std::string const folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    unique_fd const fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) (void)::fsync(fd.get());
}

} // namespace detail

journal_file::journal_file(std::string path, journal_file_options options, unique_fd fd)
    : path_(std::move(path)), options_(options), fd_(std::move(fd)) {}

journal_file::~journal_file() {
    if (fd_ && dirty_) (void)sync();
    flush_.reset(); // before the file is closed
}

result<journal_file> journal_file::open(std::string path, journal_file_options options) {
    if (path.empty() || path.find('\0') != std::string::npos)
        return error{condition::unavailable, "lkt.journal.open", "the journal has no name", {}};
    struct stat info{};
    bool const is_new = ::stat(path.c_str(), &info) != 0;
    if (!is_new && !S_ISREG(info.st_mode))
        return error{condition::unavailable,
                     "lkt.journal.open",
                     path + " is not a regular file",
                     "choose another path for the journal"};
    unique_fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!fd) return detail::journal_error("lkt.journal.open", path, "opened", errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return detail::journal_error("lkt.journal.open", path, "locked", errno);
        return error{condition::unavailable,
                     "lkt.journal.busy",
                     "another process is writing to the journal " + path,
                     "wait until its run ends, end it, or choose another journal"};
    }
    if (is_new) detail::flush_folder_of(path);
    if (::fstat(fd.get(), &info) != 0)
        return detail::journal_error("lkt.journal.open", path, "opened", errno);
    journal_file opened(std::move(path), options, std::move(fd));
    opened.size_ = static_cast<std::uint64_t>(info.st_size);
    return opened;
}

result<std::string> journal_file::read() {
    std::string bytes(static_cast<std::size_t>(size_), '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
        ssize_t const n =
            ::pread(fd_.get(), bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return detail::journal_error("lkt.journal.read", path_, "read", errno);
        if (n == 0) break;
        got += static_cast<std::size_t>(n);
    }
    bytes.resize(got);
    return bytes;
}

result<void> journal_file::append(std::string_view bytes) {
    std::size_t put = 0;
    while (put < bytes.size()) {
        ssize_t const n = ::pwrite(
            fd_.get(), bytes.data() + put, bytes.size() - put, static_cast<off_t>(size_ + put));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            int const number = n < 0 ? errno : ENOSPC;
            (void)cut(size_);
            return detail::journal_error("lkt.journal.write", path_, "written", number);
        }
        put += static_cast<std::size_t>(n);
    }
    size_ += bytes.size();
    dirty_ = true;
    if (options_.sync == sync_policy::each) return sync();
    if (options_.sync == sync_policy::interval &&
        std::chrono::steady_clock::now() - synced_ >= options_.interval)
        return begin_flush();
    return {};
}

result<void> journal_file::begin_flush() {
    if (flush_ && !flush_->over()) return {}; // the disk is slower than the interval
    if (auto ok = end_flush(); !ok) return ok;
    try {
        flush_ = std::make_shared<detail::background_flush>(fd_.get());
    } catch (std::system_error const&) { // no thread is to be had
        return sync();
    }
    synced_ = std::chrono::steady_clock::now();
    return {};
}

result<void> journal_file::end_flush() {
    if (!flush_) return {};
    int const number = flush_->wait();
    flush_.reset();
    if (number == 0) return {};
    return detail::journal_error("lkt.journal.write", path_, "flushed to the disk", number);
}

result<void> journal_file::cut(std::uint64_t size) {
    if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0)
        return detail::journal_error("lkt.journal.write", path_, "cut", errno);
    size_ = size;
    dirty_ = true;
    return {};
}

result<void> journal_file::sync() {
    if (auto ok = end_flush(); !ok) return ok;
    if (!detail::flushed(fd_.get()))
        return detail::journal_error("lkt.journal.write", path_, "flushed to the disk", errno);
    dirty_ = false;
    synced_ = std::chrono::steady_clock::now();
    return {};
}

} // namespace lkt
