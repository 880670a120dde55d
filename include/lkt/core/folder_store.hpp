// SPDX-License-Identifier: BSL-1.0
// A folder of small files that many processes share: what caches and stores have in common.
#pragma once

#include <lkt/core/result.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// What a folder of files is for.
struct folder_store_options {
    std::string ending;      ///< of the names of its files: `.entry`; others are not looked at
    std::uint64_t limit = 0; ///< bytes of all its files: what was not used longest goes; 0: none
    bool flushed = true;     ///< an entry is on the disk before it has its name
    bool is_private = false; ///< nobody else may read what is written
};

/// A file of a store.
struct stored_file {
    std::string name;
    std::uint64_t bytes = 0;
    std::int64_t used = 0; ///< when it was written or last marked, nanoseconds since 1970
};

/// Files in one folder, which any number of threads and processes write, read and remove at once.
/// An entry is there as a whole or not at all, also where a writer is killed: it is written under a
/// hidden name and renamed. What killed writers leave goes after an hour (`trim`, `sweep`).
///
/// What a file holds is the caller's business; so is what tells a damaged or foreign file. Links,
/// folders, pipes and devices are no entries, whatever they are called.
class folder_store {
public:
    folder_store(std::string folder, folder_store_options options);

    /// Letters, digits, `_`, `-`, `+`, `=`, `.` and `,`, beginning with none of `.` and `-`, at
    /// most 200, with the ending: no name leads out of the folder.
    [[nodiscard]] bool is_name(std::string_view name) const;

    /// Errors: `lkt.store.name` (rejected: no name of an entry); those of `read_text_file`.
    [[nodiscard]] result<std::string> read(std::string_view name, std::size_t limit) const;
    /// Creates or replaces an entry, and the folder where it is missing. One that is larger than
    /// the limit is not kept. Errors: `lkt.store.name`, `lkt.store.folder` (unavailable),
    /// `lkt.file.full`, `lkt.file.write`.
    [[nodiscard]] std::optional<error> write(std::string_view name, std::string_view bytes);
    /// Used now, so that it stays longer.
    void mark_used(std::string_view name) const;
    /// Whether it was there and is not any more.
    bool remove(std::string_view name) const;

    /// All entries, by name. Errors: `lkt.store.folder`.
    [[nodiscard]] result<std::vector<stored_file>> entries() const;
    /// Hidden files of writers that were killed: not touched for an hour.
    [[nodiscard]] std::vector<stored_file> leftovers() const;
    /// Removes these.
    void sweep() const;

    [[nodiscard]] std::string const& folder() const { return folder_; }

private:
    void trim();
    [[nodiscard]] std::string path_of(std::string_view name) const;

    std::string folder_;
    folder_store_options options_;
    std::mutex lock_;
    std::uint64_t unseen_ = 0; ///< bytes written since the folder was last measured
    bool measured_ = false;
};

} // namespace lkt
