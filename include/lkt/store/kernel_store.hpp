// SPDX-License-Identifier: BSL-1.0
// A folder of kernels: what models wrote, how it was judged, and what it cost (docs/store.md).
#pragma once

#include <lkt/core/folder_store.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/source.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// Everything that decides whether a kernel is right, and how fast it is.
struct kernel_key {
    std::string operation; ///< the kernel's name
    std::string size;      ///< the timed one, for people: `64x32x48`
    std::string problem;   ///< SHA-256: signature, arguments, types, sizes, promises, oracle
    std::vector<std::string> judges; ///< SHA-256 of further oracles and scripts of tests
    lkt::language language = lkt::language::cuda;
    std::string backend, device, architecture;
    std::string lkt_version; ///< its checks are part of the judge

    /// SHA-256 of all of it.
    [[nodiscard]] std::string hash() const;
    friend bool operator==(kernel_key const&, kernel_key const&) = default;
};

enum class stored_status : unsigned char {
    accepted, ///< passed every check; only such kernels are served
    slower,   ///< right on the tests, but not faster than the best of its run
    rejected,
};
[[nodiscard]] constexpr std::string_view to_string(stored_status s) {
    return s == stored_status::accepted ? "accepted"
           : s == stored_status::slower ? "slower"
                                        : "rejected";
}

/// One reply of a model, and what became of it.
struct kernel_entry {
    kernel_key key;
    stored_status status = stored_status::rejected;
    std::string kernel;         ///< its text, with a `// lkt-kernel` line where it can be launched
    std::string why;            ///< of a rejected one
    std::string writer = "lkt"; ///< or `YoloKernelGen`, whose entries are read, not written
    std::string model,
        asked; ///< who wrote it, as it names itself and as it was asked; may be empty
    std::string strategy, driver;
    std::uint64_t seed = 0;
    std::string date; ///< when it was judged: `2026-11-25T14:53:08Z`
    std::string run;  ///< the same for all entries of a run
    std::vector<std::pair<std::string, std::string>> prompt; ///< role and text of each message
    std::string reply;
    std::int64_t input_tokens = 0, cached_tokens = 0, output_tokens = 0;
    seconds thinking{}, testing{};
    std::optional<seconds> time, baseline; ///< medians of a launch
    std::vector<std::string> tests;        ///< that it was judged by
    /// Whatever else the writer knows, as a JSON object: tolerances, every configuration and its
    /// times, the first wrong element, ...
    std::string record = "{}";
    std::string file; ///< its name in the store; set by reading
};

/// As JSON, with a digest of itself at its end.
[[nodiscard]] std::string to_text(kernel_entry const& e);
/// Also reads what YoloKernelGen writes (`{c|r}_{operation}_....json`). Errors (rejected):
/// `lkt.store.entry` (torn or changed: its digest does not fit; fields that are missing),
/// `.version` (written by a later lkt).
[[nodiscard]] result<kernel_entry> read_kernel_entry(std::string_view text,
                                                     std::string const& origin = "entry");

/// What was read of a store.
struct stored_kernels {
    std::vector<kernel_entry> entries;                 ///< by name
    std::vector<std::pair<std::string, error>> faults; ///< files that are no entries, and why
};

/// What there is to remove, and why.
struct removable_file {
    std::string name;
    std::uint64_t bytes = 0;
    std::string reason;
};

/// How much a store keeps.
struct store_gc_options {
    std::size_t keep = 3; ///< of the accepted kernels of one key: the fastest
    int days = 30;        ///< after which rejected and slower ones go
};

/// Kernels in a folder that any number of processes may read and write. An entry is a file called
/// `c_matmul_64x32x48_wgsl_h1a2b3c4d_0123456789ab.json`: status (`c`, `s`, `r`), operation, size,
/// language, key, reply. One reply is one entry, however often it is stored, also by a run that
/// goes on. Entries are untrusted: one that is torn, changed or called otherwise than its content
/// is skipped, with a reason.
class kernel_store {
public:
    explicit kernel_store(std::string folder);

    /// Its name. What was said of the same reply before is replaced, under whatever status; but an
    /// accepted one stays where it is only slower in another run. Errors: those of
    /// `folder_store::write`.
    [[nodiscard]] result<std::string> put(kernel_entry const& e);
    /// Errors: those of `folder_store::read` and `read_kernel_entry`; `lkt.store.entry` where the
    /// file has the name of another entry, `lkt.store.foreign` where it has not even the name of
    /// one.
    [[nodiscard]] result<kernel_entry> read(std::string_view name) const;
    /// Of those whose names contain `part`. Errors: `lkt.store.folder`.
    [[nodiscard]] result<stored_kernels> read_all(std::string_view part = {}) const;
    /// So many of those that were written or served last, whatever is damaged left out: for who
    /// looks for examples, and need not have all. Errors: `lkt.store.folder`.
    [[nodiscard]] result<std::vector<kernel_entry>> read_latest(std::size_t most) const;
    /// The accepted kernels for this key, the fastest first, and faults. A folder that is not there
    /// has none.
    [[nodiscard]] result<stored_kernels> find(kernel_key const& key) const;
    /// It was verified again, and is wrong.
    [[nodiscard]] std::optional<error> reject(kernel_entry e, std::string why);
    /// It was served.
    void mark_used(kernel_entry const& e) const { files_.mark_used(e.file); }

    /// What `collect` would remove: damaged entries, hidden files of killed writers, rejected and
    /// slower kernels of a certain age, all but the fastest accepted ones of a key. Never files of
    /// others. Errors: `lkt.store.folder`.
    [[nodiscard]] result<std::vector<removable_file>> garbage(store_gc_options const& o) const;
    /// Removes these; how many bytes became free. Errors: `lkt.store.folder` where some are still
    /// there.
    [[nodiscard]] result<std::uint64_t> collect(std::span<removable_file const> files) const;

    [[nodiscard]] std::string const& folder() const { return files_.folder(); }

private:
    [[nodiscard]] result<kernel_entry> read_named(std::string_view name) const;

    folder_store files_;
};

/// What one model did for one operation.
struct kernel_statistics {
    std::string operation, model, asked;
    std::size_t runs = 0, replies = 0;
    std::size_t right = 0, accepted = 0; ///< of the replies
    std::int64_t input_tokens = 0, cached_tokens = 0, output_tokens = 0;
    seconds thinking{}, testing{};
    std::optional<seconds> best; ///< the fastest accepted kernel of any size
    double speedup = 0;          ///< the largest, over the original; 0: unknown
};
/// By operation and model.
[[nodiscard]] std::vector<kernel_statistics> statistics_of(std::span<kernel_entry const> entries);

} // namespace lkt
