// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::cuda_detail {

struct compile_cache_options {
    bool enabled = true;
    /// Empty: `$LKT_CACHE`, `$XDG_CACHE_HOME/lkt` or `~/.cache/lkt`, and in it `cuda`.
    std::string folder{};
    std::uint64_t limit = std::uint64_t{1}
                          << 30; ///< bytes of all files; the least recently used go
};

/// Texts under texts, in a folder that any number of processes may share. An entry is a file named
/// by a hash of its key, which holds the whole key and a checksum: what is read was written under
/// exactly this key, or is not found. Written beside and renamed, so a reader, or a writer that is
/// killed, never leaves half an entry. Nothing here fails: what cannot be used leaves a note.
/// Members may be called by several threads.
class compile_cache {
public:
    explicit compile_cache(compile_cache_options options = {});

    /// Null when there is none. Marks it as used.
    [[nodiscard]] std::optional<std::string> find(std::string_view key);
    void store(std::string_view key, std::string_view value);

    /// Empty when there is none.
    [[nodiscard]] std::string const& folder() const { return folder_; }
    /// Why it is not used, or not written to; each once.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    void note(std::string text);
    [[nodiscard]] bool make_folder();
    void trim();
    [[nodiscard]] std::string file_of(std::string_view key) const;

    std::string folder_; ///< with `cuda`; empty: there is none
    std::uint64_t limit_;
    mutable std::mutex lock_;
    std::vector<std::string> notes_;
    bool made_ = false, useless_ = false;
    std::uint64_t unseen_ = 0; ///< bytes written since the folder was last measured
    bool measured_ = false;
};

} // namespace lkt::cuda_detail
