// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/folder_store.hpp>
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

/// Where compiled kernels are kept for later processes.
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

/// Results of compilers, in a folder that any number of processes may share; refused texts also in
/// memory, with a folder or without. A caller that stores a failure promises that the text causes
/// it, so that the same compiler always repeats it.
///
/// An entry is a file named by a hash of its key, which contains the whole key and a checksum: an
/// entry is found only if it was written under exactly this key. Entries are written to another
/// file and renamed (`folder_store`), so a killed writer never leaves half an entry. No function
/// fails: a problem leaves a note. Members may be called by several threads.
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
    [[nodiscard]] static std::string name_of(std::string_view key);

    std::string folder_; ///< with its kind; empty: there is none
    std::optional<folder_store> files_;
    mutable std::mutex lock_;
    std::unordered_map<std::string, compile_failed> refused_;
    std::uint64_t refused_bytes_ = 0;
    std::vector<std::string> notes_;
    bool useless_ = false;
};

/// Which file this is, for a key: its path, size and time.
[[nodiscard]] std::string file_stamp(std::string const& path);

/// Whether a compiler's messages are about the compiler itself or a missing resource, so that the
/// text may not be at fault.
[[nodiscard]] bool compiler_broke(std::string_view log);

} // namespace lkt::gpu_detail
