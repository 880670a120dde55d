// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/process/unique_fd.hpp>
#include <lkt/store/journal_sink.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lkt {

/// When what was appended is flushed to the disk. A killed process loses nothing with any of them,
/// since the system has the bytes; they differ in what a crash of the machine can take.
enum class sync_policy : unsigned char {
    each,     ///< each record before the run continues: nothing
    interval, ///< beside the run, from the first record after an interval on: what came since
    exit,     ///< when a run ends: what the system has not written by itself
};

/// When a journal is flushed.
struct journal_file_options {
    sync_policy sync = sync_policy::interval; ///< when what was appended reaches the disk
    std::chrono::milliseconds interval{1000}; ///< of `sync_policy::interval`
};

namespace detail {
class background_flush;
}

/// A journal in a file that only grows. It is locked (`flock`) as long as the object lives, so that
/// no two processes write to it; the lock of a killed process is gone with it.
class journal_file {
public:
    /// Opens the file or makes it; its folder must be there. Errors: `lkt.journal.busy`
    /// (unavailable: another process has it open), `lkt.journal.open` (unavailable).
    [[nodiscard]] static result<journal_file> open(std::string path,
                                                   journal_file_options options = {});
    journal_file(journal_file&&) noexcept = default;
    journal_file& operator=(journal_file&&) = delete;
    ~journal_file();

    /// Errors: `lkt.journal.read` (unavailable).
    [[nodiscard]] result<std::string> read();
    /// Errors of this and the next two: `lkt.journal.write` (unavailable).
    [[nodiscard]] result<void> append(std::string_view bytes);
    [[nodiscard]] result<void> cut(std::uint64_t size);
    [[nodiscard]] result<void> sync();
    [[nodiscard]] std::string const& name() const { return path_; }

private:
    journal_file(std::string path, journal_file_options options, unique_fd fd);
    [[nodiscard]] result<void> begin_flush();
    [[nodiscard]] result<void> end_flush();

    std::string path_;
    journal_file_options options_;
    unique_fd fd_;
    std::shared_ptr<detail::background_flush> flush_; ///< under way, or over
    std::uint64_t size_ = 0;
    bool dirty_ = false;
    std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};
static_assert(journal_sink<journal_file>);

} // namespace lkt
