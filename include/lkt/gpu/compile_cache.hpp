// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/failure.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace lkt::gpu_detail {

struct compile_cache_options {
    std::string kind; ///< a folder of its own in `folder`: `cuda`, `host`
    /// Empty: `$LKT_CACHE`, `$XDG_CACHE_HOME/lkt` or `~/.cache/lkt`. Where `LKT_CACHE` is `off`,
    /// there is none.
    std::string folder{};
    /// Bytes of all files; the least recently used go. 0: nothing is kept on disk.
    std::uint64_t limit = std::uint64_t{1} << 30;
};

/// What a compiler made of a text: bytes, or why it takes no such text.
using compiled_text = std::variant<std::string, compile_failed>;

/// What compilers made of texts, in a folder that any number of processes may share; texts that
/// they refused also in memory, with a folder or without. Who stores a failure says that it is the
/// text's: that the same compiler says so each time.
///
/// An entry is a file named by a hash of its key, which holds the whole key and a checksum: what is
/// read was written under exactly this key, or is not found. Written beside and renamed, so a
/// reader, or a writer that is killed, never leaves half an entry. Nothing here fails: what cannot
/// be used leaves a note. Members may be called by several threads.
class compile_cache {
public:
    explicit compile_cache(compile_cache_options options);

    /// Null when there is none. Marks it as used.
    [[nodiscard]] std::optional<compiled_text> find(std::string_view key);
    void store(std::string_view key, compiled_text const& made);

    /// Empty when there is none.
    [[nodiscard]] std::string const& folder() const { return folder_; }
    /// Why it is not used, or not written to; each once.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    void note(std::string text);
    void remember(std::string_view key, compile_failed const& why);
    [[nodiscard]] bool make_folder();
    void trim();
    [[nodiscard]] std::string file_of(std::string_view key) const;

    std::string folder_; ///< with its kind; empty: there is none
    std::uint64_t limit_;
    mutable std::mutex lock_;
    std::unordered_map<std::string, compile_failed> refused_;
    std::uint64_t refused_bytes_ = 0;
    std::vector<std::string> notes_;
    bool made_ = false, useless_ = false;
    std::uint64_t unseen_ = 0; ///< bytes written since the folder was last measured
    bool measured_ = false;
};

/// Which file this is, for a key: its path, size and time.
[[nodiscard]] std::string file_stamp(std::string const& path);

/// Whether a compiler's messages speak of itself or of what the machine lacks: no failure of a text
/// for certain.
[[nodiscard]] bool compiler_broke(std::string_view log);

} // namespace lkt::gpu_detail
