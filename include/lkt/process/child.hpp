// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/process/sandbox.hpp>
#include <lkt/process/shared_memory.hpp>
#include <lkt/process/worker_options.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// A file that goes into a scratch directory.
struct child_file {
    std::string name; ///< plain, without a slash
    std::string text;
};

/// Programs that run or translate untrusted text, and what they may do.
enum class confined_as : unsigned char {
    none, ///< trusted: all that this user may do
    /// No sockets, no further processes, no signals to others, no file opened for writing: it
    /// writes to its outputs and to the files of `collect` (at most 32), which are open in it as
    /// descriptors 3, 4, ... in their order; those that it leaves empty are not returned.
    interpreter,
    /// A compiler: it may execute programs below `readable`, and create and remove plain files in
    /// its scratch directory, which it requires. No sockets, no other files, no process group of
    /// its own, no signals to processes outside.
    compiler,
};

/// One run of another program. Its environment holds `keep` and `environment`, nothing else.
struct child_options {
    std::vector<std::string> arguments{};   ///< the program first; looked up on PATH
    std::string input{};                    ///< its standard input, a file to it
    std::vector<std::string> environment{}; ///< `NAME=value`
    /// Variables that are handed on where they are set.
    std::vector<std::string> keep{"PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR"};
    std::string directory{}; ///< to run in; empty: this program's
    /// Non-empty `files` or `collect`: it runs in a fresh private directory, which is also its
    /// TMPDIR, holds `files`, and is removed afterwards, even if this program is killed meanwhile.
    std::vector<child_file> files{};
    std::vector<std::string> collect{}; ///< files of that directory to return, where they exist
    /// Open in a confined interpreter as 3, 4, ..., before those of `collect`; at most 16.
    /// Borrowed.
    std::vector<int> descriptors{};
    std::size_t output_limit = std::size_t{1} << 20;        ///< bytes kept of each output
    std::uint64_t collect_limit = std::uint64_t{256} << 20; ///< bytes of one collected file
    std::chrono::milliseconds time_limit{60'000};           ///< wall time
    std::uint64_t memory_limit = 0;    ///< bytes of address space of each process; 0: none
    std::uint64_t file_size_limit = 0; ///< bytes of each file written; 0: none
    std::uint64_t scratch_limit = 0;   ///< bytes of all files in its scratch directory; 0: none
    unsigned process_limit = 0;        ///< processes at a time, its own children included; 0: none
    /// A file that a confined program writes has at most `file_size_limit` bytes, or
    /// `collect_limit` if that is 0. Refused operations fail with EPERM, EACCES or EROFS. Error if
    /// the Linux kernel cannot do this: `lkt.sandbox.unavailable`.
    confined_as confined = confined_as::none;
    /// What a confined program may read and execute besides its directory. An interpreter also has
    /// the system's programs and libraries; if this is empty, it may read all that this user may. A
    /// compiler has nothing else. Landlock sees to it, or a mount namespace.
    std::vector<std::string> readable{};
    /// Run a confined program even if the Linux kernel cannot keep it from other files: for texts
    /// that you have read. An interpreter then gets no mount namespace. `child_result::behind` says
    /// what kept a compiler from them.
    bool unconfined_allowed = false;
    worker_options worker{}; ///< of the process that watches over it
};

enum class child_end : unsigned char { exited, signalled, timed_out, cancelled };

struct child_result {
    child_end how = child_end::exited;
    int exit_code = -1; ///< if exited
    int signal = 0;     ///< if signalled
    std::string over{}; ///< which limit it broke, if it was killed for that: `33 processes`
    file_wall behind = file_wall::none; ///< what kept a confined compiler from other files
    std::string out, err;
    bool out_cut = false, err_cut = false; ///< more was written than is kept
    std::uint64_t peak_rss = 0;            ///< bytes, the largest process of the run
    std::chrono::nanoseconds wall{}, cpu{};
    std::vector<std::pair<std::string, shared_memory>> files; ///< those collected

    [[nodiscard]] bool succeeded() const { return how == child_end::exited && exit_code == 0; }
    /// Null when it was not collected.
    [[nodiscard]] shared_memory const* file(std::string_view name) const;
};

/// Runs a program to its end under a worker, which leads a process group of its own: when this
/// function returns, and also when this process is killed, the program and everything that it
/// started are killed, too. Programs that ended badly are results; errors mean that it could not
/// be run: `lkt.child.*`, `lkt.worker.*`. Costs one more process, about 5 ms.
[[nodiscard]] result<child_result> run_child(child_options const& options,
                                             call_context const& context = {});

} // namespace lkt
